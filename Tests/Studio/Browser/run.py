#!/usr/bin/env python3
"""Drives the studio's page in headless Chromium with mouse and keyboard, and compares the file on disk."""

import argparse
import difflib
import http.client
import importlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException, TimeoutException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.interaction import POINTER_TOUCH
from selenium.webdriver.common.actions.pointer_input import PointerInput
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

import browser
import corpus
import workers

BINARY = ""
SCREENSHOTS = None

HEADER = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    '<model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="24299" '
    'systemVersion="25A354" minimumToolsVersion="Automatic" sourceLanguage="Swift" usedWithSwiftData="YES" '
    'userDefinedModelVersionIdentifier="">\n'
)

LIBRARY = HEADER + """\
    <entity name="Author" representedClassName="Author" syncable="YES" codeGenerationType="class">
        <attribute name="born" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
        <attribute name="name" attributeType="String" defaultValueString=""/>
        <relationship name="books" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
        <uniquenessConstraints>
            <uniquenessConstraint>
                <constraint value="name"/>
            </uniquenessConstraint>
        </uniquenessConstraints>
    </entity>
    <entity name="Book" representedClassName="Book" syncable="YES" codeGenerationType="class">
        <attribute name="isbn" optional="YES" attributeType="String"/>
        <attribute name="pages" optional="YES" attributeType="Integer 32" defaultValueString="0" usesScalarValueType="YES"/>
        <attribute name="title" attributeType="String" defaultValueString=""/>
        <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" inverseName="books" inverseEntity="Author"/>
        <relationship name="publisher" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Publisher"/>
        <fetchIndex name="byTitle">
            <fetchIndexElement property="title" type="Binary" order="ascending"/>
        </fetchIndex>
        <userInfo>
            <entry key="note" value="&lt;b&gt;bold&lt;/b&gt; &amp; more"/>
        </userInfo>
    </entity>
    <entity name="Novel" representedClassName="Novel" parentEntity="Book" syncable="YES" codeGenerationType="class">
        <attribute name="genre" optional="YES" attributeType="String"/>
    </entity>
    <entity name="Publisher" representedClassName="Publisher" syncable="YES" codeGenerationType="class">
        <attribute name="name" optional="YES" attributeType="String"/>
    </entity>
    <fetchRequest name="LongBooks" entity="Book" predicateString="pages &gt; $MINIMUM AND title != &quot;pages&quot;"/>
    <configuration name="Cloud">
        <memberEntity name="Author"/>
        <memberEntity name="Book"/>
    </configuration>
</model>"""


