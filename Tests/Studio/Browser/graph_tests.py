"""The graph editor, with mouse and keyboard."""

import pathlib
import re
import shutil
import sys
import xml.etree.ElementTree as ElementTree

import corpus
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from model_kinds_tests import LargeModelTests
from studio_test import LIBRARY, Studio, StudioTest

PLACED = LIBRARY.replace("</model>", """\
    <elements>
        <element name="Author" positionX="-54" positionY="-9" width="128" height="89"/>
        <element name="Book" positionX="225" positionY="9.25" width="128" height="119"/>
        <element name="Novel" positionX="486" positionY="180" width="128" height="59"/>
        <element name="Publisher" positionX="-54" positionY="216" width="160" height="44"/>
    </elements>
</model>""")


class GraphTest(StudioTest):
    def open(self):
        super().open()
        self.open_graph()

    def open_graph(self):
        self.click("#view-graph")
        self.wait(lambda: self.graph("return m.graph.scene.boxes.length > 0 && m.graph.scene.boxes.every((b) => m.view.scale > 0 "
                                     "&& Number.isFinite(b.x)) && (m.graph.scene.unplaced.length === 0)") or not self.names())
        self.settle()

    def graph(self, script, *arguments):
        """Runs a script with the graph's module as `m`."""
        return self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1]; const given = [...arguments];"
            "import('./graph.js').then((m) => { (async () => { " + script + " })().then(done); });", *arguments)

    def downloaded(self, name, end):
        """Waits for a file, which the browser makes before it has its contents, and returns its bytes."""
        file = self.folder / name
        return self.wait(lambda: file.exists() and (data := file.read_bytes()).endswith(end) and data)

    def place(self, name):
        return self.graph("const b = m.boxNamed(given[0]); return b && m.onScreen(b)", name)

    def canvas_place(self, name):
        return tuple(self.graph("const b = m.boxNamed(given[0]); return [b.x, b.y]", name))

    def selection(self):
        return self.graph("return [...m.graph.selected].map((b) => b.name).sort()")

    def press(self, x, y, *moves, keys=(), release=True):
        """Presses at a point of the window and moves on."""
        actions = ActionChains(self.driver, duration=20)
        pointer, keyboard = actions.w3c_actions.pointer_action, actions.w3c_actions.key_action
        for key in keys:
            actions.key_down(key)
        pointer.move_to_location(int(x), int(y))
        pointer.pointer_down()
        for dx, dy in moves:
            pointer.move_to_location(int(x + dx), int(y + dy))
        if release:
            pointer.pointer_up()
        # The keys wait for the pointer.
        for _ in range(len(moves) + 3):
            keyboard.pause()
        for key in keys:
            actions.key_up(key)
        actions.perform()
        self.settle()

    def hover(self, x, y):
        actions = ActionChains(self.driver, duration=20)
        actions.w3c_actions.pointer_action.move_to_location(int(x), int(y))
        actions.perform()

    def drag(self, name, dx, dy, keys=()):
        box = self.place(name)
        self.press(box["x"] + 20, box["y"] + 8, (dx / 2, dy / 2), (dx, dy), keys=keys)

    def click_box(self, name, keys=()):
        box = self.place(name)
        self.press(box["x"] + 20, box["y"] + 8, keys=keys)


