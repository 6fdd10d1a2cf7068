"""The data browser beside other programs: locks, conflicts with deleted objects, and the history of a store."""

import contextlib
import os
import signal
import sqlite3
import subprocess

import data_tests
import gallery
import studio_test
from selenium.common.exceptions import TimeoutException
from selenium.webdriver.common.keys import Keys


class LockTests(gallery.GalleryTest):
    def make(self):
        model, store = gallery.make_gallery(self.folder)
        database = sqlite3.connect(store)
        # Without a log, a writer locks out readers.
        database.execute("PRAGMA journal_mode = DELETE")
        database.close()
        self.locker = sqlite3.connect(store, isolation_level=None, timeout=60)
        self.locker.execute("BEGIN EXCLUSIVE")
        return model, store

    def tearDown(self):
        self.locker.close()
        super().tearDown()

    def unlock(self):
        self.locker.execute("ROLLBACK")

    def retry(self):
        # The page may have noticed by itself that the lock is gone.
        self.driver.execute_script("document.getElementById('retry')?.click()")

    def test_a_store_that_was_locked_opens_later(self):
        self.assertIn("locked", self.text(".explanation"))
        self.screenshot("data-locked")
        self.unlock()
        self.wait(lambda: self.all("#grid"))
        self.choose("Picture")
        self.assertEqual(self.total(), f"{len(gallery.PICTURES)} objects")

    def test_a_store_that_is_locked_when_the_studio_is_restarted_opens_later(self):
        # The studio is gone for a moment, and images that are not there yet are not waited for.
        self.expected_log = "Failed to load resource"
        self.unlock()
        self.wait(lambda: self.all("#grid"))
        self.show("Picture")
        self.edit("title", "Mine")
        self.locker.execute("BEGIN EXCLUSIVE")
        os.kill(self.studio.server, signal.SIGSEGV)
        # The page has the state of the new studio: what was read before stays in sight.
        self.wait(lambda: "ended unexpectedly" in self.text("#banners") and "locked" in self.text("#banners"))
        self.assertEqual(len(self.cells("title")), len(gallery.PICTURES))
        self.unlock()
        self.wait(lambda: self.all("#recover"))
        self.wait(lambda: "locked" not in self.text("#banners"))
        self.click("#recover")
        self.wait(lambda: "Mine" in self.cells("title"))
        self.wait(lambda: self.is_enabled("#save"))
        self.saved()
        self.assertEqual(self.sql("SELECT ZTITLE FROM ZPICTURE WHERE Z_PK = 1"), [("Mine",)])

    def test_a_lock_loses_neither_rows_nor_edits(self):
        self.unlock()
        self.wait(lambda: self.all("#grid"))
        self.show("Picture")
        self.edit("title", "Mine")
        # A writer that leaves readers alone.
        self.locker.execute("BEGIN IMMEDIATE")
        self.keys((Keys.CONTROL, "s"))
        self.notice("locked")
        self.assertTrue(self.is_enabled("#save"))
        self.assertEqual(self.cells("title")[0], "Mine")
        self.unlock()
        # One that does not: what was read stays in sight, if not all images.
        self.expected_log = "blob?"
        self.locker.execute("BEGIN EXCLUSIVE")
        self.edit("rank", "7")
        self.wait(lambda: "locked" in self.text("#predicate-problem"))
        self.assertEqual(len(self.cells("title")), len(gallery.PICTURES))
        self.screenshot("data-locked-list")
        self.unlock()
        self.retry()
        self.settle()
        self.assertEqual(self.text("#predicate-problem"), "")
        self.saved()
        self.assertEqual(self.sql("SELECT ZTITLE, ZRANK FROM ZPICTURE WHERE Z_PK = 1"), [("Mine", 7)])

    def test_a_list_is_read_when_the_lock_is_gone(self):
        self.unlock()
        self.wait(lambda: self.all("#grid"))
        self.locker.execute("BEGIN EXCLUSIVE")
        # Images that are not there yet are not waited for.
        self.expected_log = "blob?"
        self.choose("Room")
        self.wait(lambda: "locked" in self.text("#predicate-problem"))
        self.unlock()
        self.retry()
        self.settle()
        self.assertEqual(self.cells("name"), ["East"])


    def test_the_page_tells_that_it_waits_and_answers_other_requests(self):
        self.unlock()
        self.wait(lambda: self.all("#grid"))
        self.show("Picture")
        self.expected_log = "blob?"
        self.locker.execute("BEGIN EXCLUSIVE")
        # Several reads and a poll in one moment: the poll is answered first, the reads wait together and not one after the other.
        result = self.driver.execute_async_script("""
            const done = arguments[arguments.length - 1];
            const order = [];
            const request = (body) => fetch("store", { method: "POST", headers: { "Content-Type": "application/json" },
              body: JSON.stringify(body) }).then((one) => one.json()).then((reply) => { order.push(Object.keys(body)[0]); return reply; });
            const rows = { rows: { query: { entity: "Room" }, offset: 0, limit: 1 } };
            Promise.all([request(rows), request(rows), request(rows), request({ poll: {} })]).then((replies) =>
              done([order, replies.map((one) => one.problem?.message ?? null), replies[3].state.warnings]))""")
        self.assertEqual(result[0][0], "poll")
        self.assertTrue(all("locked by" in text for text in result[1][:3]), result)
        self.assertIsNone(result[1][3])
        self.assertTrue(any("Edits are kept" in text or "edits are kept" in text for text in result[2]), result)
        # A list that is waited for: the page says why, and shows the list once it is free.
        # The text is there only until the server gives up.
        self.driver.execute_script("""
            window.shown = "";
            const element = document.getElementById("waiting");
            new MutationObserver(() => { window.shown += element.textContent + "\\n"; })
              .observe(element, { childList: true, characterData: true, subtree: true });""")

        def tells():
            text = self.driver.execute_script("return window.shown")
            return "Waiting for the store" in text and "locked" in text

        # On a busy machine, the server gives up before the page has asked it for the reason.
        for _ in range(10):
            if tells():
                break
            self.click("#sidebar li[title='Room']")
            with contextlib.suppress(TimeoutException):
                self.wait(tells, seconds=10)
        self.assertTrue(tells())
        if studio_test.SCREENSHOTS:
            self.driver.save_screenshot(str(studio_test.SCREENSHOTS / "data-waiting.png"))
        self.unlock()
        self.wait(lambda: self.cells("name") == ["East"])
        self.settle()
        self.assertEqual(self.text("#waiting"), "")

    def test_a_save_that_waits_for_a_writer_blocks_no_other_request(self):
        self.unlock()
        self.wait(lambda: self.all("#grid"))
        self.show("Picture")
        self.edit("title", "Mine")
        # A writer that leaves readers alone.
        self.locker.execute("BEGIN IMMEDIATE")
        self.driver.execute_script("""
            window.order = [];
            const request = (body) => fetch("store", { method: "POST", headers: { "Content-Type": "application/json" },
              body: JSON.stringify(body) }).then((one) => one.json()).then((reply) => {
                order.push(Object.keys(body)[0] + (reply.problem ? " failed" : ""));
              });
            request({ save: {} });
            request({ rows: { query: { entity: "Room" }, offset: 0, limit: 1 } });
            request({ poll: {} });""")
        self.wait(lambda: len(self.driver.execute_script("return order")) >= 2)
        self.assertEqual(sorted(self.driver.execute_script("return order")[:2]), ["poll", "rows"])
        self.unlock()
        self.wait(lambda: len(self.driver.execute_script("return order")) == 3)
        self.assertEqual(self.driver.execute_script("return order")[2], "save")
        self.assertEqual(self.sql("SELECT ZTITLE FROM ZPICTURE WHERE Z_PK = 1"), [("Mine",)])

    def test_what_could_not_be_read_is_read_once_the_lock_is_gone(self):
        self.unlock()
        self.wait(lambda: self.all("#grid"))
        self.expected_log = "blob?"
        self.locker.execute("BEGIN EXCLUSIVE")
        self.choose("Room")
        self.wait(lambda: "locked" in self.text("#predicate-problem"))
        self.wait(lambda: "locked" in self.text("#banners"))
        self.unlock()
        # Without a click.
        self.wait(lambda: self.cells("name") == ["East"])
        self.wait(lambda: "locked" not in self.text("#banners"))


