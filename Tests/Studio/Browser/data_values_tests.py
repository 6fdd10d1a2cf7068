"""The data browser on values in external files and on composite attributes."""

import urllib.error
import urllib.request
import uuid

import data_tests
import gallery
from selenium.webdriver.common.keys import Keys


class ExternalFileTests(gallery.GalleryTest):
    def pick_file(self, name, data):
        path = self.folder / name
        path.write_bytes(data)
        self.act("#edit-file-scan", lambda element: element.send_keys(str(path)))
        self.settle()

    def scan(self, key=1):
        return self.sql(f"SELECT ZSCAN FROM ZPICTURE WHERE Z_PK = {key}")[0][0]

    def test_values_in_external_files_are_shown_and_kept(self):
        self.arguments = []
        self.restart()
        before = self.all_files()
        self.choose("Picture")
        self.wait(lambda: self.driver.execute_script(
            "return [...document.querySelectorAll('.data-row img')].filter((one) => one.naturalWidth === 64).length") == len(gallery.PICTURES))
        self.show("Picture", 2)
        self.wait(lambda: self.preview_width() == 64)
        with urllib.request.urlopen(self.attribute("#panel .preview", "src")) as answer:
            self.assertEqual(answer.read(), (self.external / str(uuid.UUID(int=2)).upper()).read_bytes())
        self.assertEqual(self.all_files(), before)

    def test_a_missing_file_is_explained(self):
        (self.external / str(uuid.UUID(int=2)).upper()).unlink()
        self.restart()
        self.show("Picture", 2)
        self.assertIn("missing", self.cells("scan")[1])
        self.assertIn("missing", self.text("#panel"))
        self.screenshot("data-missing-file")
        self.assertEqual(self.text("#edit-scan"), "Choose File…")
        # Other values can be edited; the reference to the file stays, since the file may come back.
        before = self.scan(2)
        self.edit("title", "Guernica (1937)")
        self.saved()
        self.assertEqual(self.scan(2), before)
        self.pick_file("small.png", data_tests.image(10, 200, 90, size=32))
        self.saved()
        self.wait(lambda: self.preview_width() == 32)

    def test_a_value_is_replaced_by_a_file(self):
        self.show("Picture")
        self.wait(lambda: self.preview_width() == 64)
        old = self.external / str(uuid.UUID(int=1)).upper()
        small = data_tests.image(10, 200, 90, size=32)
        self.pick_file("small.png", small)
        self.wait(lambda: self.preview_width() == 32)
        self.screenshot("data-bytes")
        self.click("#undo")
        self.wait(lambda: self.preview_width() == 64)
        self.click("#redo")
        self.wait(lambda: self.preview_width() == 32)
        self.assertTrue(old.exists())
        self.saved()
        self.assertEqual(self.scan(), b"\1" + small)
        self.assertFalse(old.exists())
        # A large value gets a file, an empty one none.
        large = bytes(range(256)) * 600
        self.pick_file("large.bin", large)
        self.saved()
        (file,) = [path for path in self.external.iterdir() if path.name == self.scan()[1:-1].decode()]
        self.assertEqual(file.read_bytes(), large)
        self.pick_file("empty.bin", b"")
        self.saved()
        self.assertEqual(self.scan(), b"\1")
        self.driver.execute_script("document.querySelector('#panel [aria-label=\"Remove scan\"]').click()")
        self.settle()
        self.saved()
        self.assertIsNone(self.scan())
        self.assertEqual(self.text("#edit-scan"), "Choose File…")

    def test_a_replaced_value_survives_the_server(self):
        self.show("Picture")
        small = data_tests.image(10, 200, 90, size=32)
        self.pick_file("small.png", small)
        self.studio.process.kill()
        self.driver.get("about:blank")
        self.driver.get_log("browser")
        self.studio.stop()
        self.start()
        self.click("#recover")
        self.settle()
        self.saved()
        self.assertEqual(self.scan(), b"\1" + small)

    def test_uploads_are_limited_and_checked(self):
        self.show("Picture")
        before = self.scan()
        self.pick_file("huge.bin", bytes((32 << 20) + 1))
        self.assertIn("“huge.bin” has 32.0 MB", self.text("#notice"))
        self.assertFalse(self.is_enabled("#undo"))
        address = self.attribute("#panel .preview", "src").split("&version")[0]
        origin = "/".join(address.split("/")[:3])
        other = address.replace("key=scan", "key=title")

        def status(address, data=b"x", **headers):
            request = urllib.request.Request(address, data=data, headers={
                "Content-Type": "application/octet-stream", **{name.replace("_", "-"): value for name, value in headers.items()}})
            try:
                with urllib.request.urlopen(request) as answer:
                    return answer.status, answer.read()
            except urllib.error.HTTPError as error:
                return error.code, b""
        self.assertEqual(status(address)[0], 403)
        self.assertEqual(status(address, Origin="http://evil.example")[0], 403)
        self.assertEqual(status(address, Origin=origin, Content_Type="text/plain")[0], 403)
        self.assertEqual(status(address, Origin=origin, Host="evil.example")[0], 403)
        self.assertEqual(status(origin + "/0/" + address.split("/")[-1], Origin=origin)[0], 403)
        self.assertEqual(status(address.replace("object=", "other="), Origin=origin)[0], 403)
        self.assertIn(b"not a binary attribute", status(other, Origin=origin)[1])
        self.assertNotIn(b"problem", status(address, Origin=origin)[1])
        self.wait(lambda: self.is_enabled("#undo"))
        self.assertEqual(self.scan(), before)


class CompositeTests(gallery.GalleryTest):
    def test_elements_are_shown_edited_and_undone(self):
        self.sql("UPDATE ZPICTURE SET ZCITY = 'Chicago', ZZIP = 60603, ZFLOOR = 2, ZHUNG = 0.5 WHERE Z_PK = 1")
        self.restart()
        self.show("Picture")
        self.assertIn("city: Chicago, spot: {floor: 2", self.cells("place")[0])
        # From the table to the first element with the keyboard.
        self.click("#grid")
        self.keys(Keys.HOME)
        while self.css(f"#{self.css('#grid').get_attribute('aria-activedescendant')}").text != self.cells("place")[0]:
            self.keys(Keys.ARROW_RIGHT)
        self.keys(Keys.F2)
        self.assertEqual(self.driver.switch_to.active_element.get_attribute("id"), "edit-place-city")
        self.keys((Keys.CONTROL, "a"), "Boston", Keys.ENTER)
        self.settle()
        self.edit("place-spot-floor", "40000")
        self.notice("not a value of type Integer 16")
        self.edit("place-spot-floor", "3")
        self.edit("place-spot-hung", "2024-02-29T12:00:00Z")
        self.assertIn("city: Boston, spot: {floor: 3", self.cells("place")[0])
        self.screenshot("data-composite")
        self.click("#undo")
        self.wait(lambda: self.value("#edit-place-spot-hung").startswith("2001-01-01"))
        self.saved()
        values = "SELECT ZCITY, ZZIP, ZFLOOR, ZHUNG, ZTITLE FROM ZPICTURE WHERE Z_PK = 1"
        self.assertEqual(self.sql(values), [("Boston", 60603, 3, 0.5, "Nighthawks")])
        # An element without a value, and a predicate on one.
        self.click("#panel [aria-label='Set place.zip to nil']")
        self.settle()
        self.saved()
        self.assertEqual(self.sql(values), [("Boston", None, 3, 0.5, "Nighthawks")])
        self.filter('place.city == "Boston"')
        self.assertEqual(self.total(), "1 object")
