"""The data browser on many rows: editing several at once, importing, long histories and relationships."""

import json
import sqlite3
import subprocess
import urllib.request

import data_tests
import gallery
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select


class SelectionTests(gallery.GalleryTest):
    def row(self, number):
        return self.css(f".data-row:nth-child({number}) > [role=gridcell]:nth-child(1)")

    def selected(self):
        return self.driver.execute_script(
            "return [...document.querySelectorAll('.data-row[aria-selected=true]')].map((one) => Number(one.ariaRowIndex ?? "
            "one.getAttribute('aria-rowindex')) - 1)")

    def click_with(self, key, number):
        ActionChains(self.driver).key_down(key).click(self.row(number)).key_up(key).perform()
        self.settle()

    def set_property(self, name, text):
        self.act("#set-property", lambda element: Select(element).select_by_value(name))
        field = self.css("#set-value")
        if field.tag_name == "select":
            Select(field).select_by_value(text)
        else:
            field.clear()
            field.send_keys(text)
        self.click("#set-all")
        self.settle()

    def columns(self):
        return self.driver.execute_script(
            "return [...document.querySelectorAll('.data-head [role=columnheader]')].map((one) => one.textContent.split(' ')[0])")

    def cell(self, number, name):
        """Clicks beside the content of a cell, which may be a button."""
        self.driver.execute_script(
            "document.querySelector(arguments[0]).dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, button: 0 }));"
            "document.getElementById('grid').focus()",
            f".data-row:nth-child({number}) > [role=gridcell]:nth-child({self.columns().index(name) + 1})")
        self.settle()

    def clipboard(self):
        self.driver.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
        return self.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0], (error) => arguments[0](String(error)))")

    def copy(self, text=None):
        """Copies what is selected, or a text, and returns it."""
        if text is None:
            self.keys((Keys.CONTROL, "c"))
            self.wait(lambda: self.text("#notice").startswith("Copied"))
            return self.clipboard()
        self.clipboard()
        return self.driver.execute_async_script(
            "navigator.clipboard.writeText(arguments[0]).then(() => arguments[1](arguments[0]))", text)

    def paste(self):
        self.keys((Keys.CONTROL, "v"))
        self.settle()

    def test_cells_are_copied_and_pasted_as_tab_separated_text(self):
        self.clipboard()
        long = "x" * 500
        self.sql(f"UPDATE ZPICTURE SET ZTITLE = 'a\tb \"c\"\nd', ZGENRE = NULL WHERE Z_PK = 1")
        self.sql(f"UPDATE ZPICTURE SET ZTITLE = '{long}', ZGENRE = '' WHERE Z_PK = 2")
        self.choose("Picture")
        self.settle()
        self.cell(1, "title")
        odd = '"a\tb ""c""\nd"'
        self.assertEqual(self.copy(), odd)
        # A long text is copied whole, although the list has only its beginning.
        self.cell(2, "title")
        self.assertEqual(self.copy(), long)
        # Rows, with all columns. No value and an empty text differ.
        self.keys((Keys.SHIFT, Keys.ARROW_UP))
        self.settle()
        rows = self.copy()
        self.assertIn(odd, rows)
        self.assertIn(f"\t{long}\t", rows)
        genre = self.columns().index("genre")
        lines = rows.replace(odd, "odd").split("\n")
        self.assertEqual([line.split("\t")[genre] for line in lines], ["", '""'])
        # What is pasted goes on to the right and below, as one step.
        self.keys(Keys.ESCAPE)
        self.cell(3, "genre")
        self.copy("new\n\n\"\"\n")
        self.paste()
        self.assertEqual(self.cells("genre")[2:5], ["new", "nil", ""])
        self.cell(3, "title")
        self.copy(odd + "\r\nplain")
        self.paste()
        self.assertEqual(self.cells("title")[2:4], ['a\tb "c"\nd', "plain"])
        self.click("#undo")
        self.wait(lambda: self.cells("title")[2] == "The Scream")
        # One text goes into all selected rows.
        self.cell(4, "genre")
        self.keys((Keys.SHIFT, Keys.ARROW_DOWN), (Keys.SHIFT, Keys.ARROW_DOWN))
        self.settle()
        self.copy("same")
        self.paste()
        self.assertEqual(self.cells("genre")[3:], ["same"] * 3)
        self.saved()
        self.assertEqual(self.sql("SELECT ZGENRE FROM ZPICTURE ORDER BY Z_PK")[2:], [("new",), ("same",), ("same",), ("same",)])
        self.screenshot("data-pasted")

    def test_what_does_not_fit_is_not_pasted(self):
        self.choose("Picture")
        before = self.sql("SELECT * FROM ZPICTURE")
        last = self.columns()[-1]
        before_place = self.columns()[self.columns().index("place") - 1]
        for row, name, text, problem in [
            (1, "rank", "1\nmany", "not a value of type Integer 32"), (1, "scan", "x", "cannot be pasted into “scan”"),
            (1, "room", "x", "cannot be pasted into “room”"), (1, before_place, "a\tb", "cannot be pasted into “place”"),
            (6, "genre", "a\nb", "has 1 from the current one on"), (1, last, "a\tb", "right of the current cell"),
        ]:
            self.cell(row, name)
            self.copy(text)
            self.paste()
            self.notice(problem)
            self.assertFalse(self.is_enabled("#save"), text)
        self.assertEqual(self.sql("SELECT * FROM ZPICTURE"), before)

    def test_rows_are_selected_and_set_with_the_mouse(self):
        self.choose("Picture")
        self.row(2).click()
        self.settle()
        self.click_with(Keys.SHIFT, 4)
        self.assertEqual(self.selected(), [2, 3, 4])
        self.click_with(Keys.CONTROL, 3)
        self.click_with(Keys.CONTROL, 6)
        self.assertEqual(self.selected(), [2, 4, 6])
        self.assertEqual(self.text("#selection-title").split()[-2:], ["3", "Objects"])
        self.set_property("genre", "lost")
        self.assertEqual([index for index, text in enumerate(self.cells("genre"), 1) if text == "lost"], [2, 4, 6])
        self.set_property("place.city", "Rome")
        self.screenshot("data-selection")
        # A value that is no number changes none of them, one out of range is marked in each.
        self.set_property("rank", "many")
        self.notice("not a value of type Integer 32")
        self.set_property("rank", "-1")
        self.assertEqual(len(self.all(".data-row .invalid")), 3)
        self.click("#undo")
        self.wait(lambda: not self.all(".data-row .invalid"))
        self.saved()
        self.assertEqual(self.sql("SELECT Z_PK FROM ZPICTURE WHERE ZGENRE = 'lost' AND ZCITY = 'Rome' ORDER BY 1"), [(2,), (4,), (6,)])

    def test_rows_are_selected_set_and_deleted_with_the_keyboard(self):
        self.choose("Picture")
        self.click("#grid")
        self.keys((Keys.CONTROL, Keys.HOME), (Keys.SHIFT, Keys.ARROW_DOWN), (Keys.SHIFT, Keys.ARROW_DOWN))
        self.settle()
        self.assertEqual(self.selected(), [1, 2, 3])
        self.keys(Keys.F6)
        self.assertEqual(self.driver.switch_to.active_element.get_attribute("id"), "set-property")
        self.keys("r")
        self.settle()
        self.assertEqual(self.driver.switch_to.active_element.get_attribute("id"), "set-property")
        self.act("#set-property", lambda element: Select(element).select_by_value("genre"))
        self.keys(Keys.TAB, "all three", Keys.ENTER)
        self.settle()
        self.assertEqual(self.cells("genre")[:4], ["all three"] * 3 + ["old"])
        self.keys((Keys.CONTROL, "z"))
        # Undo is the field's own while it has the focus.
        self.assertEqual(self.cells("genre")[0], "all three")
        self.keys(Keys.ESCAPE)
        self.keys((Keys.CONTROL, "z"))
        self.wait(lambda: self.cells("genre")[0] == "modern")
        self.keys((Keys.CONTROL, "a"))
        self.settle()
        self.assertEqual(len(self.selected()), len(gallery.PICTURES))
        self.keys(Keys.DELETE)
        self.wait(lambda: len(self.all(".data-row.deleted")) == len(gallery.PICTURES))
        self.keys((Keys.CONTROL, "z"))
        self.wait(lambda: not self.all(".data-row.deleted"))
        self.keys(Keys.ESCAPE)
        self.assertEqual(len(self.selected()), 1)
        # The current row and one more.
        self.keys((Keys.CONTROL, Keys.HOME), " ", Keys.ARROW_DOWN)
        self.assertEqual(self.selected(), [2])
        self.keys((Keys.SHIFT, Keys.ARROW_DOWN), Keys.DELETE)
        self.wait(lambda: len(self.all(".data-row.deleted")) == 2)
        self.saved()
        self.assertEqual(self.sql("SELECT Z_PK FROM ZPICTURE ORDER BY 1"), [(1,), (4,), (5,), (6,)])

    def test_a_relationship_is_set_in_several_objects(self):
        self.choose("Picture")
        self.row(1).click()
        self.click_with(Keys.SHIFT, 3)
        self.act("#set-property", lambda element: Select(element).select_by_value("room"))
        self.click("#set-nil")
        self.settle()
        self.assertEqual(self.cells("room")[:3], ["nil"] * 3)
        self.click("#set-destination")
        self.wait(lambda: self.all("dialog[open] .pick .link"))
        # Objects are found by their keys too.
        search = self.driver.find_element("css selector", "#pick-search")
        search.send_keys("99")
        self.wait(lambda: not self.all("dialog[open] .pick .link"))
        search.send_keys(Keys.BACKSPACE, Keys.BACKSPACE, "1")
        self.wait(lambda: len(self.all("dialog[open] .pick .link")) == 1)
        self.click("dialog[open] .pick .link")
        self.wait(lambda: "East" in self.cells("room")[2])
        self.click("#undo")
        self.settle()
        self.saved()
        self.assertEqual(self.sql("SELECT count(*) FROM ZPICTURE WHERE ZROOM IS NULL"), [(3,)])


