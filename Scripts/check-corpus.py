#!/usr/bin/env python3
"""Checks modelc against real data: models, and the files that Apple's tools made of them.

usage: Scripts/check-corpus.py CORPUS [--modelc BINARY]

The corpus is no part of the project; see README.md, "What was run where". Prints a table, and exits with 1 when
anything does not match.
"""
import argparse
import collections
import csv
import hashlib
import os
import subprocess
import sys
import tempfile

STYLES_BEFORE_26 = ["xcode8", "xcode9", "xcode11", "xcode12"]


class Report:
    """Counts checks by name, and remembers what failed."""

    def __init__(self):
        self.passed = collections.Counter()
        self.total = collections.Counter()
        self.failures = []

    def check(self, name, is_right, detail):
        self.total[name] += 1
        if is_right:
            self.passed[name] += 1
        else:
            self.failures.append(f"{name}: {detail}")

    def finish(self):
        for failure in self.failures[:40]:
            print("MISMATCH", failure)
        width = max(len(name) for name in self.total)
        print(f"{'check'.ljust(width)}  matches")
        for name in self.total:
            print(f"{name.ljust(width)}  {self.passed[name]} of {self.total[name]}")
        return 0 if not self.failures else 1


def run(modelc, *arguments):
    return subprocess.run([modelc, *arguments], capture_output=True, text=True, timeout=120)


def body_hash(path):
    """The SHA-256 of a file from its first import on."""
    lines = open(path, "rb").read().split(b"\n")
    for number, line in enumerate(lines):
        if line.startswith((b"import ", b"public import ")):
            return hashlib.sha256(b"\n".join(lines[number:])).hexdigest()
    return None


def check_generated_code(modelc, corpus, report):
    """Compares with the files that Xcode wrote for models of the same commit."""
    with open(os.path.join(corpus, "expected-codegen.tsv"), newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    made = {}
    with tempfile.TemporaryDirectory() as scratch:
        for row in rows:
            styles = STYLES_BEFORE_26 if row["style"] == "any" else [row["style"]]
            for style in styles:
                key = (row["model"], style)
                if key not in made:
                    made[key] = os.path.join(scratch, str(len(made)))
                    for mode in ("build", "manual"):
                        contents = os.path.join(corpus, "codegen", row["model"])
                        run(modelc, "generate", contents, "--style", style, "--mode", mode,
                            "--output", os.path.join(made[key], mode), "--quiet")
            hashes = []
            for style in styles:
                for mode in ("build", "manual"):
                    path = os.path.join(made[(row["model"], style)], mode, row["file"])
                    if os.path.exists(path):
                        hashes.append(body_hash(path))
                        break
                else:
                    hashes.append(None)
            report.check("generated files equal to Xcode's", all(h == row["sha256_of_body"] for h in hashes),
                         f"{row['style']} {row['model']} {row['file']}")


def models(corpus):
    """Every contents file of a model under the corpus."""
    for folder, _, names in sorted(os.walk(os.path.join(corpus, "models"))):
        if "contents" in names and folder.endswith(".xcdatamodel"):
            yield os.path.join(folder, "contents")


def check_models(modelc, corpus, report):
    """Reads every model, and parses what is generated from it."""
    with tempfile.TemporaryDirectory() as scratch:
        sources = []
        for number, contents in enumerate(models(corpus)):
            result = run(modelc, "templates", "context", contents)
            report.check("models read", result.returncode == 0, f"{contents}\n{result.stderr[:2000]}")
            for mode in ("build", "manual"):
                output = os.path.join(scratch, str(number), mode)
                result = run(modelc, "generate", contents, "--mode", mode, "--output", output, "--quiet")
                # 1 is an answer too: the model is wrong, and the error says where.
                is_right = result.returncode == 0 or (result.returncode == 1 and ": error: " in result.stderr)
                report.check("models generated from, or refused with a place", is_right, f"{contents} {mode}\n{result.stderr}")
                if result.returncode == 1:
                    print(f"refused: {os.path.relpath(contents, corpus)} ({mode}): "
                          + result.stderr.split("error: ")[1].split("\n")[0])
                if os.path.isdir(output):
                    sources += [os.path.join(output, name) for name in sorted(os.listdir(output))]
        for start in range(0, len(sources), 200):
            batch = sources[start:start + 200]
            result = subprocess.run(["swiftc", "-frontend", "-parse", *batch], capture_output=True, text=True)
            for path in batch:
                report.check("generated files that swiftc parses", path + ":" not in result.stderr,
                             result.stderr[:500])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus")
    parser.add_argument("--modelc", default=".build/debug/modelc")
    arguments = parser.parse_args()
    report = Report()
    check_generated_code(arguments.modelc, arguments.corpus, report)
    check_models(arguments.modelc, arguments.corpus, report)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
