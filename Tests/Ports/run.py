#!/usr/bin/env python3
"""Builds packages that were written for iOS, with nothing but a manifest for Linux, and runs their tests.

usage: Tests/Ports/run.py [--scratch FOLDER]

All ports are targets of one package, so that modelc and the runtime are built once.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Scripts"))
import build_folder

PORTS = Path(__file__).resolve().parent
TARGETS = ["Inbox", "Journal", "QueryBuilder", "Repository", "Shelf", "Shop"]
# The only source that needs a framework of Apple's.
EXCLUDED = "CustomersViewController.swift"


def swift(folder, *arguments):
    command = ["swift", *arguments, "--scratch-path", str(folder)]
    done = subprocess.run(
        command, cwd=PORTS, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def problems(folder):
    start = time.monotonic()
    build_folder.prepare(folder)
    code, output = swift(folder, "build", "--build-tests")
    print(f"build: {time.monotonic() - start:.0f} s", flush=True)
    if code != 0:
        return [f"the ports do not build\n{output[-6000:]}"]
    found = []
    for line in output.splitlines():
        if re.search(r"/Ports/.*: warning:", line) or re.search(r": note: “(?!" + EXCLUDED + ")", line):
            found.append(line)
    if f"“{EXCLUDED}” stays excluded: Linux does not have “UIKit”" not in output and (folder / "debug").exists() \
            and "Compiling the models of Shop" in output:
        found.append(f"nothing says that {EXCLUDED} stays excluded")
    start = time.monotonic()
    code, output = swift(folder, "test", "--skip-build")
    print(f"tests: {time.monotonic() - start:.0f} s", flush=True)
    if code != 0:
        return found + [f"tests fail\n{output[-6000:]}"]
    return found + [
        f"the tests of {name} did not run" for name in TARGETS if f"Test Suite '{name}Tests' passed" not in output]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scratch", type=Path, help="the build folder of another package, which has modelc and the runtime")
    options = parser.parse_args()
    folder = options.scratch.resolve() if options.scratch else Path(tempfile.mkdtemp(prefix="modelc-ports-"))
    try:
        found = problems(folder)
    finally:
        if not options.scratch:
            shutil.rmtree(folder, ignore_errors=True)
    for problem in found:
        print(problem)
    print("FAILED" if found else "passed")
    sys.exit(1 if found else 0)


main()
