"""The data browser on stores of all kinds: external files, composite and ordered properties, XML and binary stores."""

import pathlib
import shutil
import sqlite3
import subprocess
import urllib.error
import urllib.request
import uuid
import zlib

import data_tests
import run
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

GALLERY = run.HEADER + """\
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
    return str(pathlib.Path(run.BINARY).parent / name)


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
        self.wait(lambda: text in self.css("#notice").text)
        self.settle()

    def value(self, selector):
        return self.driver.execute_script("return document.querySelector(arguments[0])?.value", selector)

    def preview_width(self):
        return self.driver.execute_script("return document.querySelector('#panel .preview')?.naturalWidth")


class ExternalFileTests(GalleryTest):
    def pick_file(self, name, data):
        path = self.folder / name
        path.write_bytes(data)
        self.act("#edit-file-scan", lambda element: element.send_keys(str(path)))
        self.settle()

    def scan(self, key=1):
        return self.sql(f"SELECT ZSCAN FROM ZPICTURE WHERE Z_PK = {key}")[0][0]

    def test_values_in_external_files_are_shown_and_kept(self):
        self.arguments = []
        self.restart()
        before = self.all_files()
        self.choose("Picture")
        self.wait(lambda: self.driver.execute_script(
            "return [...document.querySelectorAll('.data-row img')].filter((one) => one.naturalWidth === 64).length") == len(PICTURES))
        self.show("Picture", 2)
        self.wait(lambda: self.preview_width() == 64)
        with urllib.request.urlopen(self.css("#panel .preview").get_attribute("src")) as answer:
            self.assertEqual(answer.read(), (self.external / str(uuid.UUID(int=2)).upper()).read_bytes())
        self.assertEqual(self.all_files(), before)

    def test_a_missing_file_is_explained(self):
        (self.external / str(uuid.UUID(int=2)).upper()).unlink()
        self.restart()
        self.show("Picture", 2)
        self.assertIn("missing", self.cells("scan")[1])
        self.assertIn("missing", self.css("#panel").text)
        self.screenshot("data-missing-file")
        self.assertEqual(self.css("#edit-scan").text, "Choose File…")
        # Other values can be edited; the reference to the file stays, since the file may come back.
        before = self.scan(2)
        self.edit("title", "Guernica (1937)")
        self.saved()
        self.assertEqual(self.scan(2), before)
        self.pick_file("small.png", data_tests.image(10, 200, 90, size=32))
        self.saved()
        self.wait(lambda: self.preview_width() == 32)

    def test_a_value_is_replaced_by_a_file(self):
        self.show("Picture")
        self.wait(lambda: self.preview_width() == 64)
        old = self.external / str(uuid.UUID(int=1)).upper()
        small = data_tests.image(10, 200, 90, size=32)
        self.pick_file("small.png", small)
        self.wait(lambda: self.preview_width() == 32)
        self.screenshot("data-bytes")
        self.click("#undo")
        self.wait(lambda: self.preview_width() == 64)
        self.click("#redo")
        self.wait(lambda: self.preview_width() == 32)
        self.assertTrue(old.exists())
        self.saved()
        self.assertEqual(self.scan(), b"\1" + small)
        self.assertFalse(old.exists())
        # A large value gets a file, an empty one none.
        large = bytes(range(256)) * 600
        self.pick_file("large.bin", large)
        self.saved()
        (file,) = [path for path in self.external.iterdir() if path.name == self.scan()[1:-1].decode()]
        self.assertEqual(file.read_bytes(), large)
        self.pick_file("empty.bin", b"")
        self.saved()
        self.assertEqual(self.scan(), b"\1")
        self.driver.execute_script("document.querySelector('#panel [aria-label=\"Remove scan\"]').click()")
        self.settle()
        self.saved()
        self.assertIsNone(self.scan())
        self.assertEqual(self.css("#edit-scan").text, "Choose File…")

    def test_a_replaced_value_survives_the_server(self):
        self.show("Picture")
        small = data_tests.image(10, 200, 90, size=32)
        self.pick_file("small.png", small)
        self.studio.process.kill()
        self.driver.get("about:blank")
        self.driver.get_log("browser")
        self.studio.stop()
        self.start()
        self.click("#recover")
        self.settle()
        self.saved()
        self.assertEqual(self.scan(), b"\1" + small)

    def test_uploads_are_limited_and_checked(self):
        self.show("Picture")
        before = self.scan()
        self.pick_file("huge.bin", bytes((32 << 20) + 1))
        self.assertIn("“huge.bin” has 32.0 MB", self.css("#notice").text)
        self.assertFalse(self.css("#undo").is_enabled())
        address = self.css("#panel .preview").get_attribute("src").split("&version")[0]
        origin = "/".join(address.split("/")[:3])
        other = address.replace("key=scan", "key=title")

        def status(address, data=b"x", **headers):
            request = urllib.request.Request(address, data=data, headers={
                "Content-Type": "application/octet-stream", **{name.replace("_", "-"): value for name, value in headers.items()}})
            try:
                with urllib.request.urlopen(request) as answer:
                    return answer.status, answer.read()
            except urllib.error.HTTPError as error:
                return error.code, b""
        self.assertEqual(status(address)[0], 403)
        self.assertEqual(status(address, Origin="http://evil.example")[0], 403)
        self.assertEqual(status(address, Origin=origin, Content_Type="text/plain")[0], 403)
        self.assertEqual(status(address, Origin=origin, Host="evil.example")[0], 403)
        self.assertEqual(status(origin + "/0/" + address.split("/")[-1], Origin=origin)[0], 403)
        self.assertEqual(status(address.replace("object=", "other="), Origin=origin)[0], 403)
        self.assertIn(b"no binary attribute", status(other, Origin=origin)[1])
        self.assertNotIn(b"problem", status(address, Origin=origin)[1])
        self.wait(lambda: self.css("#undo").is_enabled())
        self.assertEqual(self.scan(), before)


class CompositeTests(GalleryTest):
    def test_elements_are_shown_edited_and_undone(self):
        self.sql("UPDATE ZPICTURE SET ZCITY = 'Chicago', ZZIP = 60603, ZFLOOR = 2, ZHUNG = 0.5 WHERE Z_PK = 1")
        self.restart()
        self.show("Picture")
        self.assertIn("city: Chicago, spot: {floor: 2", self.cells("place")[0])
        # From the table to the first element with the keyboard.
        self.click("#grid")
        self.keys(Keys.HOME)
        while self.css(f"#{self.css('#grid').get_attribute('aria-activedescendant')}").text != self.cells("place")[0]:
            self.keys(Keys.ARROW_RIGHT)
        self.keys(Keys.F2)
        self.assertEqual(self.driver.switch_to.active_element.get_attribute("id"), "edit-place-city")
        self.keys((Keys.CONTROL, "a"), "Boston", Keys.ENTER)
        self.settle()
        self.edit("place-spot-floor", "40000")
        self.notice("not a value of type Integer 16")
        self.edit("place-spot-floor", "3")
        self.edit("place-spot-hung", "2024-02-29T12:00:00Z")
        self.assertIn("city: Boston, spot: {floor: 3", self.cells("place")[0])
        self.screenshot("data-composite")
        self.click("#undo")
        self.wait(lambda: self.value("#edit-place-spot-hung").startswith("2001-01-01"))
        self.saved()
        values = "SELECT ZCITY, ZZIP, ZFLOOR, ZHUNG, ZTITLE FROM ZPICTURE WHERE Z_PK = 1"
        self.assertEqual(self.sql(values), [("Boston", 60603, 3, 0.5, "Nighthawks")])
        # An element without a value, and a predicate on one.
        self.click("#panel [aria-label='Set place.zip to nil']")
        self.settle()
        self.saved()
        self.assertEqual(self.sql(values), [("Boston", None, 3, 0.5, "Nighthawks")])
        self.filter('place.city == "Boston"')
        self.assertEqual(self.total(), "1 object")


class OrderTests(GalleryTest):
    def setUp(self):
        super().setUp()
        self.show("Room")

    def members(self):
        return [text.split(" · ")[1] for text in self.names("#panel .members .link")]

    def stored(self):
        return [title for (title,) in self.sql("SELECT ZTITLE FROM ZPICTURE WHERE ZROOM = 1 ORDER BY Z_FOK_ROOM")]

    def focus(self, name):
        self.driver.execute_script(
            "document.querySelector(`#panel .handle[aria-label*='${arguments[0]}']`).focus()", name)

    def test_members_are_moved_by_keyboard_faster_than_the_answers(self):
        self.assertEqual(self.members(), PICTURES)
        self.focus("Nighthawks")
        self.delay(150)
        self.keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_UP)
        expected = ["Guernica", "The Scream", "Nighthawks", "Water Lilies", "Olympia", "American Gothic"]
        self.wait(lambda: self.members() == expected)
        self.settle()
        self.assertIn("Nighthawks, 3 of 6", self.driver.switch_to.active_element.get_attribute("aria-label"))
        # The ends stop.
        self.keys(*[Keys.ARROW_UP] * 4)
        self.wait(lambda: self.members()[0] == "Nighthawks")
        self.settle()
        for _ in range(2):
            self.keys((Keys.CONTROL, "z"))
            self.settle()
        self.wait(lambda: self.members() == expected)
        self.assertEqual(self.stored(), PICTURES)
        self.saved()
        self.assertEqual(self.stored(), expected)

    def test_members_are_moved_by_dragging(self):
        handles = self.all("#panel .handle")
        lines = self.all("#panel .members li")
        ActionChains(self.driver).drag_and_drop(handles[4], lines[1]).perform()
        expected = ["Nighthawks", "Olympia", "Guernica", "The Scream", "Water Lilies", "American Gothic"]
        self.wait(lambda: self.members() == expected)
        self.screenshot("data-order")
        self.driver.execute_script(
            "[...document.querySelectorAll('#panel .buttons button')].find((one) => one.textContent === 'Show as List').click()")
        self.wait(lambda: self.cells("title") == expected)
        self.click("#back")
        self.settle()
        self.click("#undo")
        self.wait(lambda: self.members() == PICTURES)
        self.click("#redo")
        self.wait(lambda: self.members() == expected)
        self.saved()
        self.assertEqual(self.stored(), expected)


class SortTests(GalleryTest):
    arguments = []

    def head(self, name):
        return next(one for one in self.all(".data-head button") if one.text.split(" ")[0] == name)

    def shift_click(self, name):
        ActionChains(self.driver).key_down(Keys.SHIFT).click(self.head(name)).key_up(Keys.SHIFT).perform()
        self.settle()

    def expect(self, order):
        self.assertEqual(self.cells("title"), [title for (title,) in self.sql(f"SELECT ZTITLE FROM ZPICTURE ORDER BY {order}, Z_PK")])

    def test_several_columns_by_mouse_and_keyboard(self):
        self.choose("Picture")
        self.head("genre").click()
        self.settle()
        self.expect("ZGENRE")
        self.shift_click("rank")
        self.expect("ZGENRE, ZRANK")
        self.shift_click("rank")
        self.expect("ZGENRE, ZRANK DESC")
        self.assertEqual([one.text for one in self.all(".data-head .arrow")], ["▲1", "▼2"])
        self.screenshot("data-sort")
        address = self.css("#export-csv").get_attribute("href")
        with urllib.request.urlopen(address) as answer:
            titles = [line.split(",")[2] for line in answer.read().decode().splitlines()[1:]]
        self.assertEqual(titles, self.cells("title"))
        # The third press leaves the column out, a plain one replaces all.
        self.shift_click("rank")
        self.expect("ZGENRE")
        self.click("#grid")
        self.keys(Keys.HOME, Keys.ARROW_RIGHT, "s")
        self.settle()
        self.expect("ZTITLE")
        self.keys((Keys.SHIFT, "s"))
        self.settle()
        self.expect("ZTITLE DESC")
        self.keys(Keys.ARROW_RIGHT, (Keys.SHIFT, "s"))
        self.settle()
        self.expect("ZTITLE DESC, ZGENRE")
        self.keys(Keys.HOME, "s")
        self.settle()
        self.expect("Z_PK")


class StoreKindTest(GalleryTest):
    kind = None
    suffix = None
    title = None

    def make(self):
        self.source = self.folder / "source"
        self.source.mkdir()
        self.model, self.sqlite = make_gallery(self.source)
        self.mom = compiled_model(self.sqlite, self.folder / "Gallery.mom")
        self.arguments = ["--writable", self.model]
        return self.model, self.copy("Gallery" + self.suffix)

    def copy(self, name):
        target = self.folder / name
        subprocess.run([tool("StoreWriter"), "copy", self.sqlite, self.mom, self.kind, target], check=True)
        return target

    def open(self):
        self.studio.address = self.studio.address.rstrip("/") + "/data.html"
        super().open()

    def change_elsewhere(self, title):
        """Replaces the file as another program does that saves it."""
        database = sqlite3.connect(self.sqlite)
        database.execute("UPDATE ZPICTURE SET ZTITLE = ? WHERE Z_PK = 1", (title,))
        database.commit()
        database.close()
        self.copy("other").replace(self.store)

    def titles(self):
        """What a studio that starts anew reads."""
        self.restart()
        self.choose("Picture")
        return sorted(self.cells("title"))


class XMLStoreTests(StoreKindTest):
    kind, suffix, title = "XML", ".xml", "XML"

    def test_objects_are_browsed(self):
        self.arguments = [self.model]
        self.restart()
        before = self.store.read_bytes()
        self.assertIn(f"{self.title} · model", self.css("#origin").text)
        self.choose("Picture")
        self.assertEqual(self.total(), f"{len(PICTURES)} objects")
        self.assertEqual(sorted(self.cells("title")), sorted(PICTURES))
        self.wait(lambda: self.driver.execute_script(
            "return [...document.querySelectorAll('.data-row img')].filter((one) => one.naturalWidth === 64).length") == len(PICTURES))
        self.screenshot(f"data-{self.title.lower()}")
        self.filter('genre == "old" AND place.zip > 0')
        self.assertEqual(self.cells("title"), ["American Gothic"])
        self.click("#sql-details summary")
        self.wait(lambda: "in memory" in self.css("#sql-details").text)
        self.filter("")
        self.click(".data-head [title='Integer 32'] button")
        self.settle()
        self.assertEqual(self.cells("rank"), ["0", "0", "1", "1", "1", "2"])
        self.click("#sidebar li[title='History']")
        self.wait(lambda: "Only SQLite stores" in self.css("#content").text)
        self.assertEqual(self.store.read_bytes(), before)

    def test_edits_are_saved(self):
        self.choose("Picture")
        row = self.cells("title").index("Olympia") + 1
        self.show("Picture", row)
        self.edit("title", "Olympia (1863)")
        self.edit("place-city", "Paris")
        self.edit("rank", "-1")
        self.assertTrue(self.all(".data-row .invalid"))
        self.click("#undo")
        self.settle()
        self.saved()
        self.click("#create")
        self.wait(lambda: self.all(".data-row.inserted"))
        self.edit("title", "New")
        self.saved()
        expected = sorted([title for title in PICTURES if title != "Olympia"] + ["Olympia (1863)", "New"])
        self.assertEqual(self.titles(), expected)
        self.filter('place.city == "Paris"')
        self.assertEqual(self.cells("title"), ["Olympia (1863)"])

    def test_what_other_programs_save_is_shown(self):
        self.choose("Picture")
        self.change_elsewhere("Theirs")
        self.wait(lambda: "Theirs" in self.cells("title"))
        self.assertEqual(self.total(), f"{len(PICTURES)} objects")

    def test_a_file_that_both_change_is_not_overwritten_unasked(self):
        for answer, expected in [("#keep-theirs", "Theirs"), ("#keep-mine", "Mine")]:
            self.choose("Picture")
            row = next(index for index, text in enumerate(self.cells("title"), 1) if text in ("Nighthawks", "Theirs"))
            self.show("Picture", row)
            self.edit("title", "Mine")
            self.change_elsewhere("Theirs")
            stamp = self.store.read_bytes()
            self.keys((Keys.CONTROL, "s"))
            self.wait(lambda: self.all("dialog[open].conflicts"))
            self.assertIn("written as a whole", self.css("dialog[open]").text)
            self.assertEqual(self.store.read_bytes(), stamp)
            self.screenshot(f"data-whole-file-{self.title.lower()}")
            self.click(answer)
            self.wait(lambda: not self.css("#undo").is_enabled())
            self.settle()
            self.assertEqual(sorted(self.cells("title")), sorted([expected, *PICTURES[1:]]))
            self.assertEqual(self.titles(), sorted([expected, *PICTURES[1:]]))


class BinaryStoreTests(XMLStoreTests):
    kind, suffix, title = "Binary", ".store", "binary"
