"""The panels beside the model: findings, code, changes, versions."""

import subprocess

from selenium.webdriver.common.by import By

from studio_test import Studio, StudioTest


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
