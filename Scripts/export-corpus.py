#!/usr/bin/env python3
"""Checks `modelc-store export` and `import` with the stores of a corpus.

usage: Scripts/export-corpus.py CORPUS [--build BUILDFOLDER]

Each store in CORPUS/stores, CORPUS/mapping and CORPUS/swiftdata, and in `field-stores` beside the corpus, is exported as JSON Lines and
imported again: `store diff` must find no difference. The lines must fit the exported JSON Schema, if the Python package `jsonschema` is
installed. The other formats must be readable and have the same number of objects. No file of a store may change. Prints a table, and
exits with 1 if anything is not as it should be.
"""
import argparse
import csv
import glob
import importlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

from report import Report

corpus = importlib.import_module("store-corpus")


def run(program, *arguments):
    result = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=300)
    return result.returncode, result.stdout + result.stderr


def validators(folder):
    """The validators of the schema by entity; none without the package."""
    try:
        import jsonschema
    except ImportError:
        return {}
    with open(os.path.join(folder, "schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    validator = jsonschema.validators.validator_for(schema)
    return {
        name: validator({"$ref": f"#/$defs/{name}", "$defs": schema["$defs"]})
        for name in schema["$defs"] if name != "$stored"
    }


def check_lines(folder, report, path):
    known = validators(folder)
    count = 0
    for name in sorted(glob.glob(os.path.join(folder, "*.jsonl"))):
        with open(name, encoding="utf-8") as file:
            for line in file:
                count += 1
                row = json.loads(line)
                if row["_entity"] in known and count % 50 == 1:
                    errors = [error.message for error in known[row["_entity"]].iter_errors(row)]
                    report.check("lines that fit the schema", not errors, f"{path}: {row['_id']}: {errors[:2]}")
    return count


def check(program, path, folder, report):
    before = corpus.state(path)
    lines = os.path.join(folder, "lines")
    code, text = run(program, "export", path, "--output", lines)
    if "does not contain" in text and code == 2:
        report.check("stores without a model, which are refused", not os.path.exists(lines), path)
        return
    expected = (0, 1) if "external files that cannot be read" in text else (0,)
    report.check("exports", code in expected, f"{path}: {text}")
    if code not in expected:
        return
    count = check_lines(lines, report, path)
    if code == 0:
        copy = os.path.join(folder, "copy.sqlite")
        code, text = run(program, "import", lines, "--output", copy)
        imported = code == 0 or code == 1 and "that the export does not contain" in text
        report.check("imports", imported, f"{path}: {text}")
        if imported:
            code, text = run(program, "diff", path, copy)
            report.check("equal stores", code == 0, f"{path}: {text[:2000]}")
            again = os.path.join(folder, "again")
            run(program, "export", copy, "--output", again)
            for name in sorted(os.listdir(lines)):
                if name.endswith(".jsonl"):
                    same = open(os.path.join(lines, name), "rb").read() == open(os.path.join(again, name), "rb").read()
                    report.check("equal lines of the copy", same, f"{path}: {name}")
    tables = os.path.join(folder, "csv")
    code, text = run(program, "export", path, "--format", "csv", "--output", tables)
    rows = 0
    csv.field_size_limit(1 << 30)
    for name in glob.glob(os.path.join(tables, "*.csv")):
        with open(name, encoding="utf-8", newline="") as file:
            all_rows = list(csv.reader(file, strict=True))
            rows += len(all_rows) - 1
            report.check("CSV of one width", len(set(map(len, all_rows))) == 1, f"{path}: {name}")
    report.check("CSV with all objects", rows == count, f"{path}: {rows} of {count}: {text}")
    database = os.path.join(folder, "plain.sqlite")
    code, text = run(program, "export", path, "--format", "sqlite", "--output", database)
    with open(os.path.join(lines, "schema.json"), encoding="utf-8") as file:
        entities = json.load(file)["x-modelc"]["entities"]
    plain = sqlite3.connect(database)
    try:
        found = {entity["name"]: plain.execute(f'SELECT count(*) FROM "{entity["name"]}"').fetchone()[0] for entity in entities}
        report.check("databases with all objects", found == {entity["name"]: entity["rows"] for entity in entities}, path)
    except sqlite3.Error as error:
        report.check("databases with all objects", False, f"{path}: {error}: {text}")
    script = os.path.join(folder, "views.sql")
    code, text = run(program, "export", path, "--format", "views", "--output", script)
    shutil.copy(path, os.path.join(folder, "views.sqlite"))
    for suffix in ("-wal",):
        if os.path.exists(path + suffix):
            shutil.copy(path + suffix, os.path.join(folder, "views.sqlite" + suffix))
    views = sqlite3.connect(os.path.join(folder, "views.sqlite"))
    try:
        with open(script, encoding="utf-8") as file:
            views.executescript(file.read())
        names = [name for name, in views.execute("SELECT name FROM sqlite_temp_master WHERE type = 'view'")]
        for name in names:
            views.execute(f'SELECT count(*), * FROM "{name}"').fetchone()
        report.check("views that can be read", len(names) >= len(entities), f"{path}: {names}")
    except sqlite3.Error as error:
        report.check("views that can be read", False, f"{path}: {error}")
    report.check("stores that stay as they are", corpus.state(path) == before, path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus")
    parser.add_argument("--build", default=".build/debug")
    arguments = parser.parse_args()
    program = os.path.abspath(os.path.join(arguments.build, "modelc-store"))
    report = Report()
    root = os.path.abspath(arguments.corpus)
    folders = [os.path.join(root, name) for name in ("stores", "mapping", "swiftdata")]
    folders.append(os.path.join(os.path.dirname(root), "field-stores"))
    for folder in folders:
        for path in corpus.stores(folder):
            with tempfile.TemporaryDirectory() as temporary:
                check(program, path, temporary, report)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
