#!/usr/bin/env python3
"""Runs the tests of the studio's page, in headless Chromium."""

import argparse
import importlib
import os
import pathlib
import signal
import sys
import unittest

import studio_test
import workers


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--screenshots", help="a folder for screenshots")
    parser.add_argument("--benchmark", action="store_true", help="measure instead of testing")
    parser.add_argument("--jobs", type=int, default=3, metavar="N", help="the number of browsers that run tests at once (default: 3)")
    parser.add_argument("tests", nargs="*", metavar="TEST", help="a class or a test, such as EditingTests.test_copy_and_paste (default: all)")
    options = parser.parse_args()
    studio_test.BINARY = os.path.abspath(options.binary)
    # Shells start background jobs with SIGINT ignored, which the studios, ended by SIGINT, would inherit.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if options.screenshots:
        studio_test.SCREENSHOTS = pathlib.Path(options.screenshots)
        studio_test.SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    if options.benchmark:
        return importlib.import_module("benchmarks").main(options.tests)
    module = sys.modules["__main__"]
    for path in sorted(pathlib.Path(__file__).parent.glob("*_tests.py")):
        tests = vars(importlib.import_module(path.stem))
        vars(module).update({name: value for name, value in tests.items()
                             if isinstance(value, type) and issubclass(value, unittest.TestCase)})
    loader = unittest.defaultTestLoader
    suite = loader.loadTestsFromNames(options.tests, module) if options.tests else loader.loadTestsFromModule(module)
    return 0 if workers.run(suite, max(1, options.jobs)) else 1


if __name__ == "__main__":
    sys.exit(main())
