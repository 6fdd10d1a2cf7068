#!/usr/bin/env python3
"""Checks modelc against real data: models, and the files that Apple's tools made of them.

usage: Scripts/check-corpus.py CORPUS [--build BUILDFOLDER]

The corpus is not part of the project; see Documentation/Evidence/README.md. Prints a table, and exits with 1 when
anything does not match.
"""
import argparse
import collections
import csv
import glob
import hashlib
import json
import os
import plistlib
import shutil
import subprocess
import sys
import tempfile

from archives import OTHER_SOURCE, Archive, differences, is_mutable_string, without_known_differences
from report import Report

STYLES_BEFORE_26 = ["xcode8", "xcode9", "xcode11", "xcode12"]


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


def hashes(modelc, path):
    """What `modelc hash` says of a model: hashes by entity for each version, and the whole answer."""
    result = run(modelc, "hash", path, "--format", "json")
    try:
        answer = json.loads(result.stdout)
    except ValueError:
        return {}, {"error": result.stderr}
    return {version["name"]: version["entities"] for version in answer["versions"]}, answer


def check_hashes(modelc, corpus, report):
    """Compares with the version hashes that Apple's tools wrote."""
    made = {}
    with open(os.path.join(corpus, "expected-version-hashes.tsv"), newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if row["model"] not in made:
                made[row["model"]] = hashes(modelc, os.path.join(corpus, row["model"]))[0]
            ours = [entities.get(row["entity"]) for entities in made[row["model"]].values()]
            report.check("version hashes equal to Apple's", ours == [row["sha256"]], f"{row['model']} {row['entity']}")


def read(path):
    with open(path, "rb") as file:
        return file.read()


def compiler_key(difference):
    """The compiler's version in the root, absent in older files (Documentation/Formats/CompiledModel.md, 2.10)."""
    return difference.startswith((".CDMCompilerXcodeVersion", ".CDMCompilerToolVersion"))


def check_compiled(modelc, corpus, report):
    """Compiles sources and compares with what Apple's compiler made of them."""
    bundles = collections.defaultdict(dict)
    with open(os.path.join(corpus, "compiled-sources.tsv"), newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    with tempfile.TemporaryDirectory() as scratch:
        for row in rows:
            name = os.path.basename(row["compiled"])
            source = os.path.dirname(os.path.join(corpus, row["source"]))
            output = os.path.join(scratch, name)
            result = run(modelc, "compile", source, output, "--quiet")
            # A pair whose source is not the very file that Apple's compiler saw is equal but for what changed since.
            others = next((places for folder, places in OTHER_SOURCE.items() if folder in row["compiled"]), ())
            check = "compiled models equal to Apple's" + (" but for what changed in the source since" if others else "")
            if result.returncode != 0 or not os.path.exists(output):
                report.check(check, False, f"{row['compiled']}: {result.stderr[:500]}")
                continue
            apple, ours = Archive(read(os.path.join(corpus, row["compiled"]))), Archive(read(output))
            found, _ = without_known_differences(differences(apple, apple.root, ours, ours.root))
            found = [d for d in found if not compiler_key(d)]
            report.check(check, all(d.startswith(others) for d in found),
                         f"{row['compiled']}: {len(found)} differences\n    " + "\n    ".join(found[:8]))
            bundles[os.path.dirname(row["compiled"])][name[:-4]] = source
        for bundle, sources in sorted(bundles.items()):
            check_version_info(modelc, corpus, bundle, sources, scratch, report)


def check_version_info(modelc, corpus, bundle, sources, scratch, report):
    """Compiles a bundle of which every version has a source, and compares its VersionInfo.plist."""
    path = os.path.join(corpus, bundle, "VersionInfo.plist")
    if not os.path.exists(path):
        return
    apple = plistlib.loads(read(path))
    if set(apple["NSManagedObjectModel_VersionHashes"]) != set(sources):
        return
    source = os.path.join(scratch, "Bundle.xcdatamodeld")
    shutil.rmtree(source, ignore_errors=True)
    for name, folder in sources.items():
        shutil.copytree(folder, os.path.join(source, name + ".xcdatamodel"))
    current = apple.get("NSManagedObjectModel_CurrentVersionName")
    if current:
        with open(os.path.join(source, ".xccurrentversion"), "wb") as file:
            plistlib.dump({"_XCCurrentVersionName": current + ".xcdatamodel"}, file)
    output = os.path.join(scratch, "Bundle.momd")
    result = run(modelc, "compile", source, output, "--quiet")
    ours = plistlib.loads(read(os.path.join(output, "VersionInfo.plist"))) if result.returncode == 0 else {}
    if "NSManagedObjectModel_VersionChecksums" not in apple:
        ours.pop("NSManagedObjectModel_VersionChecksums", None)
    report.check("VersionInfo.plist equal to Apple's", ours == apple, f"{bundle}: {result.stderr[:500]}")


def check_decompiling(modelc, corpus, report):
    """Reads every compiled model of Apple's, makes a source of it and compiles that."""
    for path in sorted(glob.glob(os.path.join(glob.escape(corpus), "compiled", "**", "*.mom"), recursive=True)):
        before, answer = hashes(modelc, path)
        report.check("Apple's compiled models read", before != {} and list(before.values())[0] != {}, f"{path}: {answer}")
        info = os.path.join(os.path.dirname(path), "VersionInfo.plist")
        if os.path.exists(info):
            stated = plistlib.loads(read(info))["NSManagedObjectModel_VersionHashes"][os.path.basename(path)[:-4]]
            report.check("hashes of read models equal to their VersionInfo.plist",
                         [{k: v.hex() for k, v in stated.items()}] == list(before.values()), path)
        with tempfile.TemporaryDirectory() as scratch:
            source, again = os.path.join(scratch, "M.xcdatamodel"), os.path.join(scratch, "M.mom")
            results = [run(modelc, "decompile", path, source), run(modelc, "compile", source, again, "--quiet")]
            after = hashes(modelc, again)[0] if os.path.exists(again) else {}
            report.check("decompiled and compiled: same hashes", list(after.values()) == list(before.values()),
                         f"{path}: {[result.stderr[:300] for result in results]}")
            if after:
                apple, ours = Archive(read(path)), Archive(read(again))
                found, _ = without_known_differences(differences(apple, apple.root, ours, ours.root))
                found = [d for d in found if not compiler_key(d) and not is_mutable_string(d)]
                report.check("decompiled and compiled: same archive", not found, f"{path}: " + "\n    ".join(found[:5]))


def check_stores(modelc, corpus, report):
    """Compares the model in each store with the hashes in its metadata."""
    for path in sorted(glob.glob(os.path.join(glob.escape(corpus), "stores", "**", "*.sqlite"), recursive=True)):
        files = sorted(os.listdir(os.path.dirname(path)))
        stated, answer = hashes(modelc, path)
        report.check("stores read", stated != {}, f"{path}: {answer}")
        with tempfile.TemporaryDirectory() as scratch:
            source = os.path.join(scratch, "M.xcdatamodel")
            result = run(modelc, "decompile", path, source)
            has_model = "no-model-in-store" not in result.stderr
            report.check("stores decompiled, or said to hold no model", os.path.exists(source) == has_model, path)
            if os.path.exists(source):
                computed = hashes(modelc, source)[0]
                report.check("models in stores: hashes equal to the metadata",
                             list(computed.values()) == list(stated.values()), f"{path}: {result.stderr[:500]}")
        report.check("stores left as they were", files == sorted(os.listdir(os.path.dirname(path))), path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus")
    parser.add_argument("--build", default=".build/debug", help="where SwiftPM built this package")
    arguments = parser.parse_args()
    report = Report()
    modelc = os.path.join(os.path.abspath(arguments.build), "modelc")
    check_generated_code(modelc, arguments.corpus, report)
    check_models(modelc, arguments.corpus, report)
    check_hashes(modelc, arguments.corpus, report)
    check_compiled(modelc, arguments.corpus, report)
    check_decompiling(modelc, arguments.corpus, report)
    check_stores(modelc, arguments.corpus, report)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