class ImportTests(gallery.GalleryTest):
    def pick_file(self, name, text):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        self.act("#import-file", lambda element: element.send_keys(str(path)))
        self.settle()

    def problems(self):
        return [[cell.text for cell in row.find_elements("css selector", "td")] for row in self.all("dialog[open] .problems tbody tr")]

    def test_problems_are_told_and_the_other_rows_imported(self):
        self.choose("Picture")
        # The file field is opened by a button that the keyboard reaches.
        self.driver.execute_script("document.getElementById('import').focus()")
        self.assertEqual(self.driver.switch_to.active_element.tag_name, "button")
        self.pick_file("new.csv", 'title,rank,room,place.city,color\n"Olive Trees",1,Room/1,Vence,green\nBad,x,Room/1,,\n'
                       'Lost,2,Room/77,,\n<img src=x>,-4,,,\n')
        self.wait(lambda: self.all("dialog[open].import"))
        self.assertIn("2 rows of 4 cannot be read", self.text("dialog[open]"))
        self.assertIn("color (no such property)", self.text("dialog[open]"))
        self.assertEqual(self.problems(), [["2", "3", "rank", "“x” is not a value of type Integer 32"],
                                           ["3", "4", "room", "object not found: Room/77"]])
        self.screenshot("data-import")
        self.assertEqual(self.total(), f"{len(gallery.PICTURES)} objects")
        self.click("#import-others")
        self.wait(lambda: "1 value is not valid" in self.text("dialog[open].import"))
        self.assertEqual(self.problems()[-1][:3], ["4", "5", "rank"])
        self.screenshot("data-imported")
        self.keys(Keys.ENTER)
        self.wait(lambda: not self.all("dialog[open]"))
        self.assertEqual(self.cells("title")[:2], ["Olive Trees", "<img src=x>"])
        self.assertEqual(len(self.all(".data-row .invalid")), 1)
        # Nothing is in the store until the edits are saved, and they cannot be while a value is not valid.
        self.keys((Keys.CONTROL, "s"))
        self.notice("not valid")
        self.assertEqual(self.sql("SELECT count(*) FROM ZPICTURE"), [(len(gallery.PICTURES),)])
        self.click(".data-row:nth-child(2) > [role=gridcell]:nth-child(1)")
        self.wait(lambda: self.all("#edit-rank"))
        self.settle()
        self.edit("rank", "4")
        self.saved()
        self.assertEqual(self.sql("SELECT ZTITLE, ZRANK, ZCITY, ZROOM FROM ZPICTURE WHERE Z_PK > 6 ORDER BY ZTITLE DESC"),
                         [("Olive Trees", 1, "Vence", 1), ("<img src=x>", 4, None, None)])

    def test_an_export_is_imported_again_and_undone(self):
        self.sql("UPDATE ZPICTURE SET ZCITY = 'Chicago', ZFLOOR = 2, ZHUNG = 0.5 WHERE Z_PK = 1")
        self.restart()
        self.choose("Picture")
        for format in ["csv", "json"]:
            with urllib.request.urlopen(self.css(f"#export-{format}").get_attribute("href")) as answer:
                data = answer.read()
            self.pick_file(f"export.{format}", data)
            self.notice("6 objects imported")
            self.assertEqual(self.all("dialog[open]"), [])
            for column in ["title", "rank", "place", "room"]:
                self.assertEqual(self.cells(column)[:6], self.cells(column)[6:12], column)
            self.click("#undo")
            self.wait(lambda: self.total() == "6 objects")
        self.assertEqual(json.loads(data)[0]["place"]["spot"]["floor"], 2)
        self.assertFalse(self.is_enabled("#save"))

    def test_files_that_cannot_be_imported_are_explained(self):
        self.choose("Picture")
        self.pick_file("latin.csv", "title\nM\xe4dchen\n".encode("latin-1"))
        self.notice("is not UTF-8 text")
        self.pick_file("open.csv", 'title\n"Open\n')
        self.notice("“open.csv”: the quote in line 2 is not closed")
        self.pick_file("list.json", '[{"title": "A"')
        self.notice("“list.json”: the file is not valid JSON")
        self.pick_file("other.csv", "a;b\n1;2\n")
        self.notice("no column of “Picture”")
        self.pick_file("huge.csv", b"title\n" + b"x" * (8 << 20))
        self.notice("at most 8.0 MB")
        self.assertFalse(self.is_enabled("#undo"))