class DeletionTests(gallery.GalleryTest):
    def conflict(self):
        self.show("Picture", 2)
        self.edit("title", "Mine")
        self.sql("DELETE FROM ZPICTURE WHERE Z_PK = 2")
        self.keys((Keys.CONTROL, "s"))
        self.wait(lambda: self.all("dialog[open].conflicts"))
        self.assertIn("Picture 2 was deleted by another program", self.text("dialog[open]"))
        self.screenshot("data-deleted")

    def test_an_object_that_another_program_deleted_is_restored(self):
        self.conflict()
        self.click("#keep-mine")
        self.notice("Saved")
        self.assertEqual(self.sql("SELECT ZTITLE, ZGENRE, ZROOM FROM ZPICTURE WHERE Z_PK = 2"), [("Mine", "old", 1)])
        self.assertEqual(self.total(), f"{len(gallery.PICTURES)} objects")
        self.assertFalse(self.is_enabled("#save"))

    def test_an_object_that_another_program_deleted_stays_deleted(self):
        self.conflict()
        self.click("#keep-theirs")
        self.notice("Saved")
        self.assertEqual(self.sql("SELECT 1 FROM ZPICTURE WHERE Z_PK = 2"), [])
        self.wait(lambda: self.total() == f"{len(gallery.PICTURES) - 1} objects")
        self.assertNotIn("Mine", self.cells("title"))
        self.assertFalse(self.is_enabled("#save"))
        # The page goes on with the others.
        self.show("Picture", 2)
        self.edit("title", "Edited")
        self.saved()
        self.assertEqual(self.sql("SELECT ZTITLE FROM ZPICTURE WHERE Z_PK = 3"), [("Edited",)])

    def test_what_both_deleted_is_gone(self):
        self.show("Picture", 2)
        self.click("#delete")
        self.wait(lambda: self.all(".data-row.deleted"))
        self.sql("DELETE FROM ZPICTURE WHERE Z_PK = 2")
        self.saved()
        self.assertEqual(len(self.cells("title")), len(gallery.PICTURES) - 1)

    def test_an_object_is_not_shown_after_its_deletion_elsewhere(self):
        self.show("Picture", 2)
        self.sql("DELETE FROM ZPICTURE WHERE Z_PK = 2")
        self.wait(lambda: self.total() == f"{len(gallery.PICTURES) - 1} objects")
        self.settle()
        self.assertEqual(self.value("#edit-title"), "The Scream")
        self.assertEqual(self.cells("title"), [title for title in gallery.PICTURES if title != "Guernica"])