class PlacedGraphTests(GraphTest):
    contents = PLACED

    def test_stored_places_are_shown_and_a_drag_changes_one_line(self):
        self.assertEqual(self.canvas_place("Author"), (-54, -9))
        self.assertEqual(self.canvas_place("Book"), (225, 9.25))
        self.screenshot("graph-placed")
        scale = self.graph("return m.view.scale")
        self.drag("Novel", 40, -60)
        self.save()
        self.assertEqual(self.changed_lines(), [
            ("-", '<element name="Novel" positionX="486" positionY="180" width="128" height="59"/>'),
            ("+", f'<element name="Novel" positionX="{round(486 + 40 / scale)}" positionY="{round(180 - 60 / scale)}" width="128" height="59"/>'),
        ])
        self.keys((Keys.CONTROL, "z"))
        self.settle()
        self.assertEqual(self.canvas_place("Novel"), (486, 180))
        self.save()
        self.assertEqual(self.file.read_text(), self.contents)

    def test_several_boxes_are_dragged_as_one_step(self):
        self.click_box("Author")
        self.click_box("Book", keys=[Keys.SHIFT])
        self.assertEqual(self.selection(), ["Author", "Book"])
        self.drag("Book", 30, 30)
        scale = self.graph("return m.view.scale")
        self.assertEqual(self.canvas_place("Author"), (-54 + round(30 / scale), -9 + round(30 / scale)))
        self.assertEqual(self.canvas_place("Novel"), (486, 180))
        self.assertIn("Undo Move Boxes", self.attribute("#undo", "title"))
        self.click("#undo")
        self.settle()
        self.assertEqual([self.canvas_place(name) for name in ["Author", "Book"]], [(-54, -9), (225, 9.25)])
        self.assertFalse(self.is_enabled("#undo"))

    def test_escape_ends_a_drag_without_a_change(self):
        box = self.place("Book")
        self.press(box["x"] + 20, box["y"] + 8, (50, 50), release=False)
        self.assertNotEqual(self.canvas_place("Book"), (225, 9.25))
        self.keys(Keys.ESCAPE)
        actions = ActionChains(self.driver)
        actions.w3c_actions.pointer_action.pointer_up()
        actions.perform()
        self.settle()
        self.assertEqual(self.canvas_place("Book")[0], 225)
        self.assertFalse(self.is_enabled("#undo"))

    def test_a_rectangle_selects(self):
        frame = self.css("#graph-frame").rect
        self.press(frame["x"] + 5, frame["y"] + 5, (300, 300), (frame["width"] - 10, frame["height"] - 10), keys=[Keys.SHIFT])
        self.assertEqual(self.selection(), ["Author", "Book", "Novel", "Publisher"])

    def test_panning_and_zooming_change_nothing_in_the_model(self):
        before = self.graph("return [m.view.x, m.view.y, m.view.scale]")
        frame = self.css("#graph-frame").rect
        self.press(frame["x"] + 20, frame["y"] + frame["height"] - 20, (40, -30), (80, -60))
        self.driver.execute_script("""
            const frame = document.getElementById("graph-frame"); const r = frame.getBoundingClientRect();
            frame.dispatchEvent(new WheelEvent("wheel", { deltaY: -200, ctrlKey: true, clientX: r.x + 50, clientY: r.y + 50, bubbles: true, cancelable: true }));
        """)
        after = self.graph("return [m.view.x, m.view.y, m.view.scale]")
        self.assertGreater(after[2], before[2])
        self.assertFalse(self.is_enabled("#undo"))
        self.click("#graph-fit")
        self.assertEqual(self.graph("return [m.view.x, m.view.y, m.view.scale]"), before)

    def test_the_keyboard_selects_and_moves(self):
        self.keys((Keys.ALT, "g"))
        self.assertEqual(self.driver.switch_to.active_element.get_attribute("id"), "graph-frame")
        self.keys(Keys.HOME)
        self.assertEqual(self.selection(), ["Author"])
        self.keys(Keys.ARROW_RIGHT)
        self.assertEqual(self.selection(), ["Book"])
        self.assertIn("Book", self.css("#" + self.attribute("#graph-frame", "aria-activedescendant")).get_attribute("textContent"))
        self.keys((Keys.CONTROL, Keys.ARROW_DOWN), (Keys.CONTROL, Keys.ARROW_DOWN), (Keys.CONTROL, Keys.SHIFT, Keys.ARROW_RIGHT))
        self.settle()
        self.assertEqual(self.canvas_place("Book"), (226, 29))
        self.keys((Keys.CONTROL, "z"))
        self.settle()
        self.assertEqual(self.canvas_place("Book"), (225, 9.25))
        self.keys((Keys.SHIFT, Keys.ARROW_LEFT))
        self.assertEqual(self.selection(), ["Author", "Book"])
        self.keys(Keys.ENTER)
        self.assertTrue(self.css("#content").is_displayed())
        self.keys((Keys.ALT, "g"))
        self.assertTrue(self.css("#graph").is_displayed())

    def test_selecting_in_one_view_selects_in_the_others(self):
        self.select("Novel")
        self.assertEqual(self.selection(), ["Novel"])
        box = self.place("Book")
        self.press(box["x"] + 40, box["y"] + 24 * self.graph("return m.view.scale") + 8)
        self.assertEqual(self.text("#sidebar li[aria-selected=true]").split("\n")[1], "Book")
        self.assertEqual(self.attribute("#field-attribute-name", "value"), "isbn")
        self.click("#view-table")
        self.assertEqual(self.text("#content tr[aria-selected=true] .name"), "isbn")
        self.pick("title")
        self.click("#view-graph")
        self.assertEqual(self.graph("return [...m.graph.rows].map((k) => JSON.parse(k)[1][1])"), ["title"])

    def test_a_new_entity_gets_its_place(self):
        frame = self.css("#graph-frame").rect
        x, y = frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] - 30
        self.double_click(x, y)
        self.wait(lambda: self.all("#graph-frame input"))
        self.keys("Shelf", Keys.ENTER)
        self.settle()
        self.assertIn("Shelf", self.names())
        box = self.place("Shelf")
        self.assertLess(abs(box["x"] + box["width"] / 2 - x), 4)
        self.save()
        added = [line for sign, line in self.changed_lines() if sign == "+"]
        self.assertEqual(len(added), 2)
        self.assertRegex(added[1], r'^<element name="Shelf" positionX="-?\d+" positionY="-?\d+" width="128" height="29"/>$')
        while self.is_enabled("#undo"):
            self.click("#undo")
            self.settle()
        self.save()
        self.assertEqual(self.file.read_text(), self.contents)

    def double_click(self, x, y):
        actions = ActionChains(self.driver, duration=20)
        pointer = actions.w3c_actions.pointer_action
        pointer.move_to_location(int(x), int(y))
        for _ in range(2):
            pointer.pointer_down()
            pointer.pointer_up()
        actions.perform()
        self.settle()

    def test_dark_theme(self):
        self.darken()
        self.click_box("Book")
        self.screenshot("graph-placed-dark")
        color = self.graph("return [...document.getElementById('graph-canvas').getContext('2d').getImageData(2, 2, 1, 1).data]")
        self.assertEqual(color, [0x18, 0x18, 0x1B, 255])


