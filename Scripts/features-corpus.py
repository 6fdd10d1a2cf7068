#!/usr/bin/env python3
"""Compiles the code of every feature of `modelc generate --with` for real models, over modelc's Core Data.

usage: Scripts/features-corpus.py CORPUS [--build BUILDFOLDER] [--jobs N]

Every entity is set to Class Definition. The portable code of all features together is type-checked in Swift 6 mode, and so is the code
for Apple's platforms, with Objective-C interoperability and stand-ins for Apple's classes (Scripts/apple-stubs). The output without
features and the version hashes have to be the same as those of the model without its userInfo. Prints what is wrong, and exits with 1
when anything is.
"""
import argparse
import collections
import concurrent.futures
import glob
import importlib.util
import os
import re
import subprocess
import sys
import tempfile

import corpus_models

FEATURES = "raw,codable,optionals,required,sets,ids,init,keys,fetches,docs,final"


def managed_corpus():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "managed-corpus.py")
    spec = importlib.util.spec_from_file_location("managed_corpus", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SHARED = managed_corpus()


def write_model(folder, text):
    bundle = os.path.join(folder, "Model.xcdatamodeld", "Model.xcdatamodel")
    os.makedirs(bundle)
    with open(os.path.join(bundle, "contents"), "w", encoding="utf-8") as file:
        file.write(text)
    return os.path.dirname(bundle)


def generated(modelc, model, output, *arguments, flavor="portable"):
    done = SHARED.run(modelc, "generate", model, "-q", "-o", output, "--flavor", flavor, *arguments)
    return sorted(glob.glob(os.path.join(output, "*.swift"))), done


def helper(folder, text):
    """The types that the model names and the app declares."""
    names = set(re.findall(r'customClassName="([^"]*)"', text))
    names |= set(re.findall(r'key="(?:attributeValueClassName|modelc\.type)" value="([^"]*)"', text))
    known = {"NSArray", "NSDictionary", "NSSet", "NSString", "NSObject", "NSNumber", "NSDate", "NSData", "NSURL", "NSValue"}
    lines = ["import Foundation"]
    for name in sorted(names - known):
        if re.fullmatch(r"[A-Za-z_]\w*", name):
            lines.append(f"public class {name}: NSObject {{}}")
    for attribute in re.findall(r"<attribute .*?</attribute>", text, re.S):
        raw = re.search(r'key="(?:modelc\.rawType|RawType|attributeValueScalarType)" value="(\w+)"', attribute)
        kind = re.search(r'attributeType="([^"]*)"', attribute)
        if raw and kind:
            value = "Int" if kind[1].startswith("Integer") else kind[1]
            failable = "" if "nonOptionalInit" in attribute else "?"
            lines.append(
                f"public struct {raw[1]}: RawRepresentable {{ public var rawValue: {value}; "
                f"public init{failable}(rawValue: {value}) {{ self.rawValue = rawValue }} }}")
    path = os.path.join(folder, "Helper.swift")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(dict.fromkeys(lines)) + "\n")
    return path


STUBS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "apple-stubs")
INTEROPERABILITY = ["-enable-objc-interop", "-disable-objc-attr-requires-foundation-module"]


def build_stubs(folder):
    """The stand-in for Apple's Core Data; returns the flags to compile with it."""
    module = os.path.join(folder, "CoreData.swiftmodule")
    done = SHARED.run(
        "swiftc", "-frontend", "-emit-module", "-parse-as-library", "-module-name", "CoreData", "-swift-version", "6",
        "-experimental-skip-all-function-bodies", "-o", module, *INTEROPERABILITY, os.path.join(STUBS, "CoreData.swift"))
    if done.returncode != 0:
        sys.exit(done.stderr)
    flags = ["swiftc", "-typecheck", "-wmo", "-parse-as-library", "-swift-version", "6", "-I", folder]
    return flags + [word for flag in INTEROPERABILITY for word in ("-Xfrontend", flag)]


