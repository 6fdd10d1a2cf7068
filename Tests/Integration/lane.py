#!/usr/bin/env python3
"""Runs `modelc lane` on a small Xcode project, with the real compiler, and looks at the package and its report.

usage: Tests/Integration/lane.py --modelc PROGRAM [--scratch FOLDER] [--swiftdata]

With --scratch, modelc and the runtime are built already in the build folder of another package. With --swiftdata, the project is one with
SwiftData models, which needs swift-syntax.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).resolve().parent
READER_INCLUDED = ["Reader/Data/Book.swift", "Reader/Data/Library.swift", "ReaderTests/LibraryTests.swift"]
READER_OMITTED = {
    "Reader/Data/BookTheme.swift": "'Theme' in scope (declared in Reader/Views/Theme.swift, which is left out)",
    "Reader/Data/Legacy.m": "is not written in Swift",
    "Reader/Data/Lighting.swift": "has no member 'theme'",
    "Reader/Data/Sync.swift": "imports “Alamofire”",
    "Reader/ReaderApp.swift": "imports “SwiftUI”",
    "Reader/Views/BookList.swift": "imports “SwiftUI”",
    "Reader/Views/Theme.swift": "imports “UIKit”",
    "ReaderTests/ThemeTests.swift": "'Theme' in scope",
}
SHELF_INCLUDED = ["Shelf/Inventory.swift", "Shelf/Item.swift", "ShelfTests/InventoryTests.swift"]
SHELF_OMITTED = {"Shelf/ShelfApp.swift": "imports “SwiftUI”"}


class Failure(Exception):
    pass


def expect(condition, text, output=""):
    if not condition:
        raise Failure(f"{text}\n{output}")


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def check(modelc, scratch, project, included, omitted):
    with tempfile.TemporaryDirectory(prefix="modelc-lane-") as temporary:
        source = Path(temporary) / project
        shutil.copytree(FOLDER / project, source)
        before = contents(source)
        output = Path(temporary) / "Package"
        command = [
            str(modelc), "lane", str(source), "--output", str(output), "--modelc", str(ROOT), "--scratch-path", str(scratch),
            "--format", "json"]
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        said = done.stdout + done.stderr
        expect(done.returncode == 0, f"lane exited with {done.returncode}", said)
        expect(contents(source) == before, "lane changed the project", said)
        report = json.loads(done.stdout)
        expect([file["path"] for file in report["included"]] == included, "other sources are in the package", said)
        reasons = {file["path"]: file["reason"] for file in report["omitted"]}
        expect(reasons.keys() == omitted.keys(), "other sources are left out", said)
        for path, reason in omitted.items():
            expect(reason in reasons[path], f"the reason for {path} is another", said)
        expect(report["tests"]["passed"] and "1 test" in report["tests"]["summary"], "the test did not run", said)
        expect(not any((scratch / ".modelc-lane").iterdir()), "the working copy is still there")
        written = contents(output)
        expect(json.loads(written[Path("lane.json")])["omitted"] == report["omitted"], "lane.json differs from the report")
        again = subprocess.run(command[:-2] + ["--no-test"], text=True, capture_output=True, stdin=subprocess.DEVNULL)
        expect(again.returncode == 0, f"the second run exited with {again.returncode}", again.stdout + again.stderr)
        for name in (Path("Package.resolved"), Path(".build")):
            written.pop(name, None)
        now = contents(output)
        expect(all(now.get(name) == content for name, content in written.items()), "the second run changed the package")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--modelc", type=Path, required=True, help="the program")
    parser.add_argument("--scratch", type=Path, help="the build folder of another package, which has modelc and the runtime")
    parser.add_argument("--swiftdata", action="store_true", help="use the project with SwiftData models")
    options = parser.parse_args()
    scratch = options.scratch.resolve() if options.scratch else Path(tempfile.mkdtemp(prefix="modelc-lane-build-"))
    try:
        if options.swiftdata:
            check(options.modelc.resolve(), scratch, "Shelf", SHELF_INCLUDED, SHELF_OMITTED)
        else:
            check(options.modelc.resolve(), scratch, "Reader", READER_INCLUDED, READER_OMITTED)
    except Failure as failure:
        print(failure)
        print("FAILED")
        sys.exit(1)
    finally:
        if not options.scratch:
            shutil.rmtree(scratch, ignore_errors=True)
    print("passed")


main()
