#!/usr/bin/env python3
"""Checks the stores of a corpus with `modelc-store check`.

usage: Scripts/store-corpus.py CORPUS [--build BUILDFOLDER]

No store in CORPUS/stores, CORPUS/mapping and CORPUS/swiftdata may have an error or a warning. If there is a folder `field-stores`
beside the corpus, its stores must have exactly the findings that are listed below. No file or folder may change. Prints a table, and exits
with 1 if anything is not as it should be.
"""
import argparse
import hashlib
import json
import os
import subprocess
import sys

from report import Report

# The errors and warnings of stores with known faults: rule, entity and property, and number of rows.
FIELD_STORES = {
    "osxphotos/Test-12.0.1/Photos.sqlite": {
        ("join-dangling", "Person.mergeCandidates", 6),
        ("required-value-missing", "Asset.videoKeyFrameTimeScale", 4),
        ("required-value-missing", "Asset.videoKeyFrameValue", 4),
    },
    "osxphotos/Test-26.1/Photos.sqlite": {
        ("join-dangling", "Person.mergeCandidates", 7),
        ("required-value-missing", "Asset.videoKeyFrameTimeScale", 4),
        ("required-value-missing", "Asset.videoKeyFrameValue", 4),
    },
    "osxphotos/Test-Cloud-13.1/Photos.sqlite": {
        ("max-behind", "InternalResource", 1),
        ("history-max", "ACHANGE.Z_PK", 1),
        ("history-max", "ATRANSACTION.Z_PK", 1),
        ("history-max", "ATRANSACTIONSTRING.Z_PK", 1),
        ("missing-log", "Z_PRIMARYKEY", 4),
    },
}


def stores(root):
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                if file.read(16) == b"SQLite format 3\0":
                    yield path


def state(path):
    """The names, times and bytes of everything in the folder of a store."""
    folder = os.path.dirname(path)
    result = {".": os.stat(folder).st_mtime_ns}
    for name in sorted(os.listdir(folder)):
        full = os.path.join(folder, name)
        if os.path.isfile(full):
            with open(full, "rb") as file:
                result[name] = (os.stat(full).st_mtime_ns, hashlib.sha256(file.read()).hexdigest())
    return result


def findings(program, path):
    result = subprocess.run(
        [program, "check", path, "--reporter", "json"], capture_output=True, text=True, timeout=120)
    if result.returncode not in (0, 1):
        return result.returncode, result.stderr
    return result.returncode, {
        (found["rule"], ".".join(found.get("element", {}).get("path", [])), found["rows"]["count"])
        for found in json.loads(result.stdout)["findings"]
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus")
    parser.add_argument("--build", default=".build/debug")
    arguments = parser.parse_args()
    program = os.path.join(arguments.build, "modelc-store")
    report = Report()
    for folder in ("stores", "mapping", "swiftdata"):
        for path in stores(os.path.join(arguments.corpus, folder)):
            before = state(path)
            code, found = findings(program, path)
            report.check("stores without faults", code == 0 and found == set(), f"{path}: {found}")
            report.check("stores that stay as they are", state(path) == before, path)
            info = subprocess.run([program, "info", path, "--format", "json"], capture_output=True, text=True, timeout=120)
            report.check("stores with a summary", info.returncode == 0 and json.loads(info.stdout)["pages"] > 0, path)
    field = os.path.join(os.path.dirname(os.path.abspath(arguments.corpus)), "field-stores")
    for name, expected in FIELD_STORES.items():
        path = os.path.join(field, name)
        if not os.path.exists(path):
            continue
        before = state(path)
        _, found = findings(program, path)
        report.check("stores with known faults", found == expected, f"{path}: {found}")
        report.check("stores that stay as they are", state(path) == before, path)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
