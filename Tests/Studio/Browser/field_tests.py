"""Fields while the user looks at them, types, and waits for answers: looking changes nothing, and an edit is what was typed."""

import json
import sqlite3
import urllib.request

import data_tests
import studio_test
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

SELECT_ALL = Keys.CONTROL + "a" + Keys.NULL

# Focuses and leaves every control in parts of the page, some of which appear only when others are focused.
VISIT = """
    const [selectors, done] = arguments;
    let count = 0;
    (async () => {
      for (const details of document.querySelectorAll("details")) details.open = true;
      const seen = new Set();
      for (let control; (control = [...document.querySelectorAll(selectors)].find((one) => !seen.has(one)));) {
        seen.add(control);
        if (control.disabled || !control.checkVisibility()) continue;
        control.dispatchEvent(new MouseEvent("mousedown", { bubbles: true }));
        control.focus();
        if (document.activeElement !== control) continue;
        count++;
        control.blur();
      }
      return count;
    })().then(done, (error) => done(String(error.stack)));
"""

LINES = studio_test.LIBRARY.replace(
    '<entry key="note" value="&lt;b&gt;bold&lt;/b&gt; &amp; more"/>',
    '<entry key="note" value="first line&#10;second line&#13;&#10;third&#13;fourth&#9;tab"/>\n'
    '            <entry key="two&#10;lines" value="&#10;"/>\n'
    '            <entry key="רִאשׁוֹן" value=" spaces  at both ends "/>'
).replace(
    '<attribute name="title" attributeType="String" defaultValueString=""/>',
    '<attribute name="title" attributeType="String" defaultValueString="a&#10;b&#13;&#10;" regularExpressionString="x&#13;y" '
    'elementID="&#10;" versionHashModifier=" e\u0301 "/>'
).replace(
    'predicateString="pages &gt; $MINIMUM AND title != &quot;pages&quot;"',
    'predicateString="pages &gt; 1 AND&#13;&#10;title != &quot;&#10;&quot;"'
).replace('<entity name="Publisher" representedClassName="Publisher"', '<entity name="Publisher" representedClassName="Pub&#10;lisher"').replace(
    '<attribute name="genre" optional="YES" attributeType="String"/>',
    '<attribute name="genre" optional="YES" attributeType="String" derived="YES" derivationExpression="lowercase:(title&#10;)"/>\n'
    '        <attribute name="place" optional="YES" attributeType="Composite" composite="Place"/>\n'
    '        <fetchedProperty name="similar" optional="YES">\n'
    '            <fetchRequest name="fetchedPropertyFetchRequest" entity="Book" predicateString="title == &quot;a&#13;&#10;b&quot;"/>\n'
    '        </fetchedProperty>'
).replace('    <configuration name="Cloud">', '    <composite name="Place">\n        <attribute name="street" attributeType="String" '
          'defaultValueString=" a&#10;b "/>\n    </composite>\n    <configuration name="Cloud">')


class LookingTests(studio_test.StudioTest):
    contents = LINES

    def visit(self):
        count = self.driver.execute_async_script(VISIT, "#content :is(input, textarea, select), #panel :is(input, textarea, select, button)"
                                                 ":not([aria-label^='Delete'], [aria-label^='Remove'], #add-entry, .fix)")
        self.assertIsInstance(count, int, count)
        self.settle()
        return count

    def test_every_control_of_every_pane_is_focused_and_left(self):
        before = self.file.read_bytes()
        count = 0
        for name in self.driver.execute_script("return [...document.querySelectorAll('#sidebar li')].map((one) => one.title)"):
            self.select(name)
            count += self.visit()
            rows = len(self.all("#content tr[data-key]"))
            for row in range(rows):
                self.all("#content tr[data-key]")[row].find_element(By.CSS_SELECTOR, ".icon").click()
                count += self.visit()
            # A name that is opened in place, and left.
            for row in range(min(rows, 2)):
                self.all("#content tr[data-key]")[row].find_element(By.CSS_SELECTOR, ".icon").click()
                self.keys(Keys.F2)
                self.assertTrue(self.all("#content tr input:not([type=checkbox])"))
                self.keys(Keys.TAB if row else Keys.ENTER)
            for tab in ["findings", "code", "changes", "inspector"]:
                self.click(f"#tab-{tab}")
                self.settle()
                count += self.visit()
            self.click("#view-entities")
            count += self.visit()
            # The same element in the graph.
            self.click("#view-graph")
            self.settle()
            count += self.visit()
            self.click("#view-table")
            # What several properties have in common.
            if rows > 1:
                self.all("#content tr[data-key]")[0].find_element(By.CSS_SELECTOR, ".icon").click()
                self.keys((Keys.SHIFT, Keys.ARROW_DOWN))
                self.assertIn("Properties", self.text("#panel h2"))
                count += self.visit()
        self.assertGreater(count, 300)
        self.assertFalse(self.is_enabled("#undo"))
        self.assertFalse(self.css("#edited").is_displayed())
        self.keys((Keys.CONTROL, "s"))
        self.assertEqual(self.file.read_bytes(), before)

    def test_an_edit_keeps_the_line_breaks_around_it(self):
        self.select("Book")
        field = self.css("#entry-0-value")
        self.assertEqual(field.tag_name, "textarea")
        field.send_keys(Keys.CONTROL + Keys.HOME + Keys.NULL, "the ", Keys.TAB)
        self.settle()
        self.save()
        self.assertEqual(self.changed_lines(), [
            ("-", '<entry key="note" value="first line&#10;second line&#13;&#10;third&#13;fourth&#9;tab"/>'),
            ("+", '<entry key="note" value="the first line&#10;second line&#13;&#10;third&#13;fourth&#9;tab"/>')])

    def test_a_name_cannot_be_cleared(self):
        self.select("Book")
        self.css("#field-entity-name").send_keys(SELECT_ALL, Keys.BACKSPACE, Keys.TAB)
        self.settle()
        self.assertIn("needs a name", self.text("#notice"))
        self.assertEqual(self.attribute("#field-entity-name", "value"), "Book")
        self.assertFalse(self.is_enabled("#undo"))


