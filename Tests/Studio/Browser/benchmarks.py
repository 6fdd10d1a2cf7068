#!/usr/bin/env python3
"""Measures the studio in headless Chromium: start, typing, layout, dragging, panning, and a million rows.
Asserts nothing.

    Scripts/studio-tests.sh --configuration release --benchmark
"""

import importlib
import pathlib
import random
import shutil
import statistics
import sys
import tempfile
import time

from selenium.webdriver.common.by import By

import browser
from studio_test import HEADER, Studio, StudioTest


def model(count):
    """A model like those of large apps: groups of entities with a hub each, inheritance, and relationships between groups."""
    generator = random.Random(20)
    name = lambda number: f"Entity{number:03}"
    relationships = {number: [] for number in range(count)}

    def connect(one, other, label):
        relationships[one].append((f"{label}{other:03}s", other, f"owner{one:03}", True))
        relationships[other].append((f"owner{one:03}", one, f"{label}{other:03}s", False))

    parents = {}
    for number in range(count):
        hub = number - number % 10
        if number != hub:
            if number % 10 in (8, 9):
                parents[number] = hub + 1
            else:
                connect(hub, number, "part")
    for number in range(0, count, 10):
        for other in generator.sample(range(0, count, 10), min(2, max(0, count // 10 - 1))):
            if other > number:
                connect(number, other, "link")
    lines = [HEADER.rstrip("\n")]
    for number in range(count):
        parent = f' parentEntity="{name(parents[number])}"' if number in parents else ""
        lines.append(f'    <entity name="{name(number)}" representedClassName="{name(number)}"{parent} syncable="YES" codeGenerationType="class">')
        prefix = "own" if number in parents else "attribute"
        for index in range(10):
            lines.append(f'        <attribute name="{prefix}{index:02}" optional="YES" attributeType="String"/>')
        for label, other, inverse, is_many in sorted(relationships[number]):
            kind = 'toMany="YES"' if is_many else 'maxCount="1"'
            lines.append(f'        <relationship name="{label}" optional="YES" {kind} deletionRule="Nullify" '
                         f'destinationEntity="{name(other)}" inverseName="{inverse}" inverseEntity="{name(other)}"/>')
        lines.append("    </entity>")
    return "\n".join([*lines, "</model>"])


class Benchmark(StudioTest):
    """Uses the browser of the tests; it is not one itself."""

    def runTest(self):
        pass

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="studio-"))
        self.studio = None

    def tearDown(self):
        shutil.rmtree(self.folder)

    def start(self, count):
        self.model = self.folder / f"Large{count}.xcdatamodeld"
        file = self.model / f"Large{count}.xcdatamodel" / "contents"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(model(count))
        begin = time.perf_counter()
        self.studio = Studio(self.model, self.folder / "cache")
        server = (time.perf_counter() - begin) * 1000
        self.driver.get(self.studio.address)
        self.wait(lambda: self.driver.execute_script("return document.body.dataset.ready"))
        paint = self.driver.execute_async_script(
            "const done = arguments[0]; new PerformanceObserver((l) => done(l.getEntries().pop().startTime))"
            ".observe({ type: 'largest-contentful-paint', buffered: true }); setTimeout(() => done(null), 3000);")
        first = self.driver.execute_script("return performance.getEntriesByName('first-contentful-paint')[0].startTime")
        return server, first, paint

    def stop(self):
        self.driver.get("about:blank")
        self.studio.stop()

    def module(self, script):
        return self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1]; import('./graph.js').then((m) => (async () => {" + script + "})()).then(done)")

    def mouse(self, kind, x, y, **more):
        self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **more})

    def frames(self, begin, steps, dx, dy, button="left"):
        """Drags and returns the intervals between frames and the times that drawing took, in milliseconds."""
        self.module("""
            m.graph.frameTimes = []; window.intervals = []; let last = null; window.ticking = true;
            (function tick(now) { if (last !== null) window.intervals.push(now - last); last = now;
              if (window.ticking) requestAnimationFrame(tick); })(performance.now()); return 0""")
        self.mouse("mousePressed", *begin, button=button, clickCount=1)
        for step in range(1, steps + 1):
            self.mouse("mouseMoved", begin[0] + dx * step, begin[1] + dy * step, button=button, buttons=1)
        self.mouse("mouseReleased", begin[0] + dx * steps, begin[1] + dy * steps, button=button, clickCount=1)
        return self.module("window.ticking = false; return [window.intervals, m.graph.frameTimes]")


def summary(values):
    ordered = sorted(values)
    return f"median {statistics.median(ordered):.1f}, 95 % below {ordered[int(len(ordered) * 0.95)]:.1f}, longest {ordered[-1]:.1f} ms ({len(ordered)})"


