"""Kills, changes on disk, damaged files and full disks."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import unittest

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

import studio_test
from studio_test import LIBRARY, Studio, StudioTest


def socket_folder(process):
    """The temporary folder of a server, in which its socket is."""
    descriptors = set()
    for path in pathlib.Path(f"/proc/{process}/fd").iterdir():
        # A descriptor may be closed meanwhile.
        with contextlib.suppress(FileNotFoundError):
            descriptors.add(os.readlink(path))
    for line in pathlib.Path(f"/proc/{process}/net/unix").read_text().splitlines()[1:]:
        fields = line.split()
        if f"socket:[{fields[6]}]" in descriptors and fields[-1].startswith("/tmp/modelc-"):
            return pathlib.Path(fields[-1]).parent
    raise AssertionError("the server has no socket")


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


class RestartTests(StudioTest):
    def test_a_session_that_ends_unexpectedly_is_started_again(self):
        self.select("Book")
        self.add("attribute", "subtitle")
        self.expected_log = "ERR_"
        for number in signal.SIGILL, signal.SIGKILL:
            folder = socket_folder(self.studio.server)
            os.kill(self.studio.server, number)
            # The page may still show the banner of the first restart.
            self.wait(lambda: not folder.exists())
            self.wait(lambda: "ended unexpectedly" in self.text("#banners"))
            self.wait(lambda: "unsaved edits" in self.text("#banners"))
            self.assertIsNone(self.studio.process.poll())
            self.click("#banners button")
            self.wait(lambda: "subtitle" in self.names("#group-attribute tr[data-key] .name"))
        self.save()
        self.assertIn("subtitle", self.file.read_text())
        # It ends as before.
        server = self.studio.server
        self.studio.stop()
        self.assertEqual(self.studio.process.returncode, 0)
        self.assertFalse(os.path.exists(f"/proc/{server}"))

    def test_the_server_ends_with_the_studio(self):
        self.driver.get("about:blank")
        for number in signal.SIGKILL, signal.SIGTERM, signal.SIGHUP:
            server = self.studio.server
            folder = socket_folder(server)
            self.assertTrue(folder.exists())
            self.studio.stop(number)
            self.wait(lambda: not os.path.exists(f"/proc/{server}") and not folder.exists())
            self.studio = studio_test.Studio(self.model, self.folder / "cache")
            self.assertTrue(self.studio.address)


class RepairTests(StudioTest):
    contents = LIBRARY.replace("</configuration>", "</configuraton>")

    def test_a_malformed_file_is_repaired_on_the_page(self):
        self.wait(lambda: self.all("#repair .finding"))
        self.screenshot("repair")
        line = next(number for number, text in enumerate(self.contents.split("\n"), 1) if "</configuraton>" in text)
        self.assertIn(f"Line {line}", self.text("#repair .finding .where"))
        self.assertFalse(self.is_enabled("#repair-save"))
        self.click("#repair .finding .where")
        selected = self.driver.execute_script(
            "const t = document.getElementById('repair-text'); return t.value.slice(t.selectionStart, t.selectionEnd)")
        self.assertIn("</configuraton>", selected)
        # The selected line is typed anew.
        self.keys("    </configuration>")
        self.wait(lambda: self.is_enabled("#repair-save"))
        self.assertEqual(self.file.read_text(), self.contents)
        self.click("#repair-save")
        self.wait(lambda: not self.all("#repair"))
        self.assertEqual(self.file.read_text(), LIBRARY)
        self.assertTrue(self.is_enabled("#add-entity"))

    def test_a_half_repaired_text_survives_the_server(self):
        self.expected_log = "ERR_CONNECTION_REFUSED"
        self.wait(lambda: self.all("#repair .finding"))
        text = self.css("#repair-text")
        text.click()
        self.keys((Keys.CONTROL, Keys.END), "<!-- half -->")
        self.studio.stop(9)
        self.driver.get("about:blank")
        self.studio = studio_test.Studio(self.model, self.folder / "cache")
        self.open()
        next(button for button in self.all(".banner button") if button.text == "Restore").click()
        self.wait(lambda: "<!-- half -->" in (self.attribute("#repair-text", "value") if self.all("#repair-text") else ""))
        self.assertEqual(self.file.read_text(), self.contents)


class ReorderTests(StudioTest):
    contents = LIBRARY.replace(
        '            <fetchIndexElement property="title" type="Binary" order="ascending"/>\n',
        '            <fetchIndexElement property="title" type="Binary" order="ascending"/>\n'
        '            <fetchIndexElement property="isbn" type="Binary" order="ascending"/>\n')

    def test_index_elements_are_moved_with_the_keyboard(self):
        self.select("Book")
        self.css("button[aria-label='Move index element']").send_keys(Keys.ARROW_DOWN)
        # The moved element keeps the focus, also before the answer is there: up again, and down once more.
        self.keys(Keys.ARROW_UP, Keys.ARROW_DOWN)
        self.settle()
        self.save()
        text = self.file.read_text()
        self.assertLess(text.index('property="isbn"'), text.index('property="title"'))
        for _ in range(3):
            self.click("#undo")
            self.settle()
        self.save()
        self.assertEqual(self.file.read_text(), self.contents)

    def drag(self, source, target):
        ActionChains(self.driver, duration=50).click_and_hold(source).move_to_element(target).move_by_offset(2, 2).release().perform()
        self.settle()

    def test_index_elements_are_dragged(self):
        self.select("Book")
        first, second = self.all("button[aria-label='Move index element']")
        self.drag(second, first)
        self.save()
        text = self.file.read_text()
        self.assertLess(text.index('property="isbn"'), text.index('property="title"'))

    def test_index_elements_are_dragged_by_touch(self):
        self.select("Book")
        first, second = self.all("button[aria-label='Move index element']")
        self.drag_by_touch(second, first)
        self.save()
        text = self.file.read_text()
        self.assertLess(text.index('property="isbn"'), text.index('property="title"'))

    def test_an_entity_is_dragged_into_a_configuration(self):
        self.drag(self.css("#sidebar li[title='Publisher']"), self.css("#sidebar li[title='Cloud']"))
        self.save()
        self.assertEqual(self.changed_lines(), [("+", '<memberEntity name="Publisher"/>')])


def can_mount():
    return shutil.which("unshare") and subprocess.run(
        ["unshare", "-m", "--propagation", "private", "sh", "-c", f"mount -t tmpfs tmpfs {tempfile.gettempdir()}"],
        capture_output=True).returncode == 0


@unittest.skipUnless(can_mount(), "mounting a small disk is not possible here")
class FullDiskTests(StudioTest):
    """The model and the journal are on a small disk that only the studio sees."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="studio-"))
        self.disk = self.folder / "disk"
        self.disk.mkdir()
        original = self.folder / "original"
        original.write_text(LIBRARY)
        self.model = self.disk / "Library.xcdatamodeld"
        file = self.model / "Library.xcdatamodel" / "contents"
        starter = self.folder / "modelc-studio"
        starter.write_text(
            "#!/bin/sh\nset -e\n"
            f"mount -t tmpfs -o size=256k tmpfs '{self.disk}'\n"
            f"mkdir -p '{file.parent}'\ncp '{original}' '{file}'\n"
            f"exec '{studio_test.BINARY}' \"$@\"\n")
        starter.chmod(0o755)
        self.studio = self.start(starter)
        # The disk as the studio sees it.
        self.root = pathlib.Path(f"/proc/{self.studio.process.pid}/root")
        self.file = self.root / file.relative_to("/")
        self.ballast = self.root / (self.disk / "ballast").relative_to("/")
        self.open()

    def start(self, starter):
        studio = object.__new__(studio_test.Studio)
        studio.launch(["unshare", "-m", "--propagation", "private", starter, self.model, "--no-open"], self.disk / "cache")
        return studio

    def fill(self):
        file = os.open(self.ballast, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            # The disk has 256 KB.
            for _ in range(10_000):
                os.write(file, b"x" * 512)
        except OSError:
            pass
        finally:
            os.close(file)

    def add_by_key(self, name):
        self.keys((Keys.ALT, "a"))
        self.wait(lambda: self.all("#content tr input:not([type=checkbox])"))
        self.keys(name, Keys.ENTER)
        self.settle()

    def test_nothing_is_lost(self):
        self.select("Publisher")
        self.add("attribute", "city")
        self.fill()
        self.keys((Keys.CONTROL, "s"))
        self.wait(lambda: "No space left" in self.text("#notice"))
        self.screenshot("full-disk")
        self.assertEqual(self.file.read_text(), LIBRARY)
        self.assertTrue(self.is_enabled("#save"))
        # Editing goes on; the page tells when the journal cannot be written.
        for number in range(40):
            if "journal cannot be written" in self.text("#banners"):
                break
            self.add_by_key(f"attribute{number}")
        self.assertIn("journal cannot be written", self.text("#banners"))
        self.ballast.unlink()
        self.add_by_key("zip")
        self.wait(lambda: "journal" not in self.text("#banners"))
        names = self.names("#group-attribute tr[data-key] .name")
        # The journal has everything again: a crash now loses nothing.
        journal = next((self.root / (self.disk / "cache").relative_to("/")).rglob("*.journal")).read_text()
        entries = [json.loads(line) for line in journal.strip().split("\n")]
        self.assertTrue(any("contents" in entry for entry in entries))
        self.assertIn("zip", json.dumps(entries[-1]))
        self.save()
        text = self.file.read_text()
        for name in names:
            self.assertIn(f'<attribute name="{name}"', text)