class LongOrderTests(gallery.GalleryTest):
    """A room with 250 pictures."""

    def make(self):
        model, store = gallery.make_gallery(self.folder)
        database = sqlite3.connect(store)
        database.execute(
            "WITH RECURSIVE n(i) AS (SELECT 7 UNION ALL SELECT i + 1 FROM n WHERE i < 250) INSERT INTO ZPICTURE(Z_PK, Z_ENT, Z_OPT, ZTITLE, "
            "ZROOM, Z_FOK_ROOM) SELECT i, (SELECT Z_ENT FROM ZPICTURE LIMIT 1), 1, 'Picture ' || i, 1, i * 1024 FROM n")
        database.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 250 WHERE Z_NAME = 'Picture'")
        database.commit()
        database.close()
        return model, store

    def setUp(self):
        super().setUp()
        self.show("Room")

    def keys_of_members(self):
        return [int(text.split(" ")[1]) for text in self.names("#panel .members .link")]

    def stored(self):
        return [key for (key,) in self.sql("SELECT Z_PK FROM ZPICTURE WHERE ZROOM = 1 ORDER BY Z_FOK_ROOM")]

    def place(self):
        return "".join(self.names("#members-pictures"))

    def focus(self, key):
        self.driver.execute_script(f"document.querySelector(`#panel .handle[id$='/p{key}']`).focus()")

    def focused(self):
        return self.driver.switch_to.active_element.get_attribute("aria-label")

    def test_pages_are_turned_and_members_moved_across_them_by_keyboard(self):
        self.assertEqual(self.place(), "1–100 of 250")
        self.assertEqual(self.keys_of_members(), list(range(1, 101)))
        self.click("#next-pictures")
        self.wait(lambda: self.place() == "101–200 of 250")
        self.click("#next-pictures")
        self.wait(lambda: self.keys_of_members() == list(range(201, 251)))
        self.screenshot("data-order-pages")
        self.focus(210)
        self.keys(Keys.PAGE_UP)
        self.wait(lambda: self.place() == "101–200 of 250")
        self.settle()
        self.assertIn("110 of 250", self.focused())
        self.keys(Keys.HOME)
        self.wait(lambda: self.place() == "1–100 of 250")
        self.settle()
        self.keys(Keys.END)
        self.wait(lambda: self.place() == "201–250 of 250")
        self.settle()
        self.assertIn("250 of 250", self.focused())
        self.keys(Keys.ENTER)
        self.wait(lambda: self.all("dialog[open] #position"))
        self.keys("101", Keys.ENTER)
        self.wait(lambda: self.place() == "101–200 of 250")
        self.settle()
        # Over the edge of a page.
        self.focus(210)
        self.keys(Keys.ARROW_UP)
        self.wait(lambda: self.place() == "1–100 of 250")
        self.settle()
        self.assertIn("100 of 250", self.focused())
        expected = [key for key in range(1, 251) if key != 210]
        expected.insert(99, 210)
        self.saved()
        self.assertEqual(self.stored(), expected)

    def test_members_are_dragged_to_another_page(self):
        self.click("#next-pictures")
        self.wait(lambda: self.place() == "101–200 of 250")
        self.settle()
        handle = self.css("#panel .handle[id$='/p105']")
        ActionChains(self.driver).drag_and_drop(handle, self.css("#previous-pictures")).perform()
        self.wait(lambda: self.place() == "1–100 of 250")
        self.assertEqual(self.keys_of_members()[-1], 105)
        self.click("#undo")
        self.settle()
        self.saved_or_unchanged()

    def saved_or_unchanged(self):
        self.assertFalse(self.is_enabled("#save"))
        self.assertEqual(self.stored(), list(range(1, 251)))


