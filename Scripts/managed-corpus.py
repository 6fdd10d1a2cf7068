#!/usr/bin/env python3
"""Tries the accessors of @NSManaged declarations with real models: those of every entity, as Xcode writes them.

usage: Scripts/managed-corpus.py CORPUS [--build BUILDFOLDER] [--jobs N]

The files that Xcode's menu makes of each model are compiled as the build plugin has them compiled: once as copies, because they
have @objc, and once as they are without @objc. In the second form the compiler refers to the accessors by symbols, and modelc has to
have found every one of them: what is still undefined is a mistake. Prints a table, and exits with 1 when anything is wrong.
"""
import argparse
import collections
import concurrent.futures
import glob
import os
import re
import subprocess
import sys
import tempfile

import corpus_models

MODULE = "CorpusBooks"


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=600)


def flags(build):
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    maps = [os.path.join(build, "CCoreDataSupport.build/module.modulemap")]
    maps += [os.path.join(root, f"Sources/Foundations/{name}/module.modulemap") for name in ("CSQLite3", "CSystemSQLite", "CZlib")]
    return ["-I", os.path.join(build, "Modules")] + [f for path in maps for f in ("-Xcc", f"-fmodule-map-file={path}")]


def prepare(modelc, contents, folder):
    """The model with every entity set to Manual/None, and the files that Xcode's menu would make of it."""
    model = os.path.join(folder, "Model.xcdatamodeld")
    os.makedirs(os.path.join(model, "Model.xcdatamodel"))
    text = open(contents, encoding="utf-8").read()
    text = re.sub(r'\scodeGenerationType="[^"]*"', "", text)
    with open(os.path.join(model, "Model.xcdatamodel", "contents"), "w", encoding="utf-8") as file:
        file.write(text)
    done = run(modelc, "generate", model, "--mode", "manual", "--style", "xcode27", "-o", os.path.join(folder, "Sources"))
    if done.returncode != 0:
        return None, None
    sources = sorted(glob.glob(os.path.join(folder, "Sources", "*.swift")))
    # Types of transformable attributes belong to the app.
    names = set(re.findall(r'customClassName="([^"]*)"', text))
    known = {"NSArray", "NSDictionary", "NSSet", "NSString", "NSObject", "NSNumber", "NSDate", "NSData", "NSURL", "NSValue"}
    names = {name for name in names if re.fullmatch(r"[A-Za-z_]\w*", name) and name not in known}
    helper = os.path.join(folder, "Helper.swift")
    with open(helper, "w", encoding="utf-8") as file:
        file.write("import Foundation\n" + "".join(f"public class {name}: NSObject {{}}\n" for name in sorted(names)))
    return model, sources + [helper]


def built(modelc, folder, model, arguments):
    done = run(modelc, "build-target", "--module", MODULE, "--output", folder, "--model", model, *arguments)
    return sorted(glob.glob(os.path.join(folder, "*.swift"))), done


def is_no_fault(text):
    """Errors of the model or of what it names: types that no platform but Apple's has."""
    return re.search(r"cannot find type '(UI|NSColor|NSImage|NSFont|CL|MK|CK|CG|SK)", text) is not None


def check(modelc, compiler_flags, contents):
    with tempfile.TemporaryDirectory() as folder:
        model, sources = prepare(modelc, contents, folder)
        if model is None:
            return "no code", "", 0
        helper = sources[-1]
        # 1. Copies of excluded sources.
        arguments = [word for source in sources[:-1] for word in ("--excluded-source", source)] + ["--source", helper]
        copies, done = built(modelc, os.path.join(folder, "Copies"), model, arguments)
        if done.returncode != 0:
            return "refused", done.stderr, 0
        done = run("swiftc", "-typecheck", "-module-name", MODULE, *compiler_flags, *copies, helper)
        if done.returncode != 0:
            return ("platform" if is_no_fault(done.stderr) else "copy"), done.stderr, 0
        # 2. The sources themselves, without what Linux refuses.
        for source in sources[:-1]:
            text = open(source, encoding="utf-8").read()
            with open(source, "w", encoding="utf-8") as file:
                file.write(re.sub(r"@objc\([^)]*\)", "", text))
        arguments = [word for source in sources for word in ("--source", source)]
        stubs, done = built(modelc, os.path.join(folder, "Stubs"), model, arguments)
        if done.returncode != 0:
            return "refused", done.stderr, 0
        binary = os.path.join(folder, "Module.o")
        done = run("swiftc", "-c", "-wmo", "-module-name", MODULE, "-o", binary, *compiler_flags, *sources, *stubs)
        if done.returncode != 0:
            return "stubs", done.stderr, 0
        symbols = [line.split()[-2:] for line in run("nm", binary).stdout.splitlines()]
        own = f"$s{len(MODULE)}{MODULE}"
        undefined = sorted(name for kind, name in symbols if kind == "U" and name.startswith(own))
        count = sum(open(path).read().count("@_silgen_name") for path in stubs)
        return ("undefined" if undefined else "right"), "\n".join(undefined), count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("--build", default=".build/debug", help="where SwiftPM built this package")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    modelc = os.path.join(os.path.abspath(arguments.build), "modelc")
    compiler_flags = flags(os.path.abspath(arguments.build))
    models = corpus_models.contents(arguments.corpus)
    results = collections.Counter()
    accessors = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        checks = [pool.submit(check, modelc, compiler_flags, path) for path in models]
        for path, done in zip(models, checks):
            result, detail, count = done.result()
            results[result] += 1
            accessors += count
            if result not in ("right", "no code"):
                errors = [line for line in detail.splitlines() if "error" in line] or detail.splitlines()
                print(result.upper(), os.path.relpath(path, arguments.corpus), *errors[:5], sep="\n    ", flush=True)
    print(f"{results['right']} of {len(models)} models, {accessors} accessors: all symbols found")
    for name in sorted(results):
        print(f"  {name}: {results[name]}")
    sys.exit(0 if set(results) <= {"right", "no code", "platform", "refused"} else 1)


if __name__ == "__main__":
    main()
