#!/usr/bin/env python3
"""Builds packages that use modelc's plugins, as a stranger would, and looks at what was built, printed and rebuilt.

usage: Tests/Integration/run.py [--build-system native|swiftbuild]... [--scratch FOLDER] [--keep]

modelc itself is built from source, once for each build system: that takes most of the time. With --scratch, which the build system
native can use, it is built already in the build folder of another package.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Scripts"))
import build_folder

ROOT = Path(__file__).resolve().parents[2]
MODELC = "Compiling the models of"
APP_OUTPUT = """\
new: project project 7 idea true untitled
empty: 0
labels: ["later", "urgent"]
labels: ["later", "urgent"] 1
tasks: 2 1 true
tasks: 0 nil
saved: modelc draft true 0.5 8 1.25 100 2.5 3 https://example.org ["red": "ff0000"] write Ada
by key path: modelc write
library: 1
"""
MAIN_ACTOR_OUTPUT = """\
1 from the background 1 blue
new
true 1
true true
"""
MIGRATING_OUTPUT = """\
1 Emma isbn of Emma
2 Persuasion isbn of Persuasion
"""


class Failure(Exception):
    pass


def expect(condition, text, output=""):
    if not condition:
        raise Failure(f"{text}\n{output}")


class Package:
    """A copy of the package in Tests/Integration/Package, with a build folder of its own."""

    def __init__(self, folder, build_system, scratch=None):
        self.folder = folder / "Package"
        self.build_system = build_system
        self.scratch = scratch or self.folder / ".build"
        self.generated = {}
        shutil.copytree(
            ROOT / "Tests/Integration/Package", self.folder, dirs_exist_ok=True,
            ignore=shutil.ignore_patterns(".build*", "Package.resolved"))
        self.edit("Package.swift", 'path: "../../.."', f'path: "{ROOT}"')
        self.original = self.files()

    # Files

    def path(self, name):
        return self.folder / name

    def edit(self, name, old, new):
        text = self.path(name).read_text()
        expect(old in text, f"{name} has no “{old}”")
        # A build system may tell files apart by their dates alone.
        time.sleep(0.02)
        self.path(name).write_text(text.replace(old, new))

    def write(self, name, text):
        self.path(name).parent.mkdir(parents=True, exist_ok=True)
        self.path(name).write_text(text)

    def files(self):
        """All files but those that were built, with their bytes."""
        return {
            path.relative_to(self.folder): path.read_bytes() for path in self.folder.rglob("*")
            if path.is_file() and ".build" not in path.parts and path.name != "Package.resolved"}

    def restore(self):
        """Takes every change back."""
        now = self.files()
        for name in now.keys() - self.original.keys():
            self.path(name).unlink()
        for name, content in self.original.items():
            if now.get(name) != content:
                self.path(name).parent.mkdir(parents=True, exist_ok=True)
                self.path(name).write_bytes(content)
        for folder in sorted(self.path("Sources").rglob("*"), reverse=True):
            if folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()

    def products(self):
        return self.scratch / ("out/Products/Debug-linux" if self.build_system == "swiftbuild" else "debug")

    def outputs(self):
        """The folder of what the plugins wrote."""
        return self.scratch / "plugins/outputs/package"

    # Commands

    def swift(self, *arguments, fails=False):
        command = [
            "swift", arguments[0], "--build-system", self.build_system, "--scratch-path", str(self.scratch), *arguments[1:]]
        for _ in range(2):
            done = subprocess.run(
                command, cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
            # SwiftPM itself has crashed on a busy machine (Swift 6.3.1); a second crash is a failure.
            if done.returncode >= 0:
                break
            print(f"    {' '.join(command)} was ended by signal {-done.returncode}", flush=True)
        end = "\n".join(done.stdout.splitlines()[-60:])
        expect((done.returncode != 0) == fails, f"{' '.join(command)} exited with {done.returncode}", end)
        return done.stdout

    def build(self, fails=False):
        return self.swift("build", fails=fails)

    def run(self, program):
        done = subprocess.run([self.products() / program], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        expect(done.returncode == 0, f"{program} exited with {done.returncode}", done.stdout)
        return done.stdout

    # What was rebuilt

    def stamp(self):
        """The dates of what modelc wrote, and whether it ran since the last stamp: the build systems print little."""
        folder = self.outputs()
        return {path.relative_to(folder): path.stat().st_mtime_ns for path in folder.rglob("*+CoreData*.swift")}

    def bundle(self, target):
        ending = "bundle" if self.build_system == "swiftbuild" else "resources"
        return self.products() / f"Integration_{target}.{ending}"

    def hashes(self, target, model):
        momd = self.bundle(target) / f"{model}.momd"
        done = subprocess.run(
            [modelc(self), "hash", momd], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        expect(done.returncode == 0, f"{momd} cannot be read", done.stdout)
        return done.stdout


def modelc(package):
    found = [package.products() / name for name in ("modelc", "modelc-tool")]
    found = [path for path in found if path.exists()]
    expect(found, "modelc was not built")
    return found[0]


LIBRARY = "Sources/Library/Models/Library.xcdatamodeld/Library 2.xcdatamodel/contents"
YEAR = '<attribute name="year" optional="YES"'


def check_clean_build(package):
    start = time.monotonic()
    output = package.build()
    print(f"    clean build: {time.monotonic() - start:.0f} s")
    warnings = [line for line in output.splitlines() if re.search(r"warning:", line) and "rdynamic" not in line]
    expect(not warnings, "the build has warnings", "\n".join(warnings))
    expect(package.run("App") == APP_OUTPUT, "App prints something else", package.run("App"))
    expect(package.run("SwiftFive") == "Über allen Gipfeln 12 Frauenplan 1\n", "SwiftFive", package.run("SwiftFive"))
    expect(package.run("MainActorApp") == MAIN_ACTOR_OUTPUT, "MainActorApp", package.run("MainActorApp"))


def check_migration_policy(package):
    """A mapping model with a policy of the module: the class is found by name, and its method by its selector."""
    package.swift("build", "--product", "Migrating")
    expect(package.run("Migrating") == MIGRATING_OUTPUT, "Migrating prints something else", package.run("Migrating"))


def check_nothing_changed(package):
    """The first build after a clean one may run a tool once more; then there is nothing to do."""
    package.build()
    before = package.stamp()
    output = package.build()
    expect(MODELC not in output, "a build without changes runs modelc", output)
    expect("warning" not in output.replace("rdynamic", ""), "a build without changes warns", output)
    expect(package.stamp() == before, "a build without changes writes files")


def check_inner_file(package):
    before, hashes = package.stamp(), package.hashes("Library", "Library")
    package.edit(LIBRARY, 'name="year" optional="YES"', 'name="year"')
    output = package.build()
    if package.build_system == "native":
        expect(output.count(MODELC) == 1, "an edited model is compiled more or less than once", output)
        expect("Compiling the models of Library" in output, "the wrong models are compiled", output)
        expect(not re.search(r"Compiling (Library|App) ", output), "Swift is compiled for nothing", output)
    changed = {path.name for path, date in package.stamp().items() if before.get(path) != date}
    expect(not changed, f"code that stays the same is written: {changed}")
    expect(package.hashes("Library", "Library") != hashes, "the bundle has the old model")
    check_nothing_changed(package)
    package.restore()
    package.build()
    expect(package.hashes("Library", "Library") == hashes, "the bundle has not got the old model back")


def check_renamed_entity(package):
    package.edit(LIBRARY, '"Author"', '"Writer"')
    package.edit(LIBRARY, '".Author"', '".Writer"')
    package.edit("Sources/App/main.swift", "Author(context", "Writer(context")
    package.edit("Tests/LibraryTests/LibraryTests.swift", '"Author"', '"Writer"')
    package.edit("Tests/LibraryTests/LibraryTests.swift", "Author)", "Writer)")
    output = package.build()
    expect("error" not in output, "a renamed entity does not build", output)
    expect(package.run("App") == APP_OUTPUT, "App with a renamed entity", package.run("App"))


def check_new_version(package):
    """A version that comes, and one that goes: the bundle follows."""
    folder = package.path("Sources/Library/Models/Library.xcdatamodeld")
    shutil.copytree(folder / "Library 2.xcdatamodel", folder / "Library 3.xcdatamodel")
    package.build()
    momd = package.bundle("Library") / "Library.momd"
    names = sorted(path.name for path in momd.iterdir())
    expect("Library 3.mom" in names, f"a new version is missing in {names}")
    shutil.rmtree(folder / "Library 3.xcdatamodel")
    package.build()
    names = sorted(path.name for path in momd.iterdir())
    expect("Library 3.mom" not in names, f"a removed version is still in {names}")


def check_linked_model(package):
    """A model that is a symbolic link, as packages share one, and the baseline of the settings: a change is noticed."""
    folder = package.path("Sources/Library/Models/Library.xcdatamodeld")
    shared = package.path("Shared/Library.xcdatamodeld")
    shared.parent.mkdir()
    shutil.move(folder, shared)
    folder.symlink_to("../../../Shared/Library.xcdatamodeld")
    try:
        package.build()
        hashes = package.hashes("Library", "Library")
        package.edit(LIBRARY, 'name="year" optional="YES"', 'name="year"')
        package.build()
        expect(package.hashes("Library", "Library") != hashes, "the bundle has the old model")
        package.write(".modelc.yml", "version: 1\nrules:\n  property-name-case: error\nbaseline: known.txt # accepted\n")
        package.edit(LIBRARY, "</entity>", '<attribute name="Xx" optional="YES" attributeType="String"/></entity>')
        package.write("known.txt", "# modelc baseline 1\n")
        # The native build system asks the plugin for its commands again only if the manifest or a folder of sources has changed.
        package.path("Package.swift").touch()
        output = package.build(fails=True)
        expect("property-name-case" in output, "the finding is not reported", output)
        done = subprocess.run(
            [modelc(package), "lint", "Sources/Library", "--write-baseline", "known.txt"], cwd=package.folder, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        expect(done.returncode == 0, "the baseline is not written", done.stdout)
        package.build()
        time.sleep(0.02)
        package.write("known.txt", "# modelc baseline 1\n")
        package.build(fails=True)
    finally:
        folder.unlink()
        shutil.move(shared, folder)
        shutil.rmtree(shared.parent)
    package.restore()
    package.path("Package.swift").touch()
    package.build()


def check_broken_models(package):
    def broken(name, old, new, *wanted):
        package.edit(name, old, new)
        output = package.build(fails=True)
        package.restore()
        for text in wanted:
            expect(re.search(text, output), f"nothing says {text}", output)
        errors = [line for line in output.splitlines() if re.match(r".*\.swift:\d+:\d+: error", line)]
        expect(not errors or ".swift:" in wanted[0], "the compiler complains of what modelc has found", output)

    broken(
        LIBRARY, 'destinationEntity="Book"', 'destinationEntity="Bok"',
        r"/Library 2\.xcdatamodel/contents:\d+:\d+: error: .*Bok")
    broken(LIBRARY, "</model>", "", r"/Library 2\.xcdatamodel/contents:\d+:\d+: error: ")
    broken(
        "Sources/Library/Library.swift", "public enum Library", "class Book {}\npublic enum Library",
        r"contents:\d+:\d+: error: the class “Book” is generated for “Book”, and declared in .*Library\.swift:4")
    broken(
        "Sources/App/Project.swift", "class Label", "@objc(Label) class Label",
        r"Project\.swift:\d+:\d+: error: @objc\(Label\) does not compile on Linux")
    broken(
        "Sources/App/Project.swift", "var weight: Double", "var weight: (Double, Int)",
        r"Project\.swift:\d+:\d+: error: “weight” cannot be given accessors here")
    broken(
        "Package.swift", '"Notes.xcdatamodeld", ', "",
        r"warning: ModelcBuildPlugin: the target “MainActorApp” does not exclude its models", r'exclude: \[\n +"Notes\.xcdatamodeld",')
    broken(
        "Package.swift", '"Notes.xcdatamodeld", "Tag+CoreDataClass.swift", "Tag+CoreDataProperties.swift"]',
        '"Tag+CoreDataClass.swift", "Tag+CoreDataProperties.swift"], resources: [.process("Notes.xcdatamodeld")]',
        r"warning: ModelcBuildPlugin: the target “MainActorApp” does not exclude its models", r'exclude: \[\n +"Notes\.xcdatamodeld",')


def check_excluded_folder(package):
    """One excluded folder with the model, the classes that need copies, and a file that needs none."""
    folder = package.path("Sources/App/Model")
    folder.mkdir()
    for name in ["App.xcdatamodeld", "Task+CoreDataClass.swift", "Task+CoreDataProperties.swift", "Person.swift"]:
        shutil.move(package.path("Sources/App") / name, folder / name)
    package.edit(
        "Package.swift", 'exclude: ["App.xcdatamodeld", "Task+CoreDataClass.swift", "Task+CoreDataProperties.swift"]',
        'exclude: ["Model"]')
    package.build()
    expect(package.run("App") == APP_OUTPUT, "App with an excluded folder", package.run("App"))


def check_two_models(package):
    second = "Sources/App/Inner/App.xcdatamodeld"
    shutil.copytree(package.path("Sources/App/App.xcdatamodeld"), package.path(second))
    package.edit("Package.swift", 'exclude: ["App.xcdatamodeld", ', 'exclude: ["App.xcdatamodeld", "Inner/App.xcdatamodeld", ')
    output = package.build(fails=True)
    expect(re.search(r"App\.xcdatamodeld:1:1: error: the target has two models named “App”", output), "two models", output)


def check_no_model(package):
    """A target that has neither a model nor anything to complete: it builds, and hears of it."""
    package.write("Sources/Empty/Empty.swift", "public let empty = true\n")
    package.edit(
        "Package.swift", "    targets: [\n",
        '    targets: [\n        .target(name: "Empty", dependencies: coreData, plugins: plugins),\n')
    output = package.build()
    expect("warning: ModelcBuildPlugin: there is no .xcdatamodeld below" in output, "nothing says that there is no model", output)


def check_no_place(package):
    """Something is where the compiled model has to go. (Without permission to write, nothing can be tried as root.)"""
    found = [path for path in package.outputs().rglob("Notes.momd") if "ModelcBuildPlugin" in path.parts]
    expect(len(found) == 1, f"Notes.momd was found at {found}")
    shutil.rmtree(found[0])
    found[0].write_text("no folder")
    package.edit(
        "Sources/MainActorApp/Notes.xcdatamodeld/Notes.xcdatamodel/contents", 'name="text" optional="YES"', 'name="text"')
    try:
        output = package.build(fails=True)
    finally:
        found[0].unlink()
    expect(
        re.search(r"Notes\.momd: error: cannot write: a file with this name already exists", output),
        "nothing says what cannot be written", output)


def check_tests(package):
    output = package.swift("test")
    expect(re.search(r"Test run with 1 test.* passed", output), "the library's test did not run", output)


def check_commands(package):
    """The command plugins, in a package that nobody asks for permission."""
    if package.build_system != "native":
        return
    output = package.swift("package", "lint-model")
    expect("modelc: no findings" in output or "modelc: found" in output, "lint-model says nothing", output)
    package.edit(LIBRARY, 'destinationEntity="Book"', 'destinationEntity="Bok"')
    output = package.swift("package", "lint-model", "--reporter", "xcode", fails=True)
    expect(re.search(r"contents:\d+:\d+: error: .*Bok", output), "lint-model does not find the error", output)
    package.restore()

    package.path(LIBRARY).write_text(package.path(LIBRARY).read_text().replace("    <entity", "<entity"))
    package.swift("package", "format-model", "--check", fails=True)
    package.swift("package", "--allow-writing-to-package-directory", "format-model")
    expect("\n    <entity" in package.path(LIBRARY).read_text(), "format-model has not laid out the model")
    package.restore()

    output = package.swift(
        "package", "--allow-writing-to-package-directory", "prepare-for-linux", "--dry-run", fails=True)
    expect("[manifest-not-editable]" in output and "#if os(Linux)" in output, "prepare-for-linux edits shared plugins", output)
    # Constants that targets share are not followed.
    product = '.product(name: "CoreData", package: "modelc", condition: .when(platforms: [.linux]))'
    plugin = '.plugin(name: "ModelcBuildPlugin", package: "modelc")'
    package.edit("Package.swift", f"let coreData: [Target.Dependency] = [\n    {product}\n]\n", "")
    package.edit("Package.swift", f"let plugins: [Target.PluginUsage] = [{plugin}]\n", "")
    package.edit("Package.swift", "coreData", f"[{product}]")
    package.edit("Package.swift", "plugins: plugins", f"plugins: [{plugin}]")
    package.edit(
        "Package.swift", 'exclude: ["Notes.xcdatamodeld", "Tag+CoreDataClass.swift", "Tag+CoreDataProperties.swift"],', "")
    package.swift("package", "--allow-writing-to-package-directory", "prepare-for-linux")
    text = package.path("Package.swift").read_text()
    expect('"Notes.xcdatamodeld",' in text.split("#if os(Linux)")[1], "prepare-for-linux excludes no model", text)
    package.swift("package", "describe")
    package.restore()

    edited = "// edited\n"
    name = "Sources/App/Task+CoreDataClass.swift"
    package.path(name).write_text(edited)
    generate = [
        "package", "--allow-writing-to-package-directory", "generate-managed-objects", "--target", "App", "--entity", "Task",
        "--entity", "Label"]
    output = package.swift(*generate, fails=True)
    expect("Task+CoreDataProperties.swift: error: cannot write" in output, "a file that modelc did not write is replaced", output)
    expect(not package.path("Sources/App/Label+CoreDataClass.swift").exists(), "some files are written after an error", output)
    output = package.swift(*generate, "--force")
    expect(package.path(name).read_text() == edited, "a class that people edit was written", output)
    properties = package.path("Sources/App/Label+CoreDataProperties.swift").read_text()
    expect("@NSManaged nonisolated public var name: String?" in properties, "Label has no properties", properties)
    expect(package.path("Sources/App/Label+CoreDataClass.swift").exists(), "Label has no class", output)
    output = package.swift(
        "package", "--allow-writing-to-package-directory", "generate-managed-objects", "--target", "None",
        fails=True)
    expect("there is no target “None”" in output, "nothing says that there is no such target", output)


NOTES = "Sources/Notes/Schemas.swift"
NOTES_SOURCE = """\
#if canImport(SwiftData) && !os(Linux)
import SwiftData

