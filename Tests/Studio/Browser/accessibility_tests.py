"""What axe-core finds in every pane of both pages, in both themes: nothing."""

import functools
import importlib.util
import pathlib

import data_programs_tests
import gallery
import studio_test
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys


@functools.cache
def axe():
    """The text of axe-core, which the package bundles; the package itself is not used."""
    package = importlib.util.find_spec("axe_playwright_python")
    if package is None:
        raise FileNotFoundError("axe_playwright_python is not installed; Scripts/studio-tests.sh installs it")
    return (pathlib.Path(package.origin).parent / "axe.min.js").read_text()


# All rules of WCAG 2.2, levels A and AA, and those that axe-core calls best practices.
RUN = """
    const [root, done] = arguments;
    axe.run(root, { rules: { "target-size": { enabled: true } }, resultTypes: ["violations"] }).then(({ violations }) => done(
      violations.flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.target.join(" ")}: ${node.any.concat(node.all, node.none)
        .map((one) => one.message).join("; ")}`))), (error) => done([String(error.stack)]));
"""


class Checked:
    """A page whose panes are checked."""

    def setUp(self):
        super().setUp()
        self.violations = []
        self.panes = 0
        self.addCleanup(self.driver.execute_cdp_cmd, "Emulation.setEmulatedMedia", {"features": []})

    def check(self, pane, root="html"):
        """Checks what the page shows now."""
        self.settle()
        self.panes += 1
        if not self.driver.execute_script("return 'axe' in window"):
            self.driver.execute_script(axe())
        for theme in ["light", "dark"]:
            self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": theme}]})
            self.driver.execute_async_script("testSupport.frame().then(arguments[0])")
            found = self.driver.execute_async_script(RUN, root)
            self.violations += [f"{pane}, {theme}: {one}" for one in found]

    def finish(self, panes):
        self.assertEqual(self.violations, [], "\n" + "\n".join(self.violations))
        self.assertEqual(self.panes, panes)