class Studio:
    """A running studio on a model in a folder."""

    # Those that have not been stopped.
    running = set()

    def __init__(self, model, cache, *arguments):
        self.launch([BINARY, model, "--no-open", *arguments], cache)

    def launch(self, command, cache):
        self.process = subprocess.Popen(
            [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=dict(os.environ, XDG_CACHE_HOME=str(cache)))
        self.running.add(self)
        self.address = self.process.stdout.readline().strip()

    @property
    def server(self):
        """The ID of the process that serves the page, which the studio's process has started."""
        children = [one for task in pathlib.Path(f"/proc/{self.process.pid}/task").iterdir() for one in (task / "children").read_text().split()]
        return int(children[0])

    def stop(self, kind=signal.SIGINT):
        self.running.discard(self)
        if self.process.poll() is None:
            self.process.send_signal(kind)
        self.process.wait(timeout=60)
        # The server, which has the same output, ends with it.
        if not self.process.stdout.closed:
            self.process.stdout.read()
        self.process.stdout.close()
        self.process.stderr.close()


class StudioTest(unittest.TestCase):
    contents = LIBRARY
    dark = False

    # Matches elements that wait for something to be read.
    unsettled = None
    is_delayed = False

    @property
    def driver(self):
        return browser.current()

    def run(self, result=None):
        try:
            return super().run(result)
        finally:
            # Those of a test whose setup failed.
            for studio in list(Studio.running):
                studio.stop(signal.SIGKILL)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="studio-"))
        self.model = self.folder / "Library.xcdatamodeld"
        self.file = self.model / "Library.xcdatamodel" / "contents"
        self.file.parent.mkdir(parents=True)
        self.file.write_text(self.contents)
        self.studio = Studio(self.model, self.folder / "cache")
        self.open()

    def tearDown(self):
        # Sizes of parts are kept in cookies, for all addresses of this computer.
        self.driver.delete_all_cookies()
        self.driver.get("about:blank")
        logs = [entry for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        self.studio.stop()
        shutil.rmtree(self.folder)
        expected = getattr(self, "expected_log", None)
        self.assertEqual([entry["message"] for entry in logs if not expected or expected not in entry["message"]], [])

    # Steps

    def open(self):
        self.driver.get(self.studio.address)
        self.wait(lambda: self.driver.execute_script("return document.body.dataset.ready"))
        self.settle()

    def new_tab(self):
        """Opens the page in another tab, and returns the first one's handle."""
        first = self.driver.current_window_handle
        self.driver.switch_to.new_window("tab")
        self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": browser.ACTIVITY})
        self.open()
        return first

    def close_tab(self, other):
        """Closes a tab, and goes to another one."""
        self.driver.get("about:blank")
        self.driver.close()
        self.driver.switch_to.window(other)

    def wait(self, condition, seconds=60):
        """Waits until a condition is true, and returns its value."""
        end = time.monotonic() + seconds
        pause = 0.02
        while True:
            try:
                if value := condition():
                    return value
            except (NoSuchElementException, StaleElementReferenceException):
                # The page may redraw an element between its being found and being read.
                pass
            if time.monotonic() > end:
                raise TimeoutException(f"the condition is still false after {seconds} s")
            time.sleep(pause)
            pause = min(pause * 1.5, 0.2)

    def settle(self, seconds=60):
        """Waits for the answers to an edit, and for the findings that follow it."""
        remaining = self.driver.execute_async_script(
            "testSupport.settle(arguments[0], arguments[1]).then(arguments[2])", seconds * 1000, self.unsettled)
        if remaining:
            raise TimeoutException(f"the page is still busy after {seconds} s: {', '.join(remaining)}")

    def css(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def delay(self, milliseconds):
        """Delays the answers of the server; keys no longer wait for them."""
        self.is_delayed = True
        self.driver.execute_cdp_cmd("Network.enable", {})
        self.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {
            "offline": False, "latency": milliseconds, "downloadThroughput": -1, "uploadThroughput": -1})
        self.addCleanup(self.driver.execute_cdp_cmd, "Network.disable", {})

    def end_delay(self):
        self.driver.execute_cdp_cmd("Network.disable", {})
        self.is_delayed = False

    def darken(self):
        """Shows the dark theme until the end of the test."""
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
        self.addCleanup(self.driver.execute_cdp_cmd, "Emulation.setEmulatedMedia", {"features": []})

    def act(self, selector, action):
        """Acts on an element once it exists, again if the page replaces it in the meantime."""
        def attempt():
            action(self.css(selector))
            return True
        self.wait(attempt)

    def again(self, body):
        """Calls a function that looks up elements, again if the page replaces one in the meantime."""
        while True:
            try:
                return body()
            except StaleElementReferenceException:
                pass

    def is_enabled(self, selector):
        return self.again(lambda: self.css(selector).is_enabled())

    def text(self, selector):
        return self.again(lambda: self.css(selector).text)

    def attribute(self, selector, name):
        return self.again(lambda: self.css(selector).get_attribute(name))

    def click(self, selector):
        self.act(selector, lambda element: element.click())

    def choose_option(self, selector, value):
        self.act(selector, lambda element: Select(element).select_by_value(value))

    def choose_in(self, select, value):
        """Chooses an option of a select that makes its options when it is used."""
        self.driver.execute_script("arguments[0].focus()", select)
        Select(select).select_by_value(value)

    def keys(self, *keys):
        actions = ActionChains(self.driver)
        for key in keys:
            if isinstance(key, tuple):
                for modifier in key[:-1]:
                    actions.key_down(modifier)
                actions.send_keys(key[-1])
                for modifier in reversed(key[:-1]):
                    actions.key_up(modifier)
            else:
                actions.send_keys(key)
        actions.perform()
        if self.is_delayed:
            self.driver.execute_async_script("testSupport.frame().then(arguments[0])")
        else:
            self.settle()

    def drag_by_touch(self, source, target):
        """Drags an element to another one with a finger."""
        actions = ActionBuilder(self.driver, mouse=PointerInput(POINTER_TOUCH, "finger"), duration=50)
        actions.pointer_action.move_to(source).pointer_down().move_to(target, 0, 2).move_to(target).pointer_up()
        actions.perform()
        self.settle()

    def names(self, selector="#sidebar li .name"):
        return self.driver.execute_script(
            "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)", selector)

    def select(self, name):
        self.click(f"#sidebar li[title='{name}']")

    def pick(self, name):
        self.again(lambda: self.row(name).find_element(By.CSS_SELECTOR, ".name").click())

    def add(self, kind, name):
        """Adds a property and names it."""
        self.click(f"#add-{kind}")
        self.wait(lambda: self.all("#content tr input:not([type=checkbox])"))
        self.keys(name, Keys.ENTER)
        self.settle()

    def row(self, name):
        row = self.driver.execute_script(
            "return [...document.querySelectorAll('#content tr[data-key]')].find((row) => row.querySelector('.name')?.innerText === arguments[0])",
            name)
        if row is None:
            raise NoSuchElementException(f"no property is named “{name}”")
        return row

    def save(self):
        self.keys((Keys.CONTROL, "s"))
        self.wait(lambda: not self.is_enabled("#save"))

    def type(self, selector, text):
        """Replaces the text of a field of a dialog."""
        field = self.css(selector)
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(text)

    def add_version(self):
        """Adds a version with the proposed name."""
        self.click("#add-version")
        self.wait(lambda: self.css("#create-version").is_displayed() and self.is_enabled("#create-version"))
        self.click("#create-version")

    def changed_lines(self, old=None):
        old = (old or self.contents).split("\n")
        lines = list(difflib.ndiff(old, self.file.read_text().split("\n")))
        return [(line[0], line[2:].strip()) for line in lines if line[0] in "+-"]

    def screenshot(self, name):
        if SCREENSHOTS:
            self.settle()
            self.driver.save_screenshot(str(SCREENSHOTS / f"{name}.png"))


class EditingTests(StudioTest):
    def test_mouse_edits_write_what_xcode_writes(self):
        self.select("Book")
        self.pick("pages")
        self.screenshot("attribute")
        field = self.css("#field-attribute-minValueString")
        field.send_keys("1", Keys.TAB)
        self.settle()
        self.click("#field-attribute-optional")
        self.settle()
        self.save()
        self.assertEqual(self.changed_lines(), [
            ("-", '<attribute name="pages" optional="YES" attributeType="Integer 32" defaultValueString="0" usesScalarValueType="YES"/>'),
            ("+", '<attribute name="pages" attributeType="Integer 32" minValueString="1" defaultValueString="0" usesScalarValueType="YES"/>'),
        ])
        self.click("#undo")
        self.settle()
        self.click("#undo")
        self.settle()
        self.save()
        self.assertEqual(self.file.read_text(), self.contents)

    def test_typing_goes_on_while_answers_are_awaited(self):
        self.select("Book")
        self.pick("pages")
        self.delay(1500)
        self.css("#field-attribute-minValueString").send_keys("1", Keys.TAB)
        self.click("#field-attribute-maxValueString")
        self.keys("12")
        # The answer to the first edit redraws the inspector.
        self.settle()
        self.keys("34", Keys.ENTER)
        self.settle()
        self.end_delay()
        self.save()
        self.assertIn('minValueString="1" maxValueString="1234"', self.file.read_text())
        self.click("#undo")
        self.settle()
        self.assertEqual(self.attribute("#field-attribute-maxValueString", "value"), "")

    def test_renaming_by_double_click_updates_predicates(self):
        self.select("Book")
        ActionChains(self.driver).double_click(self.row("pages").find_element(By.CSS_SELECTOR, ".name")).perform()
        self.keys("length", Keys.ENTER)
        self.wait(lambda: "length" in self.names("#content tr[data-key] .name"))
        self.save()
        text = self.file.read_text()
        self.assertIn('predicateString="length &gt; $MINIMUM AND title != &quot;pages&quot;"', text)

    def test_an_inverse_is_chosen_in_the_table(self):
        self.select("Publisher")
        self.add("relationship", "books")
        selects = self.row("books").find_elements(By.TAG_NAME, "select")
        self.choose_in(selects[0], "Book")
        self.settle()
        inverse = self.row("books").find_elements(By.TAG_NAME, "select")[1]
        self.choose_in(inverse, "publisher")
        self.settle()
        self.save()
        text = self.file.read_text()
        self.assertIn('destinationEntity="Book" inverseName="publisher" inverseEntity="Book"', text)
        self.assertIn('destinationEntity="Publisher" inverseName="books" inverseEntity="Publisher"', text)
        self.screenshot("relationship")

    def test_everything_works_with_the_keyboard_only(self):
        self.keys(Keys.ARROW_DOWN)
        self.assertEqual(self.driver.switch_to.active_element.text.split("\n")[1], "Book")
        # A new entity, named at once.
        self.keys((Keys.ALT, "e"))
        self.wait(lambda: self.all("#sidebar li input"))
        self.keys("Shelf", Keys.ENTER)
        self.wait(lambda: "Shelf" in self.names())
        # Two attributes of it.
        self.keys((Keys.ALT, "a"))
        self.wait(lambda: self.all("#content tr input:not([type=checkbox])"))
        self.keys("label", Keys.ENTER)
        self.settle()
        self.keys((Keys.ALT, "a"))
        self.wait(lambda: self.all("#content tr input:not([type=checkbox])"))
        self.keys("aisle", Keys.ENTER)
        self.settle()
        self.assertEqual(self.names("#group-attribute tr[data-key] .name"), ["aisle", "label"])
        # One of them again, and away.
        self.keys((Keys.CONTROL, "d"))
        self.settle()
        self.assertEqual(len(self.all("#group-attribute tr[data-key]")), 3)
        self.keys((Keys.CONTROL, "z"))
        self.settle()
        self.assertEqual(len(self.all("#group-attribute tr[data-key]")), 2)
        self.css("#group-attribute tr[data-key]").send_keys(Keys.DELETE)
        self.settle()
        self.assertEqual(self.names("#group-attribute tr[data-key] .name"), ["label"])
        self.keys((Keys.CONTROL, "s"))
        self.settle()
        self.assertEqual(self.changed_lines(), [
            ("+", '<entity name="Shelf" representedClassName="Shelf" syncable="YES" codeGenerationType="class">'),
            ("+", '<attribute name="label" optional="YES" attributeType="String"/>'),
            ("+", "</entity>"),
        ])
        while self.is_enabled("#undo"):
            self.click("#undo")
            self.settle()
        self.save()
        self.assertEqual(self.file.read_text(), self.contents)

    def test_search_finds_properties(self):
        self.keys("/")
        self.keys("isbn")
        self.assertEqual(self.names(), ["Book"])
        self.keys(Keys.ENTER)
        self.assertEqual(self.text("#content h1"), "Book")
        self.keys("/", Keys.ESCAPE)
        self.assertIn("Author", self.names())

    def test_copy_and_paste(self):
        self.select("Book")
        self.pick("isbn")
        self.keys((Keys.CONTROL, "c"))
        self.settle()
        self.select("Author")
        self.keys((Keys.CONTROL, "v"))
        self.settle()
        self.assertIn("isbn", self.names("#group-attribute tr[data-key] .name"))

    def test_deleting_an_entity_and_undo(self):
        self.select("Book")
        self.keys(Keys.DELETE)
        self.settle()
        self.assertNotIn("Book", self.names())
        self.keys((Keys.CONTROL, "z"))
        self.settle()
        self.assertIn("Book", self.names())
        self.assertEqual(self.css("#edited").is_displayed(), False)

    def test_configurations_indexes_and_user_info(self):
        self.select("Cloud")
        self.screenshot("configuration")
        boxes = self.all("#content label.line")
        next(box for box in boxes if box.text == "Publisher").click()
        self.settle()
        self.select("Author")
        self.click("#add-entry")
        self.settle()
        adder = self.css("select[aria-label='Add index on']")
        self.choose_in(adder, "name")
        self.settle()
        self.save()
        text = self.file.read_text()
        self.assertIn('<memberEntity name="Publisher"/>', text)
        self.assertIn('<entry key="key" value="value"/>', text)
        self.assertIn('<fetchIndex name="byName">', text)

    def test_model_text_never_becomes_markup(self):
        hostile = '<img src=x onerror="document.title=1">'
        self.select("Publisher")
        self.pick("name")
        field = self.css("#field-attribute-defaultValueString")
        field.send_keys(hostile, Keys.TAB)
        self.settle()
        self.keys((Keys.ALT, "4"))
        self.settle()
        self.assertEqual(self.all("img"), [])
        self.assertIn(hostile, self.text("#panel"))


class PanelTests(StudioTest):
    def test_findings_code_and_changes(self):
        self.select("Book")
        self.screenshot("entity")
        self.click("#tab-findings")
        self.settle()
        self.assertTrue(self.all(".finding"))
        self.screenshot("findings")
        self.click("#tab-code")
        self.wait(lambda: "public var title: String?" in self.text("#panel"))
        self.screenshot("code")
        self.click("#tab-inspector")
        self.pick("title")
        select = self.row("title").find_element(By.TAG_NAME, "select")
        self.choose_in(select, "Date")
        self.settle()
        self.click("#tab-changes")
        self.wait(lambda: "not possible" in self.text("#panel"))
        self.screenshot("changes")
        self.assertTrue(self.all(".changed-dot"))

    def test_changes_since_the_last_commit(self):
        git = ["git", "-C", str(self.folder), "-c", "user.name=T", "-c", "user.email=t@example.org"]
        subprocess.run([*git, "init", "-q"], check=True)
        subprocess.run([*git, "add", "Library.xcdatamodeld"], check=True)
        subprocess.run([*git, "commit", "-qm", "Start"], check=True)
        self.select("Book")
        self.add("attribute", "subtitle")
        self.save()
        diff = subprocess.run([*git, "diff", "--numstat"], check=True, capture_output=True, text=True).stdout
        self.assertTrue(diff.startswith("1\t0\t"), diff)
        self.click("#tab-changes")
        self.settle()
        self.choose_option("#compare", "HEAD")
        self.wait(lambda: "subtitle" in self.text("#panel") and "possible" in self.text("#panel"))

    def test_a_new_version(self):
        second = self.model / "Library 2.xcdatamodel"
        second.mkdir()
        (second / "contents").write_text(self.contents)
        (self.model / ".xccurrentversion").write_text(
            '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" '
            '"http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n<plist version="1.0">\n<dict>\n'
            '\t<key>_XCCurrentVersionName</key>\n\t<string>Library 2.xcdatamodel</string>\n</dict>\n</plist>\n')
        self.studio.stop()
        self.studio = Studio(self.model, self.folder / "cache")
        self.open()
        before = {path: path.read_bytes() for path in self.model.rglob("*") if path.is_file()}
        # The name is checked as it is typed, and what will be written is shown.
        self.click("#add-version")
        self.wait(lambda: self.attribute("#version-name", "value") == "Library 3")
        self.wait(lambda: "Library 3.xcdatamodel/contents" in self.text("#version-files"))
        self.assertIn(".xccurrentversion", self.text("#version-files"))
        self.screenshot("new-version")
        self.type("#version-name", "library 2")
        self.wait(lambda: "already has a version" in self.text("#version-files"))
        self.assertFalse(self.is_enabled("#create-version"))
        self.type("#version-name", "Spring")
        self.wait(lambda: "Spring.xcdatamodel/contents" in self.text("#version-files"))
        self.assertEqual({path: path.read_bytes() for path in self.model.rglob("*") if path.is_file()}, before)
        self.click("#create-version")
        self.wait(lambda: self.attribute("#version", "value") == "Spring")
        self.assertTrue((self.model / "Spring.xcdatamodel" / "contents").exists())
        # Undo removes it.
        self.click("#undo")
        self.wait(lambda: self.attribute("#version", "value") == "Library 2")
        self.assertEqual({path: path.read_bytes() for path in self.model.rglob("*") if path.is_file()}, before)
        self.add_version()
        self.wait(lambda: self.attribute("#version", "value") == "Library 3")
        self.assertTrue((self.model / "Library 3.xcdatamodel" / "contents").exists())
        # The newest version comes first in the list to compare with.
        self.click("#tab-changes")
        self.settle()
        self.assertEqual(self.names("#compare option")[2:], ["Library 2", "Library", "All other versions"])
        self.choose_option("#version", "Library")
        self.wait(lambda: self.css("#make-current").is_displayed())
        self.click("#make-current")
        self.settle()
        self.save()
        self.assertIn("<string>Library.xcdatamodel</string>", (self.model / ".xccurrentversion").read_text())

    def test_dark_theme(self):
        self.darken()
        self.select("Book")
        self.pick("title")
        self.screenshot("dark")
        color = self.driver.execute_script("return getComputedStyle(document.body).backgroundColor")
        self.assertEqual(color, "rgb(30, 30, 32)")


class DurabilityTests(StudioTest):
    def test_a_killed_server_loses_nothing(self):
        self.expected_log = "ERR_CONNECTION_REFUSED"
        self.select("Publisher")
        self.add("attribute", "city")
        self.studio.stop(signal.SIGKILL)
        self.assertEqual(self.file.read_text(), self.contents)
        self.driver.get("about:blank")
        self.studio = Studio(self.model, self.folder / "cache")
        self.open()
        self.screenshot("restore")
        next(button for button in self.all(".banner button") if button.text == "Restore").click()
        self.settle()
        self.save()
        self.assertEqual(self.changed_lines(), [("+", '<attribute name="city" optional="YES" attributeType="String"/>')])

    def test_a_change_on_disk_is_shown_and_merged(self):
        self.select("Publisher")
        self.add("attribute", "city")
        other = self.contents.replace('key="note"', 'key="remark"')
        self.file.write_text(other)
        self.wait(lambda: self.driver.execute_async_script(
            "const done = arguments[0]; import('./app.js').then((m) => done(JSON.stringify(m.app.root).includes('remark')))"))
        self.save()
        self.assertEqual(self.changed_lines(other), [("+", '<attribute name="city" optional="YES" attributeType="String"/>')])

    def test_a_conflict_is_decided(self):
        self.select("Publisher")
        self.pick("name")
        self.css("#field-attribute-defaultValueString").send_keys("mine", Keys.TAB)
        self.settle()
        self.file.write_text(self.contents.replace(
            '<attribute name="name" optional="YES" attributeType="String"/>',
            '<attribute name="name" optional="YES" attributeType="String" defaultValueString="theirs"/>'))
        self.keys((Keys.CONTROL, "s"))
        self.wait(lambda: self.all(".banner"))
        self.screenshot("conflict")
        next(button for button in self.all(".banner button") if button.text == "Use the File on Disk").click()
        self.settle()
        self.assertEqual(self.attribute("#field-attribute-defaultValueString", "value"), "theirs")

    def test_a_second_studio_is_read_only(self):
        other = Studio(self.model, self.folder / "cache")
        try:
            self.driver.get(other.address)
            self.wait(lambda: "Read-only" in self.text("#banners"))
            self.settle()
            self.assertFalse(self.is_enabled("#add-entity"))
        finally:
            self.driver.get("about:blank")
            other.stop()


class BrokenModelTests(StudioTest):
    contents = LIBRARY.replace("</configuration>", "")

    def test_a_broken_model_is_shown(self):
        self.assertTrue(self.all(".banner"))
        self.assertIn("Book", self.names())
        self.assertFalse(self.is_enabled("#add-entity"))
        self.click("#tab-findings")
        self.wait(lambda: self.all(".finding.error"))
        self.screenshot("broken")


class LargeModelTests(StudioTest):
    contents = HEADER + "".join(
        f'    <entity name="Entity{n:03}" representedClassName="Entity{n:03}" syncable="YES" codeGenerationType="class">\n'
        + "".join(f'        <attribute name="attribute{m:02}" optional="YES" attributeType="String"/>\n' for m in range(10))
        + f'        <relationship name="next" optional="YES" maxCount="1" deletionRule="Nullify" '
        f'destinationEntity="Entity{(n + 1) % 400:03}" inverseName="previous" inverseEntity="Entity{(n + 1) % 400:03}"/>\n'
        f'        <relationship name="previous" optional="YES" maxCount="1" deletionRule="Nullify" '
        f'destinationEntity="Entity{(n - 1) % 400:03}" inverseName="next" inverseEntity="Entity{(n - 1) % 400:03}"/>\n'
        "    </entity>\n"
        for n in range(400)) + "</model>"

    def test_400_entities(self):
        start = self.driver.execute_script(
            "return performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0")
        # The longest pause of the page while a name is typed, and how long selecting another entity takes.
        self.select("Entity200")
        self.pick("attribute05")
        self.driver.execute_script("""
            window.longest = 0; let last = performance.now();
            (function tick(now) { window.longest = Math.max(window.longest, now - last); last = now; requestAnimationFrame(tick); })(last);
        """)
        field = self.css("#field-attribute-name")
        for letter in "abcdef":
            self.driver.execute_script("window.longest = 0")
            field.send_keys(letter)
        typing = self.driver.execute_script("return window.longest")
        # Other processes may interrupt some of these, but hardly all.
        selecting = min(self.driver.execute_script("""
            const rows = [...document.querySelectorAll("#sidebar li")];
            const start = performance.now(); rows[arguments[0]].click(); document.body.offsetHeight; return performance.now() - start;
        """, row) for row in range(300, 310))
        print(f"400 entities: first paint {start:.0f} ms, longest frame while typing {typing:.0f} ms, "
              f"selecting an entity {selecting:.0f} ms", file=sys.stderr)
        self.screenshot("large")
        self.assertLess(selecting, 100)


class CorpusTests(StudioTest):
    """Real models: every element is shown, one of each edit is made, saved, undone and saved: no byte has changed."""

    is_long = True

    def setUp(self):
        if not corpus.ROOT:
            self.skipTest("MODELC_CORPUS is not set")
        self.sources = corpus.models()
        super().setUp()

    def script(self, body):
        self.driver.set_script_timeout(300)
        return self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1]; (async () => {" + body + "})().then(done, (error) => done(String(error.stack)))")

    def show_everything(self):
        return self.script("""
            let count = 0;
            const tops = [...document.querySelectorAll("#sidebar li")].length;
            for (let index = 0; index < tops; index++) {
              document.querySelectorAll("#sidebar li")[index].click();
              count++;
              const rows = document.querySelectorAll("#content tr[data-key]").length;
              for (let row = 0; row < rows; row++) {
                document.querySelectorAll("#content tr[data-key]")[row].dispatchEvent(
                  new PointerEvent("pointerdown", { bubbles: true }));
                count++;
              }
              if (index % 20 === 0) await new Promise((resume) => setTimeout(resume));
            }
            return count;""")

    def edit_everything(self):
        """Makes one of each edit and returns their number, or what went wrong; `None` if the model cannot be edited."""
        return self.script("""
            const m = await import("./app.js");
            const { withSteps, find } = await import("./model.js");
            const { app } = m;
            if (m.isReadOnly()) return null;
            let count = 0;
            const problems = [];
            const run = async (name, request) => {
              const reply = await request;
              count++;
              if (reply.problem) problems.push(`${name}: ${reply.problem.message}`);
            };
            const all = (kind, parent) => withSteps(parent ? parent.node : app.root, parent ? parent.steps : []).filter((one) => one.node.k === kind);
            const entity = (name) => all("entity").find((one) => one.node.a.name === name);
            const first = all("entity")[0];
            await run("add entity", m.add([], "entity"));
            if (!first) return [count, problems];
            let name = first.node.a.name;
            for (const kind of ["attribute", "relationship", "fetchedProperty"]) await run(`add ${kind}`, m.add(entity(name).steps, kind));
            await run("add userInfo", m.add(entity(name).steps, "entry"));
            await run("add fetch request", m.add([], "fetchRequest"));
            await run("add configuration", m.add([], "configuration"));
            const attribute = all("attribute", entity(name))[0];
            await run("rename attribute", m.rename(attribute.steps, "renamedHere"));
            await run("type", m.setValue(all("attribute", entity(name)).find((one) => one.node.a.name === "renamedHere").steps, "attributeType", "Date"));
            await run("optional", m.setValue(all("attribute", entity(name))[0].steps, "optional", null));
            await run("rename entity", m.rename(entity(name).steps, "RenamedHere"));
            name = "RenamedHere";
            const copy = await m.send({ copy: { elements: [m.reference(entity(name).steps)] } });
            await run("paste", m.edit({ paste: { parent: m.reference([]), text: copy.text } }));
            await run("duplicate", m.duplicate([entity(name).steps]));
            const other = all("entity").find((one) => one.node.a.name !== name);
            await run("connect", m.edit({ connect: { from: m.reference(entity(name).steps), to: m.reference(other.steps) } }));
            await run("arrange", m.edit({ arrange: { version: app.version, boxes: [{ name, x: 10, y: 20, width: 128, height: 59 }] } }));
            await run("delete properties", m.remove([all("attribute", entity(name))[0].steps]));
            await run("delete entity", m.remove([entity(name).steps]));
            return [count, problems];""")

    def undo_everything(self):
        return self.script("""
            const m = await import("./app.js");
            let count = 0;
            while (m.app.state.undoTitle !== undefined && m.app.state.undoTitle !== null && count < 100) {
              await m.send({ undo: {} });
              count++;
            }
            return count;""")

    def save_file(self):
        return self.script("""
            const m = await import("./app.js");
            const reply = await m.send({ save: {} });
            return reply.problem ? reply.problem.message : null;""")

    def test_every_inspector_and_every_edit_of_every_model(self):
        shown = edits = edited = 0
        unreadable, locked, changed = [], [], []
        for source in self.sources:
            target = self.folder / "corpus" / source.name
            shutil.rmtree(target.parent, ignore_errors=True)
            shutil.copytree(source, target)

            def files():
                return {path: path.read_bytes() for path in target.rglob("*") if path.is_file()}
            before = files()
            studio = Studio(target, self.folder / "cache")
            if not studio.address:
                unreadable.append(source.name)
                studio.stop()
                continue
            self.driver.get(studio.address)
            self.wait(lambda: self.driver.execute_script("return document.body.dataset.ready"))
            shown += self.show_everything()
            self.assertEqual(files(), before, source)
            result = self.edit_everything()
            if result is None:
                locked.append(source.name)
            else:
                self.assertIsInstance(result, list, f"{source}: {result}")
                self.assertEqual(result[1], [], source)
                self.assertIsNone(self.save_file(), source)
                self.assertNotEqual(files(), before, source)
                self.assertGreater(self.undo_everything(), 0, source)
                self.assertIsNone(self.save_file(), source)
                after = files()
                if after != before:
                    changed.append(f"{source}: {[str(path) for path in after if after[path] != before.get(path)]}")
                edits += result[0]
                edited += 1
            self.driver.get("about:blank")
            studio.stop()
        print(f"{len(self.sources)} models: {shown} elements shown; {edits} edits in {edited} models saved, undone and saved; "
              f"not readable: {unreadable}; not editable: {locked}", file=sys.stderr)
        self.assertEqual(changed, [])
        self.assertGreater(edited, 0)


