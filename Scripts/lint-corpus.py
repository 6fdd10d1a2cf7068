#!/usr/bin/env python3
"""Lints, formats and merges every model of a corpus.

usage: Scripts/lint-corpus.py CORPUS [--build BUILDFOLDER] [--write]

Prints how many findings each rule has, and compares the table with Documentation/Evidence/CorpusFindings.md. Review the findings behind a number
that changed before you write the new table with --write. The corpus is not part of the project. Exits with 1 if modelc crashes, a
finding has no range in its file, a formatted or merged model is wrong, or the page is out of date.
"""
import argparse
import collections
import difflib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from report import Report

TABLE = os.path.join(os.path.dirname(__file__), "..", "Documentation/Evidence/CorpusFindings.md")


def run(modelc, *arguments, cwd=None):
    return subprocess.run([modelc, *arguments], capture_output=True, text=True, timeout=300, cwd=cwd)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def model_files(root):
    """Every contents file of a model under a folder."""
    for folder, _, names in sorted(os.walk(root)):
        if "contents" in names and folder.endswith(".xcdatamodel"):
            yield os.path.join(folder, "contents")


def lint(modelc, root, report):
    """Findings of each rule: in a plain run, and with all versions in full."""
    counts = [collections.Counter(), collections.Counter()]
    severities = {}
    for number, options in enumerate([[], ["--all-versions"]]):
        result = run(modelc, "lint", "--reporter", "json", *options, ".", cwd=root)
        report.check("lint ends with an answer", result.returncode in (0, 1), result.stderr[:500])
        for finding in json.loads(result.stdout)["findings"]:
            counts[number][finding["rule"]] += 1
            severities[finding["rule"]] = finding["severity"]
            report.check("findings with a range inside of their file", is_inside(root, finding), finding)
    return counts, severities


def is_inside(root, finding):
    """Whether a finding has a range, and its file has these lines and columns."""
    path = os.path.join(root, finding.get("file", ""))
    span = finding.get("range")
    if span is None or not os.path.exists(path):
        return False
    if os.path.isdir(path):
        # A folder that holds no model has one place only.
        return span["start"]["line"] == 1 and span["start"]["column"] == 1
    lines = read(path).decode("utf-8", "replace").split("\n")
    for place in (span["start"], span["end"]):
        if not 1 <= place["line"] <= len(lines) or not 1 <= place["column"] <= len(lines[place["line"] - 1]) + 1:
            return False
    return (span["start"]["line"], span["start"]["column"]) <= (span["end"]["line"], span["end"]["column"])


def was_saved_by_xcode(text):
    """Whether Xcode 8 or later saved a file last, as far as can be told without the formatter's own knowledge: no line
    feed at the end, and the first XML attributes of the model in Xcode's order."""
    head = re.search(rb'<model (?:name="[^"]*" )?type="[^"]*" documentVersion="[^"]*" lastSavedToolsVersion="(\d+)', text)
    return bool(head) and int(head.group(1)) > 10000 and not text.endswith(b"\n")


def check_format(modelc, root, report):
    """Formats all models, and again."""
    before = {path: read(path) for path in model_files(root)}
    hashes = {path: run(modelc, "hash", path, "--format", "json").stdout for path in before}
    run(modelc, "format", ".", cwd=root)
    after = {path: read(path) for path in before}
    run(modelc, "format", ".", cwd=root)
    for path, text in before.items():
        shown = os.path.relpath(path, root)
        if was_saved_by_xcode(text):
            report.check("models saved by Xcode 8 and later, unchanged by format", after[path] == text, shown)
        report.check("format twice equals format once", read(path) == after[path], shown)
        report.check("version hashes unchanged by format",
                     run(modelc, "hash", path, "--format", "json").stdout == hashes[path], shown)


def check_merge(modelc, root, report):
    """Merges neighboring versions of formatted models: a change of one side alone has to come out as it is."""
    bundles = collections.defaultdict(list)
    for path in model_files(root):
        bundles[os.path.dirname(os.path.dirname(path))].append(path)
    with tempfile.TemporaryDirectory() as scratch:
        base, ours, theirs = (os.path.join(scratch, name) for name in ("base", "ours", "theirs"))
        for paths in bundles.values():
            for old, new in list(zip(paths, paths[1:])):
                for our, their in ((new, old), (old, new), (new, new)):
                    # A line feed at the end makes the files differ, so that the merge has something to do.
                    for source, copy, end in ((old, base, b""), (our, ours, b"\n"), (their, theirs, b"\n\n")):
                        with open(copy, "wb") as file:
                            file.write(read(source) + end)
                    result = run(modelc, "merge-driver", base, ours, theirs)
                    # A version that is not sound by itself stays so.
                    is_right = read(ours).rstrip() == read(new)
                    report.check("merges of a one-sided change", is_right and result.returncode == 0,
                                 f"{os.path.relpath(new, root)} {result.returncode} {result.stderr[:300]}")


def table(counts, severities, model_count):
    rules = sorted(set(counts[0]) | set(counts[1]))
    lines = [
        "# Findings in the corpus", "",
        f"What `modelc lint` says of the {model_count} model files of the corpus (see the [README](README.md)): by default, and",
        "with `--all-versions`. Written by `Scripts/lint-corpus.py ../shared/corpus --write`; look at every finding behind a",
        "number that changes.", "",
        "| Rule | Severity | Findings | In all versions |", "| --- | --- | ---: | ---: |",
    ]
    lines += [f"| `{rule}` | {severities[rule]} | {counts[0][rule]} | {counts[1][rule]} |" for rule in rules]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus")
    parser.add_argument("--build", default=".build/debug", help="where SwiftPM built this package")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    modelc = os.path.join(os.path.abspath(arguments.build), "modelc")
    report = Report()
    with tempfile.TemporaryDirectory() as scratch:
        root = os.path.join(scratch, "models")
        # Links may lead out of the corpus.
        shutil.copytree(os.path.join(arguments.corpus, "models"), root, symlinks=True)
        counts, severities = lint(modelc, root, report)
        text = table(counts, severities, len(list(model_files(root))))
        check_format(modelc, root, report)
        check_merge(modelc, root, report)
    if arguments.write:
        with open(TABLE, "w") as file:
            file.write(text)
    written = open(TABLE).read() if os.path.exists(TABLE) else ""
    difference = "\n".join(difflib.unified_diff(written.splitlines(), text.splitlines(), "written", "found", lineterm="", n=0))
    report.check("Documentation/Evidence/CorpusFindings.md is up to date", written == text, difference)
    print(text)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
