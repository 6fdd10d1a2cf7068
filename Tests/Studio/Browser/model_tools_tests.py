"""Code and changes, edits of several properties, and what the graph offers for large models."""

import pty
import os
import re
import subprocess

import graph_tests
import studio_test
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

CURRENT = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
\t<key>_XCCurrentVersionName</key>
\t<string>Library.xcdatamodel</string>
</dict>
</plist>
"""


class CodeAndChangesTests(studio_test.StudioTest):
    def add_versions(self):
        """Adds an earlier version that can be migrated, and one that cannot."""
        texts = {"Library 0": self.contents.replace('<attribute name="isbn" optional="YES" attributeType="String"/>', ""),
                 "Library 00": self.contents.replace('attributeType="Integer 32"', 'attributeType="String"', 1).replace(
                     'defaultValueString="0" usesScalarValueType="YES"', "", 1)}
        for name, text in texts.items():
            folder = self.model / f"{name}.xcdatamodel"
            folder.mkdir()
            (folder / "contents").write_text(text)
        (self.model / ".xccurrentversion").write_text(CURRENT)
        self.studio.stop()
        self.studio = studio_test.Studio(self.model, self.folder / "cache")
        self.open()

    def test_code_has_colors(self):
        self.select("Book")
        self.click("#tab-code")
        self.wait(lambda: self.all(".code-keyword"))
        self.assertIn("class", self.names(".code-keyword"))
        self.assertIn("NSManagedObject", self.names(".code-type"))
        # The text is the same as without colors.
        files = self.driver.execute_async_script(
            "const done = arguments[0]; import('./app.js').then((m) => m.read({ code: { entity: 'Book' } })).then((r) => done(r.code.map((f) => f.text)))")
        self.assertEqual([one.get_attribute("textContent") for one in self.all("#panel pre")], files)

    def test_changes_lead_to_their_elements_and_are_marked_in_the_graph(self):
        self.add_versions()
        self.select("Book")
        self.add("attribute", "subtitle")
        self.click("#tab-changes")
        self.settle()
        self.assertEqual(self.names("#comparison pre .link"), ["Book", "subtitle", "Novel"])
        self.click("#show-changes")
        self.settle()
        self.assertTrue(self.css("#graph-changes").is_displayed())
        marked = self.driver.execute_async_script(
            "const done = arguments[0]; import('./app.js').then((m) => done([...m.app.changed].map(([n, c]) => [n, c.kind, [...c.properties]])))")
        self.assertEqual(marked[0], ["Book", "changed", [["subtitle", "added"]]])
        self.screenshot("graph-changes")
        self.click("#graph-changes")
        self.assertFalse(self.css("#graph-changes").is_displayed())
        self.click("#view-table")
        self.click("#comparison pre .link:nth-of-type(1)")
        self.wait(lambda: self.text("#content h1") == "Book")

    def test_all_released_versions_are_checked(self):
        self.add_versions()
        self.click("#tab-changes")
        self.settle()
        self.choose_option("#compare", "all")
        self.wait(lambda: len(self.all(".verdicts li")) == 2)
        verdicts = dict(zip(self.names(".verdicts .link"), [one.get_attribute("class") for one in self.all(".verdicts .verdict")]))
        self.assertEqual(verdicts, {"Library 0": "verdict good", "Library 00": "verdict bad"})
        self.click(".verdicts li .link")
        self.wait(lambda: self.attribute("#compare", "value").startswith("version:"))


class SeveralPropertiesTests(studio_test.StudioTest):
    def select_both(self, first, second):
        self.pick(first)
        self.again(lambda: ActionChains(self.driver).key_down(Keys.CONTROL).click(
            self.row(second).find_element(By.CSS_SELECTOR, ".name")).key_up(Keys.CONTROL).perform())
        self.settle()

    def test_one_edit_for_all_selected_rows(self):
        self.select("Book")
        self.select_both("isbn", "title")
        self.choose_option("#several-attributeType", "Integer 64")
        self.settle()
        self.click("#index-several")
        self.settle()
        self.select_both("author", "publisher")
        self.assertEqual(self.attribute("#several-deletionRule", "value"), "Nullify")
        self.choose_option("#several-deletionRule", "Deny")
        self.settle()
        self.save()
        text = self.file.read_text()
        self.assertEqual(len(re.findall(r'name="(isbn|title)"[^>]*attributeType="Integer 64"', text)), 2)
        self.assertEqual(text.count('deletionRule="Deny"'), 2)
        # “title” has one.
        self.assertEqual(text.count('<fetchIndex name="byIsbn">'), 1)
        self.assertEqual(text.count("<fetchIndex "), 2)
        for _ in range(3):
            self.click("#undo")
            self.settle()
        self.save()
        self.assertEqual(self.file.read_text(), self.contents)

    def test_optional_is_a_column(self):
        self.select("Book")
        self.again(lambda: self.row("title").find_element(By.CSS_SELECTOR, "input[type=checkbox]").click())
        self.settle()
        self.again(lambda: self.row("author").find_element(By.CSS_SELECTOR, "input[type=checkbox]").click())
        self.settle()
        self.save()
        self.assertEqual([line for sign, line in self.changed_lines() if sign == "+"], [
            '<attribute name="title" optional="YES" attributeType="String" defaultValueString=""/>',
            '<relationship name="author" maxCount="1" deletionRule="Nullify" destinationEntity="Author" inverseName="books" inverseEntity="Author"/>',
        ])


class EntityTableTests(studio_test.StudioTest):
    def row(self, name):
        return next(one for one in self.all("#content tbody tr") if one.find_element(By.CSS_SELECTOR, ".name").text == name)

    def codegen(self):
        return self.driver.execute_script("return [...document.querySelectorAll('#content tbody tr')].map((one) => "
                                          "[one.querySelector('.name').textContent, one.querySelectorAll('select')[1].value])")

    def test_codegen_of_all_entities_is_seen_and_set(self):
        self.click("#view-entities")
        self.assertEqual(self.codegen(), [[name, "class"] for name in ["Author", "Book", "Novel", "Publisher"]])
        Select(self.row("Author").find_elements(By.TAG_NAME, "select")[1]).select_by_value("category")
        self.settle()
        self.row("Novel").find_element(By.CSS_SELECTOR, "input[type=checkbox]").click()
        self.settle()
        self.choose_in(self.row("Publisher").find_element(By.TAG_NAME, "select"), "Author")
        self.settle()
        self.save()
        text = self.file.read_text()
        self.assertEqual(len(self.changed_lines()), 6)
        self.assertIn('<entity name="Author" representedClassName="Author" syncable="YES" codeGenerationType="category">', text)
        self.assertIn('<entity name="Novel" representedClassName="Novel" isAbstract="YES" parentEntity="Book"', text)
        self.assertIn('<entity name="Publisher" representedClassName="Publisher" parentEntity="Author"', text)

    def test_one_edit_for_all_selected_entities(self):
        self.click("#view-entities")
        self.click("#content tbody tr:nth-child(2) .icon")
        self.keys((Keys.SHIFT, Keys.ARROW_DOWN), (Keys.SHIFT, Keys.ARROW_DOWN))
        self.assertEqual(self.text("#panel h2"), "3 Entities")
        self.assertEqual(self.attribute("#several-codeGenerationType", "value"), "class")
        self.choose_option("#several-codeGenerationType", "")
        self.settle()
        self.assertEqual(self.codegen(), [["Author", "class"], ["Book", ""], ["Novel", ""], ["Publisher", ""]])
        self.save()
        self.assertEqual(self.file.read_text().count("codeGenerationType"), 1)
        # Those with different values.
        self.click("#content tbody tr:nth-child(1) .icon")
        self.again(lambda: ActionChains(self.driver).key_down(Keys.CONTROL).click(
            self.row("Novel").find_element(By.CSS_SELECTOR, ".name")).key_up(Keys.CONTROL).perform())
        self.settle()
        self.assertEqual(self.attribute("#several-codeGenerationType", "value"), "different")
        self.choose_option("#several-codeGenerationType", "category")
        self.settle()
        self.assertEqual(self.codegen(), [["Author", "category"], ["Book", ""], ["Novel", "category"], ["Publisher", ""]])
        for _ in range(2):
            self.click("#undo")
            self.settle()
        self.save()
        self.assertEqual(self.file.read_text(), self.contents)

    def test_entities_are_found_renamed_and_deleted(self):
        self.keys((Keys.ALT, "o"))
        self.css("#search").send_keys("genre")
        self.settle()
        self.assertEqual([name for name, _ in self.codegen()], ["Novel"])
        self.css("#search").send_keys(Keys.ESCAPE)
        self.settle()
        self.click("#content tbody tr:nth-child(4) .icon")
        self.keys(Keys.F2, "House", Keys.ENTER)
        self.assertEqual([name for name, _ in self.codegen()], ["Author", "Book", "House", "Novel"])
        self.click("#content tbody tr:nth-child(3) .icon")
        self.keys(Keys.DELETE)
        self.assertEqual([name for name, _ in self.codegen()], ["Author", "Book", "Novel"])
        # A new attribute goes to the tables of the entity.
        self.click("#content tbody tr:nth-child(1) .icon")
        self.keys((Keys.ALT, "a"))
        self.wait(lambda: self.all("#content tr input:not([type=checkbox])"))
        self.keys("age", Keys.ENTER)
        self.assertEqual(self.text("#content h1"), "Author")


class GraphNoteTests(graph_tests.GraphTest):
    contents = studio_test.LIBRARY

    def test_colors_and_notes_are_entries_of_the_model(self):
        self.select("Author")
        self.choose_option("#graph-color", "blue")
        self.settle()
        self.css("#graph-note").send_keys("Who writes", Keys.TAB)
        self.settle()
        self.assertEqual(self.graph("const b = m.boxNamed('Author'); return [b.color, b.note]"), ["blue", "Who writes"])
        self.screenshot("graph-colors")
        self.save()
        self.assertEqual(self.changed_lines(), [
            ("+", "<userInfo>"), ("+", '<entry key="modelc.color" value="blue"/>'), ("+", '<entry key="modelc.note" value="Who writes"/>'),
            ("+", "</userInfo>")])
        self.choose_option("#graph-color", "")
        self.settle()
        self.css("#graph-note").send_keys(Keys.CONTROL + "a" + Keys.NULL, Keys.DELETE, Keys.TAB)
        self.settle()
        self.save()
        self.assertEqual(self.file.read_text(), self.contents)

    def test_a_search_shows_what_it_finds(self):
        self.assertFalse(self.css("#graph-minimap").is_displayed())
        self.css("#search").send_keys("genre")
        self.settle()
        shown = self.graph("await new Promise((r) => setTimeout(r, 300)); const f = document.getElementById('graph-frame').getBoundingClientRect();"
                           "const b = m.onScreen(m.boxNamed('Novel')); return [Math.abs(b.x + b.width / 2 - f.left - f.width / 2), m.view.scale]")
        self.assertLess(shown[0], 2)
        self.assertEqual(shown[1], 1)


class MinimapTests(graph_tests.GraphTest):
    contents = studio_test.HEADER + "".join(
        f'    <entity name="VeryLongEntityName{n:02}" representedClassName="E{n}" syncable="YES" codeGenerationType="class">\n'
        f'        <attribute name="name" optional="YES" attributeType="String"/>\n    </entity>\n' for n in range(60)) + "</model>"

    def test_a_minimap_shows_and_moves_the_view(self):
        self.assertTrue(self.css("#graph-minimap").is_displayed())
        self.graph("m.view.scale = 1; m.schedule(); return 1")
        self.settle()
        self.screenshot("graph-minimap")
        box = self.driver.execute_script("const b = document.getElementById('graph-minimap').getBoundingClientRect(); return [b.left, b.top, b.width, b.height]")
        self.press(box[0] + box[2] - 8, box[1] + box[3] - 8)
        end = self.graph("return [m.view.x, m.view.y]")
        self.press(box[0] + 8, box[1] + 8)
        start = self.graph("return [m.view.x, m.view.y]")
        self.assertLess(start[0], end[0])
        self.assertLess(start[1], end[1])
        # Nothing was selected or moved.
        self.assertFalse(self.is_enabled("#undo"))
        self.graph("m.fit(); return 1")
        self.settle()
        self.screenshot("graph-far")


class NewModelTests(studio_test.StudioTest):
    def setUp(self):
        super().setUp()
        self.driver.get("about:blank")
        self.studio.stop()
        self.model = self.folder / "New.xcdatamodeld"

    def create(self):
        self.studio = studio_test.Studio(self.model, self.folder / "cache", "--create")
        self.open()

    def test_a_model_is_created_edited_and_saved(self):
        self.create()
        self.assertIn("created", self.studio.process.stderr.readline())
        self.click("#add-entity")
        self.wait(lambda: self.all("#sidebar input"))
        self.keys("Person", Keys.ENTER)
        self.save()
        contents = self.model / "New.xcdatamodel" / "contents"
        self.assertIn('<entity name="Person"', contents.read_text())
        self.assertTrue((self.model / ".xccurrentversion").exists())

    def answer(self, text):
        """Starts the studio in a terminal, answers its question, and returns what it prints until it serves or ends."""
        own, other = pty.openpty()
        process = subprocess.Popen([studio_test.BINARY, str(self.model), "--no-open"], stdin=other, stdout=other, stderr=other, close_fds=True,
                                   env=dict(os.environ, XDG_CACHE_HOME=str(self.folder / "cache")))
        os.close(other)
        output = b""
        try:
            while b"[y/N]" not in output:
                output += os.read(own, 4096)
            os.write(own, text.encode() + b"\n")
            while b"serving" not in output:
                try:
                    part = os.read(own, 4096)
                except OSError:
                    break
                if not part:
                    break
                output += part
        finally:
            process.terminate()
            process.wait(timeout=60)
            os.close(own)
        return output.decode()

    def test_a_terminal_is_asked(self):
        self.create()
        self.driver.get("about:blank")
        self.studio.stop()
        self.model = self.folder / "Asked.xcdatamodeld"
        output = self.answer("n")
        self.assertIn("does not exist; create it?", output)
        self.assertFalse(self.model.exists())
        output = self.answer("y")
        self.assertIn("created “", output)
        self.assertTrue((self.model / "Asked.xcdatamodel" / "contents").exists())
        self.create_again()

    def create_again(self):
        self.studio = studio_test.Studio(self.model, self.folder / "cache")
        self.open()

    def test_without_a_terminal_nothing_is_created(self):
        result = subprocess.run([studio_test.BINARY, str(self.model), "--no-open"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        self.assertEqual(result.returncode, 2)
        self.assertIn("--create creates it", result.stderr)
        self.assertFalse(self.model.exists())


class PredicateCompletionTests(studio_test.StudioTest):
    def items(self):
        return self.names("#predicate-completions:not([hidden]) .completion-text")

    def test_reserved_words_are_keys_with_a_sign(self):
        self.select("Book")
        self.add("attribute", "any")
        self.select("Author")
        self.add("attribute", "no")
        self.select("LongBooks")
        field = self.css("#content textarea")
        field.send_keys(Keys.CONTROL + "a" + Keys.NULL, "an")
        self.assertEqual(self.items(), ["#any", "AND", "ANY"])
        field.send_keys("y")
        self.assertEqual(self.items(), ["#any"])
        field.send_keys(Keys.ARROW_DOWN, Keys.ENTER, " == 'a' AND author.no")
        self.assertEqual(self.items(), ["#no"])
        field.send_keys(Keys.BACKSPACE, Keys.BACKSPACE, "#")
        self.assertEqual(self.items(), ["#no"])
        field.send_keys(Keys.ARROW_DOWN, Keys.ENTER, " == 'b'", Keys.TAB)
        self.settle()
        self.save()
        self.assertIn("predicateString=\"#any == 'a' AND author.#no == 'b'\"", self.file.read_text())

    def test_key_paths_and_words_are_completed(self):
        self.select("LongBooks")
        field = self.css("#content textarea")
        self.assertGreater(field.size["width"], 300)
        field.send_keys(Keys.CONTROL + "a" + Keys.NULL, "pa")
        self.assertEqual(self.items(), ["pages"])
        field.send_keys(Keys.ARROW_DOWN, Keys.ENTER, " > 100 an")
        self.assertEqual(self.items(), ["AND", "ANY"])
        field.send_keys(Keys.ARROW_DOWN, Keys.TAB, " author.na")
        self.assertEqual(self.items(), ["name"])
        self.screenshot("completion")
        # Escape closes the list, and not the field.
        field.send_keys(Keys.ESCAPE)
        self.assertEqual(self.items(), [])
        field.send_keys("me CONTAINS \"au")
        self.assertEqual(self.items(), [])
        field.send_keys("th\"", Keys.TAB)
        self.settle()
        self.save()
        self.assertIn('predicateString="pages &gt; 100 AND author.name CONTAINS &quot;auth&quot;"', self.file.read_text())
