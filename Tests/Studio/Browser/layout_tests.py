"""The pages in windows of all sizes, and with their text enlarged: nothing overlaps, nothing is cut, and everything can be reached."""

import pathlib

import gallery
import studio_test
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.interaction import POINTER_TOUCH
from selenium.webdriver.common.actions.pointer_input import PointerInput
from selenium.webdriver.common.keys import Keys

GEOMETRY = (pathlib.Path(__file__).parent / "geometry.js").read_text()

# The width and height of windows, and how much their text is enlarged.
WINDOWS = [(640, 800, 1), (800, 600, 1), (1280, 820, 1), (1920, 1080, 1), (1280, 1024, 4)]

# Scrolls to an element, opens the menu that it is in, and returns whether it is then what a click at its middle hits, within the window.
REACHABLE = """
    const isHit = (element) => {
      element.scrollIntoView({ block: "center", inline: "nearest" });
      const box = element.getBoundingClientRect();
      const hit = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
      return box.left >= 0 && box.right <= innerWidth && !!hit && (element.contains(hit) || hit.contains(element));
    };
    const element = document.querySelector(arguments[0]);
    const menu = element.closest("[popover]");
    if (!menu) return isHit(element);
    const button = document.getElementById(menu.id.replace("-menu", "-more"));
    if (!isHit(button)) return false;
    button.click();
    // The menu gets its place when it is open.
    return new Promise((resolve) => setTimeout(() => {
      const result = isHit(element);
      menu.hidePopover();
      resolve(result);
    }, 50));
"""


class SizedWindow:
    """A page in windows of several sizes."""

    def setUp(self):
        super().setUp()
        self.faults = []
        for command in ["Emulation.setEmulatedMedia", "Emulation.clearDeviceMetricsOverride", "Emulation.setTouchEmulationEnabled"]:
            self.addCleanup(self.driver.execute_cdp_cmd, command, {"enabled": False} if "Touch" in command else {})

    def resize(self, width, height, scale=1):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width // scale, "height": height // scale, "deviceScaleFactor": scale, "mobile": False})
        self.settle()

    def each_window(self):
        """Goes through the windows, in both themes."""
        for width, height, scale in WINDOWS:
            for theme in ["light", "dark"]:
                self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": theme}]})
                self.resize(width, height, scale)
                self.window = f"{width // scale}-{theme}"
                yield

    def check(self, pane, reachable=()):
        """Checks what the page shows now."""
        self.settle()
        self.faults += [f"{self.window}, {pane}: {one}" for one in self.driver.execute_script(GEOMETRY)]
        self.screenshot(f"layout-{pane.replace(' ', '-')}-{self.window}")
        self.faults += [f"{self.window}, {pane}: {one} cannot be reached" for one in reachable
                        if not self.driver.execute_script(REACHABLE, one)]
        self.driver.execute_script("scrollTo(0, 0)")

    def check_menus(self):
        """Checks the menus of the toolbars that do not fit."""
        for button in self.driver.execute_script(
                "return [...document.querySelectorAll('.more')].filter((one) => one.checkVisibility()).map((one) => '#' + one.id)"):
            self.driver.execute_script("document.querySelector(arguments[0]).click()", button)
            self.check(f"menu {button[1:]}")
            self.keys(Keys.ESCAPE)

    def finish(self):
        self.assertEqual(self.faults, [], "\n" + "\n".join(self.faults))

    def touch(self, *points):
        """Touches the first point, moves to the others, and lets go."""
        finger = PointerInput(POINTER_TOUCH, "finger")
        actions = ActionBuilder(self.driver, mouse=finger)
        actions.pointer_action.move_to_location(*points[0]).pointer_down()
        for point in points[1:]:
            actions.pointer_action.move_to_location(*point)
        actions.pointer_action.pointer_up()
        actions.perform()
        self.settle()

    def middle(self, selector):
        return self.driver.execute_script("""
            const box = document.querySelector(arguments[0]).getBoundingClientRect();
            return [Math.round(box.left + box.width / 2), Math.round(box.top + box.height / 2)]""", selector)

    def size(self, selector, side="width"):
        return round(self.css(selector).size[side])


