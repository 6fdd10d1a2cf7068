"""Random operations through the page's own controls, with answers that come late, two tabs, files that change on disk, and kills.

After each step, the page and the server have what the operations were about, the file has what was saved last, and nothing else has changed.
"""

import copy
import json
import os
import random
import re
import signal
import sys
import urllib.request
import xml.etree.ElementTree
import zlib

import data_tests
import studio_test
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

SELECT_ALL = Keys.CONTROL + "a" + Keys.NULL
TEXTS = ["<b>&\"'", "רִאשׁוֹן", "e\u0301", "two  words", "=1+1", "\u00e9\u4e2d", "x" * 60, "0"]
PROPERTIES = ("attribute", "relationship", "fetchedProperty")
SHORT, LONG = 500, 20_000
# The tests that share the operations, so that they run at the same time.
PARTS = 4


def first_seed(test):
    """MODELC_SEED, a random seed in the long form, or always the same, for another run of each part."""
    if seed := os.environ.get("MODELC_SEED"):
        return int(seed)
    return random.SystemRandom().randrange(1 << 32) if os.environ.get("MODELC_NIGHTLY") else zlib.crc32(test.id().encode())


def normal(node):
    """An element whose children are in the order of their kinds and names: Xcode's order depends on names."""
    children = sorted((normal(child) for child in node.get("c") or []), key=lambda one: json.dumps([one["k"], one["a"], one["c"]], sort_keys=True))
    return {"k": node["k"], "a": dict(node["a"]), "c": children}


def parsed(path):
    def node(element):
        return {"k": element.tag, "a": dict(element.attrib), "c": [node(child) for child in element]}
    return normal(node(xml.etree.ElementTree.parse(path).getroot()))


def child(node, kind, name):
    found = [one for one in node["c"] if one["k"] == kind and one["a"].get("name") == name]
    assert len(found) == 1, (kind, name, len(found))
    return found[0]


def container(node, kind):
    """The child that holds elements of a kind, which is added if there is none."""
    found = [one for one in node["c"] if one["k"] == kind]
    if not found:
        found.append({"k": kind, "a": {}, "c": []})
        node["c"] += found
    return found[0]


def entities(root):
    return sorted(one["a"]["name"] for one in root["c"] if one["k"] == "entity")


def attributes(root, entity):
    return sorted(one["a"]["name"] for one in child(root, "entity", entity)["c"] if one["k"] == "attribute")


def references(node, old, new):
    """Renames an entity wherever another element refers to it."""
    for key in ("parentEntity", "destinationEntity", "inverseEntity", "entity"):
        if node["a"].get(key) == old:
            node["a"][key] = new
    for one in node["c"]:
        if one["k"] == "memberEntity" and one["a"].get("name") == old:
            one["a"]["name"] = new
        references(one, old, new)


def lines(node, path=""):
    """The elements as lines, for messages."""
    path += "/" + node["k"]
    return [f"{path} {json.dumps(node['a'], sort_keys=True, ensure_ascii=False)}"] + [line for one in node["c"] for line in lines(one, path)]