def check_apple(modelc, compiler, model, folder, helper, arguments):
    """Type-checks the code for Apple's platforms."""
    stubs = os.path.join(STUBS, "FoundationClasses.swift")
    sources, done = generated(modelc, model, os.path.join(folder, "Apple"), *arguments, flavor="xcode")
    if done.returncode != 0:
        return "refused", done.stderr
    done = SHARED.run(*compiler, *sources, helper, stubs)
    if done.returncode == 0:
        return "right", ""
    plain, _ = generated(modelc, model, os.path.join(folder, "PlainApple"), "--with", "none", flavor="xcode")
    isPlatform = SHARED.run(*compiler, *plain, helper, stubs).returncode != 0
    return "platform" if isPlatform else "wrong for Apple", done.stderr


def check(modelc, compiler_flags, apple_compiler, contents):
    with tempfile.TemporaryDirectory() as folder:
        text = open(contents, encoding="utf-8").read()
        text = re.sub(r'\scodeGenerationType="[^"]*"', "", text)
        text = re.sub(r"<entity ", '<entity codeGenerationType="class" ', text)
        model = write_model(folder, text)
        plain, done = generated(modelc, model, os.path.join(folder, "Plain"), "--with", "none")
        if done.returncode != 0 or not plain:
            return "no code", ""
        bare = write_model(os.path.join(folder, "Bare"), re.sub(r"<userInfo>.*?</userInfo>|<userInfo/>", "", text, flags=re.S))
        without, _ = generated(modelc, bare, os.path.join(folder, "Without"), "--with", "none")
        if open(plain[0]).read() != open(without[0]).read():
            return "default changed", ""
        hashes = [SHARED.run(modelc, "hash", path, "--format", "json") for path in (model, bare)]
        if hashes[0].returncode != 0 or hashes[0].stdout != hashes[1].stdout:
            return "hashes changed", hashes[0].stderr
        arguments = ["--with", FEATURES]
        sources, done = generated(modelc, model, os.path.join(folder, "Sources"), *arguments)
        if "code-name-collision" in done.stderr:
            # A class is called `Attributes`, for example.
            arguments += ["--keys-style", "mogenerator"]
            sources, done = generated(modelc, model, os.path.join(folder, "Sources"), *arguments)
        if done.returncode != 0:
            return "refused", done.stderr
        # What Xcode's code alone does not compile with is not this check's concern.
        files = [helper(folder, text)]
        command = ["swiftc", "-typecheck", "-parse-as-library", "-swift-version", "6", *compiler_flags]
        done = SHARED.run(*command, *sources, *files)
        if done.returncode == 0:
            if "warning:" in done.stderr:
                return "warnings", done.stderr
            return check_apple(modelc, apple_compiler, model, folder, files[0], arguments)
        if SHARED.run(*command, *plain, *files).returncode != 0:
            return "platform", done.stderr
        return "wrong", done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("--build", default=".build/debug", help="where SwiftPM built this package")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    modelc = os.path.join(os.path.abspath(arguments.build), "modelc")
    compiler_flags = SHARED.flags(os.path.abspath(arguments.build))
    models = corpus_models.contents(arguments.corpus)
    results = collections.Counter()
    with tempfile.TemporaryDirectory() as stubs, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        apple_compiler = build_stubs(stubs)
        checks = [pool.submit(check, modelc, compiler_flags, apple_compiler, path) for path in models]
        for path, done in zip(models, checks):
            result, detail = done.result()
            results[result] += 1
            if result not in ("right", "no code", "platform"):
                lines = [line for line in detail.splitlines() if "error" in line or "warning" in line] or detail.splitlines()
                print(result.upper(), os.path.relpath(path, arguments.corpus), *lines[:5], sep="\n    ", flush=True)
    print(", ".join(f"{count} {result}" for result, count in results.most_common()), f"of {len(models)} models")
    sys.exit(0 if set(results) <= {"right", "no code", "platform"} else 1)


if __name__ == "__main__":
    main()