class LongHistoryTests(data_tests.DataTest):
    """A history of 20,000 transactions."""

    def make(self):
        model, store = data_tests.make_store(self.folder, rows=3)
        database = sqlite3.connect(store)
        database.execute("UPDATE ZBOOK SET ZSETTINGS = NULL")
        database.commit()
        database.close()
        mom = gallery.compiled_model(store, self.folder / "Library.mom")
        subprocess.run([gallery.tool("StoreWriter"), "history", store, mom], check=True)
        database = sqlite3.connect(store)
        database.execute(
            "WITH RECURSIVE n(i) AS (SELECT 4 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) INSERT INTO ATRANSACTION(Z_PK, Z_ENT, Z_OPT, "
            "ZTIMESTAMP, ZAUTHORTS) SELECT i, Z_ENT, 1, ZTIMESTAMP + i, ZAUTHORTS FROM n, ATRANSACTION t WHERE t.Z_PK = 1")
        database.commit()
        database.close()
        return model, store

    def numbers(self):
        return [int(text[1:]) for text in self.names(".transaction .number")]

    def test_older_transactions_are_added_page_by_page(self):
        self.click("#sidebar li[title='History']")
        self.wait(lambda: len(self.numbers()) == 50)
        self.assertEqual(self.numbers()[0], 20000)
        self.click("#older")
        self.wait(lambda: len(self.numbers()) == 100)
        self.settle()
        self.assertIn("#19950", self.driver.switch_to.active_element.text)
        # What others save appears, and what was in sight stays.
        self.sql("INSERT INTO ATRANSACTION(Z_PK, Z_ENT, Z_OPT, ZTIMESTAMP) SELECT 20001, Z_ENT, 1, ZTIMESTAMP FROM ATRANSACTION WHERE Z_PK = 1")
        self.wait(lambda: self.numbers()[:1] == [20001])
        self.assertGreaterEqual(len(self.numbers()), 100)
        self.assertEqual(self.numbers(), sorted(self.numbers(), reverse=True))
