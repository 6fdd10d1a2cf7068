#!/usr/bin/env python3
"""Runs the project's checks, as .ci/run and Scripts/nightly.sh do, and prints how long each took.

usage: Scripts/checks.py [--nightly] [--list] [--only STEP[,STEP...]] [--logs FOLDER]

All packages of the repository are built in one folder, .build, so that each module is compiled once. Steps are in lanes: those of a lane
run one after the other, and the lanes beside each other, because many steps wait more than they compute. A step of any lane runs in the one
that has ended first. The output of a step is printed when it ends; failures are repeated last. A step whose prerequisite failed does not
run, and counts as failed.

--nightly adds the steps and the long forms that are too slow for every change. --only runs the named steps without their prerequisites.
"""

import argparse
import collections
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

import build_folder

ROOT = Path(__file__).resolve().parents[1]
CORPUS = ROOT.parent / "shared/corpus"
# Where `swift test` writes how long each test took.
TIMES = ROOT / ".build/test-times-swift-testing.xml"
# What a failing step prints that says why, with the lines after it.
REASON = re.compile(
    r"✘(?!.*known issue)|\.swift:\d+:\d+: (error|warning):|^error:|FAIL|^ERROR|^Traceback|Fatal error|MISMATCH")


@dataclass(frozen=True)
class Step:
    """A step: shell commands, run in the repository's root with `set -euo pipefail`."""

    name: str
    # One of the lanes, or "any".
    lane: str
    commands: str
    after: tuple = ()
    # Whether the step needs the corpus, which is not part of the repository.
    corpus: bool = False
    # Whether the step runs in nightly runs only.
    nightly: bool = False
    # The commands of a nightly run, if they are others.
    long: str = ""


