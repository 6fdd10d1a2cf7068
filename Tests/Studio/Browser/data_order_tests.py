"""The data browser's orders: of ordered relationships, and of lists by their columns."""

import urllib.request

import gallery
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys


class OrderTests(gallery.GalleryTest):
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
        self.assertEqual(self.members(), gallery.PICTURES)
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
        self.end_delay()
        for _ in range(2):
            self.keys((Keys.CONTROL, "z"))
            self.settle()
        self.wait(lambda: self.members() == expected)
        self.assertEqual(self.stored(), gallery.PICTURES)
        self.saved()
        self.assertEqual(self.stored(), expected)

    def test_members_are_moved_by_touch(self):
        self.drag_by_touch(self.all("#panel .handle")[4], self.all("#panel .members li")[1])
        expected = ["Nighthawks", "Olympia", "Guernica", "The Scream", "Water Lilies", "American Gothic"]
        self.wait(lambda: self.members() == expected)
        # A tap asks for the position.
        self.assertFalse(self.css("#dialog").is_displayed())
        self.drag_by_touch(self.all("#panel .handle")[4], self.all("#panel .handle")[4])
        self.wait(lambda: self.css("#position").is_displayed())

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
        self.wait(lambda: self.members() == gallery.PICTURES)
        self.click("#redo")
        self.wait(lambda: self.members() == expected)
        self.saved()
        self.assertEqual(self.stored(), expected)


class SortTests(gallery.GalleryTest):
    arguments = []

    def test_lists_are_sorted_by_a_relationship_and_by_elements_of_composites(self):
        self.sql("INSERT INTO ZROOM(Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT 2, Z_ENT, 1, 'Attic' FROM ZROOM")
        self.sql("UPDATE ZPICTURE SET ZROOM = CASE Z_PK WHEN 1 THEN NULL WHEN 4 THEN 2 ELSE 1 END")
        self.sql("UPDATE ZPICTURE SET ZCITY = CASE Z_PK % 3 WHEN 0 THEN 'Rome' ELSE 'Oslo' END, ZFLOOR = Z_PK")
        self.restart()
        self.choose("Picture")
        self.assertIn("by room.name", self.head("room").get_attribute("title"))
        self.head("room").click()
        self.settle()
        self.assertEqual([text.split(" · ")[-1] for text in self.cells("room")], ["nil", "Attic", *["East"] * 4])
        self.assertEqual(self.text(".data-head .arrow").strip(), "▲")
        self.head("place").click()
        self.wait(lambda: self.all("dialog[open] .link"))
        self.assertEqual(self.names("dialog[open] .link"), ["place.city", "place.spot.floor", "place.spot.hung", "place.zip"])
        self.screenshot("data-sort-element")
        # By keyboard from there.
        self.keys(Keys.ARROW_DOWN, Keys.ENTER)
        self.settle()
        self.expect("ZFLOOR")
        self.click("#grid")
        # Behind the key, the title and the genre.
        self.keys(Keys.HOME, *[Keys.ARROW_RIGHT] * 3)
        for order in ["ZFLOOR, ZCITY", "ZFLOOR, ZCITY DESC"]:
            self.keys((Keys.SHIFT, "s"))
            self.wait(lambda: self.all("dialog[open] .link"))
            self.keys(Keys.ENTER)
            self.settle()
            self.expect(order)

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
        address = self.attribute("#export-csv", "href")
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
