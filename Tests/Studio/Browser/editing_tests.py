"""Edits of a model with mouse and keyboard; the file on disk is compared."""

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from studio_test import StudioTest


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
