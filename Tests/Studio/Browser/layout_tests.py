"""The page in small windows, and with its text enlarged: everything can be reached, and names stay legible."""

import data_tests
import run
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

# What the page must offer at every size.
CONTROLS = ["#save", "#undo", "#redo", "#search", "#view-table", "#view-graph", "#tab-inspector", "#tab-changes", "#add-entity",
            "#add-attribute", "#sidebar li[title='Author']", "#help-button"]
GRAPH = ["#graph-arrange", "#graph-fit", "#graph-svg", "#graph-png"]

# Scrolls to an element, and returns whether it is then what a click at its middle hits, within the window.
REACHABLE = """
    const element = document.querySelector(arguments[0]);
    element.scrollIntoView({ block: "center", inline: "nearest" });
    const box = element.getBoundingClientRect();
    const hit = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    return box.left >= 0 && box.right <= innerWidth && !!hit && (element.contains(hit) || hit.contains(element));
"""


class SizedWindow:
    def resize(self, width, height, scale=1):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width // scale, "height": height // scale, "deviceScaleFactor": scale, "mobile": False})
        self.addCleanup(self.driver.execute_cdp_cmd, "Emulation.clearDeviceMetricsOverride", {})
        self.settle()

    def unreachable(self, selectors):
        return [one for one in selectors if not self.driver.execute_script(REACHABLE, one)]


class LayoutTests(SizedWindow, run.StudioTest):
    def check_size(self, width, height, scale=1):
        self.resize(width, height, scale)
        self.select("Book")
        self.assertEqual(self.unreachable(CONTROLS), [])
        # The page itself never scrolls to the side.
        self.assertLessEqual(self.driver.execute_script("return document.documentElement.scrollWidth - innerWidth"), 0)
        # Names are legible.
        for width in self.driver.execute_script(
                "return [...document.querySelectorAll('#content tr[data-key] .name')].map((one) => one.getBoundingClientRect().width)"):
            self.assertGreater(width, 60)
        self.screenshot(f"layout-{self.driver.execute_script('return innerWidth')}")
        self.driver.execute_script("document.querySelector('#view-graph').click()")
        self.settle()
        self.assertEqual(self.unreachable(GRAPH), [])
        self.assertGreater(self.css("#graph-frame").size["height"], 100)
        self.driver.execute_script("document.querySelector('#view-table').click()")

    def test_everything_can_be_reached_at_640_pixels(self):
        self.check_size(640, 800)

    def test_everything_can_be_reached_at_800_pixels(self):
        self.check_size(800, 600)

    def test_everything_can_be_reached_at_1920_pixels(self):
        self.check_size(1920, 1080)

    def test_everything_can_be_reached_at_400_percent(self):
        self.check_size(1280, 1024, scale=4)

    def test_panels_have_splitters_that_remember_their_width(self):
        def width(selector):
            return round(self.css(selector).size["width"])
        before = width("#sidebar")
        ActionChains(self.driver).drag_and_drop_by_offset(self.css("#split-sidebar"), 60, 0).perform()
        self.assertEqual(width("#sidebar"), before + 60)
        # By keyboard, too.
        self.driver.execute_script("document.querySelector('#split-side').focus()")
        side = width("#side")
        self.keys(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
        self.assertEqual(width("#side"), side + 32)
        self.driver.refresh()
        self.wait(lambda: self.all("body[data-ready]"))
        self.assertEqual((width("#sidebar"), width("#side")), (before + 60, side + 32))
        # A double click restores the width.
        ActionChains(self.driver).double_click(self.css("#split-sidebar")).perform()
        self.assertEqual(width("#sidebar"), before)
        ActionChains(self.driver).double_click(self.css("#split-side")).perform()


class DataLayoutTests(SizedWindow, data_tests.DataTest):
    def check_size(self, width, height, scale=1):
        self.resize(width, height, scale)
        self.choose("Book")
        self.assertEqual(self.unreachable(["#predicate", "#zone", "#total", "#sidebar li[title='Author']", "#panel", "#help-button"]), [])
        self.assertLessEqual(self.driver.execute_script("return document.documentElement.scrollWidth - innerWidth"), 0)
        # Several rows are in sight, and the table scrolls for itself.
        self.assertGreater(self.css(".data-grid").size["height"], 60)
        self.screenshot(f"layout-data-{self.driver.execute_script('return innerWidth')}")

    def test_everything_can_be_reached_at_640_pixels(self):
        self.check_size(640, 800)

    def test_everything_can_be_reached_at_400_percent(self):
        self.check_size(1280, 1024, scale=4)
