"""The data browser: a generated store in headless Chromium, with mouse and keyboard, and the file on disk."""

import csv
import functools
import hashlib
import http.client
import io
import json
import os
import pathlib
import plistlib
import re
import shutil
import signal
import sqlite3
import struct
import subprocess
import tempfile
import unittest
import urllib.request
import zlib

import corpus
import studio_test
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

MODEL = studio_test.HEADER + """\
    <entity name="Author" representedClassName="Author" syncable="YES" codeGenerationType="class">
        <attribute name="born" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
        <attribute name="name" attributeType="String" defaultValueString=""/>
        <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
    </entity>
    <entity name="Book" representedClassName="Book" syncable="YES" codeGenerationType="class">
        <attribute name="code" optional="YES" attributeType="UUID" usesScalarValueType="NO"/>
        <attribute name="cover" optional="YES" attributeType="Binary"/>
        <attribute name="isRead" optional="YES" attributeType="Boolean" usesScalarValueType="YES"/>
        <attribute name="pages" optional="YES" attributeType="Integer 32" minValueString="0" usesScalarValueType="YES"/>
        <attribute name="price" optional="YES" attributeType="Decimal"/>
        <attribute name="published" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
        <attribute name="settings" optional="YES" attributeType="Transformable" valueTransformerName="NSSecureUnarchiveFromData"/>
        <attribute name="title" attributeType="String" defaultValueString=""/>
        <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" inverseName="books" inverseEntity="Author"/>
    </entity>
    <entity name="Novel" representedClassName="Novel" parentEntity="Book" syncable="YES" codeGenerationType="class">
        <attribute name="genre" optional="YES" attributeType="String"/>
    </entity>
</model>"""

TITLES = ["The Left Hand of Darkness", "Solaris", "Ubik", "Kindred", "Roadside Picnic", "Invisible Cities", "The Dispossessed",
          "Neuromancer", "<img src=x onerror=alert(1)>", "Momo"]
AUTHORS = ["Ursula K. Le Guin", "Stanisław Lem", "Philip K. Dick", "Octavia E. Butler", "Arkady & Boris Strugatsky",
           "Italo Calvino", "William Gibson", "Michael Ende"]


@functools.cache
def image(red, green, blue, size=48):
    """A PNG with a gradient."""
    rows = b"".join(b"\0" + b"".join(bytes((min(255, red + 2 * x), green, min(255, blue + 2 * y))) for x in range(size))
                    for y in range(size))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def archive():
    """A keyed archive of a dictionary with an object of a class that no program has."""
    uid = plistlib.UID
    return plistlib.dumps({
        "$archiver": "NSKeyedArchiver", "$version": 100000, "$top": {"root": uid(1)},
        "$objects": [
            "$null", {"$class": uid(5), "NS.keys": [uid(2), uid(3)], "NS.objects": [uid(4), uid(6)]}, "language", "layout", "en",
            {"$classname": "NSDictionary", "$classes": ["NSDictionary", "NSObject"]},
            {"$class": uid(7), "columns": 2, "margin": 1.5}, {"$classname": "MyApp.Layout", "$classes": ["MyApp.Layout", "NSObject"]},
        ],
    }, fmt=plistlib.FMT_BINARY)


