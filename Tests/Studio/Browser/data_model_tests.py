"""Stores without their model: raw tables, the search for a model, the SQL of lists in sqlite3, and findings beside the rows."""

import shutil
import sqlite3
import subprocess
import unittest

import accessibility_tests
import data_tests
import studio_test


class WithoutModelTests(accessibility_tests.Checked, data_tests.DataTest):
    def make(self):
        model, store = data_tests.make_store(self.folder, rows=120)
        database = sqlite3.connect(store)
        database.execute("DELETE FROM Z_MODELCACHE")
        database.execute("UPDATE ZBOOK SET ZTITLE = '<b>raw</b>' WHERE Z_PK = 1")
        database.commit()
        database.execute("VACUUM")
        database.close()
        # Elsewhere, so that the search does not find it at once.
        self.elsewhere = self.folder.with_name(self.folder.name + "-model") / model.name
        shutil.move(model, self.elsewhere)
        self.addCleanup(shutil.rmtree, self.elsewhere.parent)
        return self.elsewhere, store

    def start(self, *arguments):
        super().start(*arguments)
        self.wait(lambda: self.all(".raw-rows td"))

    def cells(self, column):
        return [row.find_elements("css selector", "td")[column].text for row in self.all(".raw-rows tbody tr")]

    def find(self):
        self.click("#find-model")
        self.wait(lambda: self.text("#found-models") not in ["", "Searching…"])
        return self.text("#found-models")

    def test_tables_are_shown_as_they_are_and_a_model_is_found(self):
        before = self.digest()
        self.assertIn("without a model", self.text("#content h1"))
        names = [name for (name,) in self.sql(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")]
        self.assertEqual(self.names("#sidebar li .name"), names)
        self.click("#sidebar li[title='ZBOOK']")
        self.wait(lambda: self.text(".raw-part h2") == "ZBOOK")
        self.assertEqual(self.text("#raw-range"), f"1–100 of {self.sql('SELECT count(*) FROM ZBOOK')[0][0]}")
        columns = self.names(".raw-rows th")
        self.assertEqual(columns, [row[1] for row in self.sql("PRAGMA table_info(ZBOOK)")])
        self.assertIn("<b>raw</b>", self.cells(columns.index("ZTITLE")))
        covers = self.sql("SELECT coalesce(length(ZCOVER), 0) FROM ZBOOK LIMIT 3")
        self.assertEqual(self.cells(columns.index("ZCOVER"))[:3], ["NULL" if not size else f"{size:,} bytes" for (size,) in covers])
        self.screenshot("data-raw")
        self.check("raw tables")
        self.click("[aria-label='Next page']")
        self.wait(lambda: self.text("#raw-range").startswith("101–"))
        self.assertIn("has the store’s hashes", self.find())
        self.assertFalse(self.all("#found-models button"))
        # One that does not match, and one that does, in a folder below.
        other = self.folder / "Sources" / "Other.xcdatamodeld" / "Other.xcdatamodel" / "contents"
        other.parent.mkdir(parents=True)
        other.write_text(studio_test.LIBRARY)
        shutil.copytree(self.elsewhere, self.folder / "Sources" / "App" / self.elsewhere.name)
        self.assertIn(self.elsewhere.name, self.find())
        self.check("models that were found")
        self.assertEqual(len(self.all("#found-models button")), 1)
        self.assertEqual(self.digest(), before)
        self.click("#found-models button")
        self.wait(lambda: self.all("#grid"))
        self.settle()
        self.choose("Book")
        self.assertIn(self.elsewhere.name, self.text("#origin"))
        self.assertFalse(self.css("#model-link").is_displayed())
        self.assertEqual(self.digest(), before)
        self.finish(2)


class SQLTests(data_tests.DataTest):
    @unittest.skipUnless(shutil.which("sqlite3"), "sqlite3 is not installed")
    def test_the_sql_that_is_shown_runs_in_sqlite3(self):
        self.choose("Book")
        self.click("#sql-details summary")
        for predicate in ['author.name CONTAINS[cd] "lem" AND pages > 100', 'title BEGINSWITH "The"', 'title ENDSWITH[c] "IS"',
                          'title LIKE "*ik*"', 'title MATCHES "U.*"', 'title ==[c] "ubik"', "pages * 2 > 300", "price > 3",
                          'ANY author.books.title == "Ubik"', 'SUBQUERY(author.books, $b, $b.pages > 700).@count > 1',
                          'title IN {"Ubik", "Solaris"}', "author == nil", 'published < "2001-02-01"', "lowercase(title) == \"momo\""]:
            self.filter(predicate)
            self.assertEqual(self.text("#predicate-problem"), "", predicate)
            total = int(self.total().split()[0].replace(",", ""))
            sql = self.wait(lambda: self.attribute("#sql", "textContent"))
            output = subprocess.run(["sqlite3", self.store, f"SELECT count(*) FROM ({sql})"], capture_output=True, text=True)
            self.assertEqual((output.stderr, output.stdout.strip()), ("", str(total)), f"{predicate}: {sql}")
        self.filter('title CONTAINS[cd] "ubik"')
        self.wait(lambda: "for sqlite3" in self.text("#sql-details p"))


class FindingMarkTests(data_tests.DataTest):
    def make(self):
        model, store = super().make()
        database = sqlite3.connect(store)
        database.execute("UPDATE ZBOOK SET ZAUTHOR = 9999 WHERE Z_PK IN (2, 3)")
        database.commit()
        database.close()
        return model, store

    def marked(self):
        return self.driver.execute_script("return [...document.querySelectorAll('.data-row')].filter((row) => "
                                          "row.querySelector('.finding')).map((row) => row.querySelector('[id$=\"-1\"]').innerText)")

    def test_findings_are_marked_beside_their_rows(self):
        self.choose("Book")
        self.wait(lambda: len(self.marked()) == 2)
        self.assertEqual([text.strip("⚠ ") for text in self.marked()], ["2", "3"])
        self.assertEqual(self.text("#finding-count"), "1")
        found = self.driver.execute_script("return [...document.querySelectorAll('.data-row .found')].map((one) => one.title)")
        self.assertEqual(len(found), 2)
        self.assertIn("that does not exist", found[0])
        # The same beside the value in the details.
        self.click(".data-row:nth-child(2) > [role=gridcell]:nth-child(1)")
        self.wait(lambda: "that does not exist" in self.text("#panel"))
        self.click("#sidebar li[title='Findings']")
        self.wait(lambda: self.all("#findings .link"))
        self.assertEqual(self.names("#findings .link"), ["Book 2", "Book 3"])
        self.click("#findings .link")
        self.settle()
        self.wait(lambda: self.names(".crumbs > *")[-1] == "Book 2")
        # Repaired by another program: the marks go.
        self.choose("Book")
        self.sql("UPDATE ZBOOK SET ZAUTHOR = 1 WHERE Z_PK IN (2, 3)")
        self.wait(lambda: not self.marked() and self.text("#finding-count") == "")