class LayoutTests(SizedWindow, studio_test.StudioTest):
    # What the page must offer at every size.
    CONTROLS = ["#save", "#undo", "#redo", "#search", "#view-table", "#view-graph", "#tab-inspector", "#tab-changes", "#add-entity",
                "#add-attribute", "#sidebar li[title='Author']", "#help-button"]
    GRAPH = ["#graph-arrange", "#graph-fit", "#graph-svg", "#graph-png"]

    def test_every_pane_of_the_model_in_every_window(self):
        for _ in self.each_window():
            self.driver.execute_script("document.getElementById('view-table').click()")
            self.select("Book")
            self.check("entity", self.CONTROLS)
            for width in self.driver.execute_script(
                    "return [...document.querySelectorAll('#content tr[data-key] .name')].map((one) => one.getBoundingClientRect().width)"):
                self.assertGreater(width, 60, self.window)
            self.check_menus()
            self.pick("pages")
            for tab in ["inspector", "findings", "code", "changes"]:
                self.driver.execute_script("document.getElementById(arguments[0]).click()", f"tab-{tab}")
                self.check(tab)
            self.driver.execute_script("document.getElementById('tab-inspector').click()")
            self.driver.execute_script("document.querySelector('#view-entities').click()")
            self.check("entities")
            self.driver.execute_script("document.querySelector('#view-graph').click()")
            self.check("graph", self.GRAPH)
            self.check_menus()
            self.assertGreater(self.size("#graph-frame", "height"), 100, self.window)
            self.driver.execute_script("document.getElementById('help-button').click()")
            self.check("shortcuts")
            self.keys(Keys.ESCAPE)
        self.finish()

    def test_panels_have_splitters_that_remember_their_size(self):
        before = self.size("#sidebar")
        ActionChains(self.driver).drag_and_drop_by_offset(self.css("#split-sidebar"), 60, 0).perform()
        self.assertEqual(self.size("#sidebar"), before + 60)
        # By keyboard, too.
        self.driver.execute_script("document.querySelector('#split-side').focus()")
        side = self.size("#side")
        self.keys(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
        self.assertEqual(self.size("#side"), side + 32)
        self.driver.refresh()
        self.wait(lambda: self.all("body[data-ready]"))
        self.assertEqual((self.size("#sidebar"), self.size("#side")), (before + 60, side + 32))
        # A double click restores the width.
        ActionChains(self.driver).double_click(self.css("#split-sidebar")).perform()
        self.assertEqual(self.size("#sidebar"), before)
        ActionChains(self.driver).double_click(self.css("#split-side")).perform()
        # Below the tables, the details have a height.
        self.resize(800, 900)
        height = self.size("#side", "height")
        ActionChains(self.driver).drag_and_drop_by_offset(self.css("#split-side"), 0, -50).perform()
        self.assertEqual(self.size("#side", "height"), height + 50)
        self.assertEqual(self.attribute("#split-side", "aria-orientation"), "horizontal")
        ActionChains(self.driver).double_click(self.css("#split-side")).perform()
        self.assertEqual(self.size("#side", "height"), height)

    def toolbar(self):
        """The children of the toolbar that are on its line."""
        return self.driver.execute_script(
            "return [...document.querySelectorAll('#toolbar > *')].filter((one) => one.checkVisibility() && one.id).map((one) => one.id)")

    def test_what_does_not_fit_in_a_toolbar_is_in_a_menu(self):
        everything = self.toolbar()
        self.assertNotIn("toolbar-more", everything)
        self.select("Book")
        self.pick("pages")
        self.click("#field-attribute-optional")
        self.settle()
        self.resize(640, 800)
        self.assertIn("toolbar-more", self.toolbar())
        self.assertNotIn("add-version", self.toolbar())
        self.assertLess(self.size("#toolbar", "height"), 50)
        # Step by step: the rest of the tools leave the line, and saving stays.
        self.resize(320, 800)
        self.assertEqual(self.toolbar(), ["toggle-sidebar", "toolbar-more", "save", "toggle-side"])
        self.assertFalse(self.css("#undo").is_displayed())
        self.click("#toolbar-more")
        self.click("#undo")
        self.settle()
        self.assertFalse(self.is_enabled("#save"))
        # The menu is closed, and its button has the focus.
        self.assertFalse(self.css("#redo").is_displayed())
        self.assertEqual(self.driver.switch_to.active_element.get_attribute("id"), "toolbar-more")
        self.keys("/", "genre")
        self.assertEqual(self.names(), ["Novel"])
        # What has the focus stays on the line that has room for it.
        self.resize(1280, 820)
        self.assertEqual(self.toolbar(), everything)
        self.assertEqual(self.attribute("#search", "value"), "genre")

    def test_parts_are_hidden_and_shown(self):
        self.select("Book")
        width = self.size("#content")
        sizes = self.size("#sidebar"), self.size("#side")
        self.click("#toggle-sidebar")
        self.assertFalse(self.css("#sidebar").is_displayed())
        self.assertEqual(self.size("#content"), width + sizes[0])
        self.assertEqual(self.attribute("#toggle-sidebar", "aria-expanded"), "false")
        # By keyboard; the focus does not stay in what is hidden.
        self.pick("pages")
        self.css("#panel button").send_keys("")
        self.keys((Keys.ALT, "p"))
        self.assertFalse(self.css("#side").is_displayed())
        self.assertEqual(self.driver.switch_to.active_element.get_attribute("id"), "toggle-side")
        self.assertEqual(self.size("#content"), width + sum(sizes))
        self.driver.refresh()
        self.wait(lambda: self.all("body[data-ready]"))
        self.assertEqual(self.size("#content"), width + sum(sizes))
        for width, height in [(800, 700), (400, 700)]:
            self.resize(width, height)
            self.assertEqual(self.size("#content"), width)
        self.resize(1280, 820)
        # What is needed is shown again.
        self.keys((Keys.ALT, "2"))
        self.assertEqual(self.size("#side"), sizes[1])
        self.keys((Keys.ALT, "e"))
        self.wait(lambda: self.all("#sidebar input"))
        self.keys("Person", Keys.ENTER)
        self.assertIn("Person", self.names())
        # Return on a handle hides its part, as the button does.
        self.driver.execute_script("document.querySelector('#split-sidebar').focus()")
        self.keys(Keys.ENTER)
        self.assertFalse(self.css("#sidebar").is_displayed())
        self.keys(Keys.ENTER)
        self.assertTrue(self.css("#sidebar").is_displayed())

    def test_a_tablet_without_a_mouse(self):
        self.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 2})
        self.resize(820, 1180)
        self.touch(self.middle("#sidebar li[title='Book']"))
        self.assertEqual(self.text("#content h1"), "Book")
        # A handle is as wide as a finger.
        x, y = self.middle("#split-sidebar")
        width = self.size("#sidebar")
        self.touch([x + 9, y], [x + 30, y], [x + 59, y])
        self.assertAlmostEqual(self.size("#sidebar"), width + 50, delta=1)
        self.touch(self.middle("#toggle-sidebar"))
        self.assertFalse(self.css("#sidebar").is_displayed())
        self.touch(self.middle("#toggle-sidebar"))
        self.touch(self.middle("#view-graph"))
        before = self.driver.execute_script("return document.getElementById('graph-zoom').textContent")
        x, y = self.middle("#graph-frame")
        # Above the handle, where no box is.
        bottom = int(self.driver.execute_script("return document.getElementById('graph-frame').getBoundingClientRect().bottom")) - 30
        self.touch([x, bottom], [x - 60, bottom - 60])
        self.touch(self.middle("#graph-in"))
        self.assertNotEqual(self.driver.execute_script("return document.getElementById('graph-zoom').textContent"), before)
        self.assertFalse(self.is_enabled("#undo"))


