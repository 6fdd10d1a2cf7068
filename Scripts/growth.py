#!/usr/bin/env python3
"""Checks that the work of every command grows with its input and not with its square.

usage: Scripts/growth.py [--modelc FILE] [--only NAME[,NAME...]] [--scale NUMBER]

Runs modelc under valgrind, which counts instructions, with inputs of 1, 2, 4 and 8 times a size. What is counted does not depend on how
busy the machine is. The start of the program is subtracted. The last doubling may take at most LIMIT times the instructions of the one
before: 2 for linear work, slightly more with sorting, 4 for quadratic work.
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIMIT = 2.6
FACTORS = (1, 2, 4, 8)
MODELC = ""
HEADER = ('<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
          '<model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift">\n')


def attribute(name, more=""):
    return f'<attribute name="{name}" optional="YES" attributeType="String"{more}/>'


def contents(entities):
    return HEADER + "\n".join(entities) + "\n</model>\n"


def entity(name, properties, more=""):
    return f'<entity name="{name}" representedClassName="{name}" codeGenerationType="class"{more}>{"".join(properties)}</entity>'


def related(count):
    """Entities that refer to each other, with parents, indexes and fetch requests."""
    result = []
    for number in range(count):
        last, following = (number - 1) % count, (number + 1) % count
        result.append(entity(f"E{number}", [
            attribute("name"), attribute("code"),
            f'<relationship name="next" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="E{following}" '
            f'inverseName="last" inverseEntity="E{following}"/>',
            f'<relationship name="last" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="E{last}" '
            f'inverseName="next" inverseEntity="E{last}"/>',
            '<fetchIndex name="byName"><fetchIndexElement property="name" type="Binary" order="ascending"/></fetchIndex>',
            '<uniquenessConstraints><uniquenessConstraint><constraint value="code"/></uniquenessConstraint></uniquenessConstraints>',
        ]))
    return result


def model(folder, name, entities, bundle="M.xcdatamodeld"):
    path = folder / bundle / f"{name}.xcdatamodel"
    path.mkdir(parents=True)
    (path / "contents").write_text(contents(entities))
    return bundle


# Each case writes its input into a folder and returns the arguments of modelc.
CASES = {}


def case(size, exits=(0,)):
    def add(function):
        CASES[function.__name__.replace("_", "-")] = (function, size, exits)
        return function
    return add


def command(name, size, *arguments, exits=(0,)):
    """A command on a model of many entities."""
    CASES[name] = (lambda folder, count: [name, model(folder, "M", related(count)), *arguments], size, exits)


command("lint", 12, exits=(0, 1))
command("format", 12, "--check", exits=(0, 1))
command("inspect", 12)
command("hash", 12)
command("compile", 12, "M.momd")
command("generate", 6, "--output", "Out")
command("graph", 6)


@case(20)
def renamed_attributes(folder, count):
    """Attributes with new names, without renaming identifiers."""
    model(folder, "A", [entity("Book", [attribute(f"old{number}") for number in range(count * 30)])], "A.xcdatamodeld")
    model(folder, "B", [entity("Book", [attribute(f"new{number}") for number in range(count * 30)])], "B.xcdatamodeld")
    return ["diff", "A.xcdatamodeld", "B.xcdatamodeld"]


@case(40)
def identified_attributes(folder, count):
    """Attributes with new names and renaming identifiers, in reverse order."""
    model(folder, "A", [entity("Book", [attribute(f"old{number}") for number in range(count)])], "A.xcdatamodeld")
    model(folder, "B", [entity("Book", [attribute(f"new{count - number}", f' elementID="old{number}"') for number in range(count)])], "B.xcdatamodeld")
    return ["diff", "A.xcdatamodeld", "B.xcdatamodeld"]


@case(12)
def moved_attributes(folder, count):
    """Attributes that another entity of the hierarchy declares."""
    def entities(owner):
        return [entity("Root", []), *(entity(name, [attribute(f"a{number}") for number in range(count)] if name == owner else [],
                                             ' parentEntity="Root"') for name in ("One", "Two"))]
    model(folder, "A", entities("One"), "A.xcdatamodeld")
    model(folder, "B", entities("Two"), "B.xcdatamodeld")
    return ["diff", "A.xcdatamodeld", "B.xcdatamodeld"]


@case(10)
def deep_inheritance(folder, count):
    return ["lint", model(folder, "M", [entity(f"E{number}", [attribute(f"a{number}")], f' parentEntity="E{number - 1}"' if number else "")
                                        for number in range(count)])]


def targets(folder, count):
    names = [f"Target{number}" for number in range(count)]
    for name in names:
        (folder / "Sources" / name).mkdir(parents=True)
        (folder / "Sources" / name / "File.swift").write_text("import CoreData\nclass A: NSManagedObject {}\n")
    (folder / "Package.swift").write_text(
        '// swift-tools-version: 6.0\nimport PackageDescription\nlet package = Package(name: "P", targets: [\n'
        + "".join(f'    .target(name: "{name}"),\n' for name in names) + "])\n")


@case(15)
def port(folder, count):
    targets(folder, count)
    return ["port", "."]


@case(15, exits=(0, 1, 2))
def prepare_for_linux(folder, count):
    targets(folder, count)
    return ["prepare-for-linux", "--modelc", "https://example.com/modelc"]


@case(15, exits=(0, 1))
def doctor(folder, count):
    targets(folder, count)
    return ["doctor"]


@case(40, exits=(0, 1, 2))
def unclosed_targets(folder, count):
    (folder / "Package.swift").write_text("// swift-tools-version: 6.0\n" + ".target(\n" * count)
    return ["port", "."]


@case(30)
def swift_data(folder, count):
    (folder / "Models.swift").write_text("\n".join(
        f'@Model final class M{number} {{ var name = ""; var next: M{(number + 1) % count}?\n'
        f'@Relationship(inverse: \\M{(number - 1) % count}.next) var last: M{(number - 1) % count}? }}' for number in range(count)))
    return ["hash", "Models.swift"]


@case(250, exits=(0, 1, 2))
def nested_models(folder, count):
    (folder / "Models.swift").write_text("@Model class M { var x = 0 }\n" + "class A {\n" * count + "}\n" * count)
    return ["hash", "Models.swift"]


@case(250, exits=(0, 1))
def nested_types(folder, count):
    """Sources beside a Core Data model."""
    (folder / "Sources").mkdir()
    (folder / "Sources/Types.swift").write_text("import CoreData\n" + "class A<T> {\n" * count + "}\n" * count)
    return ["lint", model(folder, "M", related(1)), "--sources", "Sources"]


@case(250, exits=(0, 1))
def types_without_bodies(folder, count):
    (folder / "Sources").mkdir()
    (folder / "Sources/Types.swift").write_text("import CoreData\n" + "class A\n" * count)
    return ["lint", model(folder, "M", related(1)), "--sources", "Sources"]


@case(100, exits=(0, 1, 2))
def nested_calls(folder, count):
    (folder / "Models.swift").write_text("@Model class M { var x = 0 }\nlet s = " + "Schema(" * count + ")" * count)
    return ["hash", "Models.swift"]


@case(8, exits=(0, 1))
def merge(folder, count):
    for name, more in (("base", []), ("ours", [attribute("mine")]), ("theirs", [attribute("theirs")])):
        (folder / name).write_text(contents([entity(f"E{number}", [attribute("name"), *more]) for number in range(count)]))
    return ["merge-driver", "base", "ours", "theirs", "--path", "M.xcdatamodel/contents"]


@case(10)
def lock(folder, count):
    model(folder, "M", related(count))
    return ["lock", "update"]


@case(3, exits=(0, 1))
def versions(folder, count):
    """Versions of a model, each of which migrates to the last one."""
    for number in range(count):
        model(folder, f"M {number:03}", [entity("Book", [attribute(f"a{number}")])])
    (folder / "M.xcdatamodeld/.xccurrentversion").write_text(
        '<plist version="1.0"><dict><key>_XCCurrentVersionName</key>'
        f'<string>M {count - 1:03}.xcdatamodel</string></dict></plist>\n')
    return ["migrate", "check", "M.xcdatamodeld"]


def store_command(name, *arguments):
    """A command on a store of many entities."""
    def run(folder, count):
        made = subprocess.run([f"{MODELC}-store", "make", model(folder, "M", related(count)), "--rows", "2", "--output", "a.sqlite"],
                              cwd=folder, capture_output=True, text=True)
        if made.returncode != 0:
            raise RuntimeError(made.stderr)
        return ["store", name, "a.sqlite", *arguments]
    CASES[f"store-{name}"] = (run, 12, (0, 1))


store_command("check")
store_command("diff", "a.sqlite")


def instructions(modelc, folder, arguments, exits):
    """Returns the number of instructions that a run takes."""
    # The program that modelc starts for such commands. valgrind cannot read its debug information.
    if arguments[0] == "store":
        subprocess.run(["strip", "--strip-debug", "-o", folder / "program", f"{modelc}-store"], check=True)
        modelc, arguments = str(folder / "program"), arguments[1:]
    log = folder / "valgrind.log"
    done = subprocess.run(
        ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", f"--log-file={log}", modelc, *arguments],
        cwd=folder, capture_output=True, text=True)
    count = re.search(r"I +refs: +([\d,]+)", log.read_text())
    if done.returncode not in exits or not count:
        raise RuntimeError(f"{' '.join(arguments)}: exit code {done.returncode}\n{done.stderr[-2000:]}{done.stdout[-500:]}")
    return int(count[1].replace(",", ""))


def measure(modelc, name, scale):
    function, size, exits = CASES[name]
    counts = []
    for factor in FACTORS:
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            # Nothing above it is a repository or has settings.
            (folder / ".git").mkdir()
            counts.append(instructions(modelc, folder, function(folder, size * scale * factor), exits))
    return counts


def ratios(counts):
    """Returns how much more each doubling adds than the one before; the constant part of the work cancels out."""
    steps = [after - before for before, after in zip(counts, counts[1:])]
    return [after / before if before > 0 else 0 for before, after in zip(steps, steps[1:])]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--modelc", default=str(ROOT / ".build/debug/modelc"))
    parser.add_argument("--only", help="the names of cases, separated by commas")
    parser.add_argument("--scale", type=int, default=8 if os.environ.get("MODELC_NIGHTLY") else 1, help="a factor for all sizes")
    options = parser.parse_args()
    global MODELC
    MODELC = modelc = str(Path(options.modelc).resolve())
    names = options.only.split(",") if options.only else list(CASES)
    failures = []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        futures = {name: pool.submit(measure, modelc, name, options.scale) for name in names}
        for name, future in futures.items():
            try:
                counts = future.result()
            except RuntimeError as error:
                failures.append(name)
                print(f"FAIL {name}: {error}", flush=True)
                continue
            growth = ratios(counts)
            failed = growth[-1] > LIMIT
            if failed:
                failures.append(name)
            print(f"{'FAIL' if failed else 'ok  '} {name:24} {' '.join(f'{count / 1e6:9.1f}' for count in counts)} million instructions, "
                  f"growth {' '.join(f'{one:.2f}' for one in growth)}", flush=True)
    print(f"{len(names) - len(failures)} of {len(names)} cases grow with their input")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