def make_store(folder, rows=300):
    """A store of the model with values that people can read."""
    model = folder / "Library.xcdatamodeld"
    contents = model / "Library.xcdatamodel" / "contents"
    contents.parent.mkdir(parents=True)
    contents.write_text(MODEL)
    store = folder / "Library.sqlite"
    tool = pathlib.Path(studio_test.BINARY).parent / "modelc-store"
    subprocess.run([tool, "make", model, "--rows", str(rows), "--output", store], check=True, stdout=subprocess.DEVNULL)
    database = sqlite3.connect(store)
    for (key,) in database.execute("SELECT Z_PK FROM ZAUTHOR").fetchall():
        name = AUTHORS[key % len(AUTHORS)] + (f" {key // len(AUTHORS)}" if key >= len(AUTHORS) else "")
        database.execute("UPDATE ZAUTHOR SET ZNAME = ?, ZBORN = ? WHERE Z_PK = ?", (name, -2e9 + key * 1e7, key))
    for (key,) in database.execute("SELECT Z_PK FROM ZBOOK").fetchall():
        cover = image(key * 37 % 160, key * 91 % 200, key * 53 % 160) if key % 3 else None
        database.execute(
            "UPDATE ZBOOK SET ZTITLE = ?, ZPAGES = ?, ZPRICE = ?, ZPUBLISHED = ?, ZCOVER = ?, ZSETTINGS = ?, ZAUTHOR = ?, ZGENRE = ? "
            "WHERE Z_PK = ?",
            (TITLES[key % len(TITLES)] + (f" {key // len(TITLES)}" if key >= len(TITLES) else ""), key * 7919 % 900,
             key * 0.5 + 0.25, key * 1e6 + 0.5, cover, archive() if key % 4 == 1 else None, key % 8 + 1,
             "utopia" if key % 2 else None, key))
    database.commit()
    database.close()
    return model, store


class DataTest(studio_test.StudioTest):
    arguments = []
    # Rows that are not read yet.
    unsettled = ".data-row > .dim:only-child:not(.gone)"

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="studio-data-"))
        self.model, self.store = self.make()
        self.start()

    def make(self):
        return make_store(self.folder)

    def start(self, *arguments):
        self.studio = StoreStudio(self.store, self.folder / "cache", *self.arguments, *arguments)
        self.open()

    def restart(self, *arguments):
        self.driver.get("about:blank")
        self.studio.stop()
        self.start(*arguments)

    def digest(self):
        return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in self.folder.iterdir() if path.is_file()}

    def sql(self, statement):
        database = sqlite3.connect(self.store, timeout=60)
        try:
            result = database.execute(statement).fetchall()
            database.commit()
            return result
        finally:
            database.close()

    def choose(self, entity):
        self.click(f"#sidebar li[title='{entity}']")
        self.settle()

    def cells(self, name):
        """The texts of a column in sight."""
        return self.driver.execute_script("""
            const heads = [...document.querySelectorAll('.data-head [role=columnheader]')];
            const index = heads.findIndex((one) => one.textContent.replace(/ [▲▼]\d*/, '') === arguments[0]);
            return [...document.querySelectorAll('.data-row')].map((row) => row.children[index]?.textContent)""", name)

    def filter(self, text):
        field = self.css("#predicate")
        field.clear()
        field.send_keys(text, Keys.ENTER)
        self.settle()

    def total(self):
        return self.text("#total")


class StoreStudio(studio_test.Studio):
    def __init__(self, store, cache, *arguments):
        self.launch([studio_test.BINARY, "--store", store, "--no-open", *arguments], cache)


