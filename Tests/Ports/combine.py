#!/usr/bin/env python3
"""Prepares a package that uses Combine for Linux, builds it with OpenCombine, and runs its tests.

usage: Tests/Ports/combine.py --modelc PROGRAM [--scratch FOLDER]

The trait changes how the runtime is compiled, so it takes minutes and belongs to the nightly run. FOLDER is a build folder; without one, the
build is in a temporary folder.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(__file__).resolve().parent / "Combine"


def run(*command, cwd=None):
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def problems(folder, program, scratch):
    package = folder / "Feed"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns(".build", "Package.resolved"))
    code, output = run(program, "prepare-for-linux", package, "--modelc", ROOT)
    if code != 0:
        return [f"the package was not prepared\n{output}"]
    found = [line for line in output.splitlines() if "left out" in line or "add a Swift file" in line]
    manifest = (package / "Package.swift").read_bytes()
    code, output = run(program, "prepare-for-linux", package)
    if "needs no change" not in output or (package / "Package.swift").read_bytes() != manifest:
        found.append(f"the second run is not without effect\n{output}")
    options = ["--scratch-path", scratch or folder / "build"]
    code, output = run("swift", "build", "--build-tests", *options, cwd=package)
    if code != 0:
        return found + [f"the package does not build\n{output[-6000:]}"]
    code, output = run("swift", "test", "--skip-build", *options, cwd=package)
    if code != 0 or "Test Suite 'FeedTests' passed" not in output:
        found.append(f"the tests fail\n{output[-6000:]}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--modelc", type=Path, required=True, help="the program modelc")
    parser.add_argument("--scratch", type=Path, help="a build folder that is kept")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="modelc-combine-"))
    try:
        found = problems(folder, options.modelc.resolve(), options.scratch and options.scratch.resolve())
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for problem in found:
        print(problem)
    print("FAILED" if found else "passed")
    sys.exit(1 if found else 0)


main()