class TypingTests(studio_test.StudioTest):
    def test_keys_stay_in_a_name_while_answers_redraw_the_table(self):
        self.select("Book")
        self.pick("isbn")
        self.delay(700)
        self.click("#field-attribute-optional")
        self.click("#field-attribute-transient")
        ActionChains(self.driver).double_click(self.row("title").find_element(By.CSS_SELECTOR, ".name")).perform()
        self.keys("custommer")
        # Both answers, and the findings, redraw the page now.
        self.settle()
        self.assertEqual(self.driver.switch_to.active_element.get_attribute("value"), "custommer")
        self.keys(Keys.BACKSPACE, Keys.BACKSPACE, Keys.BACKSPACE, "er", Keys.ENTER)
        self.settle()
        self.end_delay()
        self.assertEqual(self.names("#group-attribute tr[data-key] .name"), ["customer", "isbn", "pages"])

    def test_half_a_name_is_never_sent(self):
        self.select("Publisher")
        self.delay(700)
        self.click("#field-entity-isAbstract")
        self.act("#sidebar li[title='Publisher']", lambda element: ActionChains(self.driver).double_click(element).perform())
        self.keys("Publishing")
        self.settle()
        self.keys("House", Keys.ENTER)
        self.settle()
        self.end_delay()
        self.assertEqual(self.names(), ["Author", "Book", "Novel", "PublishingHouse", "LongBooks", "Cloud"])
        self.assertEqual(self.attribute("#undo", "title"), "Undo Rename (Ctrl+Z)")

    def test_what_is_typed_follows_an_element_that_is_renamed(self):
        self.select("Book")
        self.pick("isbn")
        self.delay(700)
        self.css("#field-attribute-name").send_keys(SELECT_ALL, "number", Keys.TAB)
        self.css("#field-attribute-regularExpressionString").send_keys("[0-9]")
        # The name is the one of another element now.
        self.settle()
        self.keys("+", Keys.TAB)
        self.settle()
        self.end_delay()
        self.save()
        self.assertIn('<attribute name="number" optional="YES" attributeType="String" regularExpressionString="[0-9]+"/>', self.file.read_text())

    def test_an_answer_does_not_take_the_user_back(self):
        self.select("Author")
        self.delay(700)
        self.css("#field-entity-name").send_keys(SELECT_ALL, "Writer", Keys.TAB)
        self.select("Novel")
        self.css("#field-entity-representedClassName").send_keys("X")
        self.settle()
        self.assertEqual(self.text("#content h1"), "Novel")
        self.keys("Y", Keys.TAB)
        self.settle()
        self.end_delay()
        self.save()
        text = self.file.read_text()
        self.assertIn('<entity name="Novel" representedClassName="NovelXY"', text)
        self.assertIn('<entity name="Writer" representedClassName="Writer"', text)

    def test_keys_before_a_new_attribute_is_there_delete_nothing(self):
        self.select("Book")
        self.pick("isbn")
        self.delay(700)
        self.click("#add-attribute")
        self.keys(Keys.BACKSPACE, Keys.DELETE)
        self.wait(lambda: self.all("#content tr input:not([type=checkbox])"))
        self.keys("year", Keys.ENTER)
        self.settle()
        self.end_delay()
        self.assertEqual(self.names("#group-attribute tr[data-key] .name"), ["isbn", "pages", "title", "year"])

    def test_edits_do_not_wait_for_findings(self):
        # The studio answers nothing that is derived from the model.
        self.driver.execute_script("""
            const { fetch } = window;
            window.original = fetch;
            window.held = [];
            window.fetch = (address, options) => (/"(findings|hashes)":/.test(options?.body ?? "") ? new Promise((resolve, reject) => {
              options.signal.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
              held.push(() => fetch(address, options).then(resolve, reject));
            }) : fetch(address, options));""")
        self.select("Book")
        self.pick("pages")
        for text in ["1", "2", "3"]:
            field = self.css("#field-attribute-minValueString")
            field.send_keys(SELECT_ALL, text, Keys.TAB)
            self.wait(lambda: self.driver.execute_async_script(
                "const done = arguments[1]; import('./app.js').then((m) => done(JSON.stringify(m.app.root).includes(arguments[0])))",
                f'"minValueString":"{text}"'))
        self.driver.execute_script("window.fetch = original; held.forEach((one) => one())")
        self.settle()
        self.save()
        self.assertIn('minValueString="3"', self.file.read_text())

    def test_a_text_that_is_too_large_is_not_sent(self):
        problem = self.driver.execute_async_script("""
            const done = arguments[0];
            import("./app.js").then(({ edit, app }) => edit({ paste: { parent: { version: app.version, steps: [] }, text: "x".repeat(17 << 20) } }))
              .then((reply) => done(reply.problem.message));""")
        self.assertIn("too large: 17.0 MB", problem)
        # And the server rejects it.
        self.expected_log = "413"
        status = self.driver.execute_async_script("""
            const done = arguments[0];
            fetch("api", { method: "POST", headers: { "Content-Type": "application/json" }, body: "x".repeat(17 << 20) })
              .then((response) => done(response.status), (error) => done(String(error)));""")
        self.assertEqual(status, 413)
        self.select("Publisher")
        self.add("attribute", "city")
        self.save()

    def test_a_second_tab_follows_a_new_version(self):
        self.expected_log = "beforeunload"
        first = self.new_tab()
        second = self.driver.current_window_handle
        self.driver.switch_to.window(first)
        for _ in range(3):
            self.driver.execute_async_script(
                "const done = arguments[0]; import('./app.js').then((m) => m.add([], 'entity')).then(() => done())")
        self.add_version()
        self.wait(lambda: self.attribute("#version", "value") == "Library 2")
        self.settle()
        self.driver.execute_async_script(
            "const done = arguments[0]; import('./app.js').then((m) => m.add([], 'entity')).then(() => done())")
        names = self.names()
        self.driver.switch_to.window(second)
        self.wait(lambda: len(self.all("#version option")) == 2)
        self.choose_option("#version", "Library 2")
        self.wait(lambda: self.names() == names)
        self.driver.execute_async_script(
            "const done = arguments[0]; import('./app.js').then((m) => m.add([], 'entity', { name: 'FromB' })).then(() => done())")
        self.assertEqual(sorted(self.names()), sorted([*names, "FromB"]))
        self.close_tab(first)