class RandomTests(studio_test.StudioTest):
    """Each step is one or more operations without waiting for the answers in between."""

    is_long = True
    maxDiff = None
    expected_log = "ERR_"

    # What the page and the server have.

    def page_root(self):
        return normal(self.driver.execute_async_script("const done = arguments[0]; import('./app.js').then((m) => done(m.app.root))"))

    def ask(self, request):
        """Sends a request, as another page would."""
        message = urllib.request.Request(
            self.studio.address + "api", json.dumps({"version": "Library", "request": request}).encode(),
            {"Content-Type": "application/json", "Origin": self.studio.address.rsplit("/", 2)[0]})
        with urllib.request.urlopen(message) as answer:
            return json.load(answer)

    def server_state(self):
        return self.ask({"open": {"version": "Library"}})["state"]

    def server_root(self):
        return normal(self.server_state()["root"])

    def field(self, selector):
        return self.wait(lambda: next((one for one in self.all(selector) if one.is_displayed() and one.is_enabled()), None))

    # Operations: each acts on the page, and changes what is expected.

    def a_name(self):
        self.number += 1
        return f"n{self.number}"

    def choose_entity(self, root):
        name = self.random.choice(entities(root))
        self.act(f"#sidebar li[title='{name}']", lambda element: element.click())
        return name

    def choose_attribute(self, root):
        entity = self.choose_entity(root)
        names = attributes(root, entity)
        if not names:
            return entity, None
        name = self.random.choice(names)
        self.wait(lambda: self.row(name))
        self.again(lambda: self.row(name).find_element(By.CSS_SELECTOR, ".icon").click())
        # The inspector follows at once, whatever is awaited.
        self.wait(lambda: self.attribute("#field-attribute-name", "value") == name)
        return entity, name

    def looking(self, root):
        """Focuses fields and leaves them."""
        self.choose_attribute(root)
        for _ in range(self.random.randint(1, 8)):
            self.keys(Keys.TAB)

    def typing(self, root):
        entity, name = self.choose_attribute(root)
        if name is None:
            return
        # Corrections are part of what is typed.
        text = self.random.choice(TEXTS)
        field = self.field("#field-attribute-userInfo, #field-attribute-defaultValueString") \
            if child(child(root, "entity", entity), "attribute", name)["a"].get("attributeType") == "String" else None
        if field is None:
            return
        field.send_keys(SELECT_ALL, Keys.BACKSPACE, *text, "zz", Keys.BACKSPACE, Keys.BACKSPACE,
                        self.random.choice([Keys.TAB, Keys.ENTER]))
        child(child(root, "entity", entity), "attribute", name)["a"]["defaultValueString"] = text

    def typing_and_escape(self, root):
        self.choose_attribute(root)
        field = self.field("#field-attribute-name, #field-entity-name")
        field.send_keys("lost", Keys.ESCAPE)

    def typing_elsewhere(self, root):
        """Leaves a field by clicking something else."""
        entity = self.choose_entity(root)
        text = self.random.choice(TEXTS)
        self.field("#field-entity-representedClassName").send_keys(SELECT_ALL, *text)
        self.choose_entity(root)
        child(root, "entity", entity)["a"]["representedClassName"] = text

    def checking(self, root):
        entity, name = self.choose_attribute(root)
        if name is None:
            return
        kind = self.random.choice(["optional", "transient"])
        # While an answer is awaited, a box that is shown again has the old state: the click decides by what is shown.
        (is_checked,) = self.wait(lambda: self.driver.execute_script("""
            const box = document.querySelector(arguments[0]);
            if (!box) return null;
            const isChecked = box.checked;
            box.click();
            return [isChecked];""", f"#field-attribute-{kind}"))
        values = child(child(root, "entity", entity), "attribute", name)["a"]
        values.pop(kind, None)
        if not is_checked:
            values[kind] = "YES"

    def adding(self, root):
        """Waits for the field of the name: keys that are pressed before must not do anything."""
        entity = self.choose_entity(root)
        name = self.a_name()
        self.click("#add-attribute")
        if self.random.random() < 0.5:
            self.keys(Keys.BACKSPACE, Keys.DELETE)
        self.wait(lambda: self.all("#content tr input:not([type=checkbox])"))
        self.keys(*name, Keys.ENTER)
        child(root, "entity", entity)["c"].append(
            {"k": "attribute", "a": {"name": name, "optional": "YES", "attributeType": "String"}, "c": []})

    def renaming_in_place(self, root):
        entity, name = self.choose_attribute(root)
        if name is None or name in self.mentioned:
            return
        new = self.a_name()
        self.again(lambda: self.row(name).send_keys(Keys.F2))
        self.wait(lambda: self.all("#content tr input:not([type=checkbox])"))
        typed = [*new, "qq", Keys.BACKSPACE, Keys.BACKSPACE]
        for key in typed:
            self.keys(key)
        self.keys(self.random.choice([Keys.ENTER, Keys.TAB]))
        child(child(root, "entity", entity), "attribute", name)["a"]["name"] = new

    def renaming_and_going_on(self, root):
        """Types into another field before the answer to the new name is there."""
        entity, name = self.choose_attribute(root)
        values = None if name is None else child(child(root, "entity", entity), "attribute", name)["a"]
        if values is None or name in self.mentioned or values.get("attributeType") != "String":
            return
        new, text = self.a_name(), self.random.choice(TEXTS)
        self.field("#field-attribute-name").send_keys(SELECT_ALL, *new, Keys.TAB)
        self.field("#field-attribute-defaultValueString").send_keys(SELECT_ALL, *text, Keys.TAB)
        values.update({"name": new, "defaultValueString": text})

    def undoing_a_rename_and_going_on(self, root):
        """Types into another field before the answer to the undo is there."""
        self.renaming_elsewhere(root, lambda entity, name: (
            self.field("#field-attribute-name").send_keys(SELECT_ALL, *self.a_name(), Keys.TAB), self.settle(), self.click("#undo")))

    def typing_while_another_page_renames(self, root):
        new = self.a_name()
        found = self.renaming_elsewhere(root, lambda entity, name: self.ask({"edit": {"operation": {"rename": {"name": new, "element": {
            "version": "Library", "steps": [{"kind": "entity", "name": entity, "index": 0}, {"kind": "attribute", "name": name, "index": 0}]}}}}}))
        if found:
            found["name"] = new

    def renaming_elsewhere(self, root, rename):
        """Types into the field of an attribute that another one, or an undo, renames meanwhile, and returns what is expected of it."""
        entity, name = self.choose_attribute(root)
        self.settle()
        values = None if name is None else child(child(root, "entity", entity), "attribute", name)["a"]
        if values is None or name in self.mentioned or values.get("attributeType") != "String":
            return None
        # The same text would not be sent, and the page would learn of the new name only from an event, up to a second later.
        text = self.random.choice([one for one in TEXTS if one != values.get("defaultValueString")])
        rename(entity, name)
        self.field("#field-attribute-defaultValueString").send_keys(SELECT_ALL, *text, Keys.TAB)
        values["defaultValueString"] = text
        return values

    def adding_a_constraint(self, root):
        entity = self.choose_entity(root)
        self.settle()
        names = attributes(root, entity)
        if not names:
            return
        name = self.random.choice(names)
        self.again(lambda: self.choose_in(self.css("[aria-label='Add constraint on']"), name))
        # Renaming it would change the constraint too.
        self.mentioned.add(name)
        container(child(root, "entity", entity), "uniquenessConstraints")["c"].append(
            {"k": "uniquenessConstraint", "a": {}, "c": [{"k": "constraint", "a": {"value": name}, "c": []}]})

    def deleting_constraints(self, root):
        """Deletes one or two constraints without waiting for the answer."""
        entity = self.choose_entity(root)
        self.settle()
        lines = self.all(".line:has([aria-label='Delete constraint'])")
        for line in self.random.sample(lines, min(len(lines), self.random.randint(1, 2))):
            members = line.find_element(By.CSS_SELECTOR, ".grow").text.split(", ")
            self.driver.execute_script("arguments[0].click()", line.find_element(By.CSS_SELECTOR, "[aria-label='Delete constraint']"))
            owner = child(root, "entity", entity)
            constraints = container(owner, "uniquenessConstraints")
            constraints["c"].remove(next(one for one in constraints["c"] if [each["a"]["value"] for each in one["c"]] == members))
            if not constraints["c"]:
                owner["c"].remove(constraints)

    def writing_a_note(self, root):
        entity = self.choose_entity(root)
        text = self.random.choice(TEXTS)
        self.field("#graph-note").send_keys(SELECT_ALL, *text, Keys.TAB)
        entries = container(child(root, "entity", entity), "userInfo")["c"]
        entries[:] = [one for one in entries if one["a"]["key"] != "modelc.note"]
        entries.append({"k": "entry", "a": {"key": "modelc.note", "value": text}, "c": []})

    def renaming_an_entity(self, root):
        name = self.choose_entity(root)
        new = self.a_name()
        self.act(f"#sidebar li[title='{name}']", lambda element: element.send_keys(Keys.F2))
        self.wait(lambda: self.all("#sidebar li input"))
        self.keys(*new, Keys.ENTER)
        values = child(root, "entity", name)["a"]
        # Xcode generates the class.
        if values.get("representedClassName") == name and values.get("codeGenerationType") == "class":
            values["representedClassName"] = new
        values["name"] = new
        references(root, name, new)
        # The row has its new name with the answer.
        self.settle()

    def deleting(self, root):
        entity, name = self.choose_attribute(root)
        if name is None or name in self.mentioned:
            return
        self.again(lambda: self.row(name).send_keys(Keys.DELETE))
        owner = child(root, "entity", entity)
        owner["c"].remove(child(owner, "attribute", name))
        self.settle()

    OPERATIONS = [(looking, 3), (typing, 5), (typing_and_escape, 1), (typing_elsewhere, 2), (checking, 4), (adding, 2), (renaming_in_place, 3),
                  (renaming_and_going_on, 3), (undoing_a_rename_and_going_on, 2), (typing_while_another_page_renames, 1), (renaming_an_entity, 1),
                  (deleting, 2), (adding_a_constraint, 2), (deleting_constraints, 1), (writing_a_note, 2)]

    # Steps

    def operations(self):
        """Performs some operations; answers that are awaited must not disturb those that follow."""
        root = self.server_root()
        names = []
        for _ in range(self.random.choice([1, 1, 2, 3])):
            operation = self.random.choices([one for one, _ in self.OPERATIONS], [weight for _, weight in self.OPERATIONS])[0]
            names.append(operation.__name__)
            operation(self, root)
            self.done += 1
        self.settle()
        # A field that still has the focus is left.
        self.driver.execute_script("document.activeElement.blur()")
        self.settle()
        return normal(root), names

    def undoing(self):
        """Undoes and redoes: both lead to what was there before."""
        before = self.server_root()
        count = self.random.randint(1, 4)
        done = 0
        for _ in range(count):
            if self.is_enabled("#undo"):
                self.click("#undo")
                self.settle()
                done += 1
        self.assertEqual(self.page_root(), self.server_root())
        # What was undone can be repeated after a save.
        if self.random.random() < 0.3:
            self.saving()
        for _ in range(done):
            self.click("#redo")
            self.settle()
        self.done += 2 * done
        return before, ["undoing"]

    def saving(self):
        before = self.server_root()
        self.keys((Keys.CONTROL, "s"))
        self.settle()
        self.wait(lambda: not self.server_state()["isEdited"])
        self.settle()
        self.assertEqual(parsed(self.file), before)
        self.saved = self.file.read_bytes()
        self.done += 1
        return before, ["saving"]

    def changing_the_file(self):
        """Another program adds an entity, which is merged with what is edited."""
        root = self.server_root()
        name = self.a_name()
        text = self.file.read_text()
        place = text.index("    <fetchRequest")
        self.file.write_text(f'{text[:place]}    <entity name="{name}" representedClassName="{name}" syncable="YES"/>\n{text[place:]}')
        self.saved = self.file.read_bytes()
        root["c"].append({"k": "entity", "a": {"name": name, "representedClassName": name, "syncable": "YES"}, "c": []})
        root = normal(root)
        self.wait(lambda: self.page_root() == root)
        self.done += 1
        return root, ["changing the file"]

    def killing(self):
        root = self.server_root()
        is_edited = self.server_state()["isEdited"]
        self.studio.stop(signal.SIGKILL)
        self.driver.get("about:blank")
        self.studio = studio_test.Studio(self.model, self.folder / "cache")
        self.open()
        restore = [button for button in self.all(".banner button") if button.text == "Restore"]
        self.assertEqual(bool(restore), is_edited)
        if restore:
            restore[0].click()
            self.settle()
        self.done += 1
        return root, ["killing"]

    def using_another_tab(self):
        """The first tab has a field with the focus while the other one edits something else."""
        root = self.server_root()
        entity = self.choose_entity(root)
        self.field("#field-entity-representedClassName").send_keys(SELECT_ALL, "half")
        first = self.new_tab()
        self.checking(root)
        self.settle()
        self.assertEqual(self.page_root(), normal(root))
        self.close_tab(first)
        self.wait(lambda: self.page_root() == normal(root))
        self.assertEqual(self.driver.switch_to.active_element.get_attribute("id"), "field-entity-representedClassName")
        self.keys(" typed", Keys.TAB)
        self.settle()
        child(root, "entity", entity)["a"]["representedClassName"] = "half typed"
        self.done += 2
        return normal(root), ["using another tab"]

    STEPS = [(operations, 30), (undoing, 4), (saving, 3), (changing_the_file, 1), (killing, 1), (using_another_tab, 1)]

    def perform(self):
        seed = first_seed(self)
        limit = int(os.environ.get("MODELC_OPERATIONS") or (LONG if os.environ.get("MODELC_NIGHTLY") else SHORT)) // PARTS
        self.random = random.Random(seed)
        self.number = self.done = steps = 0
        self.saved = self.file.read_bytes()
        # Predicates, constraints and indexes mention these.
        self.mentioned = {"name", "pages", "title"}
        while self.done < limit:
            delay = self.random.choice([0, 0, 0, 100, 300, 700])
            if delay:
                self.delay(delay)
            step = self.random.choices([one for one, _ in self.STEPS], [weight for _, weight in self.STEPS])[0]
            if step is not RandomTests.operations and delay:
                self.end_delay()
            before = copy.deepcopy(self.server_root())
            note = f"seed {seed}, step {steps}, {self.done} operations, delay {delay} ms"
            try:
                expected, names = step(self)
                if self.is_delayed:
                    self.end_delay()
                state = self.server_state()
                server = normal(state["root"])
                note += f": {', '.join(names)}"
                self.assertEqual(lines(self.page_root()), lines(server))
                self.assertEqual(lines(server), lines(expected))
                self.assertEqual(self.file.read_bytes(), self.saved)
                if not state["isEdited"]:
                    self.assertEqual(lines(parsed(self.file)), lines(server))
            except Exception:
                print(f"{note}; {step.__name__}; before: {json.dumps(before)}", file=sys.stderr)
                raise
            steps += 1
        self.saving()
        print(f"{self.done} operations in {steps} steps, seed {seed}", file=sys.stderr)


