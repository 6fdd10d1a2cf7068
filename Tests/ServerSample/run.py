#!/usr/bin/env python3
"""Tests Samples/Server: its unit tests, two running services, and whether saves survive when they or PostgreSQL are killed.

usage: Tests/ServerSample/run.py [--scratch FOLDER] [--configuration NAME] [--kills COUNT] [--load SECONDS]

With --scratch the sample is built in the build folder of another package, which has the runtime already. --load measures with wrk instead.
"""

import argparse
import http.client
import json
import os
import queue
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "Samples/Server"
sys.path += [str(ROOT / "Scripts"), str(ROOT / "Tests/PostgreSQLSample")]
import build_folder
from server import LIMIT, Server

WRITERS = 6


class Service:
    """The service of the sample, on a free port."""

    def __init__(self, program, url):
        self.program, self.url = program, url
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [self.program, self.url], env={**os.environ, "PORT": str(self.port), "LOG_LEVEL": "critical"}, stdin=subprocess.DEVNULL)
        end = time.monotonic() + LIMIT
        while self.status("GET", "/health") != 200:
            if time.monotonic() > end or self.process.poll() is not None:
                self.kill()
                sys.exit("error: the service did not start")
            time.sleep(0.1)

    def status(self, *arguments):
        try:
            return self.request(*arguments)[0]
        except (OSError, http.client.HTTPException):
            return None

    def request(self, method, path, body=None, tag=None):
        """Returns the status, the body and the entity tag of a response."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT)
        try:
            headers = {"If-Match": tag} if tag else {}
            connection.request(method, path, json.dumps(body) if body is not None else None, headers)
            response = connection.getresponse()
            text = response.read()
            return response.status, json.loads(text) if text else None, response.getheader("ETag")
        finally:
            connection.close()

    def stop(self):
        """Asks the service to end, and returns its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=LIMIT)

    def kill(self):
        self.process.kill()
        self.process.wait()


class Follower(threading.Thread):
    """A client that collects the events of a service."""

    def __init__(self, service):
        super().__init__(daemon=True)
        self.events, self.ended = queue.Queue(), None
        self.connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=LIMIT)
        self.connection.request("GET", "/events")
        self.start()

    def run(self):
        try:
            event = None
            for line in self.connection.getresponse():
                name, _, value = line.decode().strip().partition(": ")
                if name == "event":
                    event = value
                elif name == "data":
                    self.events.put((event, json.loads(value)))
            self.ended = True
        except (OSError, http.client.HTTPException):
            self.ended = False

    def next(self):
        try:
            return self.events.get(timeout=LIMIT)
        except queue.Empty:
            return None


class Writer(threading.Thread):
    """A client that creates items and counts them up, and remembers what the service has confirmed."""

    def __init__(self, service, number):
        super().__init__(daemon=True)
        self.service, self.number = service, number
        self.confirmed, self.possible = {}, {}
        self.stopping, self.saves, self.failures, self.problems = False, 0, 0, []

    def run(self):
        index = 0
        while not self.stopping:
            name = f"kill-{self.number}-{index}"
            index += 1
            tag = self.save("POST", "/items", {"name": name, "count": 0}, name)
            for count in range(1, 10):
                if tag is None or self.stopping:
                    break
                tag = self.save("PUT", f"/items/{name}", {"count": count}, name, tag)

    def save(self, method, path, body, name, tag=None):
        """Returns the new entity tag, or `None` if it is unknown whether the item was saved."""
        self.possible[name] = body["count"]
        try:
            status, answer, tag = self.service.request(method, path, body, tag)
        except (OSError, http.client.HTTPException):
            status, answer = None, None
        if status in (200, 201):
            self.saves += 1
            self.confirmed[name] = body["count"]
            return tag
        self.failures += 1
        # What may happen while a program is down: no answer, or an error of the database.
        if status not in (None, 503):
            self.problems.append(f"{method} {path} was answered with {status}: {answer}")
        time.sleep(0.2)
        return None


def two_services(program, server):
    """A follower of one service sees what another has saved, and a service that is asked to stop loses no request."""
    first = Service(program, server.url("first"))
    try:
        second = Service(program, server.url("second"))
    except SystemExit:
        first.kill()
        raise
    try:
        follower = Follower(first)
        events = [follower.next()]
        _, _, tag = second.request("POST", "/items", {"name": "shared", "count": 1})
        events.append(follower.next())
        _, _, tag = second.request("PUT", "/items/shared", {"count": 2}, tag)
        events.append(follower.next())
        second.request("DELETE", "/items/shared", tag=tag)
        events.append(follower.next())
        expected = [
            ("ready", {}), ("saved", {"name": "shared", "count": 1}), ("saved", {"name": "shared", "count": 2}),
            ("deleted", {"name": "shared"})]
        if events != expected:
            return [f"the follower saw {events} instead of {expected}"]
        writers = [Writer(first, number) for number in range(WRITERS)]
        for writer in writers:
            writer.start()
        time.sleep(2)
        code = first.stop()
        for writer in writers:
            writer.stopping = True
            writer.join()
        follower.join(timeout=LIMIT)
        found = [problem for writer in writers for problem in writer.problems] + lost(writers, second, exact=True)
        if code != 0 or not follower.ended:
            found.append(f"the service ended with {code}, and the stream {'' if follower.ended else 'not '}regularly")
        print(f"shutdown: {sum(writer.saves for writer in writers)} saves before it, none lost", flush=True)
        return found
    finally:
        first.kill()
        second.kill()