class GraphTests(GraphTest):
    def test_a_model_without_places_gets_one_block_when_a_box_is_moved(self):
        before = {name: self.canvas_place(name) for name in ["Author", "Book", "Novel", "Publisher"]}
        self.screenshot("graph")
        self.assertFalse(self.is_enabled("#save"))
        self.drag("Publisher", 25, 35)
        self.save()
        added = self.changed_lines()
        self.assertEqual([sign for sign, _ in added], ["+"] * 6)
        self.assertEqual((added[0][1], added[5][1]), ("<elements>", "</elements>"))
        names = [re.search('name="([^"]*)"', line).group(1) for _, line in added[1:5]]
        self.assertEqual(names, ["Author", "Book", "Novel", "Publisher"])
        self.click("#undo")
        self.settle()
        self.assertEqual({name: self.canvas_place(name) for name in before}, before)
        self.save()
        self.assertEqual(self.file.read_text(), self.contents)

    def test_dragging_from_the_handle_creates_a_relationship_and_its_inverse(self):
        source, target = self.place("Novel"), self.place("Publisher")
        self.hover(source["x"] + 20, source["y"] + 8)
        scale = self.graph("return m.view.scale")
        x, y = source["x"] + source["width"], source["y"] + 12 * scale
        self.press(x, y, (10, 10), (target["x"] + 30 - x, target["y"] + 10 - y))
        self.save()
        self.assertEqual(self.changed_lines(), [
            ("+", '<relationship name="publisher2" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Publisher" inverseName="novel" inverseEntity="Publisher"/>'),
            ("+", '<relationship name="novel" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Novel" inverseName="publisher2" inverseEntity="Novel"/>'),
        ])
        self.click("#undo")
        self.settle()
        self.save()
        self.assertEqual(self.file.read_text(), self.contents)

    def test_connecting_with_the_keyboard_only(self):
        self.keys((Keys.ALT, "g"), Keys.HOME)
        start = self.selection()
        self.keys("r")
        self.assertTrue(self.css("#graph-hint").is_displayed())
        target = None
        for key in [Keys.ARROW_RIGHT, Keys.ARROW_DOWN]:
            self.keys(key)
            target = self.graph("return m.graph.connection.target?.name ?? null") or target
        self.screenshot("graph-connecting")
        self.keys(Keys.ENTER)
        self.settle()
        lines = self.graph("return m.graph.scene.lines.filter((l) => l.kind === 'relationship' && l.inverse).map((l) => [l.source.name, l.target.name].sort().join())")
        self.assertIn(",".join(sorted([start[0], target])), lines)
        self.assertIn("Undo Add Relationship", self.attribute("#undo", "title"))
        # A new property, named in the box.
        self.keys((Keys.ALT, "a"))
        self.wait(lambda: self.all("#graph-frame input"))
        self.keys("age", Keys.ENTER)
        self.settle()
        self.assertIn("age", self.graph("return m.boxNamed(given[0]).rows.map((r) => r.name)", start[0]))
        self.keys(Keys.DELETE)
        self.settle()
        self.assertNotIn("age", self.graph("return m.boxNamed(given[0]).rows.map((r) => r.name)", start[0]))

    def test_arranging_stores_a_picture_without_overlaps(self):
        self.click("#graph-arrange")
        self.settle()
        boxes = self.graph("return m.graph.scene.boxes.map((b) => [b.x, b.y, b.x + b.width, b.y + b.height])")
        for index, one in enumerate(boxes):
            for other in boxes[index + 1:]:
                self.assertFalse(one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3])
        self.assertIn("<elements>", self.text_after_save())

    def text_after_save(self):
        self.save()
        return self.file.read_text()

    def test_export(self):
        self.driver.execute_cdp_cmd("Page.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(self.folder)})
        self.click("#graph-svg")
        tree = ElementTree.fromstring(self.downloaded("Library.svg", b"</svg>\n"))
        self.click("#graph-png")
        head = self.downloaded("Library.png", b"IEND\xaeB`\x82")[:24]
        texts = [element.text for element in tree.iter("{http://www.w3.org/2000/svg}text")]
        for name in ["Author", "Book", "Novel", "Publisher", "isbn", "genre"]:
            self.assertIn(name, texts)
        self.assertEqual(head[:8], b"\x89PNG\r\n\x1a\n")
        self.assertGreater(int.from_bytes(head[16:20], "big"), 400)

    def test_renaming_by_double_click_keeps_the_place(self):
        place = self.canvas_place("Publisher")
        box = self.place("Publisher")
        PlacedGraphTests.double_click(self, box["x"] + 20, box["y"] + 8)
        self.wait(lambda: self.all("#graph-frame input"))
        self.keys("Imprint", Keys.ENTER)
        self.settle()
        self.assertIn("Imprint", self.names())
        self.assertEqual(self.canvas_place("Imprint"), place)

    def test_deleting_boxes(self):
        self.click_box("Novel")
        self.click_box("Publisher", keys=[Keys.SHIFT])
        self.keys(Keys.DELETE)
        self.settle()
        self.assertEqual(self.names()[:2], ["Author", "Book"])
        self.assertNotIn("Novel", self.names())
        self.assertNotIn("Publisher", self.names())
        self.keys((Keys.CONTROL, "z"))
        self.settle()
        self.assertIn("Novel", self.names())
        self.assertIn("Publisher", self.names())


class HostileGraphTests(GraphTest):
    contents = LIBRARY.replace('name="isbn"', 'name="&lt;img src=x onerror=alert(1)&gt;"').replace(
        'name="Novel"', 'name="&lt;script&gt;alert(1)&lt;/script&gt;"')

    def test_text_never_becomes_markup(self):
        self.driver.execute_cdp_cmd("Page.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(self.folder)})
        self.click("#graph-svg")
        tree = ElementTree.fromstring(self.downloaded("Library.svg", b"</svg>\n"))
        self.assertEqual({element.tag.split("}")[1] for element in tree.iter()} - {"svg", "title", "rect", "path", "circle", "text"}, set())
        self.assertIn("<script>alert(1)</script>"[:8], "".join(element.text or "" for element in tree.iter()))
        self.assertEqual(self.all("img, #graph script"), [])


class LargeGraphTests(GraphTest):
    contents = LargeModelTests.contents

    def test_400_entities_can_be_dragged(self):
        self.screenshot("graph-large")
        self.graph("m.zoom(0.5 / m.view.scale); m.reveal(m.graph.scene.boxes[100]); m.pan(-100, -100); return 0")
        name = self.graph("""
            const r = document.getElementById("graph-frame").getBoundingClientRect();
            return m.graph.scene.boxes.find((b) => { const p = m.onScreen(b);
              return p.x > r.x && p.y > r.y && p.x + p.width < r.right && p.y + 60 < r.bottom; })?.name ?? null""")
        before = self.canvas_place(name)
        self.drag(name, 60, 40)
        self.assertNotEqual(self.canvas_place(name), before)
        self.wait(lambda: self.is_enabled("#undo"))
        self.keys((Keys.CONTROL, "z"))
        self.wait(lambda: self.canvas_place(name) == before)
        self.screenshot("graph-large-near")


class CorpusGraphTests(GraphTest):
    """Some real models: the graph is shown, a box is moved with the keyboard, undone, saved: nothing has changed."""

    is_long = True

    def setUp(self):
        if not corpus.ROOT:
            self.skipTest("MODELC_CORPUS is not set")
        sources = sorted(pathlib.Path(corpus.ROOT, "models").rglob("*.xcdatamodeld"), key=lambda path: (len(path.name), path.name))
        self.sources = sources[:: max(1, len(sources) // 6)][:6]
        super().setUp()

    def test_moving_and_undoing_changes_no_byte(self):
        for number, source in enumerate(self.sources):
            target = self.folder / "corpus" / source.name
            shutil.rmtree(target.parent, ignore_errors=True)
            shutil.copytree(source, target)
            before = {path: path.read_bytes() for path in target.rglob("*") if path.is_file()}
            studio = Studio(target, self.folder / "cache")
            self.driver.get(studio.address)
            self.wait(lambda: self.driver.execute_script("return document.body.dataset.ready"))
            self.open_graph()
            self.keys(Keys.HOME, (Keys.CONTROL, Keys.ARROW_DOWN))
            self.wait(lambda: self.is_enabled("#undo"))
            self.save()
            changed = {path: path.read_bytes() for path in before}
            self.assertEqual(sum(changed[path] != before[path] for path in before), 1, source)
            self.click("#undo")
            self.settle()
            self.save()
            self.assertEqual({path: path.read_bytes() for path in before}, before, source)
            self.screenshot(f"graph-corpus-{number}")
            self.driver.get("about:blank")
            studio.stop()
        print(f"{len(self.sources)} graphs of real models moved and undone", file=sys.stderr)