class DataLayoutTests(SizedWindow, gallery.GalleryTest):
    CONTROLS = ["#predicate", "#zone", "#total", "#sidebar li[title='Room']", "#panel", "#help-button", "#save", "#undo", "#create",
                "#export-csv", "#run-predicate"]

    def test_every_pane_of_the_store_in_every_window(self):
        self.show("Picture")
        self.edit("rank", "-5")
        for _ in self.each_window():
            self.choose("Picture")
            self.check("list", self.CONTROLS)
            self.check_menus()
            # Several rows are in sight, and the table scrolls by itself.
            self.assertGreater(self.size(".data-grid", "height"), 60, self.window)
            self.filter('titel == "a"')
            self.check("problem")
            self.driver.execute_script("document.getElementById('clear-predicate').click()")
            self.settle()
            self.choose("Room")
            self.check("object")
            for name in ["History", "Findings"]:
                self.choose(name)
                self.check(name.lower())
            self.driver.execute_script("document.getElementById('help-button').click()")
            self.check("data shortcuts")
            self.keys(Keys.ESCAPE)
        self.finish()

    def test_panels_have_splitters(self):
        before = self.size("#sidebar")
        ActionChains(self.driver).drag_and_drop_by_offset(self.css("#split-sidebar"), 40, 0).perform()
        self.assertEqual(self.size("#sidebar"), before + 40)
        ActionChains(self.driver).double_click(self.css("#split-sidebar")).perform()
        self.assertEqual(self.size("#sidebar"), before)

    def test_hidden_details_are_shown_for_an_edit(self):
        self.choose("Picture")
        self.click("#toggle-side")
        self.assertFalse(self.css("#side").is_displayed())
        self.click("#grid")
        self.keys((Keys.CONTROL, Keys.HOME), Keys.ARROW_RIGHT, Keys.F2)
        self.assertTrue(self.css("#side").is_displayed())
        self.assertTrue(self.driver.execute_script("return document.getElementById('panel').contains(document.activeElement)"))