class SecurityTests(StudioTest):
    def request(self, path, method="POST", **headers):
        port = int(re.search(r":(\d+)/", self.studio.address).group(1))
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        connection.putrequest(method, path, skip_host=True)
        body = json.dumps({"request": {"undo": {}}}).encode()
        for name, value in {"Host": f"127.0.0.1:{port}", "Content-Type": "application/json",
                            "Content-Length": str(len(body)), **headers}.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders(body if method == "POST" else None)
        status = connection.getresponse().status
        connection.close()
        return status

    def test_only_the_page_is_answered(self):
        path = re.search(r":\d+(/[0-9a-f]{32}/)", self.studio.address).group(1)
        origin = self.studio.address.split(path)[0]
        self.assertEqual(self.request(path + "api", Origin=origin), 200)
        self.assertEqual(self.request(path + "api"), 403)
        self.assertEqual(self.request(path + "api", Origin="http://evil.example"), 403)
        self.assertEqual(self.request(path + "api", Origin="null"), 403)
        self.assertEqual(self.request(path + "api", Origin=origin, Host="evil.example"), 403)
        self.assertEqual(self.request(path + "api", Origin=origin, Content_Type="text/plain"), 403)
        self.assertEqual(self.request("/api", Origin=origin), 403)
        self.assertEqual(self.request("/0123456789abcdef0123456789abcdef/api", Origin=origin), 403)
        for file in ["../../../etc/passwd", "%2e%2e/secret", "events", "Library.xcdatamodeld/Library.xcdatamodel/contents"]:
            self.assertEqual(self.request(path + file, "GET", Content_Length="0"), 403)
        policy = self.driver.execute_async_script(
            "const done = arguments[0]; fetch('index.html').then(r => done(r.headers.get('content-security-policy')))")
        self.assertIn("default-src 'none'", policy)


    def test_a_head_that_is_too_long_is_rejected(self):
        port = int(re.search(r":(\d+)/", self.studio.address).group(1))

        def status(*parts):
            with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
                for part in parts:
                    connection.sendall(part)
                answer = b""
                try:
                    while part := connection.recv(4096):
                        answer += part
                except ConnectionResetError:
                    # Something that was sent was never read.
                    pass
                self.assertLessEqual(answer.count(b"HTTP/1.1 "), 1)
                return answer.split(b"\r\n")[0].decode()
        end = f" HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n".encode()
        self.assertEqual(status(b"GET /" + b"x" * 8000 + end + b"\r\n"), "HTTP/1.1 403 Forbidden")
        self.assertEqual(status(b"GET /" + b"x" * 262_144 + end + b"\r\n"), "HTTP/1.1 431 Request Header Fields Too Large")
        self.assertEqual(status(b"GET /", b"x" * 9000), "HTTP/1.1 431 Request Header Fields Too Large")
        self.assertEqual(status(b"GET /" + end + b"A: " + b"x" * 262_144 + b"\r\n\r\n"), "HTTP/1.1 431 Request Header Fields Too Large")
        self.assertEqual(status(b"GET / HTTP/1.1\n\nGET /" + b"x" * 262_144 + end + b"\r\n"), "HTTP/1.1 400 Bad Request")
        # A connection has one request. The answer may be lost because the rest is not read.
        answer = status(b"GET /" + end + b"Connection: keep-alive\r\n\r\nGET /" + b"x" * 262_144)
        self.assertIn(answer, ["HTTP/1.1 403 Forbidden", ""])