def typing(benchmark):
    """The times from a key in the name of an entity to the next frame."""
    benchmark.settle()
    benchmark.click("#field-entity-name")
    field = benchmark.css("#field-entity-name")
    benchmark.driver.execute_script("""
        window.strokes = [];
        arguments[0].addEventListener("keydown", () => { const start = performance.now();
          requestAnimationFrame(() => { const channel = new MessageChannel();
            channel.port1.onmessage = () => window.strokes.push(performance.now() - start); channel.port2.postMessage(0); }); });
    """, field)
    # In processor time, which the load of the machine does not change much.
    benchmark.driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
    before = work(benchmark)
    letters = "abcdefghijklmnopqrst"
    for letter in letters:
        # Without what Selenium does in the page for each key.
        for kind in ["keyDown", "keyUp"]:
            more = {"text": letter} if kind == "keyDown" else {}
            benchmark.driver.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": kind, "key": letter, "code": f"Key{letter.upper()}", **more})
    time.sleep(0.1)
    each = (work(benchmark) - before) * 1000 / len(letters)
    return benchmark.driver.execute_script("return window.strokes"), each


def work(benchmark):
    """The processor time of the page's main thread, in seconds."""
    metrics = benchmark.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return next(one["value"] for one in metrics if one["name"] == "TaskDuration")


def measure_models(benchmark):
    for count in [10, 100, 400]:
        runs = []
        for _ in range(5):
            runs.append(benchmark.start(count))
            benchmark.stop()
        server, first, largest = (statistics.median(column) for column in zip(*runs))
        print(f"{count} entities: server ready after {server:.0f} ms, first paint {first:.0f} ms later, "
              f"largest paint {largest:.0f} ms later (median of 5)", flush=True)
    benchmark.start(400)
    strokes, each = typing(benchmark)
    print(f"keystroke to frame, 400 entities: {summary(strokes)}; processor time of the page {each:.1f} ms for each", flush=True)
    benchmark.driver.find_element(By.ID, "view-graph").click()
    benchmark.wait(lambda: benchmark.module("return m.graph.scene.boxes.length === 400 && m.graph.scene.unplaced.length === 0"))
    times = []
    for _ in range(5):
        benchmark.module("m.graph.layoutTime = null; document.getElementById('graph-arrange').click(); return 0")
        benchmark.wait(lambda: benchmark.module("return m.graph.layoutTime"))
        times.append(benchmark.module("return m.graph.layoutTime"))
        time.sleep(0.5)
    print("layout of 400 entities, with the request:", summary(times), flush=True)
    for label, factor in [("everything in view", 1), ("at actual size", None)]:
        benchmark.module("m.fit(); return 0" if factor else "m.zoom(1 / m.view.scale); m.reveal(m.graph.scene.boxes[200]); m.pan(-200, -150); return 0")
        time.sleep(0.3)
        place = benchmark.module("""
            const r = document.getElementById("graph-frame").getBoundingClientRect();
            const boxes = m.graph.scene.boxes.map((b) => m.onScreen(b));
            const box = boxes.find((p) => p.x > r.x + 10 && p.y > r.y + 10 && p.x + p.width < r.right - 150 && p.y < r.bottom - 150);
            let free = null;
            for (let x = r.x + 15; x < r.right - 150 && !free; x += 7) for (let y = r.y + 15; y < r.bottom - 150 && !free; y += 7)
              if (!boxes.some((p) => x > p.x - 12 && x < p.x + p.width + 12 && y > p.y - 4 && y < p.y + p.height + 4)) free = [x, y];
            return [m.view.scale, box && [box.x + box.width / 3, box.y + 3], free]""")
        scale, box, free = place
        for what, begin in [("dragging", box), ("panning", free)]:
            if begin is None:
                continue
            intervals, drawing = benchmark.frames(begin, 90, 1.4, 1.1)
            print(f"{what}, {label} ({scale * 100:.0f} %): frame every {summary(intervals)}; drawing {summary(drawing)}", flush=True)
            time.sleep(0.7)


def main(parts=()):
    """Measures the parts with these names, or all: `models`, `data`."""
    benchmark = Benchmark()
    benchmark.setUp()
    try:
        if not parts or "models" in parts:
            measure_models(benchmark)
            benchmark.stop()
        if not parts or "data" in parts:
            importlib.import_module("data_benchmarks").DataBenchmark(benchmark).run()
            benchmark.stop()
    finally:
        if benchmark.studio is not None and benchmark.studio.process.poll() is None:
            benchmark.stop()
        browser.quit()
        benchmark.tearDown()


if __name__ == "__main__":
    sys.exit("Run Tests/Studio/Browser/run.py --benchmark")
