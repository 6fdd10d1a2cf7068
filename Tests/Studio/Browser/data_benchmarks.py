"""Measures the data browser with a million rows, and with a long history. Asserts nothing."""

import pathlib
import sqlite3
import statistics
import subprocess
import time

import data_tests
import gallery

ROWS = 1_000_000

# Adds books and transactions as fast as SQLite can.
NUMBERS = f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {ROWS})"


def make_store(folder):
    """A store with a million books, which no index sorts by pages, and a million transactions."""
    model, store = data_tests.make_store(folder, rows=10)
    database = sqlite3.connect(store)
    ((last,),) = database.execute("SELECT max(Z_PK) FROM ZBOOK").fetchall()
    ((number,),) = database.execute("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'").fetchall()
    database.execute(
        f"{NUMBERS} INSERT INTO ZBOOK(Z_PK, Z_ENT, Z_OPT, ZTITLE, ZPAGES, ZPRICE, ZPUBLISHED, ZAUTHOR) SELECT {last} + i, {number}, 1, "
        "'Book ' || i, i * 7919 % 1000003, i * 0.5, i * 60.0, i % 10 + 1 FROM n")
    database.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT max(Z_PK) FROM ZBOOK) WHERE Z_NAME IN ('Book', 'Novel')")
    database.execute("UPDATE ZBOOK SET ZSETTINGS = NULL")
    database.commit()
    database.close()
    mom = gallery.compiled_model(store, folder / "Library.mom")
    subprocess.run([gallery.tool("StoreWriter"), "history", store, mom], check=True)
    database = sqlite3.connect(store)
    database.execute(
        f"{NUMBERS} INSERT INTO ATRANSACTION(Z_PK, Z_ENT, Z_OPT, ZTIMESTAMP, ZAUTHORTS) "
        "SELECT 3 + i, Z_ENT, 1, ZTIMESTAMP + i, ZAUTHORTS FROM n, ATRANSACTION t WHERE t.Z_PK = 1")
    database.execute(
        f"{NUMBERS} INSERT INTO ACHANGE(Z_PK, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) "
        f"SELECT 100 + i, (SELECT Z_ENT FROM ACHANGE LIMIT 1), 1, 1, {number}, {last} + i, 3 + i FROM n")
    database.commit()
    database.close()
    return model, store


class DataBenchmark:
    """Uses the browser of the other benchmarks."""

    def __init__(self, benchmark):
        self.benchmark = benchmark
        self.driver = benchmark.driver

    def run(self):
        folder = self.benchmark.folder / "million"
        folder.mkdir()
        _, store = make_store(folder)
        self.benchmark.studio = data_tests.StoreStudio(store, folder / "cache")
        self.driver.set_script_timeout(300)
        runs = []
        for _ in range(3):
            begin = time.perf_counter()
            self.driver.get(self.benchmark.studio.address)
            self.benchmark.wait(lambda: self.driver.execute_script("return document.body.dataset.ready"))
            runs.append((time.perf_counter() - begin) * 1000)
        print(f"data browser, {ROWS:,} rows: page ready after {statistics.median(runs):.0f} ms", flush=True)
        self.repeat("first page", "document.querySelector(\"#sidebar li[title='Book']\").click()", before=self.other)
        self.repeat("to the middle", self.scroll(0.5), before=self.book)
        self.repeat("to the end", self.scroll(1), before=self.book)
        self.repeat("first page sorted by a column without an index", self.sort, before=self.book)
        for label, place in [("to the middle, first time after sorting", 0.5), ("to the end after that", 1), ("to 70 % after that", 0.7)]:
            self.report(f"{label}", [self.measure(self.scroll(place))])
        self.book()
        self.repeat("first page of a predicate on a column without an index", self.predicate("pages > 500000"), before=self.book)
        self.repeat("first page of the history, a million transactions", "document.querySelector(\"#sidebar li[title='History']\").click()",
                    before=self.book, done="document.querySelectorAll('.transaction').length === 50")
        print(f"memory of the server: {self.memory()} MB at most", flush=True)

    sort = "[...document.querySelectorAll('.data-head button')].find((one) => one.textContent === 'pages').click()"

    def scroll(self, place):
        return f"const grid = document.getElementById('grid'); grid.scrollTop = (grid.scrollHeight - grid.clientHeight) * {place}"

    def predicate(self, text):
        return (f"document.getElementById('predicate').value = '{text}'; document.getElementById('run-predicate').click()")

    def choose(self, entity):
        self.measure(f"document.querySelector(\"#sidebar li[title='{entity}']\").click()")

    def other(self):
        self.choose("Author")

    def book(self):
        self.other()
        self.choose("Book")

    # All rows in sight are there, and are not those of the list before.
    loaded = ("[...document.querySelectorAll('.data-row')].length > 5 && !document.querySelector('.data-row > .dim:only-child')"
              " && document.body.ariaBusy !== 'true'")

    def measure(self, action, done=None):
        """The milliseconds from an action until its result is drawn."""
        return self.driver.execute_async_script(f"""
            const done = arguments[arguments.length - 1];
            // Another list, or another place in it.
            const head = document.querySelector('#content .list-head');
            const top = document.getElementById('grid')?.scrollTop;
            const isOther = () => document.querySelector('#content .list-head') !== head || document.getElementById('grid')?.scrollTop !== top;
            const start = performance.now();
            {action};
            // The event of scrolling comes before the next frame.
            requestAnimationFrame(function tick() {{
              if (({done or self.loaded}) && isOther()) requestAnimationFrame(() => done(performance.now() - start));
              else requestAnimationFrame(tick);
            }});""")

    def repeat(self, label, action, before, done=None, count=5):
        times = []
        for _ in range(count):
            before()
            times.append(self.measure(action, done))
        self.report(label, times)

    def report(self, label, times):
        print(f"data browser, {ROWS:,} rows: {label} {statistics.median(times):.0f} ms (median of {len(times)}, "
              f"longest {max(times):.0f})", flush=True)

    def memory(self):
        status = pathlib.Path(f"/proc/{self.benchmark.studio.server}/status").read_text()
        return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) // 1024
