#!/usr/bin/env python3
"""Exports and checks the CloudKit schema of every model of a corpus.

usage: Scripts/cloudkit-corpus.py CORPUS [--build BUILDFOLDER]

Each version of each model is exported. A schema must be the same when it is exported again, be read back as an equal one,
and have everything that its model needs; the compiled model must have the same schema. A schema with a random field less or of
another type must be rejected, and one with a field more accepted. A model that cannot be mirrored must be rejected with reasons that
have a place, and nothing may be written. A real schema (.ckdb) in the corpus must be read, and is compared with the export of the models in
its repository. Prints a table and the reasons, and exits with 1 if anything is not as it should be.
"""
import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile

from report import Report

FINDING = re.compile(r"^(.*?):(\d+):(\d+): (error|warning|note): .* \[([a-z-]+)\]$", re.MULTILINE)


def run(modelc, *arguments):
    return subprocess.run([modelc, *arguments], capture_output=True, text=True, timeout=120)


def find(root, suffix):
    for folder, folders, names in sorted(os.walk(root)):
        for name in sorted(folders + names):
            if name.endswith(suffix):
                yield os.path.join(folder, name)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def check_model(modelc, model, scratch, report, reasons):
    """Exports a model; returns the path of its schema, or None."""
    schema = os.path.join(scratch, "schema.ckdb")
    if os.path.exists(schema):
        os.remove(schema)
    result = run(modelc, "cloudkit", "export", model, "--output", schema)
    report.check("exports that end with an answer", result.returncode in (0, 1, 2), f"{model}: {result.stderr[:300]}")
    findings = FINDING.findall(result.stderr)
    if result.returncode != 0:
        errors = {rule for _, _, _, severity, rule in findings if severity == "error"}
        report.check("rejected models with a reason and no file", errors and not os.path.exists(schema), model)
        reasons.update(errors)
        return None
    text = read(schema)
    again = run(modelc, "cloudkit", "export", model)
    report.check("exports equal to a second one", again.stdout.encode() == text, model)
    parsed = run(modelc, "cloudkit", "diff", schema, schema, "--format", "json")
    report.check("exports read back as an equal schema",
                 parsed.returncode == 0 and not parsed.stderr and json.loads(parsed.stdout)["equal"], model)
    check = run(modelc, "cloudkit", "check", model, "--against", schema, "--reporter", "json", "--strict-indexes")
    found = {finding["rule"] for finding in json.loads(check.stdout)["findings"]} if check.stdout else {"none"}
    # What lint says of the model alone is no matter of the schema.
    about_schema = {"cloudkit-not-deployed", "cloudkit-type-changed", "cloudkit-renamed", "cloudkit-orphan",
                    "cloudkit-large-value", "cloudkit-incomplete", "cloudkit-index-missing", "none"}
    report.check("models that pass a check against their export",
                 check.returncode == 0 and not found & about_schema, f"{model}: {found} {check.stderr[:300]}")
    check_edits(modelc, model, schema, scratch, report)
    check_compiled(modelc, model, schema, scratch, report)
    return schema


FIELD = re.compile(r"^        (CD_(?!entityNames?\b|moveReceipt|recordNames|relationships)\w+) +(?!ASSET)(\w+)( .*)?,$", re.MULTILINE)


def rules(modelc, model, schema, text):
    """Writes a schema; returns the exit code of a check against it, and the rules of its findings."""
    with open(schema, "w", encoding="utf-8") as file:
        file.write(text)
    result = run(modelc, "cloudkit", "check", model, "--against", schema, "--reporter", "json")
    return result.returncode, {finding["rule"] for finding in json.loads(result.stdout or '{"findings": []}')["findings"]}


def check_edits(modelc, model, schema, scratch, report):
    """Edits the schema of a model at random, always the same for a model."""
    text = read(schema).decode()
    edited = os.path.join(scratch, "edited.ckdb")
    before = rules(modelc, model, edited, text)[1]
    fields = [match for match in FIELD.finditer(text)]
    name = os.path.join(*model.split(os.sep)[-3:])
    if not fields:
        return
    field = random.Random(name).choice(fields)
    line, kind = field[0], field[2]

    def verdict(changed):
        code, found = rules(modelc, model, edited, text[:field.start()] + changed + text[field.end():])
        return code, found - before

    report.check("schemas with a field more that are accepted",
                 verdict(line + "\n        CD_zzAnother STRING,") == (0, {"cloudkit-orphan"}), model)
    # What derived and composite attributes of a Core Data model have in CloudKit is not known, so that their fields may be
    # missing.
    contents = read(os.path.join(model, "contents")).decode()
    isDerived = "derived=" in contents or 'attributeType="Composite"' in contents
    code, found = verdict("")
    report.check("schemas with a field less that are rejected",
                 isDerived or code == 1 and found & {"cloudkit-not-deployed", "cloudkit-renamed"}, f"{model}: {line} {found}")
    other = "INT64" if kind != "INT64" else "TIMESTAMP"
    code, found = verdict(line.replace(f" {kind}", f" {other}", 1))
    report.check("schemas with a field of another type that are rejected",
                 code == 1 and "cloudkit-type-changed" in found, f"{model}: {line} {found}")


def check_compiled(modelc, model, schema, scratch, report):
    """Exports the compiled model, unless it cannot be compiled or says more than a compiled model."""
    compiled = os.path.join(scratch, "Compiled.mom")
    source = read(os.path.join(model, "contents")).decode()
    if 'allowsCloudEncryption="YES"' in source or run(modelc, "compile", model, compiled, "--quiet").returncode != 0:
        return
    result = run(modelc, "cloudkit", "export", compiled)
    report.check("compiled models with the same schema",
                 result.returncode == 0 and result.stdout.encode() == read(schema), f"{model}: {result.stderr[:300]}")


def check_real(modelc, schema, root, scratch, report):
    """Reads a real schema, and compares it with the models of its repository."""
    result = run(modelc, "cloudkit", "diff", schema, schema)
    report.check("real schemas read", result.returncode == 0, f"{schema}: {result.stderr[:300]}")
    repository = os.path.join(root, os.path.relpath(schema, root).split(os.sep)[0])
    for model in find(repository, ".xcdatamodel"):
        export = os.path.join(scratch, "export.ckdb")
        if run(modelc, "cloudkit", "export", model, "--output", export).returncode == 0:
            print(f"{schema}, compared with the export of {model}:")
            print(run(modelc, "cloudkit", "diff", schema, export).stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus")
    parser.add_argument("--build", default=".build/debug", help="where SwiftPM built this package")
    arguments = parser.parse_args()
    modelc = os.path.join(os.path.abspath(arguments.build), "modelc")
    root = os.path.join(arguments.corpus, "models")
    report = Report()
    reasons = collections.Counter()
    count = exported = 0
    with tempfile.TemporaryDirectory() as scratch:
        for model in find(root, ".xcdatamodel"):
            count += 1
            exported += check_model(modelc, model, scratch, report, reasons) is not None
        for schema in find(arguments.corpus, ".ckdb"):
            check_real(modelc, schema, arguments.corpus, scratch, report)
    print(f"{exported} of {count} models can be mirrored as they are. Models rejected for each reason:")
    for rule, number in sorted(reasons.items()):
        print(f"  {rule}: {number}")
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
