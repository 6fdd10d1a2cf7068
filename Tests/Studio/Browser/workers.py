"""Runs tests in several processes, each of which has a browser."""

import collections
import io
import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import tempfile
import time
import traceback
import unittest

import browser

# A test that takes longer than this many seconds has failed. The long form of the tests has no limit.
LIMIT = None if os.environ.get("MODELC_NIGHTLY") else 1800


def flattened(suite):
    """Returns the tests of a suite and its parts."""
    return [test for part in suite for test in flattened(part)] if isinstance(suite, unittest.TestSuite) else [suite]


def title(test):
    return test.id().removeprefix("__main__.")


def out_of_time(*_):
    raise TimeoutError(f"the test takes longer than {LIMIT} s")


def run_one(test):
    """Runs a test and returns what became of it."""
    result = unittest.TestResult()
    # What the test itself prints is shown always, and what the programs it starts print only if it fails.
    notes = io.StringIO()
    with tempfile.TemporaryFile() as output:
        saved = [os.dup(1), os.dup(2)]
        streams = sys.stdout, sys.stderr
        for stream in streams:
            stream.flush()
        for descriptor in (1, 2):
            os.dup2(output.fileno(), descriptor)
        sys.stdout = sys.stderr = notes
        start = time.monotonic()
        try:
            signal.alarm(LIMIT or 0)
            test.run(result)
        finally:
            signal.alarm(0)
            sys.stdout, sys.stderr = streams
            for descriptor, original in zip((1, 2), saved):
                os.dup2(original, descriptor)
                os.close(original)
        output.seek(0)
        printed = output.read().decode(errors="replace")
    problems = [text for _, text in result.errors + result.failures]
    if result.unexpectedSuccesses:
        problems.append("unexpected success\n")
    return {
        "seconds": time.monotonic() - start, "problems": problems, "skipped": "; ".join(reason for _, reason in result.skipped),
        "notes": notes.getvalue(), "output": printed,
    }


def work(tests, connection):
    """Runs the tests whose indexes arrive, until there are no more."""
    signal.signal(signal.SIGALRM, out_of_time)
    try:
        while (index := connection.recv()) is not None:
            outcome = run_one(tests[index])
            connection.send(outcome)
            if outcome["problems"]:
                # The next test gets a browser in a known state.
                browser.quit()
    except (EOFError, KeyboardInterrupt, BrokenPipeError):
        pass
    finally:
        browser.quit()


class Worker:
    """A process that runs one test at a time."""

    context = multiprocessing.get_context("fork")

    def __init__(self, tests):
        self.connection, other = self.context.Pipe()
        self.process = self.context.Process(target=work, args=(tests, other))
        self.process.start()
        other.close()
        self.index = None

    def begin(self, index):
        self.index = index
        try:
            self.connection.send(index)
        except OSError:
            # The process has ended, which the caller notices when it reads the outcome.
            pass

    def outcome(self):
        """Returns what became of the test, or `None` if the process has ended."""
        try:
            return self.connection.recv()
        except (EOFError, OSError):
            self.process.join()
            return None


class Report:
    """Prints outcomes as they arrive, and all failures at the end."""

    def __init__(self, tests):
        self.tests = tests
        self.outcomes = {}
        self.start = time.monotonic()

    def add(self, index, outcome):
        self.outcomes[index] = outcome
        word = "FAILED" if outcome["problems"] else "skipped" if outcome["skipped"] else "ok"
        print(f"[{len(self.outcomes):{len(str(len(self.tests)))}}/{len(self.tests)}] {word:7} {outcome['seconds']:5.1f} s  "
              f"{title(self.tests[index])}{': ' + outcome['skipped'] if outcome['skipped'] else ''}")
        for line in outcome["notes"].splitlines():
            print(f"    {line}")
        sys.stdout.flush()

    def finish(self):
        """Prints the failures and a summary; returns whether all tests succeeded or were skipped."""
        failed = skipped = 0
        for index, test in enumerate(self.tests):
            outcome = self.outcomes.get(index, {"problems": ["the test did not run\n"], "output": "", "skipped": ""})
            skipped += bool(outcome["skipped"])
            if not outcome["problems"]:
                continue
            failed += 1
            for problem in outcome["problems"]:
                print("=" * 70, f"FAILED: {title(test)}", "-" * 70, problem, sep="\n", end="")
            if outcome["output"]:
                print("-" * 70, "Output of programs:", outcome["output"], sep="\n", end="")
        print("-" * 70)
        print(f"Ran {len(self.outcomes)} tests in {time.monotonic() - self.start:.1f} s")
        counts = [f"{count} {word}" for count, word in [(failed, "failed"), (skipped, "skipped")] if count]
        print(f"{'FAILED' if failed or not self.tests else 'OK'}{' (' + ', '.join(counts) + ')' if counts else ''}", flush=True)
        return failed == 0 and bool(self.tests)


def run(suite, jobs):
    """Runs the tests of a suite in a number of processes, and returns whether all succeeded."""
    # Long tests first: the processes then end at about the same time.
    tests = sorted(flattened(suite), key=lambda test: not getattr(test, "is_long", False))
    waiting = collections.deque(range(len(tests)))
    report = Report(tests)
    workers, ending = [], []

    def give(worker):
        """Gives a process the next test, or ends it."""
        if waiting:
            worker.begin(waiting.popleft())
        else:
            worker.begin(None)
            workers.remove(worker)
            ending.append(worker)

    try:
        for _ in range(min(jobs, len(tests))):
            workers.append(Worker(tests))
            give(workers[-1])
        while workers:
            for connection in multiprocessing.connection.wait([worker.connection for worker in workers]):
                worker = next(one for one in workers if one.connection is connection)
                outcome = worker.outcome()
                if outcome is not None:
                    report.add(worker.index, outcome)
                    give(worker)
                    continue
                report.add(worker.index, {
                    "seconds": 0, "problems": [f"the process of the test ended with status {worker.process.exitcode}\n"],
                    "skipped": "", "notes": "", "output": ""})
                workers.remove(worker)
                if waiting:
                    workers.append(Worker(tests))
                    give(workers[-1])
    except KeyboardInterrupt:
        print("interrupted")
    except Exception:
        traceback.print_exc()
    finally:
        for worker in workers + ending:
            worker.connection.close()
        for worker in workers + ending:
            worker.process.join()
    return report.finish()