enum SchemaV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self] }

    @Model final class Note {
        var text: String
        init(text: String) { self.text = text }
    }
}

enum SchemaV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self] }

    @Model final class Note {
        var text: String
        var isDone: Bool = false
        init(text: String) { self.text = text }
    }
}
#endif
"""


def check_swiftdata_lock(package):
    """SwiftData models and a lock. The compiler skips on Linux what modelc reads."""
    package.write(NOTES, NOTES_SOURCE)
    package.edit("Package.swift", "    targets: [\n", '    targets: [\n        .target(name: "Notes", plugins: plugins),\n')

    def build(fails=False):
        return package.swift("build", "--target", "Notes", fails=fails)

    output = build()
    expect("warning: ModelcBuildPlugin: there is no .xcdatamodeld" in output, "models without a lock are read", output)
    done = subprocess.run(
        [modelc(package), "lock", "update", "Sources/Notes"], cwd=package.folder, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT)
    expect(done.returncode == 0, "the lock is not written", done.stdout)
    # swiftbuild does not print the names of commands, so what modelc writes tells that it ran.
    written = lambda: list(package.outputs().rglob("Notes+CoreDataManaged.swift"))
    expect(not written(), "modelc ran without a lock")
    build()
    expect(written(), "the lock is not checked")
    # A draft may change, and a released version may not.
    package.edit(NOTES, "isDone: Bool", "isDone: Bool?")
    build()
    package.edit(NOTES, "var text: String\n        init", "var text: String?\n        init")
    output = build(fails=True)
    wanted = r"modelc\.lock:\d+:\d+: error: “Note” of the released version “SchemaV1” \(Sources/Notes\) has a different hash"
    expect(re.search(wanted, output), "nothing says that a released version was edited", output)
    package.write(NOTES, NOTES_SOURCE)
    build()


CHECKS = [
    check_clean_build, check_migration_policy, check_nothing_changed, check_inner_file, check_renamed_entity, check_new_version,
    check_linked_model, check_broken_models, check_excluded_folder, check_two_models, check_no_model, check_no_place, check_tests,
    check_commands, check_swiftdata_lock]

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-system", action="append", choices=["native", "swiftbuild"])
    parser.add_argument("--scratch", type=Path, help="the build folder of another package, which has modelc and the runtime")
    parser.add_argument("--keep", action="store_true", help="leave the packages where they were built")
    parser.add_argument("--folder", type=Path, help="where the packages are built, and stay")
    parser.add_argument("--only", action="append", help="the name of a check, for example check_commands")
    options = parser.parse_args()
    folder = options.folder or Path(tempfile.mkdtemp(prefix="modelc-integration-"))
    failed = 0
    passed = 0
    for build_system in options.build_system or ["native", "swiftbuild"]:
        print(f"{build_system}:", flush=True)
        place = folder / build_system
        for name in ["Sources", "Tests"]:
            shutil.rmtree(place / "Package" / name, ignore_errors=True)
        scratch = options.scratch.resolve() if options.scratch and build_system == "native" else None
        if scratch:
            build_folder.prepare(scratch)
        package = Package(place, build_system, scratch)
        shutil.rmtree(package.outputs(), ignore_errors=True)
        for check in CHECKS:
            if options.only and check.__name__ not in options.only:
                continue
            start = time.monotonic()
            try:
                check(package)
            except Failure as failure:
                failed += 1
                print(f"  {check.__name__} FAILED: {failure}", flush=True)
                package.restore()
                if check is check_clean_build:
                    break
            else:
                package.restore()
                passed += 1
                print(f"  {check.__name__}: {time.monotonic() - start:.0f} s", flush=True)
    if options.scratch:
        build_folder.prepare(options.scratch)
    if not options.keep and not options.folder:
        shutil.rmtree(folder)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
