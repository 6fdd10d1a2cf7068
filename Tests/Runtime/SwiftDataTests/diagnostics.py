#!/usr/bin/env python3
"""Checks what the compiler says about declarations with SwiftData's macros.

usage: Tests/Runtime/SwiftDataTests/diagnostics.py BUILD

BUILD is the debug folder in which the package of this folder was built. Each declaration is compiled by itself; it must have exactly the errors
that are listed, and the fix-its.
"""

import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(ROOT, "Scripts"))

from runtime_module import import_arguments

# A declaration, the errors, and the fix-its.
CASES = [
    ("@Model final class A { var x = 1; init() {} }", [], []),
    ("@Model struct A { var x = 1 }", ["'@Model' cannot be applied to struct type 'A'"], ["use 'class' instead"]),
    ("@Model protocol A {}", ["'@Model' cannot be applied to this declaration"], []),
    ("@ModelActor final class A {}", ["'@ModelActor' cannot be applied to class type 'A'"], []),
    ("@ModelActor struct A {}", ["'@ModelActor' cannot be applied to struct type 'A'"], []),
    ("@Model final class A { var x = 1 }", ["@Model requires an initializer be provided for 'A'"], ["add an initializer"]),
    ("@Model final class A { @Transient var x: Int; init(x: Int) { self.x = x } }",
     ["@Transient requires non-optional property 'x' to have a default value"], []),
    ("@Model final class A { @Transient var x: Int?; @Transient var y = 1; init() {} }", [], []),
    ("@Model final class A { var description = \"\"; init() {} }", ["Unable to have an Attribute named description"], []),
    ("@Model final class A { @Transient var description = \"\"; init() {} }", [], []),
    ("@Model final class A: CustomStringConvertible { var x = 1; var description: String { \"\" }; init() {} }", [], []),
    ("@Model final class A { init() {} }\nlet a: any Sendable = A()",
     ["conformance of 'A' to 'Sendable' is unavailable: PersistentModels are not Sendable, consider utilizing a ModelActor or use A's "
      "persistentModelID instead."], []),
    # Forms of properties.
    ("@Model final class A { var x = 1 { willSet { } didSet { } }; init() {} }", [], []),
    ("@Model final class A { weak var other: A?; init() {} }", [], []),
    ("@Model final class A { lazy var x = 1; @Transient lazy var y = 2; static let z = 3; init() {} }", [], []),
    ("@Model final class A { private(set) var x: [String: [Int]] = [:]; public fileprivate(set) var y = 1; init() {} }", [], []),
    ("@Model final class A { var `self`: Int = 1; var `init`: Int = 2; var `in`: Int?; init() {} }", [], []),
    ("@Model final class A: NSObject { var x = 1; override init() {} }", [], []),
    # An operator of the class is the witness of `Equatable`, which the macro adds.
    ("@Model final class A { var x = 1; init() {}; static func == (l: A, r: A) -> Bool { l.x == r.x } }", [], []),
    ("@Model public class A { public init() {}; public static func == (l: A, r: A) -> Bool { true } }\n"
     "@Model final class B: A { override init() {} }", [], []),
]


def messages(build, source):
    """Returns the errors and the notes that the compiler reports for a source file. A fix-it of a macro is a note."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "source.swift")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"import SwiftData\n{source}\n")
        plugin = os.path.join(build, "SwiftDataMacros-tool") + "#SwiftDataMacros"
        done = subprocess.run(
            ["swiftc", "-typecheck", "-swift-version", "6", *import_arguments(build), "-diagnostic-style=llvm",
             "-load-plugin-executable", plugin, "-module-name", "Source", path], capture_output=True, text=True)
        kinds = {"error": [], "note": []}
        for line in done.stderr.splitlines():
            match = re.match(r"(?:.*:\d+:\d+|<unknown>:0): (error|note): (.*?)(?: \(from macro .*)?$", line)
            if match:
                kinds[match.group(1)].append(match.group(2))
        return kinds["error"], kinds["note"]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    failures = 0
    for source, errors, fixes in CASES:
        found, notes = messages(sys.argv[1], source)
        if found != errors or not set(fixes) <= set(notes):
            failures += 1
            print(f"{source}\n  errors {found}, expected {errors}\n  notes {notes}, expected {fixes}")
    print(f"{len(CASES)} declarations, {failures} with other messages than expected")
    sys.exit(failures > 0)


main()
