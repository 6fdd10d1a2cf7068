#!/usr/bin/env python3
"""Writes what the comparison with Apple's frameworks compares: compiled models, stores and generated code.

usage: Tests/AppleComparison/fixtures.py [--build FOLDER] [--check]

Runs on Linux, because modelc's runtime does. The texts Fixtures/*.txt, which say what the stores contain, are written by the tests
themselves with UPDATE_GOLDENS=1. --check writes nothing, and fails if the compiled models, hashes or generated code differ.
"""

import argparse
import filecmp
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
# What modelc-store writes differs from run to run in the times of Apple's metadata; the tests compare what is in it.
STORES = {"Everything": ["--rows", "9", "--seed", "7"], "Plain": ["--rows", "9", "--seed", "3"]}


def write(build, target, stores):
    def modelc(*arguments):
        return subprocess.run([build / "modelc", *arguments], cwd=FOLDER / "Models", check=True, capture_output=True, text=True).stdout

    for name in STORES:
        model = f"{name}.xcdatamodeld"
        modelc("compile", model, target / f"{name}.momd")
        (target / f"{name}.hashes.json").write_text(modelc("hash", model, "--format", "json"))
        if stores:
            modelc("store", "make", model, "--version", name, "--output", target / f"{name}.sqlite", *STORES[name])
    modelc("compile", "Plain to Plain 2.xcmappingmodel", target / "Plain.cdm")
    modelc("generate", "Everything.xcdatamodeld", "--output", target / "Generated")
    (target / "Note.hashes.json").write_text(modelc("hash", FOLDER / "Tests/AppleComparisonTests/Note.swift", "--define", "SWIFTDATA", "--format", "json"))


def differences(comparison, path=""):
    names = comparison.left_only + comparison.right_only + comparison.diff_files + comparison.funny_files
    found = [f"{path}{name}" for name in names if not name.endswith((".txt", ".sqlite", "_SUPPORT"))]
    for name, inner in comparison.subdirs.items():
        found += differences(inner, f"{path}{name}/")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=FOLDER.parents[1] / ".build/checked", help="where modelc is")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    fixtures = FOLDER / "Fixtures"
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder)
        write(options.build.resolve(), target, stores=not options.check)
        if options.check:
            found = differences(filecmp.dircmp(fixtures, target))
            if found:
                sys.exit(f"error: {', '.join(sorted(found))}: not what modelc writes; run Tests/AppleComparison/fixtures.py")
            return
        for text in fixtures.glob("*.txt"):
            shutil.copy(text, target)
        shutil.rmtree(fixtures, ignore_errors=True)
        shutil.copytree(target, fixtures)


if __name__ == "__main__":
    main()
