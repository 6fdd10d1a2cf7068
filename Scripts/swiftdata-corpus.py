#!/usr/bin/env python3
"""Checks the SwiftData code that modelc generates for real models.

usage: Scripts/swiftdata-corpus.py CORPUS [--build BUILDFOLDER] [--verbose]

For every model: swiftc parses the code, modelc reads it back, and the version hash of each entity is that of the Core Data model unless
a finding names the entity. Exits with 1 when anything is wrong.
"""
import argparse
import collections
import glob
import json
import os
import re
import subprocess
import sys
import tempfile


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def hashes(modelc, path):
    """The hashes by version and entity."""
    done = run(modelc, "hash", path, "--format", "json")
    if done.returncode == 2 or not done.stdout:
        return {}
    return {version["name"]: version["entities"] for version in json.loads(done.stdout)["versions"]}


def check(modelc, model, counts, verbose):
    with tempfile.TemporaryDirectory() as output:
        done = run(modelc, "generate", model, "-q", "-o", output, "--language", "swiftdata")
        if done.returncode not in (0, 1):
            counts["models that cannot be read"] += 1
            return []
        if done.returncode == 1:
            counts["models with errors, for which nothing is written"] += 1
            if verbose:
                print(model, *re.findall(r"error: .*", done.stderr)[:3], sep="\n    ")
            return [] if not os.listdir(output) else ["files were written in spite of errors"]
        problems = []
        sources = sorted(glob.glob(os.path.join(output, "*.swift")))
        parsed = run("swiftc", "-frontend", "-parse", "-swift-version", "6", *sources)
        if parsed.returncode != 0:
            problems += [line for line in parsed.stderr.splitlines() if "error" in line][:4]
        counts["models whose code swiftc parses"] += parsed.returncode == 0
        differing = set(re.findall(r"the version hash of “(.*?)” differs", done.stderr))
        isUnknown = "the version hashes of the SwiftData model are unknown" in done.stderr
        original, generated = hashes(modelc, model), hashes(modelc, output)
        for source in sources:
            text = open(source, encoding="utf-8").read()
            found = re.search(r"^/// The version “(.*)”\.$", text, re.M)
            name = re.search(r"enum (\w+): VersionedSchema", text)
            if not found or not name:
                continue
            counts["versions"] += 1
            read = generated.get(name[1])
            if read is None:
                counts["versions that cannot be read back"] += 1
                if not isUnknown:
                    problems.append(f"“{found[1]}” cannot be read back, and no finding says so")
                continue
            counts["versions read back"] += 1
            counts["versions with all hashes equal"] += original[found[1]] == read
            for entity, value in original[found[1]].items():
                if read.get(entity) == value:
                    counts["entities with equal hashes"] += 1
                elif entity in differing:
                    counts["entities with other hashes, as a finding says"] += 1
                else:
                    problems.append(f"{found[1]}: the hash of “{entity}” differs, and no finding says so")
        for rule, count in collections.Counter(re.findall(r"\[(swiftdata-\w+)\]", done.stderr)).items():
            counts[f"findings {rule}"] += count
        return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("--build", default=".build/debug", help="where SwiftPM built this package")
    parser.add_argument("--verbose", action="store_true", help="print the models with errors")
    arguments = parser.parse_args()
    modelc = os.path.join(os.path.abspath(arguments.build), "modelc")
    bundles = sorted(glob.glob(os.path.join(arguments.corpus, "models", "**", "*.xcdatamodeld"), recursive=True))
    bare = sorted(glob.glob(os.path.join(arguments.corpus, "models", "**", "*.xcdatamodel"), recursive=True))
    models = bundles + [path for path in bare if not os.path.dirname(path).endswith(".xcdatamodeld")]
    counts, wrong = collections.Counter(), 0
    for model in models:
        problems = check(modelc, model, counts, arguments.verbose)
        if problems:
            wrong += 1
            print("WRONG", os.path.relpath(model, arguments.corpus), *problems[:6], sep="\n    ")
    print(f"{len(models)} models")
    for name, count in sorted(counts.items()):
        print(f"{count:6} {name}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
