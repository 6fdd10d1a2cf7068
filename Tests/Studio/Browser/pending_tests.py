"""Clicks that are faster than the studio's answers: each is about the element that was shown."""

import re

import studio_test
from selenium.webdriver.common.keys import Keys

SELECT_ALL = Keys.CONTROL + "a" + Keys.NULL
ENTITY = '<entity name="Publisher" representedClassName="Publisher" syncable="YES" codeGenerationType="class">'
SIBLINGS = "".join(
    [f'<attribute name="{name}" optional="YES" attributeType="String"/>' for name in "abcd"]
    + ['<fetchIndex name="x">']
    + [f'<fetchIndexElement expression="lowercase:({name})" expressionType="String" type="Binary" order="ascending"/>' for name in "abc"]
    + ["</fetchIndex>", "<uniquenessConstraints>"]
    + [f'<uniquenessConstraint><constraint value="{name}"/></uniquenessConstraint>' for name in "abcd"]
    + ["</uniquenessConstraints>", "<userInfo>"]
    + [f'<entry key="k" value="{value}"/>' for value in "1234"]
    + ["</userInfo>"])
SECURE = "".join(
    f'<attribute name="t{number}" optional="YES" attributeType="Transformable" valueTransformerName="NSKeyedUnarchiveFromData"/>'
    for number in range(5))


class PendingAnswerTests(studio_test.StudioTest):
    contents = studio_test.LIBRARY.replace(ENTITY, ENTITY + SIBLINGS)

    def click_at_once(self, elements):
        """Clicks elements as they are now, while answers are pending."""
        self.assertGreater(len(elements), 0)
        self.delay(700)
        self.driver.execute_script("for (const one of arguments[0]) one.click()", elements)
        self.settle()
        self.end_delay()
        self.save()

    def found(self, pattern):
        return re.findall(pattern, self.file.read_text())

    def test_deleting_two_siblings_deletes_those_two(self):
        for label, pattern, left in [
            ("Delete constraint", r'<constraint value="(\w)"', ["c", "d"]), ("Remove from index", r"lowercase:\((\w)\)", ["c"]),
            ("Delete entry", r'<entry key="k" value="(\d)"', ["3", "4"]),
        ]:
            with self.subTest(label):
                self.select("Publisher")
                self.click_at_once(self.all(f"[aria-label='{label}']")[:2])
                self.assertEqual(self.found(pattern), left)

    def test_deleting_a_sibling_twice_deletes_one(self):
        self.select("Publisher")
        button = self.all("[aria-label='Delete constraint']")[1]
        self.click_at_once([button, button])
        self.assertEqual(self.found(r'<constraint value="(\w)"'), ["a", "c", "d"])

    def test_the_color_that_was_chosen_last_stays(self):
        self.select("Novel")
        self.delay(700)
        self.choose_option("#graph-color", "red")
        self.choose_option("#graph-color", "blue")
        self.settle()
        self.end_delay()
        self.save()
        self.assertEqual(self.found(r'key="modelc.color" value="(\w+)"'), ["blue"])

    def test_a_configuration_follows_its_boxes(self):
        self.select("Cloud")
        before = sorted(self.found(r'<memberEntity name="(\w+)"'))
        self.assertTrue(before)
        for label in self.all("#content label.line"):
            box = label.find_element("css selector", "input")
            self.click_at_once([box, box])
        self.assertEqual(sorted(self.found(r'<memberEntity name="(\w+)"')), before)
        self.assertNotIn("problem", self.attribute("#notice", "class"))

    def test_a_rejection_is_shown_until_the_next_action(self):
        self.select("Book")
        # The second edit is sent before the answer to the first, on a busy machine too.
        self.delay(3000)
        self.css("#field-entity-name").send_keys(SELECT_ALL, "Author", Keys.TAB)
        self.click("#field-entity-isAbstract")
        self.settle()
        self.end_delay()
        self.assertIn("Author", self.text("#notice"))
        self.click("#field-entity-isAbstract")
        self.settle()
        self.assertFalse(self.text("#notice"))

    def test_what_is_typed_after_undoing_a_rename_is_kept(self):
        self.select("Publisher")
        name = self.css("#field-entity-name")
        name.send_keys(SELECT_ALL, "House", Keys.TAB)
        self.settle()
        self.delay(700)
        self.click("#undo")
        self.css("#field-entity-representedClassName").send_keys(SELECT_ALL, "Typed", Keys.TAB)
        self.settle()
        self.end_delay()
        self.assertNotIn("problem", self.attribute("#notice", "class"))
        self.save()
        self.assertEqual(self.found(r'<entity name="(\w+)" representedClassName="Typed"'), ["Publisher"])

    def test_what_is_typed_while_another_page_renames_is_kept(self):
        self.select("Publisher")
        field = self.css("#field-entity-representedClassName")
        field.send_keys(SELECT_ALL, "Typed")
        self.driver.execute_async_script("""
            const done = arguments[0];
            const element = { version: "Library", steps: [{ kind: "entity", name: "Publisher", index: 0 }] };
            const body = JSON.stringify({ version: "Library", request: { edit: { operation: { rename: { element, name: "House" } } } } });
            fetch("api", { method: "POST", headers: { "Content-Type": "application/json" }, body }).then(done);""")
        field.send_keys(Keys.TAB)
        self.settle()
        self.assertNotIn("problem", self.attribute("#notice", "class"))
        self.assertIn("House", self.names())
        self.save()
        self.assertEqual(self.found(r'<entity name="(\w+)" representedClassName="Typed"'), ["House"])


class PendingFixTests(studio_test.StudioTest):
    contents = studio_test.LIBRARY.replace(ENTITY, ENTITY + SECURE)

    def test_fixes_change_the_elements_of_their_findings(self):
        self.select("Publisher")
        self.click("#tab-findings")
        self.wait(lambda: len(self.all(".finding .fix")) >= 5)
        buttons = [one.find_element("css selector", ".fix") for one in self.all(".finding") if "t0" in one.text or "t1" in one.text]
        self.assertEqual(len(buttons), 2)
        self.delay(700)
        self.driver.execute_script("for (const one of arguments[0]) one.click()", buttons)
        self.settle()
        self.end_delay()
        self.save()
        changed = re.findall(r'name="(t\d)"[^/]*?valueTransformerName="NSSecure', self.file.read_text())
        self.assertEqual(changed, ["t0", "t1"])