class HistoryTests(data_tests.DataTest):
    arguments = ["--writable"]

    def make(self):
        text = data_tests.MODEL.replace('<attribute name="name" attributeType="String"',
                                        '<attribute name="name" attributeType="String" preserveAfterDeletion="YES"')
        original = data_tests.MODEL
        data_tests.MODEL = text
        try:
            model, store = data_tests.make_store(self.folder, rows=9)
        finally:
            data_tests.MODEL = original
        database = sqlite3.connect(store)
        # The transformer's class is not in the program that writes the history.
        database.execute("UPDATE ZBOOK SET ZSETTINGS = NULL")
        database.commit()
        database.close()
        self.mom = gallery.compiled_model(store, self.folder / "Library.mom")
        self.write(store)
        return model, store

    def write(self, store):
        subprocess.run([gallery.tool("StoreWriter"), "history", store, self.mom], check=True)

    def transactions(self):
        return self.driver.execute_script(
            "return [...document.querySelectorAll('.transaction > summary')].map((one) => one.innerText)")

    def test_transactions_are_shown_and_followed(self):
        self.click("#sidebar li[title='History']")
        self.wait(lambda: len(self.transactions()) == 3)
        texts = self.transactions()
        self.assertEqual([text.split()[0] for text in texts], ["#3", "#2", "#1"])
        for text, author, count in zip(texts, ["the app", "the widget", "the app"], ["1 change", "1 change", "2 changes"]):
            self.assertIn(f"author {author}", text)
            self.assertIn(count, text)
        self.assertEqual(self.names(".change"), ["delete", "update", "insert", "insert"])
        self.assertEqual(self.names(".tombstone"), ["name: No One"])
        self.assertIn("name", self.text(".transaction:nth-child(2) .changes"))
        self.screenshot("data-history")
        # Only what still exists is a link.
        links = self.all(".history .changes .link")
        self.assertEqual(len(links), 1)
        links[0].click()
        self.settle()
        self.assertEqual(self.cells("name"), ["Somebody"])

    def test_saves_of_the_studio_and_others_appear(self):
        self.choose("Author")
        self.click(".data-row:nth-child(1) > [role=gridcell]:nth-child(1)")
        self.wait(lambda: self.all("#edit-name"))
        self.click("#edit-name")
        self.keys((Keys.CONTROL, "a"), "Edited", Keys.ENTER)
        self.settle()
        self.click("#sidebar li[title='History']")
        self.wait(lambda: len(self.transactions()) == 3)
        self.click(".transaction:nth-child(2) > summary")
        # Saved while the history is in sight.
        self.keys((Keys.CONTROL, "s"))
        self.wait(lambda: len(self.transactions()) == 4)
        self.assertIn("author modelc studio", self.transactions()[0])
        self.assertIn("Author 1", self.attribute(".transaction .changes", "textContent"))
        self.assertIsNone(self.attribute(".transaction[data-number='2']", "open"))
        self.write(self.store)
        self.wait(lambda: len(self.transactions()) == 7)
        self.assertIn("author the app", self.transactions()[0])