DIFFICULT = ["line one\r\nline two", "mac\rline", "\n", "\r\n", " spaces ", "tab\tand\u00a0space", "רִאשׁוֹן", "e\u0301", "👩‍👩‍👧 family",
             "<b>&amp;\"'", "x" * 150_000, "", "a\u2028b", "=1+1"]


class StoreFieldTests(data_tests.DataTest):
    arguments = ["--writable"]

    def make(self):
        model, store = data_tests.make_store(self.folder, rows=len(DIFFICULT))
        database = sqlite3.connect(store)
        for number, text in enumerate(DIFFICULT, 1):
            database.execute("UPDATE ZBOOK SET ZTITLE = ?, ZGENRE = ? WHERE Z_PK = ?", (text, text, number))
            database.execute("UPDATE ZAUTHOR SET ZNAME = ?, ZBORN = ? WHERE Z_PK = ?", (
                text, [0.123456789, -70_000_000_000, -63_114_076_800, 1e15, -2e10, 0.1][number % 6], number))
        database.commit()
        database.close()
        return model, store

    def state(self):
        return self.driver.execute_async_script(
            "const done = arguments[0]; import('./data-store.js').then(({ db }) => done(db.state))")

    def test_every_control_of_every_object_is_focused_and_left(self):
        count = 0
        for entity in ["Author", "Novel"]:
            self.choose(entity)
            for row in range(len(DIFFICULT)):
                self.click("#grid")
                self.keys((Keys.CONTROL, Keys.HOME), *[Keys.ARROW_DOWN] * row)
                count += self.visit()
            # What several objects have in common, and the other controls of the page.
            self.click("#grid")
            self.keys((Keys.CONTROL, "a"))
            count += self.visit()
        for name in self.driver.execute_script("return [...document.querySelectorAll('#sidebar li')].map((one) => one.title)"):
            self.choose(name)
            count += self.visit()
        self.assertGreater(count, 100)
        self.assertFalse(self.state()["isEdited"])
        self.assertFalse(self.state()["canUndo"])

    def visit(self):
        visited = self.driver.execute_async_script(VISIT, "main :is(input, textarea, select)")
        self.assertIsInstance(visited, int, visited)
        self.settle()
        return visited

    def test_an_edit_keeps_the_line_breaks_around_it(self):
        self.choose("Novel")
        # The objects of the entity begin after those of its parent.
        key = self.sql("SELECT Z_PK FROM ZBOOK WHERE Z_ENT = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Novel') ORDER BY 1")[0][0]
        self.sql(f"UPDATE ZBOOK SET ZTITLE = 'one' || char(13, 10) || 'two', Z_OPT = Z_OPT + 1 WHERE Z_PK = {key}")
        self.restart()
        self.choose("Novel")
        self.act("#edit-title", lambda element: element.send_keys(Keys.CONTROL + Keys.END + Keys.NULL, "!", Keys.TAB))
        self.settle()
        self.keys((Keys.CONTROL, "s"))
        self.wait(lambda: not self.state()["isEdited"])
        self.assertEqual(self.sql(f"SELECT ZTITLE FROM ZBOOK WHERE Z_PK = {key}"), [("one\r\ntwo!",)])

    def test_early_dates_are_what_was_typed(self):
        self.choose("Author")
        for text in ["1066-10-20T12:00:00.000Z", "0001-01-01T00:00:00.000Z", "-0218-10-19T19:33:20.000Z"]:
            self.act("#edit-born", lambda element: element.send_keys(SELECT_ALL, text, Keys.TAB))
            self.settle()
            self.assertEqual(self.attribute("#edit-born", "value"), text)
            self.assertEqual(self.cells("born")[0], text.replace("T", " ").replace(".000Z", " Z"))

    def test_a_new_object_gets_the_keys_and_no_other(self):
        self.choose("Author")
        self.click("#grid")
        self.keys((Keys.CONTROL, Keys.HOME), Keys.ARROW_DOWN, Keys.ARROW_DOWN)
        old = self.sql("SELECT ZNAME FROM ZAUTHOR ORDER BY Z_PK")
        self.delay(600)
        self.click("#create")
        self.keys("lost")
        self.wait(lambda: self.driver.switch_to.active_element.get_attribute("id") == "edit-name")
        self.end_delay()
        self.act("#edit-name", lambda element: element.send_keys("Zed", Keys.TAB))
        self.settle()
        self.assertEqual(self.cells("name")[0], "Zed")
        self.keys((Keys.CONTROL, "s"))
        self.wait(lambda: not self.state()["isEdited"])
        self.assertEqual(self.sql("SELECT ZNAME FROM ZAUTHOR ORDER BY Z_PK"), [*old, ("Zed",)])

    def test_a_field_keeps_its_object_when_the_list_changes(self):
        self.choose("Author")
        self.click("#grid")
        self.keys((Keys.CONTROL, Keys.HOME), Keys.ARROW_DOWN, Keys.ARROW_DOWN)
        self.act("#edit-name", lambda element: element.send_keys(SELECT_ALL, "half"))
        uri = self.text("#panel .uri")
        # Another tab adds an object, which is the first in the list.
        request = urllib.request.Request(
            self.studio.address + "store", json.dumps({"edit": {"_0": {"create": {"entity": "Author", "name": "other"}}}}).encode(),
            {"Content-Type": "application/json", "Origin": self.studio.address.rsplit("/", 2)[0]})
        urllib.request.urlopen(request).read()
        self.wait(lambda: len(self.all(".data-row.inserted")) == 1)
        self.settle()
        self.assertEqual(self.text("#panel .uri"), uri)
        self.keys(" typed", Keys.TAB)
        self.settle()
        self.assertEqual(self.cells("name")[3], "half typed")

    def test_a_link_leads_to_its_object_though_there_are_new_ones(self):
        self.choose("Author")
        self.click("#create")
        self.settle()
        self.choose("Book")
        name = self.driver.execute_script("return document.querySelector('.data-row .link:not(.bytes)').textContent")
        self.click(".data-row .link:not(.bytes)")
        self.settle()
        self.assertEqual(self.total(), "1 object")
        self.assertTrue(self.text("#panel .object-title").endswith(name.split(" · ")[0]), name)