def readme_command(index):
    """One of the two commands of README's section "Try it", as it stands."""
    section = re.search(r"^## Try it$(.*?)^## ", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)[1]
    commands = re.findall(r"^```sh\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    if len(commands) != 2:
        raise SystemExit("error: README.md has other commands than modelc generate and swift test")
    return commands[index]


def steps():
    # SwiftPM lets one command at a time use a build folder: what builds is one lane.
    return [
        Step("format", "checks", "Scripts/format.sh --lint"),
        Step("prose", "checks", "Scripts/check-prose.py\nScripts/check-pages.py"),

        Step("build", "build", """
            swift build --build-tests 2>&1 | tee .build/checks-build.log
            Scripts/build-package.sh Studio 2>&1 | tee -a .build/checks-build.log
            # What the other lane runs and imports: the builds that go on beside it may write the originals again.
            rm -rf .build/checked
            mkdir -p .build/checked/CCoreDataSupport.build
            cp .build/debug/modelc .build/debug/modelc-store .build/debug/modelc-studio .build/debug/StoreWriter .build/checked
            cp -R .build/debug/Modules .build/checked
            cp .build/debug/CCoreDataSupport.build/module.modulemap .build/checked/CCoreDataSupport.build"""),
        # Apart from the build, so that a warning does not hide what the other steps say.
        Step("warnings", "checks", """
            if grep -E '/(Sources|Tests|Plugins)/.*: warning:' .build/checks-build.log | sort -u | grep .; then
                echo "error: the build has warnings"
                exit 1
            fi""", after=("build",)),
        Step("readme", "build", readme_command(0), after=("build",)),
        Step("tests", "build", readme_command(1), after=("build",)),
        Step("samples", "build", """
            Scripts/build-package.sh Samples --build-tests
            Scripts/run-samples.sh
            swift test --package-path Samples --scratch-path .build --skip-build""", after=("build",)),
        Step("ports", "build", "Tests/Ports/run.py --scratch .build", after=("build",)),
        # Compiles the runtime again, with the trait of OpenCombine.
        Step("combine", "checks", "Tests/Ports/combine.py --modelc .build/checked/modelc", after=("build",), nightly=True),
        # Compiles the runtime again, with the trait of SQLite.
        Step("bundled-sqlite", "checks", "Tests/BundledSQLite/run.py", after=("build",), nightly=True),
        # The comparison with Apple's frameworks, over the runtime here: whether it works and its fixtures are current.
        Step("apple-comparison", "build", """
            Tests/AppleComparison/fixtures.py --check
            Scripts/build-package.sh Tests/AppleComparison --build-tests
            swift test --package-path Tests/AppleComparison --scratch-path .build --skip-build""", after=("build",)),
        Step("articles", "build", "Tests/Articles/run.py --scratch .build", after=("build",)),
        Step("postgresql-sample", "build", "Tests/PostgreSQLSample/run.py --scratch .build", after=("build",)),
        # Compiles Hummingbird, in minutes.
        Step("server-sample", "build", "Tests/ServerSample/run.py --scratch .build --kills 100", after=("build",), nightly=True),
        Step("plugins", "build", "Tests/Integration/run.py --build-system native --scratch .build", after=("build",)),
        Step("lane", "build", "Tests/Integration/lane.py --modelc .build/checked/modelc --scratch .build", after=("build",)),
        # Whether they work: the figures are of release builds.
        Step("benchmarks", "build", """
            Scripts/build-package.sh Tests/Benchmarks
            MODELC_RELEASE_PROGRAMS=$PWD/.build/debug .build/debug/Benchmarks --quick""", after=("build",), long="""
            swift run -c release --package-path Tests/Benchmarks Benchmarks --rounds 2"""),
        # What README's install step does: the optimizer can fail on code that compiles without it.
        Step("optimized", "build", "swift build -c release --product modelc", after=("build",), nightly=True),
        # In sparse files, which need little of the disk.
        Step("huge-store", "build", """
            MODELC_HUGE=10 swift test --skip-build --filter sparseStoresAreCompactedWithinTheBound""", after=("build",), nightly=True),
        # One test after the other: in parallel, a test's time includes the time that it waits for others.
        Step("test-times", "build", f"swift test --skip-build --no-parallel --xunit-output {TIMES.parent}/test-times.xml",
             after=("build",), nightly=True),
        # Each needs a build of its own, beside the others.
        Step("sanitizers", "build", """
            for kind in thread address; do
                swift test --sanitize=$kind --scratch-path .build-sanitizer/$kind --filter '^(CoreData|PostgreSQL)'
            done
            swift test --package-path Tests/Runtime/SwiftDataTests --sanitize=thread --scratch-path .build-sanitizer/swiftdata \
                --filter 'ActorTests|SyncTests|ObserverTests'""", after=("build",), nightly=True),
        Step("corpus-tests", "build", f"""
            MODELC_CORPUS={CORPUS} swift test --skip-build --filter 'CorpusTests|EncodingTests'""",
             after=("build",), corpus=True),

        Step("documentation", "checks", "Scripts/code-blocks.py\nScripts/documentation.py", after=("build",)),
        Step("macos", "checks", "Scripts/macos-check.py", after=("build",)),
        Step("agents", "checks", "Scripts/agent-tests.sh --modelc .build/checked/modelc", after=("build",)),
        Step("studio", "checks", f"""
            [ ! -d {CORPUS} ] || export MODELC_CORPUS={CORPUS}
            Scripts/studio-tests.sh --programs .build/checked""", after=("build",)),
        Step("release", "checks", "Tests/Release/run.py --modelc .build/checked/modelc --first-file", after=("build",), long="""
            Tests/Release/run.py --modelc .build/checked/modelc --first-build"""),
        Step("corpus", "any", "\n".join(
            f"Scripts/{name}-corpus.py ../shared/corpus --build .build/checked"
            for name in ["lint", "managed", "mapping", "evolution", "cloudkit", "features", "objc", "swiftdata", "store", "export", "check"]),
             after=("build",), corpus=True),
        Step("postgresql-corpus", "checks", f"Scripts/postgresql-corpus.py {CORPUS} --build .build/debug",
             after=("build",), nightly=True, corpus=True),
        Step("store-mutations", "checks", f"Scripts/store-mutations.py {CORPUS} --build .build/checked --count 2000",
             after=("build",), nightly=True, corpus=True),
        # In a build folder of its own: the trait is a flag of all modules, which would be compiled anew. Takes as long as swift-syntax
        # and the module CoreData.
        Step("swiftdata-runtime", "checks", """
            # Otherwise the plan of the other package is used.
            Scripts/build_folder.py .build-swiftdata
            swift test --package-path Tests/Runtime/SwiftDataTests --scratch-path .build-swiftdata
            Tests/Runtime/SwiftDataTests/diagnostics.py .build-swiftdata/debug
            Scripts/build_folder.py .build-swiftdata
            swift test --package-path Samples/SwiftData --scratch-path .build-swiftdata
            Tests/Integration/lane.py --modelc .build/checked/modelc --scratch .build-swiftdata --swiftdata""", after=("build",)),
        Step("swiftdata-corpus", "checks", f"Tests/Runtime/SwiftDataTests/corpus.py {CORPUS}",
             after=("swiftdata-runtime",), corpus=True),
        # Needs Debian's patroni, python3-etcd, etcd-server and haproxy.
        Step("cluster", "checks", "Tests/Cluster/run.py --writer .build/checked/StoreWriter --failures 50",
             after=("build",), nightly=True),
        Step("growth", "checks", "Scripts/growth.py", after=("build",), nightly=True),
        # Compiles modelc and the runtime again. The step "release" tries the build system with a released modelc.
        Step("plugins-swiftbuild", "checks", "Tests/Integration/run.py --build-system swiftbuild", after=("build",), nightly=True),
    ]


class Run:
    """A run of some steps."""

    def __init__(self, chosen, logs, nightly):
        self.chosen, self.logs, self.nightly = chosen, logs, nightly
        self.names = {step.name for step in chosen}
        self.results = {}
        self.changed = threading.Condition()
        self.output = threading.Lock()
        self.start = time.monotonic()

    def say(self, text):
        with self.output:
            print(text, flush=True)

    def minutes(self):
        return f"{(time.monotonic() - self.start) / 60:.1f} min"

    def lane(self, steps, others):
        """Runs the steps of a lane, and then those of others that the other lanes have left."""
        while steps or others:
            try:
                step = (steps or others).popleft()
            except IndexError:
                return
            with self.changed:
                needed = [name for name in step.after if name in self.names]
                self.changed.wait_for(lambda: all(name in self.results for name in needed))
                failed = [name for name in needed if self.results[name].code]
            result = Result(step.name, 1, 0, 0, None)
            if failed:
                self.say(f"\n=== {step.name}: not run, because {', '.join(failed)} failed")
            else:
                try:
                    result = self.run(step)
                except Exception:
                    # The other lane waits for a result.
                    self.say(f"\n=== {step.name}: {traceback.format_exc()}")
            with self.changed:
                self.results[step.name] = result
                self.changed.notify_all()

    def run(self, step):
        log = self.logs / f"{step.name}.log"
        if step.lane == "build":
            build_folder.prepare(ROOT / ".build")
        commands = step.long if self.nightly and step.long else step.commands
        self.say(f"[{self.minutes()}] {step.name} begins")
        start = time.monotonic()
        with open(log, "wb") as file:
            process = subprocess.Popen(
                ["bash", "-c", f"set -euo pipefail\n{commands}"], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=file,
                stderr=subprocess.STDOUT, env={**os.environ, "PYTHONUNBUFFERED": "1"}, start_new_session=True)
            try:
                _, status, usage = os.wait4(process.pid, 0)
            finally:
                # What a step leaves running would slow the others down, or hold their ports.
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        code = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - start
        text = log.read_text(errors="replace")
        self.say(f"\n=== {step.name}: {'ok' if code == 0 else f'exit code {code}'} after {seconds / 60:.1f} min "
                 f"[{self.minutes()}]\n{text}")
        return Result(step.name, code, seconds, usage.ru_utime + usage.ru_stime, log)

    def all(self):
        """Runs all lanes; returns the results in the order of the steps."""
        lanes = {}
        for step in self.chosen:
            lanes.setdefault(step.lane, collections.deque()).append(step)
        others = lanes.pop("any", collections.deque())
        threads = [threading.Thread(target=self.lane, args=(steps, others)) for steps in lanes.values() or [collections.deque()]]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        build_folder.prepare(ROOT / ".build")
        return [self.results[step.name] for step in self.chosen]


@dataclass
class Result:
    """How a step ended."""

    name: str
    code: int
    seconds: float
    processor: float
    log: Path


def slowest_tests(report, count=20):
    """Returns the durations and names of the slowest tests in a report that `swift test --xunit-output` wrote."""
    tests = [(float(test.get("time", 0)), f"{test.get('classname')}.{test.get('name')}")
             for test in ElementTree.parse(report).iter("testcase")]
    return sorted(tests, reverse=True)[:count]


def reasons(log, limit=100):
    """Returns the lines of a log that say why the step failed: those that look like errors with a few after them, or the last ones."""
    lines = log.read_text(errors="replace").splitlines()
    kept = set()
    for index, line in enumerate(lines):
        if REASON.search(line):
            kept.update(range(index, min(index + 9, len(lines))))
    kept = sorted(kept)[-limit:] or range(max(0, len(lines) - 60), len(lines))
    return [lines[index] for index in kept]


def report(results, start):
    if TIMES.exists():
        print("\nThe slowest tests, in seconds:")
        for seconds, name in slowest_tests(TIMES):
            print(f"  {seconds:7.2f}  {name}")
    print(f"\n{'step':20} {'minutes':>8} {'processor':>10}")
    for result in results:
        print(f"{result.name:20} {result.seconds / 60:8.1f} {result.processor / 60:10.1f}{'  FAILED' if result.code else ''}")
    processor = sum(result.processor for result in results)
    print(f"{'all':20} {(time.monotonic() - start) / 60:8.1f} {processor / 60:10.1f}", flush=True)
    failed = [result for result in results if result.code]
    for result in failed:
        print(f"\n=== {result.name} failed" + ("; the lines that say why:" if result.log else ": it did not run to its end"))
        if result.log:
            print("\n".join(reasons(result.log)))
    print(f"\nsteps: {len(results) - len(failed)} passed, {len(failed)} failed", flush=True)
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nightly", action="store_true", help="also run what is too slow for every change")
    parser.add_argument("--list", action="store_true", help="print the steps and end")
    parser.add_argument("--only", help="the names of steps, separated by commas")
    parser.add_argument("--logs", type=Path, help="a folder for the steps' logs")
    options = parser.parse_args()
    if options.nightly:
        os.environ.setdefault("MODELC_NIGHTLY", "1")
    chosen = [step for step in steps() if options.nightly or not step.nightly]
    if options.only:
        names = options.only.split(",")
        unknown = set(names) - {step.name for step in chosen}
        if unknown:
            sys.exit(f"error: there is no step “{unknown.pop()}”; --list prints all")
        chosen = [step for step in chosen if step.name in names]
    if options.list:
        for step in chosen:
            print(f"{step.name:20} {step.lane}")
        return 0
    without = [step.name for step in chosen if step.corpus and not CORPUS.is_dir()]
    if without:
        print(f"not run, because {CORPUS} does not exist: {', '.join(without)}")
    chosen = [step for step in chosen if step.name not in without]
    # A folder for temporary files may be in a work tree, which is not the repository of the tests' files.
    os.environ["GIT_CEILING_DIRECTORIES"] = os.path.realpath(tempfile.gettempdir())
    logs = options.logs or Path(tempfile.mkdtemp(prefix="modelc-checks-"))
    logs.mkdir(parents=True, exist_ok=True)
    (ROOT / ".build").mkdir(exist_ok=True)
    TIMES.unlink(missing_ok=True)
    run = Run(chosen, logs, options.nightly)
    return report(run.all(), run.start)


if __name__ == "__main__":
    sys.exit(main())
