#!/usr/bin/env python3
"""Runs both programs of Samples/PostgreSQL on a temporary server, as the sample's README says.

usage: Tests/PostgreSQLSample/run.py [--scratch FOLDER]

The live list must print what each delivery has left in the database, and must not ask the server while nothing happens. With --scratch
the sample is built in the build folder of another package, which has the runtime already.
"""

import argparse
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Scripts"))
import build_folder
from server import LIMIT, Server

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "Samples/PostgreSQL"
# How many seconds the list is watched while nothing happens.
QUIET = 4


class Program:
    """A program of the sample, whose lines are collected as it prints them."""

    def __init__(self, path, server):
        self.process = subprocess.Popen(
            [path, server.url(path.name)], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.lines, self.queue = [], queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.queue.put(line.rstrip("\n"))
        self.queue.put(None)

    def wait_for(self, line, limit=LIMIT):
        """Waits for a line; returns whether it came."""
        end = time.monotonic() + limit
        while line not in self.lines:
            try:
                found = self.queue.get(timeout=max(0, end - time.monotonic()))
            except queue.Empty:
                return False
            if found is None:
                return False
            self.lines.append(found)
        return True


def problems(programs, server):
    live = Program(programs / "LiveList", server)
    try:
        if not live.wait_for("nothing in stock"):
            return [f"the list does not begin with “nothing in stock”: {live.lines}"]
        importer = Program(programs / "Importer", server)
        for delivery in range(1, 11):
            if not importer.wait_for(f"delivery {delivery}"):
                return [f"the importer did not deliver: {importer.lines}"]
            # The next delivery comes a second later. A list that is late shows both at once.
            end = time.monotonic() + LIMIT
            while not live.wait_for(stock := server.stock(), 5):
                if time.monotonic() > end:
                    return [f"after delivery {delivery} the list does not show “{stock}”: {live.lines}"]
        if importer.process.wait() != 0:
            return [f"the importer ended with {importer.process.returncode}: {importer.lines}"]
        # The list may still be processing the last delivery.
        end, before = time.monotonic() + LIMIT, -1
        while before != (before := server.statements("LiveList")) and time.monotonic() < end:
            time.sleep(1)
        time.sleep(QUIET)
        after = server.statements("LiveList")
        if after != before:
            return [f"the list has sent {after - before} statements in {QUIET} seconds in which nothing happened"]
        if before == 0 or not re.search(r"LISTEN", server.log.read_text()):
            return ["the log has no statements of the list, so nothing is known about them"]
        if live.process.poll() is not None:
            return [f"the list ended with {live.process.returncode}: {live.lines}"]
        print(f"10 deliveries shown in {len(live.lines)} lines, {before} statements, none in {QUIET} quiet seconds")
        return []
    finally:
        live.process.kill()


def unreachable(programs):
    """A server that cannot be reached is one sentence, with neither a stack trace nor the password."""
    found = []
    for name in ["LiveList", "Importer"]:
        result = subprocess.run(
            [programs / name, "postgresql://someone:secret@localhost:1/stock"], text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT)
        lines = result.stderr.splitlines()
        if result.returncode != 1 or len(lines) != 1 or not lines[0].startswith("cannot open") or "secret" in lines[0]:
            found.append(f"{name} without a server ends with {result.returncode} and prints {lines}")
    return found


def check_containers():
    """The files for Docker, which is not available here: they are valid, and name files, programs and services that exist."""
    instructions = re.findall(r"^([A-Z]+) (.*)$", (SAMPLE / "Dockerfile").read_text().replace("\\\n", " "), re.MULTILINE)
    unknown = {name for name, _ in instructions} - {"FROM", "RUN", "WORKDIR", "COPY", "USER", "CMD"}
    assert not unknown, f"the Dockerfile has {unknown}"
    for name, text in instructions:
        if name == "RUN":
            subprocess.run(["sh", "-n", "-c", text], check=True)
    programs = {path.parent.name for path in (SAMPLE / "Sources").glob("*/main.swift")}
    copied = next(text for name, text in instructions if name == "RUN" and "cp " in text)
    assert set(copied.split(" cp ")[1].split()[:-1]) == programs, "the Dockerfile copies other programs"
    services = yaml.safe_load((SAMPLE / "compose.yaml").read_text())["services"]
    for name, service in services.items():
        assert set(service.get("depends_on", {})) <= set(services), f"{name} depends on an unknown service"
        if "build" in service:
            context = SAMPLE / service["build"]["context"]
            assert (context / service["build"]["dockerfile"]).is_file(), f"{name} has no Dockerfile"
            assert context.resolve() == ROOT and service["command"][0] in programs, f"{name} does not run"
    print("containers: ok")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scratch", type=Path, help="the build folder of another package that depends on this one")
    options = parser.parse_args()
    check_containers()
    # The user of the server may have no access to the folder for temporary files, whose path may be too long for a socket.
    folder = Path(tempfile.mkdtemp(prefix="modelc-sample-", dir="/tmp"))
    server = None
    try:
        scratch = (options.scratch or folder / "scratch").resolve()
        start = time.monotonic()
        build_folder.prepare(scratch)
        build = subprocess.run(
            ["swift", "build", "--package-path", SAMPLE, "--scratch-path", scratch], text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        print(f"build: {time.monotonic() - start:.0f} s", flush=True)
        if build.returncode != 0:
            found = [f"the sample does not build\n{build.stdout[-6000:]}"]
        else:
            found = [line for line in build.stdout.splitlines() if re.search(r"/Samples/PostgreSQL/.*: warning:", line)]
            found += unreachable(scratch / "debug")
            (folder / "server").mkdir()
            folder.chmod(0o755)
            server = Server(folder / "server", {"log_statement": "all", "log_line_prefix": "%a|"})
            found += problems(scratch / "debug", server)
    finally:
        if server:
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)
    for problem in found:
        print(problem)
    print("FAILED" if found else "passed")
    sys.exit(1 if found else 0)


main()
