"""A store with external files, composite attributes and an ordered relationship, and what tests of it have in common."""

import pathlib
import shutil
import sqlite3
import subprocess
import uuid
import zlib

import data_tests
import studio_test
from selenium.webdriver.common.keys import Keys

GALLERY = studio_test.HEADER + """\
    <entity name="Picture" representedClassName="Picture" syncable="YES" codeGenerationType="class">
        <attribute name="genre" optional="YES" attributeType="String"/>
        <attribute name="place" optional="YES" attributeType="Composite" composite="Place"/>
        <attribute name="rank" optional="YES" attributeType="Integer 32" minValueString="0" usesScalarValueType="NO"/>
        <attribute name="scan" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
        <attribute name="title" attributeType="String" defaultValueString=""/>
        <relationship name="room" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Room" inverseName="pictures" inverseEntity="Room"/>
    </entity>
    <entity name="Room" representedClassName="Room" syncable="YES" codeGenerationType="class">
        <attribute name="name" attributeType="String" defaultValueString=""/>
        <relationship name="pictures" optional="YES" toMany="YES" deletionRule="Nullify" ordered="YES" destinationEntity="Picture" inverseName="room" inverseEntity="Picture"/>
    </entity>
    <composite name="Place">
        <attribute name="city" optional="YES" attributeType="String"/>
        <attribute name="spot" optional="YES" attributeType="Composite" composite="Spot"/>
        <attribute name="zip" optional="YES" attributeType="Integer 32" usesScalarValueType="NO"/>
    </composite>
    <composite name="Spot">
        <attribute name="floor" optional="YES" attributeType="Integer 16" usesScalarValueType="NO"/>
        <attribute name="hung" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
    </composite>
</model>"""

PICTURES = ["Nighthawks", "Guernica", "The Scream", "Water Lilies", "Olympia", "American Gothic"]


def tool(name):
    return str(pathlib.Path(studio_test.BINARY).parent / name)


def make_gallery(folder):
    """A store with one room, in which all pictures hang in the order of their keys."""
    model = folder / "Gallery.xcdatamodeld"
    contents = model / "Gallery.xcdatamodel" / "contents"
    contents.parent.mkdir(parents=True)
    contents.write_text(GALLERY)
    store = folder / "Gallery.sqlite"
    subprocess.run([tool("modelc-store"), "make", model, "--rows", str(len(PICTURES)), "--output", store], check=True,
                   stdout=subprocess.DEVNULL)
    external = folder / ".Gallery_SUPPORT" / "_EXTERNAL_DATA"
    shutil.rmtree(external.parent, ignore_errors=True)
    external.mkdir(parents=True)
    database = sqlite3.connect(store)
    database.execute("DELETE FROM ZROOM WHERE Z_PK > 1")
    database.execute("UPDATE ZROOM SET ZNAME = 'East'")
    for key, title in enumerate(PICTURES, 1):
        # Large values are in files of their own.
        name = str(uuid.UUID(int=key)).upper()
        (external / name).write_bytes(data_tests.image(key * 30, 90, 120, size=64))
        database.execute(
            "UPDATE ZPICTURE SET ZTITLE = ?, ZGENRE = ?, ZRANK = ?, ZSCAN = ?, ZROOM = 1, Z_FOK_ROOM = ? WHERE Z_PK = ?",
            (title, "modern" if key % 2 else "old", key // 3, b"\2" + name.encode() + b"\0", key * 1024, key))
    database.commit()
    database.close()
    return model, store


def compiled_model(store, path):
    """Writes the model that a SQLite store contains as a .mom file."""
    database = sqlite3.connect(store)
    ((content,),) = database.execute("SELECT Z_CONTENT FROM Z_MODELCACHE").fetchall()
    database.close()
    path.write_bytes(zlib.decompress(content, -15))
    return path


class GalleryTest(data_tests.DataTest):
    arguments = ["--writable"]

    def make(self):
        return make_gallery(self.folder)

    @property
    def external(self):
        return self.folder / ".Gallery_SUPPORT" / "_EXTERNAL_DATA"

    def all_files(self):
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in self.folder.rglob("*")
                if path.is_file() and "cache" not in path.parts}

    def show(self, entity, row=1):
        self.choose(entity)
        self.click(f".data-row:nth-child({row}) > [role=gridcell]:nth-child(1)")
        self.wait(lambda: self.all("#panel .values"))
        self.settle()

    def edit(self, name, text):
        self.click(f"#edit-{name}")
        self.keys((Keys.CONTROL, "a"), text, Keys.ENTER)
        self.settle()

    def saved(self):
        self.keys((Keys.CONTROL, "s"))
        self.notice("Saved")

    def notice(self, text):
        self.wait(lambda: text in self.text("#notice"))
        self.settle()

    def value(self, selector):
        return self.driver.execute_script("return document.querySelector(arguments[0])?.value", selector)

    def preview_width(self):
        return self.driver.execute_script("return document.querySelector('#panel .preview')?.naturalWidth")
