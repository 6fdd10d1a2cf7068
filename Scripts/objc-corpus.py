#!/usr/bin/env python3
"""Checks the Objective-C that modelc generates for real models.

usage: Scripts/objc-corpus.py CORPUS [--build BUILDFOLDER]

Compares with the files that Xcode wrote (expected-codegen-objc.tsv), and has clang check the syntax of the files of every model, with
stubs for Foundation and Core Data. Exits with 1 when anything is wrong.
"""
import argparse
import csv
import glob
import hashlib
import os
import re
import subprocess
import sys
import tempfile

FOUNDATION = """#pragma once
typedef signed char BOOL; typedef short int16_t; typedef int int32_t; typedef long int64_t; typedef unsigned long NSUInteger;
typedef double NSTimeInterval;
#define NS_ASSUME_NONNULL_BEGIN _Pragma("clang assume_nonnull begin")
#define NS_ASSUME_NONNULL_END _Pragma("clang assume_nonnull end")
#define NS_SWIFT_NAME(name) __attribute__((swift_name(#name)))
__attribute__((objc_root_class)) @interface NSObject @end
@protocol NSCopying @end
@interface NSArray<__covariant T> : NSObject @end
@interface NSSet<__covariant T> : NSObject @end
@interface NSOrderedSet<__covariant T> : NSObject @end
@interface NSDictionary<__covariant K, __covariant V> : NSObject @end
"""
FOUNDATION += "".join(
    f"@interface {name} : NSObject @end\n"
    for name in "NSString NSNumber NSDecimalNumber NSDate NSData NSURL NSUUID NSIndexSet NSValue NSAttributedString".split())
CORE_DATA = """#pragma once
#import <Foundation/Foundation.h>
@interface NSManagedObject : NSObject @end
@interface NSManagedObjectID : NSObject @end
@interface NSFetchRequest<T> : NSObject
+ (instancetype)fetchRequestWithEntityName:(NSString *)name;
@end
__attribute__((objc_root_class)) @interface Stub @end
"""


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def body(path):
    """The bytes of a file from its first import on."""
    data = open(path, "rb").read()
    return data[data.index(b"#import"):]


def compare(modelc, corpus, scratch):
    failures = total = 0
    with open(os.path.join(corpus, "expected-codegen-objc.tsv"), newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            total += 1
            digests = set()
            for mode in ("build", "manual"):
                output = os.path.join(scratch, str(total), mode)
                run(modelc, "generate", os.path.join(corpus, row["model"]), "-q", "-o", output, "--mode", mode, "--language",
                    "objc", "--objc-style", row["style"])
                path = os.path.join(output, row["file"])
                if os.path.exists(path):
                    digests.add(hashlib.sha256(body(path)).hexdigest())
            if row["sha256_of_body"] not in digests:
                failures += 1
                print("DIFFERENT", row["style"], row["model"], row["file"])
    print(f"{total - failures} of {total} files equal to Xcode's")
    return failures


def check_syntax(modelc, contents, stubs):
    with tempfile.TemporaryDirectory() as folder:
        text = open(contents, encoding="utf-8").read()
        text = re.sub(r'\scodeGenerationType="[^"]*"', "", text)
        text = re.sub(r"<entity ", '<entity codeGenerationType="class" ', text)
        model = os.path.join(folder, "Model.xcdatamodel")
        os.makedirs(model)
        with open(os.path.join(model, "contents"), "w", encoding="utf-8") as file:
            file.write(text)
        output = os.path.join(folder, "Out")
        done = run(modelc, "generate", model, "-q", "-o", output, "--language", "objc")
        sources = sorted(glob.glob(os.path.join(output, "*.m")))
        if done.returncode != 0 or not sources:
            return None
        if "warning:" in done.stderr and ("[keyword-name]" in done.stderr or "[invalid-type]" in done.stderr):
            # Made for Swift: modelc has said that Objective-C does not compile it.
            return None
        done = run("clang", "-fsyntax-only", "-fblocks", "-Werror", "-Wno-objc-root-class", "-Wno-nullability-completeness",
                   "-x", "objective-c", "-fobjc-runtime=macosx-14", "-I", stubs, "-I", output, *sources)
        return done.stderr if done.returncode != 0 else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("--build", default=".build/debug", help="where SwiftPM built this package")
    arguments = parser.parse_args()
    modelc = os.path.join(os.path.abspath(arguments.build), "modelc")
    with tempfile.TemporaryDirectory() as scratch:
        failures = compare(modelc, arguments.corpus, scratch)
        stubs = os.path.join(scratch, "Stubs")
        for name, text in (("Foundation", FOUNDATION), ("CoreData", CORE_DATA)):
            os.makedirs(os.path.join(stubs, name))
            with open(os.path.join(stubs, name, f"{name}.h"), "w", encoding="utf-8") as file:
                file.write(text)
        right = skipped = 0
        for contents in sorted(glob.glob(os.path.join(arguments.corpus, "models", "**", "contents"), recursive=True)):
            messages = check_syntax(modelc, contents, stubs)
            if messages is None:
                skipped += 1
            elif messages == "":
                right += 1
            else:
                failures += 1
                errors = [line for line in messages.splitlines() if "error" in line]
                print("WRONG", os.path.relpath(contents, arguments.corpus), *errors[:4], sep="\n    ")
    print(f"clang accepts the code of {right} models; {skipped} have none, or names that Objective-C does not have")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