def main():
    global BINARY, SCREENSHOTS
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--screenshots", help="a folder for screenshots")
    parser.add_argument("--benchmark", action="store_true", help="measure instead of testing")
    parser.add_argument("--jobs", type=int, default=3, metavar="N", help="the number of browsers that run tests at once (default: 3)")
    parser.add_argument("tests", nargs="*", metavar="TEST", help="a class or a test, such as EditingTests.test_copy_and_paste (default: all)")
    options = parser.parse_args()
    BINARY = os.path.abspath(options.binary)
    # Shells start background jobs with SIGINT ignored, which the studios, ended by SIGINT, would inherit.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if options.screenshots:
        SCREENSHOTS = pathlib.Path(options.screenshots)
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    # The other files of tests import this one as a module.
    sys.modules["run"] = sys.modules["__main__"]
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    if options.benchmark:
        return importlib.import_module("benchmarks").main(options.tests)
    for name in ["graph_tests", "durability_tests", "data_tests", "data_values_tests", "data_order_tests", "data_rows_tests",
                 "data_kinds_tests", "data_programs_tests", "data_model_tests", "model_tools_tests", "field_tests", "pending_tests", "keyboard_tests", "layout_tests", "accessibility_tests",
                 "random_tests"]:
        module = importlib.import_module(name)
        globals().update({key: value for key, value in vars(module).items()
                          if isinstance(value, type) and issubclass(value, unittest.TestCase)})
    loader, module = unittest.defaultTestLoader, sys.modules["__main__"]
    suite = loader.loadTestsFromNames(options.tests, module) if options.tests else loader.loadTestsFromModule(module)
    return 0 if workers.run(suite, max(1, options.jobs)) else 1


if __name__ == "__main__":
    sys.exit(main())
