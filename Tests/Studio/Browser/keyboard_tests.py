"""A model built by keyboard alone, while answers come late: the focus stays where the user has put it. Findings and code."""

import studio_test
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys


class FindingTests(studio_test.StudioTest):
    def test_a_new_relationship_starts_without_an_error(self):
        errors = self.text("#summary")
        self.select("Publisher")
        self.add("relationship", "books")
        self.assertEqual(self.text("#summary"), errors)
        self.assertFalse(self.row("books").find_elements(By.CSS_SELECTOR, ".badge"))
        # Once it is saved, it is one.
        self.save()
        self.click("#field-relationship-optional")
        self.settle()
        self.assertNotEqual(self.text("#summary"), errors)

    def test_a_missing_inverse_is_added_by_a_button(self):
        self.select("Publisher")
        self.add("relationship", "imprint")
        self.choose_in(self.row("imprint").find_element(By.TAG_NAME, "select"), "Author")
        self.settle()
        self.click("#tab-findings")
        finding = next(one for one in self.all(".finding") if "imprint" in one.text and "missing-inverse" in one.text)
        finding.find_element(By.CSS_SELECTOR, ".fix").click()
        self.settle()
        self.save()
        self.assertIn('inverseName="imprint" inverseEntity="Publisher"', self.file.read_text())
        self.assertFalse([one for one in self.all(".finding") if "imprint" in one.text and "missing-inverse" in one.text])

    def test_a_verdict_that_loses_values_is_amber(self):
        self.select("Book")
        self.pick("isbn")
        self.keys(Keys.DELETE)
        self.settle()
        self.click("#tab-changes")
        self.settle()
        self.assertIn("removes stored values", self.text(".verdict"))
        self.assertIn("risky", self.attribute(".verdict", "class"))


class CodeTests(studio_test.StudioTest):
    def copied(self, name):
        """Presses the button that copies a text, and returns the text."""
        self.driver.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
        self.click(f"[aria-label='Copy {name}']")
        self.settle()
        self.assertEqual(self.text("#notice"), f"{name} copied")
        return self.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0], (error) => arguments[0](String(error)))")

    def test_code_is_copied(self):
        self.select("Author")
        self.click("#tab-code")
        self.settle()
        self.assertIn("class Author: NSManagedObject", self.copied("Author+CoreDataClass.swift"))

    def test_differences_are_copied(self):
        self.select("Book")
        self.pick("isbn")
        self.keys(Keys.DELETE)
        self.click("#tab-changes")
        self.settle()
        self.assertIn("\n  - isbn ", self.copied("Differences"))


class KeyboardTests(studio_test.StudioTest):
    def focused(self):
        """Returns what has the focus: its label, or that of its row."""
        return self.driver.execute_script("""
            const one = document.activeElement;
            return one.getAttribute("aria-label") ?? one.id ?? one.tagName;
        """)

    def is_settled_as(self, text):
        self.settle()
        return self.focused() == text

    def test_a_list_keeps_the_focus_after_its_value_is_typed(self):
        self.select("Publisher")
        self.add("relationship", "books")
        self.delay(300)
        self.driver.execute_script("arguments[0].focus()", self.row("books").find_element(By.TAG_NAME, "select"))
        self.keys("Bo")
        self.assertTrue(self.is_settled_as("Destination of books"), self.focused())
        self.keys(Keys.TAB)
        self.assertTrue(self.is_settled_as("Inverse of books"), self.focused())
        self.keys("p")
        self.assertTrue(self.is_settled_as("Inverse of books"), self.focused())
        self.end_delay()
        self.save()
        self.assertIn('destinationEntity="Book" inverseName="publisher" inverseEntity="Book"', self.file.read_text())

    def test_a_model_is_built_by_keyboard_alone_while_answers_come_late(self):
        self.delay(300)
        for entity in ["Shelf", "Room"]:
            self.keys((Keys.ALT, "e"))
            self.settle()
            self.keys(entity, Keys.ENTER)
            self.settle()
        # From the sidebar's row to the tables, and a relationship with its destination and inverse.
        self.keys((Keys.ALT, "a"))
        self.settle()
        self.keys("number", Keys.ENTER)
        self.settle()
        self.keys(Keys.TAB)
        self.assertEqual(self.focused(), "Type of number")
        self.keys("Int")
        self.settle()
        self.assertEqual(self.focused(), "Type of number")
        # The list has the focus, and does not take a shortcut for a value.
        self.keys((Keys.ALT, "r"))
        self.settle()
        self.keys("shelves", Keys.ENTER)
        self.settle()
        self.keys(Keys.TAB)
        self.assertEqual(self.focused(), "Destination of shelves")
        self.keys("Shelf")
        self.settle()
        self.assertEqual(self.focused(), "Destination of shelves")
        self.keys((Keys.CONTROL, "s"))
        self.settle()
        self.end_delay()
        text = self.file.read_text()
        self.assertIn('<attribute name="number" optional="YES" attributeType="Integer 16"', text)
        self.assertIn('<relationship name="shelves" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Shelf"/>', text)
