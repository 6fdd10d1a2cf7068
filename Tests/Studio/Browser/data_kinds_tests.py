"""The data browser on XML and binary stores, which are read and written as a whole."""

import re
import sqlite3
import subprocess

import gallery
from selenium.webdriver.common.keys import Keys


class StoreKindTest(gallery.GalleryTest):
    kind = None
    suffix = None
    title = None

    def make(self):
        self.source = self.folder / "source"
        self.source.mkdir()
        self.model, self.sqlite = gallery.make_gallery(self.source)
        self.mom = gallery.compiled_model(self.sqlite, self.folder / "Gallery.mom")
        self.arguments = ["--writable", self.model]
        return self.model, self.copy("Gallery" + self.suffix)

    def copy(self, name):
        target = self.folder / name
        subprocess.run([gallery.tool("StoreWriter"), "copy", self.sqlite, self.mom, self.kind, target], check=True)
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
        self.assertIn(f"{self.title} · model", self.text("#origin"))
        self.choose("Picture")
        self.assertEqual(self.total(), f"{len(gallery.PICTURES)} objects")
        self.assertEqual(sorted(self.cells("title")), sorted(gallery.PICTURES))
        self.wait(lambda: self.driver.execute_script(
            "return [...document.querySelectorAll('.data-row img')].filter((one) => one.naturalWidth === 64).length") == len(gallery.PICTURES))
        self.screenshot(f"data-{self.title.lower()}")
        self.filter('genre == "old" AND place.zip > 0')
        self.assertEqual(self.cells("title"), ["American Gothic"])
        self.click("#sql-details summary")
        self.wait(lambda: "in memory" in self.text("#sql-details"))
        self.filter("")
        self.click(".data-head [title='Integer 32'] button")
        self.settle()
        self.assertEqual(self.cells("rank"), ["0", "0", "1", "1", "1", "2"])
        next(one for one in self.all(".data-head button") if one.text.split(" ")[0] == "room").click()
        self.settle()
        self.assertEqual(sorted(self.cells("title")), sorted(gallery.PICTURES))
        next(one for one in self.all(".data-head button") if one.text.split(" ")[0] == "place").click()
        self.wait(lambda: self.all("dialog[open] .link"))
        def zips():
            return [int(found.group(1)) for text in self.cells("place") + self.cells("place.zip")
                    if (found := re.search(r"zip: (-?\d+)", text or ""))]
        unsorted = zips()
        self.assertGreater(len(set(unsorted)), 2)
        next(one for one in self.all("dialog[open] .link") if one.text == "place.zip").click()
        self.settle()
        self.assertEqual(zips(), sorted(unsorted))
        self.click("#sidebar li[title='History']")
        self.wait(lambda: "Only SQLite stores" in self.text("#content"))
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
        # The fields are those of the new object once it is selected.
        self.settle()
        self.edit("title", "New")
        self.saved()
        expected = sorted([title for title in gallery.PICTURES if title != "Olympia"] + ["Olympia (1863)", "New"])
        self.assertEqual(self.titles(), expected)
        self.filter('place.city == "Paris"')
        self.assertEqual(self.cells("title"), ["Olympia (1863)"])

    def test_what_other_programs_save_is_shown(self):
        self.choose("Picture")
        self.change_elsewhere("Theirs")
        self.wait(lambda: "Theirs" in self.cells("title"))
        self.assertEqual(self.total(), f"{len(gallery.PICTURES)} objects")

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
            self.assertIn("written as a whole", self.text("dialog[open]"))
            self.assertEqual(self.store.read_bytes(), stamp)
            self.screenshot(f"data-whole-file-{self.title.lower()}")
            self.click(answer)
            self.wait(lambda: not self.is_enabled("#undo"))
            self.settle()
            self.assertEqual(sorted(self.cells("title")), sorted([expected, *gallery.PICTURES[1:]]))
            self.assertEqual(self.titles(), sorted([expected, *gallery.PICTURES[1:]]))


class BinaryStoreTests(XMLStoreTests):
    kind, suffix, title = "Binary", ".store", "binary"
