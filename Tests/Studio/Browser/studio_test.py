"""A studio on a model, driven in headless Chromium with mouse and keyboard."""

import difflib
import os
import pathlib
import shutil
import signal
import subprocess
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