def lost(writers, service, exact=False):
    """Returns the items that are not as a service has confirmed them.

    An item may also have the value whose save was not answered, unless `exact` says that every save was.
    """
    stored, path = {}, "/items?limit=1000&name=kill-"
    while path:
        _, page, _ = service.request("GET", path)
        stored.update({item["name"]: item["count"] for item in page["items"]})
        path = f"/items?limit=1000&name=kill-&after={page['next']}" if page.get("next") else None
    found = []
    for writer in writers:
        for name, possible in writer.possible.items():
            allowed = {writer.confirmed.get(name)} | (set() if exact else {possible})
            if stored.get(name) not in allowed:
                found.append(f"{name} is {stored.get(name)} instead of {allowed}")
    return found


def kills(program, server, count):
    """Kills the service and PostgreSQL in turn under writers."""
    service = Service(program, server.url("service"))
    # Other names than those of the test before.
    writers = [Writer(service, 100 + number) for number in range(WRITERS)]
    try:
        for writer in writers:
            writer.start()
        for number in range(count):
            time.sleep(random.uniform(0.3, 1.5))
            victim = server if number % 2 else service
            victim.kill()
            time.sleep(0.2)
            victim.start()
        time.sleep(1)
        for writer in writers:
            writer.stopping = True
            writer.join()
        saves, failures = (sum(getattr(writer, name) for writer in writers) for name in ("saves", "failures"))
        found = [problem for writer in writers for problem in writer.problems] + lost(writers, service)
        print(f"kills: {count}, {saves} confirmed saves, {failures} without confirmation, {len(found)} problems", flush=True)
        if saves < count:
            found.append(f"only {saves} saves were confirmed")
        return found
    finally:
        service.kill()


def load(program, server, seconds, folder):
    """Measures with wrk, and prints a table."""
    service = Service(program, server.url("service"))
    try:
        for number in range(1000):
            service.request("POST", "/items", {"name": f"load-{number:03}", "count": 1})
        script = folder / "put.lua"
        script.write_text("""
            request = function()
                local path = string.format("/items/load-%03d", math.random(0, 999))
                return wrk.format("PUT", path, { ["If-Match"] = "*" }, string.format('{"count": %d}', math.random(0, 100000)))
            end""")
        print(f"{'requests':34} {'clients':>8} {'per second':>11} {'p99':>9}  errors")
        for name, path, options in [
            ("GET /items/NAME", "/items/load-500", []), ("GET /items?limit=50", "/items?limit=50&name=load-&after=load-500", []),
            ("PUT /items/NAME, of 1000 items", "/", ["--script", script]),
        ]:
            for clients in [1, 16, 64]:
                output = subprocess.run(
                    ["wrk", "--threads", "1", "--connections", str(clients), "--duration", f"{seconds}s", "--timeout", "30s", "--latency",
                     *options, f"http://127.0.0.1:{service.port}{path}"], check=True, text=True, stdout=subprocess.PIPE).stdout
                rate, p99 = re.search(r"Requests/sec: +(\S+)", output)[1], re.search(r"99% +(\S+)", output)[1]
                errors = re.findall(r"(?:Socket errors|Non-2xx).*", output)
                print(f"{name:34} {clients:8} {rate:>11} {p99:>9}  {'; '.join(errors) or 'none'}", flush=True)
        return []
    finally:
        service.kill()


def build(options, scratch):
    """Builds the package, and returns the problems."""
    start = time.monotonic()
    build_folder.prepare(scratch)
    arguments = ["--package-path", SAMPLE, "--scratch-path", scratch, "--configuration", options.configuration]
    tests = ["--build-tests"] if options.configuration == "debug" else ["--product", "StockServer"]
    done = subprocess.run(
        ["swift", "build", *arguments, *tests], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print(f"build: {time.monotonic() - start:.0f} s", flush=True)
    if done.returncode != 0:
        return [f"the sample does not build\n{done.stdout[-6000:]}"]
    return [line for line in done.stdout.splitlines() if re.search(r"/Samples/.*: warning:", line)]


def unit_tests(scratch, server):
    done = subprocess.run(
        ["swift", "test", "--package-path", SAMPLE, "--scratch-path", scratch, "--skip-build"], text=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, "DATABASE_URL": server.url("tests")})
    passed = re.search(r"Test run with (\d+) tests .*passed", done.stdout)
    print(passed[0] if passed else "unit tests failed", flush=True)
    return [] if done.returncode == 0 and passed and int(passed[1]) > 0 else [done.stdout[-6000:]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scratch", type=Path, help="the build folder of another package that depends on this one")
    parser.add_argument("--configuration", default="debug", choices=["debug", "release"], help="how the service is built")
    parser.add_argument("--kills", type=int, default=20, help="how often the service or PostgreSQL is killed")
    parser.add_argument("--load", type=int, metavar="SECONDS", help="measure with wrk, for so long each")
    options = parser.parse_args()
    # The user of the server may have no access to the folder for temporary files, whose path may be too long for a socket.
    folder = Path(tempfile.mkdtemp(prefix="modelc-server-", dir="/tmp"))
    server = None
    try:
        scratch = (options.scratch or folder / "scratch").resolve()
        found = build(options, scratch)
        if not found:
            (folder / "server").mkdir()
            folder.chmod(0o755)
            server = Server(folder / "server", {"fsync": "on"})
            program = scratch / options.configuration / "StockServer"
            if options.load:
                found = load(program, server, options.load, folder)
            else:
                if options.configuration == "debug":
                    found += unit_tests(scratch, server)
                found += two_services(program, server)
                found += kills(program, server, options.kills)
    finally:
        if server:
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)
    for problem in found:
        print(problem)
    print("FAILED" if found else "passed")
    sys.exit(1 if found else 0)


main()