for part in range(1, PARTS + 1):
    setattr(RandomTests, f"test_random_operations_{part}", RandomTests.perform)


class RandomStoreTests(data_tests.DataTest):
    """The data browser: edits of the objects of an entity, with answers that come late, two tabs, another program that writes, and kills."""

    is_long = True
    maxDiff = None
    expected_log = "ERR_"
    arguments = ["--writable"]

    def make(self):
        return data_tests.make_store(self.folder, rows=10)

    def ask(self, request):
        message = urllib.request.Request(
            self.studio.address + "store", json.dumps(request).encode(),
            {"Content-Type": "application/json", "Origin": self.studio.address.rsplit("/", 2)[0]})
        with urllib.request.urlopen(message) as answer:
            return json.load(answer)

    def rows(self):
        return self.ask({"rows": {"query": {"entity": "Book"}, "offset": 0, "limit": 500}})["page"]["rows"]

    def titles(self):
        """The titles of all objects that are not deleted."""
        return sorted(row["cells"][0].get("text", "nil") for row in self.rows() if row.get("change") != "deleted")

    def saved_titles(self):
        return sorted(title for title, in self.sql("SELECT ZTITLE FROM ZBOOK"))

    def shown_titles(self):
        return [" ".join(text.split()) for text in self.cells("title")]

    def expected_titles(self, count):
        return [" ".join((row["cells"][0].get("text") or "nil").split()) for row in self.rows()][:count]

    def select_row(self, other=None):
        """Selects a row with the keyboard, neither a deleted one nor one with a title, and returns its title."""
        rows = self.rows()
        index = self.random.choice([index for index, row in enumerate(rows[:12])
                                    if row.get("change") != "deleted" and row["cells"][0].get("text") != other])
        self.click("#grid")
        self.keys((Keys.CONTROL, Keys.HOME), *[Keys.ARROW_DOWN] * index)
        self.wait(lambda: self.text("#panel .uri") == rows[index]["uri"])
        return rows[index]["cells"][0].get("text", "nil")

    def a_title(self):
        self.number += 1
        return f"title {self.number}"

    def typing(self, titles):
        old = self.select_row()
        self.number += 1
        new = f"{self.random.choice(TEXTS)} {self.number}"
        self.act("#edit-title", lambda element: element.send_keys(SELECT_ALL, *new))
        # The field is left by a key, or by a click on another row.
        if self.random.random() < 0.5:
            self.keys(Keys.TAB)
        else:
            self.click(".data-row:nth-child(1) > [role=gridcell]:nth-child(2)")
        titles.remove(old)
        titles.append(new)
        self.settle()

    def looking(self, titles):
        self.select_row()
        for _ in range(self.random.randint(1, 9)):
            self.keys(Keys.TAB)

    def creating(self, titles):
        self.select_row()
        self.click("#create")
        self.keys("lost", Keys.BACKSPACE)
        self.wait(lambda: self.text("#panel .object-title").endswith("(new)"))
        self.wait(lambda: self.driver.switch_to.active_element.get_attribute("id") == "edit-title")
        self.number += 1
        new = f"new {self.number}"
        # The keys may have been late, and are then part of what is typed.
        self.keys((Keys.CONTROL, "a"), *new, Keys.TAB)
        titles.append(new)
        self.settle()

    def deleting(self, titles):
        titles.remove(self.select_row())
        self.click("#grid") if self.driver.switch_to.active_element.get_attribute("id") != "grid" else None
        self.keys(Keys.DELETE)
        self.settle()

    def undoing(self, titles):
        done = 0
        while done < 2 and self.is_enabled("#undo"):
            self.click("#undo")
            self.settle()
            done += 1
        for _ in range(done):
            self.click("#redo")
            self.settle()

    def saving(self, titles):
        self.settle()
        self.keys((Keys.CONTROL, "s"))
        self.settle()
        self.assertFalse(self.ask({"poll": {}})["state"]["isEdited"], self.text("#notice"))
        self.saved = self.saved_titles()
        self.assertEqual(self.saved, sorted(titles))

    def changing_the_store(self, titles):
        """Another program changes an object that is not edited."""
        self.settle()
        row = self.random.choice([row for row in self.rows() if not row.get("change")] or [None])
        if row is None:
            return
        old, new = row["cells"][0].get("text", "nil"), self.a_title()
        key = re.search(r"/p(\d+)$", row["uri"]).group(1)
        self.sql(f"UPDATE ZBOOK SET ZTITLE = '{new}', Z_OPT = Z_OPT + 1 WHERE Z_PK = {key}")
        self.saved = self.saved_titles()
        titles.remove(old)
        titles.append(new)
        self.wait(lambda: self.titles() == sorted(titles))
        # The page asks for changes of the file now and then.
        self.wait(lambda: self.shown_titles() == self.expected_titles(len(self.shown_titles())))

    def using_another_tab(self, titles):
        """The first tab has a field with the focus while the other one edits something else."""
        self.settle()
        first_old = self.select_row()
        self.act("#edit-title", lambda element: element.send_keys(SELECT_ALL, "half"))
        first = self.new_tab()
        self.choose("Book")
        second_old, second_new = self.select_row(other=first_old), self.a_title()
        self.act("#edit-title", lambda element: element.send_keys(SELECT_ALL, *second_new, Keys.TAB))
        self.settle()
        self.close_tab(first)
        self.wait(lambda: second_new in self.shown_titles())
        self.assertEqual(self.driver.switch_to.active_element.get_attribute("id"), "edit-title")
        self.number += 1
        self.keys(f" typed {self.number}", Keys.TAB)
        self.settle()
        for old, new in [(first_old, f"half typed {self.number}"), (second_old, second_new)]:
            titles.remove(old)
            titles.append(new)

    def killing(self, titles):
        self.settle()
        is_edited = self.ask({"poll": {}})["state"]["isEdited"]
        self.studio.stop(signal.SIGKILL)
        self.driver.get("about:blank")
        self.start()
        self.assertEqual(bool(self.all("#recover")), is_edited)
        if is_edited:
            self.click("#recover")
            self.settle()
        self.choose("Book")

    OPERATIONS = [(typing, 8), (looking, 3), (creating, 3), (deleting, 2), (undoing, 2), (saving, 2), (changing_the_store, 1), (using_another_tab, 1),
                  (killing, 1)]

    def test_random_operations(self):
        seed = first_seed(self)
        limit = int(os.environ.get("MODELC_OPERATIONS") or (LONG if os.environ.get("MODELC_NIGHTLY") else SHORT)) // PARTS // 2
        self.random = random.Random(seed)
        self.number = 0
        self.saved = self.saved_titles()
        self.choose("Book")
        for step in range(limit):
            operation = self.random.choices([one for one, _ in self.OPERATIONS], [weight for _, weight in self.OPERATIONS])[0]
            titles = self.titles()
            delay = self.random.choice([0, 0, 100, 400, 700])
            if delay and operation.__name__ in ("typing", "looking", "creating"):
                self.delay(delay)
            try:
                operation(self, titles)
                self.settle()
                if self.is_delayed:
                    self.end_delay()
                self.assertEqual(self.titles(), sorted(titles))
                self.assertEqual(self.saved_titles(), self.saved)
                shown = self.shown_titles()
                self.assertEqual(shown, self.expected_titles(len(shown)))
            except Exception:
                print(f"seed {seed}, step {step}, delay {delay} ms: {operation.__name__}; before: {titles}", file=sys.stderr)
                raise
        self.saving(self.titles())
        print(f"{limit} operations, seed {seed}", file=sys.stderr)