class BrowsingTests(DataTest):
    def test_rows_links_and_values_are_shown_and_nothing_is_touched(self):
        before = self.digest()
        self.choose("Book")
        self.assertEqual(self.total(), "600 objects")
        self.assertEqual(self.cells("Entity")[0], "Book")
        self.assertIn("<img src=x onerror=alert(1)>", self.driver.execute_script(
            "return document.querySelector('.data-grid').textContent"))
        self.screenshot("data-list")
        # A link to the author, to the author's books, and back.
        self.click(".data-row:nth-child(2) .link:not(.bytes)")
        self.settle()
        self.wait(lambda: self.names(".crumbs > *")[-1].startswith("Author "))
        self.keys(Keys.END, Keys.ENTER)
        self.settle()
        self.wait(lambda: self.names(".crumbs > *")[-1].startswith("books of Author"))
        self.assertEqual(set(self.cells("author")), {self.cells("author")[0]})
        self.assertEqual(self.total(), f"{self.sql('SELECT count(*) FROM ZBOOK WHERE ZAUTHOR = 3')[0][0]} objects")
        self.keys((Keys.ALT, Keys.ARROW_LEFT))
        self.settle()
        self.assertTrue(self.names(".crumbs > *")[-1].startswith("Author "))
        self.keys((Keys.ALT, Keys.ARROW_LEFT))
        self.settle()
        self.assertEqual(self.names(".crumbs > *"), ["Book"])
        # An image is an image, an archive a tree.
        self.wait(lambda: self.driver.execute_script(
            "return [...document.querySelectorAll('.data-row img')].some((one) => one.naturalWidth === 48)"))
        row = next(index for index, text in enumerate(self.cells("settings")) if "property list" in (text or ""))
        self.click(f".data-row:nth-child({row + 1}) > [role=gridcell]:nth-child(2)")
        self.settle()
        self.screenshot("data-object")
        self.driver.execute_script(
            "[...document.querySelectorAll('#panel .bytes')].find((one) => one.textContent.includes('property')).click()")
        self.wait(lambda: self.all("dialog[open] .tree"))
        tree = self.text("dialog[open] .tree")
        for text in ["language", "MyApp.Layout", "margin", "1.5"]:
            self.assertIn(text, tree)
        self.screenshot("data-value")
        self.keys(Keys.ESCAPE)
        self.click("#sidebar li[title='History']")
        self.wait(lambda: self.all(".history .placeholder"))
        self.assertEqual(self.digest(), before)

    def test_sorting_paging_and_dates(self):
        self.choose("Book")
        self.click(".data-head [title='Integer 32'] button")
        self.settle()
        pages = [int(text) for text in self.cells("pages") if text.isdigit()]
        self.assertEqual(pages, sorted(pages))
        self.click(".data-head [title='Integer 32'] button")
        self.settle()
        self.assertEqual(self.cells("pages")[0], str(self.sql("SELECT max(ZPAGES) FROM ZBOOK")[0][0]))
        self.click("#grid")
        self.keys((Keys.CONTROL, Keys.END))
        self.settle()
        self.assertEqual(self.cells("pages")[-1], str(self.sql("SELECT min(ZPAGES) FROM ZBOOK")[0][0]))
        self.choose("Novel")
        first = self.cells("published")[0]
        self.assertRegex(first, r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.500 Z$")
        # Browsers have one name of the zone or the other.
        zones = {option.get_attribute("value") for option in self.all("#zone option")}
        self.choose_option("#zone", "Asia/Kolkata" if "Asia/Kolkata" in zones else "Asia/Calcutta")
        self.settle()
        self.assertRegex(self.cells("published")[0], r"\+05:30$")

    def test_predicates_complete_explain_and_filter(self):
        self.choose("Book")
        field = self.css("#predicate")
        field.send_keys("auth")
        self.wait(lambda: self.all(".completions li"))
        # The list is that of the whole text.
        self.settle()
        self.screenshot("data-completion")
        field.send_keys(Keys.ARROW_DOWN, Keys.ENTER)
        self.assertEqual(field.get_attribute("value"), "author")
        field.send_keys('.name CONTAINS[cd] "lem" AND pages > 100')
        field.send_keys(Keys.ENTER)
        self.settle()
        expected = self.sql("SELECT count(*) FROM ZBOOK b JOIN ZAUTHOR a ON a.Z_PK = b.ZAUTHOR WHERE a.ZNAME LIKE '%lem%' AND b.ZPAGES > 100")
        self.assertEqual(self.total(), f"{expected[0][0]} objects")
        self.click("#sql-details summary")
        self.wait(lambda: "LEFT OUTER JOIN" in self.text("#sql"))
        self.screenshot("data-predicate")
        self.filter("titel == 1")
        self.assertEqual(self.text("#predicate-problem mark"), "titel")
        self.screenshot("data-error")
        self.assertEqual(self.driver.switch_to.active_element.get_attribute("id"), "predicate")

    def test_exports_are_the_list(self):
        self.choose("Book")
        self.filter("pages > 700")
        self.click(".data-head [title='Integer 32'] button")
        self.settle()
        address = self.attribute("#export-csv", "href")
        rows = list(csv.DictReader(io.StringIO(urllib.request.urlopen(address).read().decode())))
        self.assertEqual([int(row["pages"]) for row in rows], sorted(
            value for (value,) in self.sql("SELECT ZPAGES FROM ZBOOK WHERE ZPAGES > 700")))
        objects = json.load(urllib.request.urlopen(self.attribute("#export-json", "href")))
        self.assertEqual([one["objectID"] for one in objects], [row["objectID"] for row in rows])

    def test_everything_is_reached_by_keyboard(self):
        self.assertEqual(self.driver.switch_to.active_element.get_attribute("title"), "Author")
        self.keys(Keys.ARROW_DOWN)
        self.settle()
        self.assertEqual(self.names(".crumbs > *"), ["Book"])
        self.keys(Keys.ENTER)
        self.assertEqual(self.driver.switch_to.active_element.get_attribute("id"), "grid")
        self.keys(Keys.PAGE_DOWN, Keys.ARROW_RIGHT, "/")
        self.assertEqual(self.driver.switch_to.active_element.get_attribute("id"), "predicate")
        self.keys(Keys.F6)
        self.assertEqual(self.driver.switch_to.active_element.get_attribute("id"), "grid")
        self.keys("?")
        self.wait(lambda: self.css("#help").is_displayed())
        self.keys(Keys.ESCAPE)

    def test_a_dark_theme(self):
        self.darken()
        self.choose("Book")
        self.screenshot("data-dark")

    def test_only_named_values_are_served(self):
        uri = self.driver.execute_async_script("""
            const done = arguments[0];
            fetch('store', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(
                {rows: {query: {entity: 'Book', predicate: 'settings.description != nil || TRUEPREDICATE'}, offset: 0, limit: 1}})})
                .then((one) => one.json()).then((one) => done(JSON.stringify(one)))""")
        self.assertIn("problem", json.loads(uri))
        key = self.sql("SELECT min(Z_PK) FROM ZBOOK WHERE ZCOVER NOT NULL")[0][0]
        uuid = self.sql("SELECT Z_UUID FROM Z_METADATA")[0][0]
        base = self.studio.address
        with urllib.request.urlopen(f"{base}blob?object=x-coredata://{uuid}/Book/p{key}&key=cover") as answer:
            self.assertEqual(answer.headers["Content-Type"], "image/png")
            self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
            self.assertIn("sandbox", answer.headers["Content-Security-Policy"])
        self.sql(f"UPDATE ZBOOK SET ZCOVER = CAST('<svg onload=alert(1)>' AS BLOB) WHERE Z_PK = {key}")
        with urllib.request.urlopen(f"{base}blob?object=x-coredata://{uuid}/Book/p{key}&key=cover") as answer:
            self.assertEqual(answer.headers["Content-Type"], "application/octet-stream")
            self.assertTrue(answer.headers["Content-Disposition"].startswith("attachment"))
        # A page that was drawn before another program deleted the object, or replaced the store, still asks for them.
        for gone in [f"{uuid}/Book/p999999", "BC2CCA04-C8FB-4969-B3B6-8EEE8E39738E/Book/p1"]:
            with urllib.request.urlopen(f"{base}blob?object=x-coredata://{gone}&key=cover") as answer:
                self.assertEqual((answer.status, answer.read()), (204, b""))
        port, token = re.search(r":(\d+)/([0-9a-f]+)/", base).groups()
        for path in [f"/{token}/blob?object=file:///etc/passwd&key=cover", f"/{token}/blob?object=x-coredata://{uuid}/Book/p{key}&key=title",
                     f"/{token}/export?format=csv&query=1", "/blob?object=a&key=b", "/export?format=csv&query={}", f"/{token}/Library.sqlite"]:
            connection = http.client.HTTPConnection("127.0.0.1", int(port))
            connection.request("GET", path)
            self.assertEqual(connection.getresponse().status, 403, path)
            connection.close()


class EditingStoreTests(DataTest):
    arguments = ["--writable"]

    def edit(self, name, text):
        self.click(f"#edit-{name}")
        self.keys((Keys.CONTROL, "a"), text, Keys.ENTER)
        self.settle()

    def test_edits_are_validated_undone_and_saved_together(self):
        self.choose("Book")
        self.click(".data-row:nth-child(3) > [role=gridcell]:nth-child(2)")
        self.wait(lambda: self.all("#edit-title"))
        # The first row's fields are there before those of the third.
        self.settle()
        key = self.cells("ID")[2]
        self.edit("title", "A New Title")
        self.edit("pages", "-5")
        self.assertTrue(self.all(".data-row .invalid"))
        self.screenshot("data-editing")
        self.keys((Keys.CONTROL, "s"))
        self.wait(lambda: "not valid" in self.text("#notice"))
        self.assertNotEqual(self.sql(f"SELECT ZTITLE FROM ZBOOK WHERE Z_PK = {key}")[0][0], "A New Title")
        self.click("#undo")
        self.wait(lambda: not self.all(".data-row .invalid"))
        self.keys((Keys.CONTROL, "s"))
        self.wait(lambda: self.text("#notice") == "Saved")
        self.assertEqual(self.sql(f"SELECT ZTITLE FROM ZBOOK WHERE Z_PK = {key}")[0][0], "A New Title")

    def test_typing_goes_on_while_answers_are_awaited(self):
        self.choose("Book")
        self.click(".data-row:nth-child(3) > [role=gridcell]:nth-child(2)")
        self.wait(lambda: self.all("#edit-title"))
        # The first row's fields are there before those of the third.
        self.settle()
        key = self.cells("ID")[2]
        pages = self.attribute("#edit-pages", "value")
        self.delay(1500)
        self.click("#edit-title")
        self.keys((Keys.CONTROL, "a"), "Slow")
        self.click("#edit-pages")
        self.keys((Keys.CONTROL, "a"), "12")
        # The answer to the first edit redraws the panel.
        self.settle()
        self.keys("34", Keys.ENTER)
        self.settle()
        self.end_delay()
        # What was typed is one edit, although an answer came in the middle of it.
        self.click("#undo")
        self.settle()
        self.assertEqual(self.attribute("#edit-pages", "value"), pages)
        self.click("#redo")
        self.settle()
        self.keys((Keys.CONTROL, "s"))
        self.wait(lambda: self.text("#notice") == "Saved")
        self.assertEqual(self.sql(f"SELECT ZTITLE, ZPAGES FROM ZBOOK WHERE Z_PK = {key}"), [("Slow", 1234)])

    def test_objects_are_created_linked_and_deleted(self):
        self.choose("Author")
        self.click("#create")
        self.wait(lambda: self.all(".data-row.inserted"))
        # The fields are those of the new object once it is selected.
        self.settle()
        self.edit("name", "New Author")
        self.click("#edit-add-books")
        self.wait(lambda: self.all("dialog[open] .pick .link"))
        self.screenshot("data-picker")
        self.click("dialog[open] .pick .link")
        self.wait(lambda: len(self.all("#panel .members .link")) == 1)
        self.click("#save")
        self.wait(lambda: self.text("#notice") == "Saved")
        ((key,),) = self.sql("SELECT Z_PK FROM ZAUTHOR WHERE ZNAME = 'New Author'")
        self.assertEqual(self.sql(f"SELECT count(*) FROM ZBOOK WHERE ZAUTHOR = {key}"), [(1,)])
        self.filter('name == "New Author"')
        self.click("#grid")
        self.click("#delete")
        self.wait(lambda: self.all(".data-row.deleted"))
        self.click("#save")
        self.wait(lambda: not self.sql(f"SELECT 1 FROM ZAUTHOR WHERE Z_PK = {key}"))

    def test_conflicts_are_explained_and_resolved(self):
        self.choose("Book")
        self.click(".data-row:nth-child(2) > [role=gridcell]:nth-child(2)")
        self.wait(lambda: self.all("#edit-title"))
        # The first row's fields are there before those of the second.
        self.settle()
        key = self.cells("ID")[1]
        self.edit("title", "Mine")
        self.sql(f"UPDATE ZBOOK SET ZTITLE = 'Theirs', Z_OPT = Z_OPT + 1 WHERE Z_PK = {key}")
        self.click("#save")
        self.wait(lambda: self.all("dialog[open].conflicts"))
        self.assertIn("Theirs", self.text("dialog[open]"))
        self.screenshot("data-conflict")
        self.click("#keep-mine")
        self.wait(lambda: self.text("#notice") == "Saved")
        self.assertEqual(self.sql(f"SELECT ZTITLE FROM ZBOOK WHERE Z_PK = {key}"), [("Mine",)])

    def test_a_session_that_ends_unexpectedly_is_started_again(self):
        self.expected_log = "ERR_"
        self.choose("Author")
        self.click(".data-row:nth-child(1) > [role=gridcell]:nth-child(1)")
        self.wait(lambda: self.all("#edit-name"))
        self.edit("name", "Unsaved")
        self.assertIn("serving", self.studio.process.stderr.readline())
        for number in signal.SIGSEGV, signal.SIGKILL:
            os.kill(self.studio.server, number)
            self.wait(lambda: "ended unexpectedly" in self.text("#banners") and self.all("#recover"))
            self.assertIsNone(self.studio.process.poll())
            self.assertIn("was started again", self.studio.process.stderr.readline())
            # The list is the one of the new studio.
            self.wait(lambda: self.cells("name") and "Unsaved" not in self.cells("name"))
            self.click("#recover")
            self.wait(lambda: "Unsaved" in self.cells("name"))
            self.wait(lambda: not self.all("#recover"))
        self.click("#save")
        self.wait(lambda: not self.is_enabled("#save"))
        self.assertEqual(self.sql("SELECT COUNT(*) FROM ZAUTHOR WHERE ZNAME = 'Unsaved'"), [(1,)])

    def test_unsaved_edits_survive_the_server(self):
        self.choose("Author")
        self.click(".data-row:nth-child(1) > [role=gridcell]:nth-child(1)")
        self.wait(lambda: self.all("#edit-name"))
        self.edit("name", "Survivor")
        self.studio.process.kill()
        self.driver.get("about:blank")
        self.driver.get_log("browser")
        self.studio.stop()
        self.start()
        self.wait(lambda: self.all("#recover"))
        self.click("#recover")
        self.settle()
        self.click("#save")
        self.wait(lambda: self.text("#notice") == "Saved")
        self.assertEqual(self.sql("SELECT count(*) FROM ZAUTHOR WHERE ZNAME = 'Survivor'"), [(1,)])


class ProblemTests(DataTest):
    def make(self):
        model, store = make_store(self.folder, rows=3)
        data = bytearray(store.read_bytes())
        data[100:4096] = os.urandom(3996)
        store.write_bytes(data)
        return model, store

    def test_a_damaged_store_is_explained(self):
        before = self.digest()
        self.assertIn("cannot be shown", self.text(".explanation"))
        self.screenshot("data-problem")
        self.assertEqual(self.digest(), before)


@unittest.skipUnless(corpus.ROOT, "MODELC_CORPUS is not set")
class CorpusStoreTests(DataTest):
    is_long = True

    def test_stores_that_apples_tools_wrote_are_shown(self):
        shown = 0
        for source in sorted(pathlib.Path(corpus.ROOT, "stores").rglob("*.sqlite")):
            self.driver.get("about:blank")
            self.studio.stop()
            target = self.folder / "corpus"
            shutil.rmtree(target, ignore_errors=True)
            target.mkdir()
            self.store = target / source.name
            shutil.copy(source, self.store)
            before = self.store.read_bytes()
            self.start()
            for entity in self.names("#sidebar ul:first-of-type .name"):
                self.choose(entity)
                self.assertEqual(self.all("#predicate-problem .message"), [], f"{source.name} {entity}")
                shown += 1
            self.assertEqual(self.store.read_bytes(), before, source.name)
            self.assertEqual([path.name for path in target.iterdir()], [self.store.name])
        self.assertGreater(shown, 10)