class AccessibilityTests(Checked, studio_test.StudioTest):
    # With a composite type, a fetched property, and an error.
    contents = studio_test.LIBRARY.replace("""        <relationship name="books" """, """\
        <attribute name="home" optional="YES" attributeType="Composite" composite="Place"/>
        <fetchedProperty name="recent" optional="YES">
            <fetchRequest name="recent" entity="Book" predicateString="pages &gt; 1"/>
        </fetchedProperty>
        <relationship name="books" """).replace("</model>", """\
    <composite name="Place">
        <attribute name="city" optional="YES" attributeType="String"/>
    </composite>
    <entity name="Wrong" representedClassName="Wrong" parentEntity="Missing" syncable="YES"/>
</model>""")

    def test_the_panes_of_the_model(self):
        for name in self.driver.execute_script("return [...document.querySelectorAll('#sidebar li')].map((one) => one.title)"):
            self.select(name)
            self.check(name)
        self.select("Book")
        for name in ["pages", "title", "author", "publisher"]:
            self.pick(name)
            self.driver.execute_script("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            self.check(f"property {name}")
        self.again(lambda: ActionChains(self.driver).key_down(Keys.SHIFT).click(
            self.row("title").find_element("css selector", ".name")).key_up(Keys.SHIFT).perform())
        self.check("several properties")
        self.pick("pages")
        self.keys(Keys.F2)
        self.check("a name that is edited")
        self.keys(Keys.ESCAPE)
        self.select("Author")
        self.pick("recent")
        self.check("a fetched property")
        self.select("LongBooks")
        self.css("#content textarea").send_keys(" a")
        self.wait(lambda: self.all("#predicate-completions:not([hidden]) li"))
        self.check("completions")
        self.keys(Keys.ESCAPE, Keys.ESCAPE)
        self.select("Book")
        self.css("#search").send_keys("title")
        self.check("a search")
        self.keys((Keys.CONTROL, "a"), Keys.DELETE)
        for tab in ["findings", "code", "changes"]:
            self.click(f"#tab-{tab}")
            self.check(tab)
        self.click("#view-entities")
        self.check("all entities")
        self.click("#content tbody tr:nth-child(2) .icon")
        self.keys((Keys.SHIFT, Keys.ARROW_DOWN))
        self.check("several entities")
        self.click("#view-graph")
        self.check("graph")
        self.click("#help-button")
        self.check("shortcuts")
        self.keys(Keys.ESCAPE)
        self.click("#add-version")
        self.wait(lambda: self.css("#create-version").is_displayed())
        self.check("a new version")
        self.finish(len(self.names()) + 17)

    def test_conflicts_and_banners(self):
        self.select("Publisher")
        self.pick("name")
        self.css("#field-attribute-defaultValueString").send_keys("mine", Keys.TAB)
        self.settle()
        self.click("#tab-changes")
        self.check("a change")
        self.file.write_text(self.contents.replace(
            '<attribute name="name" optional="YES" attributeType="String"/>',
            '<attribute name="name" optional="YES" attributeType="String" defaultValueString="theirs"/>'))
        self.keys((Keys.CONTROL, "s"))
        self.wait(lambda: self.all(".banner"))
        self.check("a conflict")
        self.finish(2)


class BrokenModelAccessibilityTests(Checked, studio_test.StudioTest):
    contents = studio_test.LIBRARY.replace("</configuration>", "")

    def test_a_file_that_is_repaired(self):
        self.check("repair")
        self.click("#tab-findings")
        self.check("findings")
        self.finish(2)


class ReadOnlyDataAccessibilityTests(Checked, data_programs_tests.HistoryTests):
    arguments = []
    # These are run by the class that has them.
    test_transactions_are_shown_and_followed = test_saves_of_the_studio_and_others_appear = None

    def test_lists_history_and_findings(self):
        self.choose("Book")
        self.check("a list")
        self.click("#sidebar li[title='History']")
        self.wait(lambda: self.all(".transaction"))
        self.click(".transaction:nth-child(1) > summary")
        self.check("history")
        self.click("#sidebar li[title='Findings']")
        self.wait(lambda: self.all("#findings"))
        self.check("findings")
        self.finish(3)


class DataAccessibilityTests(Checked, gallery.GalleryTest):
    def test_the_panes_of_the_store(self):
        self.show("Picture")
        self.check("an object")
        self.edit("rank", "-5")
        self.check("a value that is not valid")
        self.click("#undo")
        self.settle()
        self.show("Room")
        self.check("an ordered relationship")
        self.choose("Picture")
        self.click("#sql-details summary")
        self.filter('titel == "a"')
        self.check("a predicate that is not valid")
        self.css("#predicate").send_keys(Keys.CONTROL, "a")
        self.css("#predicate").send_keys("ra")
        self.wait(lambda: self.all(".completions li"))
        self.check("completions")
        self.css("#predicate").send_keys(Keys.ESCAPE, Keys.ESCAPE)
        self.settle()
        self.click("#grid")
        self.keys((Keys.CONTROL, "a"))
        self.check("several rows")
        self.show("Picture")
        self.driver.execute_script("document.getElementById('edit-room').click()")
        self.wait(lambda: self.all("dialog[open] .pick li"))
        self.check("a picker")
        self.keys(Keys.ESCAPE)
        self.driver.execute_script("document.querySelector('.data-row .bytes').click()")
        self.wait(lambda: self.all("dialog[open].viewer"))
        self.check("a value")
        self.keys(Keys.ESCAPE)
        path = self.folder / "new.csv"
        path.write_text("title,rank\nA,x\nB,-4\n")
        self.act("#import-file", lambda element: element.send_keys(str(path)))
        self.wait(lambda: self.all("dialog[open].import"))
        self.check("an import")
        self.keys(Keys.ESCAPE)
        self.click("#help-button")
        self.check("shortcuts")
        self.keys(Keys.ESCAPE)
        self.finish(10)

    def test_a_conflict(self):
        self.show("Picture")
        self.edit("title", "Mine")
        self.sql("UPDATE ZPICTURE SET ZTITLE = 'Theirs', Z_OPT = Z_OPT + 1")
        self.click("#save")
        self.wait(lambda: self.all("dialog[open].conflicts"))
        self.check("a conflict")
        self.keys(Keys.ESCAPE)
        self.finish(1)


class DamagedStoreAccessibilityTests(Checked, gallery.GalleryTest):
    def make(self):
        model, store = super().make()
        store.write_bytes(b"SQLite format 3\0" + b"x" * 5000)
        return model, store

    def test_an_explanation(self):
        self.assertIn("cannot be shown", self.text(".explanation"))
        self.check("an explanation")
        self.finish(1)
