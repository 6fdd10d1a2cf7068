"""The models of the corpus."""

import shutil
import sys

import corpus
from studio_test import Studio, StudioTest


class CorpusTests(StudioTest):
    """Real models: every element is shown, one of each edit is made, saved, undone and saved: no byte has changed."""

    is_long = True

    def setUp(self):
        if not corpus.ROOT:
            self.skipTest("MODELC_CORPUS is not set")
        self.sources = corpus.models()
        super().setUp()

    def script(self, body):
        self.driver.set_script_timeout(300)
        return self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1]; (async () => {" + body + "})().then(done, (error) => done(String(error.stack)))")

    def show_everything(self):
        return self.script("""
            let count = 0;
            const tops = [...document.querySelectorAll("#sidebar li")].length;
            for (let index = 0; index < tops; index++) {
              document.querySelectorAll("#sidebar li")[index].click();
              count++;
              const rows = document.querySelectorAll("#content tr[data-key]").length;
              for (let row = 0; row < rows; row++) {
                document.querySelectorAll("#content tr[data-key]")[row].dispatchEvent(
                  new PointerEvent("pointerdown", { bubbles: true }));
                count++;
              }
              if (index % 20 === 0) await new Promise((resume) => setTimeout(resume));
            }
            return count;""")

    def edit_everything(self):
        """Makes one of each edit and returns their number, or what went wrong; `None` if the model cannot be edited."""
        return self.script("""
            const m = await import("./app.js");
            const { withSteps, find } = await import("./model.js");
            const { app } = m;
            if (m.isReadOnly()) return null;
            let count = 0;
            const problems = [];
            const run = async (name, request) => {
              const reply = await request;
              count++;
              if (reply.problem) problems.push(`${name}: ${reply.problem.message}`);
            };
            const all = (kind, parent) => withSteps(parent ? parent.node : app.root, parent ? parent.steps : []).filter((one) => one.node.k === kind);
            const entity = (name) => all("entity").find((one) => one.node.a.name === name);
            const first = all("entity")[0];
            await run("add entity", m.add([], "entity"));
            if (!first) return [count, problems];
            let name = first.node.a.name;
            for (const kind of ["attribute", "relationship", "fetchedProperty"]) await run(`add ${kind}`, m.add(entity(name).steps, kind));
            await run("add userInfo", m.add(entity(name).steps, "entry"));
            await run("add fetch request", m.add([], "fetchRequest"));
            await run("add configuration", m.add([], "configuration"));
            const attribute = all("attribute", entity(name))[0];
            await run("rename attribute", m.rename(attribute.steps, "renamedHere"));
            await run("type", m.setValue(all("attribute", entity(name)).find((one) => one.node.a.name === "renamedHere").steps, "attributeType", "Date"));
            await run("optional", m.setValue(all("attribute", entity(name))[0].steps, "optional", null));
            await run("rename entity", m.rename(entity(name).steps, "RenamedHere"));
            name = "RenamedHere";
            const copy = await m.send({ copy: { elements: [m.reference(entity(name).steps)] } });
            await run("paste", m.edit({ paste: { parent: m.reference([]), text: copy.text } }));
            await run("duplicate", m.duplicate([entity(name).steps]));
            const other = all("entity").find((one) => one.node.a.name !== name);
            await run("connect", m.edit({ connect: { from: m.reference(entity(name).steps), to: m.reference(other.steps) } }));
            await run("arrange", m.edit({ arrange: { version: app.version, boxes: [{ name, x: 10, y: 20, width: 128, height: 59 }] } }));
            await run("delete properties", m.remove([all("attribute", entity(name))[0].steps]));
            await run("delete entity", m.remove([entity(name).steps]));
            return [count, problems];""")

    def undo_everything(self):
        return self.script("""
            const m = await import("./app.js");
            let count = 0;
            while (m.app.state.undoTitle !== undefined && m.app.state.undoTitle !== null && count < 100) {
              await m.send({ undo: {} });
              count++;
            }
            return count;""")

    def save_file(self):
        return self.script("""
            const m = await import("./app.js");
            const reply = await m.send({ save: {} });
            return reply.problem ? reply.problem.message : null;""")

    def test_every_inspector_and_every_edit_of_every_model(self):
        shown = edits = edited = 0
        unreadable, locked, changed = [], [], []
        for source in self.sources:
            target = self.folder / "corpus" / source.name
            shutil.rmtree(target.parent, ignore_errors=True)
            shutil.copytree(source, target)

            def files():
                return {path: path.read_bytes() for path in target.rglob("*") if path.is_file()}
            before = files()
            studio = Studio(target, self.folder / "cache")
            if not studio.address:
                unreadable.append(source.name)
                studio.stop()
                continue
            self.driver.get(studio.address)
            self.wait(lambda: self.driver.execute_script("return document.body.dataset.ready"))
            shown += self.show_everything()
            self.assertEqual(files(), before, source)
            result = self.edit_everything()
            if result is None:
                locked.append(source.name)
            else:
                self.assertIsInstance(result, list, f"{source}: {result}")
                self.assertEqual(result[1], [], source)
                self.assertIsNone(self.save_file(), source)
                self.assertNotEqual(files(), before, source)
                self.assertGreater(self.undo_everything(), 0, source)
                self.assertIsNone(self.save_file(), source)
                after = files()
                if after != before:
                    changed.append(f"{source}: {[str(path) for path in after if after[path] != before.get(path)]}")
                edits += result[0]
                edited += 1
            self.driver.get("about:blank")
            studio.stop()
        print(f"{len(self.sources)} models: {shown} elements shown; {edits} edits in {edited} models saved, undone and saved; "
              f"not readable: {unreadable}; not editable: {locked}", file=sys.stderr)
        self.assertEqual(changed, [])
        self.assertGreater(edited, 0)
