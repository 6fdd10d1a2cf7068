#!/usr/bin/env python3
"""Runs the commands of `modelc-store` on damaged stores.

usage: Scripts/store-mutations.py STORE|FOLDER… [--build BUILDFOLDER] [--count N] [--seed S]

Each round damages one of the stores, or of those in the folders that are smaller than 1 MB, in another way: bytes, fields of the file's
header, headers and cells of pages, whole pages, its length, a log, a journal, the statements of the schema, values of rows, metadata, the
cached model; for `import`, exported lines. No command may be ended by a signal, run for more than 20 seconds of processor time (or wait
for 10 minutes), use more than 500 MB of memory, or change a store that it only reads. A store whose repair reports that no fault is left
must have none, and what a command writes must be intact. Prints a table, and exits with 1 if anything is not as it should be; a failure
names its seed, which `--seed S --count 1` repeats.
"""
import argparse
import collections
import glob
import importlib
import os
import random
import resource
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time

corpus = importlib.import_module("store-corpus")

# The most processor time of a command: on a busy machine, the wall clock says little.
SECONDS = 20
# The time after which a program that does not run at all counts as hanging.
WAITING = 600
KILOBYTES = 500_000
NUMBERS = [0, 1, 2, 3, 4, 5, 7, 127, 128, 255, 256, 4095, 4096, 32767, 32768, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1]
VALUES = [
    None, 0, 1, -1, 2, 16000, 16001, 2**31, 2**62, 2**63 - 1, -2**63, 0.5, -1e308, float("inf"), 1e18, "", "x", "NaN", "12", "\0", "é\ud800",
    "'\"`]", "%s%n", "../../x", b"", b"\0", b"\1", b"\2", b"\2" + b"A" * 36 + b"\0", b"bplist00", b"\xff" * 40, b"\0" * 16, "9" * 400,
]


class Damage:
    """One damaged store."""

    def __init__(self, number, clean, folder):
        self.random = random.Random(number)
        self.folder = folder
        self.path = os.path.join(folder, "m.sqlite")
        self.log = []
        source = clean[self.random.randrange(len(clean))]
        self.log.append(os.path.basename(source))
        self.external = os.path.join(os.path.dirname(source), f".{os.path.splitext(os.path.basename(source))[0]}_SUPPORT")
        shutil.copyfile(source, self.path)
        if os.path.exists(source + "-wal") and self.random.randrange(4):
            shutil.copyfile(source + "-wal", self.path + "-wal")
        if os.path.isdir(self.external):
            shutil.copytree(self.external, os.path.join(folder, ".m_SUPPORT"))
        if self.random.randrange(3) == 0:
            self.change_rows()
        with open(self.path, "rb") as file:
            self.bytes = bytearray(file.read())
        if self.random.randrange(3) or len(self.log) == 1:
            self.change_file()
        with open(self.path, "wb") as file:
            file.write(self.bytes)
        self.add_log()

    @property
    def page_size(self):
        size = struct.unpack(">H", self.bytes[16:18])[0] if len(self.bytes) > 18 else 4096
        return size if size >= 512 else 4096

    def put(self, offset, content):
        self.bytes[offset:offset + len(content)] = content[:max(0, len(self.bytes) - offset)]

    def change_rows(self):
        """Values and statements that SQLite accepts."""
        database = sqlite3.connect(self.path)
        database.text_factory = lambda text: text.decode(errors="replace")
        try:
            database.executescript("PRAGMA journal_mode = DELETE; PRAGMA writable_schema = ON; PRAGMA ignore_check_constraints = ON")
            for name, sql in database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall():
                database.execute(f'DROP TRIGGER "{name}"')
            tables = [row[0] for row in database.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'Z_RT_%'")]
            important = [name for name in tables if name in ("Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "ACHANGE", "ATRANSACTION")]
            for _ in range(self.random.randint(1, 6)):
                table = self.random.choice(important if important and self.random.randrange(2) else tables)
                columns = [row[1] for row in database.execute(f'PRAGMA table_info("{table}")')]
                if not columns:
                    continue
                column = self.random.choice(columns)
                value = self.random.choice(VALUES)
                kind = self.random.randrange(8)
                try:
                    if kind == 0:
                        database.execute(f'DELETE FROM "{table}" WHERE rowid % 3 = {self.random.randrange(3)}')
                    elif kind == 1:
                        database.execute(f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO "ZX"')
                    elif kind == 2:
                        database.execute(f'DROP TABLE "{table}"')
                        tables = [name for name in tables if name != table] or ["Z_METADATA"]
                        important = [name for name in important if name != table]
                    elif kind == 3:
                        # SQLite's random() has no seed.
                        rows = database.execute(f'SELECT "{column}" FROM "{table}"').fetchall()
                        old = self.random.choice(rows) if rows else None
                        if old and isinstance(old[0], bytes) and old[0]:
                            content = bytearray(old[0])
                            for _ in range(self.random.randint(1, 5)):
                                content[self.random.randrange(len(content))] = self.random.randrange(256)
                            value = bytes(content)
                        database.execute(f'UPDATE OR IGNORE "{table}" SET "{column}" = ?', (value,))
                    elif kind == 4:
                        sql = self.random.choice(database.execute(
                            "SELECT rowid, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid").fetchall())
                        text = list(sql[1])
                        text[self.random.randrange(len(text))] = self.random.choice("ZA(),' \"x0;-/*\n")
                        database.execute("UPDATE sqlite_master SET sql = ? WHERE rowid = ?", ("".join(text), sql[0]))
                    else:
                        limit = self.random.choice([1, 3, 1000])
                        database.execute(
                            f'UPDATE OR IGNORE "{table}" SET "{column}" = ? WHERE rowid IN (SELECT rowid FROM "{table}" '
                            f"ORDER BY rowid * {self.random.randint(1, 97)} % 101 LIMIT {limit})", (value,))
                    self.log.append(f"{kind}: {table}.{column} = {value!r:.60}")
                except (sqlite3.Error, UnicodeError) as error:
                    self.log.append(f"{kind}: {table}: {error}")
            database.commit()
        except (sqlite3.Error, UnicodeError) as error:
            self.log.append(str(error))
        finally:
            database.close()

    def change_file(self):
        size, choose = self.page_size, self.random
        for _ in range(choose.randint(1, 8)):
            if len(self.bytes) < 600:
                return
            pages = max(1, len(self.bytes) // size)
            page = choose.randrange(pages)
            start = page * size + (100 if page == 0 else 0)
            kind = choose.randrange(13)
            if kind == 0:
                self.put(choose.randrange(100), bytes([choose.randrange(256)]))
            elif kind == 1:
                field = choose.choice([24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64, 92, 96])
                self.put(field, struct.pack(">I", choose.choice(NUMBERS + [pages - 1, pages, pages + 1])))
            elif kind == 2:
                self.put(start, bytes([choose.choice([0, 2, 5, 10, 13, 255])]))
            elif kind == 3:
                self.put(start + choose.choice([1, 3, 5]), struct.pack(">H", choose.choice([n for n in NUMBERS if n < 65536])))
            elif kind == 4:
                # The pointer to the last child, or the next page of a list.
                self.put(start + choose.choice([0, 4, 8]), struct.pack(">I", choose.choice(NUMBERS + [page + 1, choose.randint(1, pages)])))
            elif kind == 5:
                self.put(start + 8 + 2 * choose.randrange(40), struct.pack(">H", choose.randrange(65536)))
            elif kind == 6:
                # The start of a cell: its size, key, types.
                cell = struct.unpack(">H", self.bytes[start + 8:start + 10].ljust(2, b"\0"))[0]
                self.put(page * size + cell % size + choose.randrange(12), choose.choice([b"\xff" * 9, b"\x81\0", b"\0", b"\x7f", b"\xff\xff\xff\x7f"]))
            elif kind == 7:
                other = choose.randrange(pages) * size
                self.put(page * size, self.bytes[other:other + size])
            elif kind == 8:
                self.put(page * size, bytes([choose.choice([0, 255, 13])]) * size)
            elif kind == 9:
                count = choose.choice([1, 2, 4, 100, 1000])
                self.put(choose.randrange(len(self.bytes)), bytes(choose.randrange(256) for _ in range(count)))
            elif kind == 10 and choose.randrange(3) == 0:
                del self.bytes[choose.randrange(len(self.bytes)):]
            elif kind == 11 and choose.randrange(3) == 0:
                self.bytes += bytes(choose.randrange(1, 3 * size))
            else:
                # A byte of a page that is in use.
                self.put(page * size + choose.randrange(size), bytes([choose.randrange(256)]))
            self.log.append(f"{kind} at page {page + 1}")

    def add_log(self):
        choose = self.random
        path = self.path + "-wal"
        if os.path.exists(path) and choose.randrange(2):
            with open(path, "r+b") as file:
                for _ in range(choose.randint(1, 5)):
                    file.seek(choose.randrange(max(1, os.path.getsize(path))))
                    file.write(bytes([choose.randrange(256)]))
            self.log.append("changed log")
        elif not os.path.exists(path) and choose.randrange(6) == 0:
            with open(path, "wb") as file:
                file.write(bytes.fromhex("377F0682002DE21800001000") + choose.randbytes(choose.randrange(9000)))
            self.log.append("log")
        if choose.randrange(12) == 0:
            with open(self.path + "-journal", "wb") as file:
                file.write(bytes.fromhex("D9D505F920A163D7") + choose.randbytes(choose.randrange(9000)))
            self.log.append("journal")


class Failure(Exception):
    pass


class Commands:
    """Runs commands, and keeps their largest memory and time."""

    def __init__(self, program):
        self.program = program
        self.codes = collections.defaultdict(collections.Counter)
        self.memory = collections.Counter()
        self.seconds = collections.Counter()

    def run(self, name, *arguments, folder):
        start = time.monotonic()
        with open(os.devnull, "wb") as null, open(os.path.join(folder, "errors"), "wb") as errors:
            process = subprocess.Popen(
                [self.program, *arguments], stdout=null, stderr=errors, cwd=folder, env={**os.environ, "SWIFT_BACKTRACE": "enable=no"},
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
            is_killed = False
            while True:
                pid, status, usage = os.wait4(process.pid, os.WNOHANG)
                if pid:
                    break
                elapsed = time.monotonic() - start
                if not is_killed and elapsed > SECONDS and (processor_seconds(process.pid) > SECONDS or elapsed > WAITING):
                    process.send_signal(signal.SIGKILL)
                    is_killed = True
                time.sleep(0.001 if elapsed < 1 else 0.1)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = usage.ru_utime + usage.ru_stime
        self.codes[name][process.returncode] += 1
        self.memory[name] = max(self.memory[name], usage.ru_maxrss)
        self.seconds[name] = max(self.seconds[name], seconds)
        with open(os.path.join(folder, "errors"), errors="replace") as file:
            message = file.read()[:500]
        if is_killed or seconds > SECONDS:
            raise Failure(f"{name} ran for {seconds:.0f} s of processor time, {time.monotonic() - start:.0f} s in all")
        if process.returncode not in (0, 1, 2):
            raise Failure(f"{name} ended with {process.returncode}: {message}")
        if usage.ru_maxrss > KILOBYTES:
            raise Failure(f"{name} used {usage.ru_maxrss} kB")
        return process.returncode

    def print_table(self):
        print(f"{'command':24} {'runs':>7} {'0':>7} {'1':>7} {'2':>7} {'most MB':>8} {'most s':>7}")
        for name, codes in self.codes.items():
            print(f"{name:24} {sum(codes.values()):7} {codes[0]:7} {codes[1]:7} {codes[2]:7} "
                  f"{self.memory[name] / 1000:8.0f} {self.seconds[name]:7.1f}")


def processor_seconds(pid):
    """The processor time that a running process has used."""
    with open(f"/proc/{pid}/stat") as file:
        # The name of the program, in parentheses, may contain spaces.
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def state(folder):
    """The bytes of the store and of the files beside it."""
    result = {}
    for path in glob.glob(os.path.join(folder, "m.sqlite*")) + glob.glob(os.path.join(folder, ".m_SUPPORT/**/*"), recursive=True):
        if os.path.isfile(path):
            with open(path, "rb") as file:
                result[path] = file.read()
    return result


def damage_of(path):
    """What SQLite says about a database; `ok` if it is intact."""
    database = sqlite3.connect(path)
    database.text_factory = lambda text: text.decode(errors="replace")
    try:
        return database.execute("PRAGMA integrity_check").fetchone()[0]
    except (sqlite3.DatabaseError, UnicodeError) as error:
        return str(error)
    finally:
        database.close()


def require_intact(path, name):
    damage = damage_of(path)
    if damage != "ok":
        raise Failure(f"{name}: the result is damaged: {damage}")


def run_round(number, commands, stores, folder):
    damage = Damage(number, stores, folder)
    before = state(folder)

    def reading(name, *arguments, code=None):
        for output in glob.glob(os.path.join(folder, "out*")) + glob.glob(os.path.join(folder, ".out*")):
            shutil.rmtree(output, ignore_errors=True) if os.path.isdir(output) else os.remove(output)
        result = commands.run(name, *arguments, folder=folder)
        if state(folder) != before:
            raise Failure(f"{name} changed the store")
        return result

    out = os.path.join(folder, "out.sqlite")
    copy = os.path.join(folder, "copy.sqlite")
    for end in ("", "-wal", "-journal"):
        if os.path.exists(damage.path + end):
            shutil.copy(damage.path + end, copy + end)
    # Compacting looks for damage of pages, not for entries that an index lacks.
    is_intact = damage_of(copy) == "ok"
    try:
        reading("check", "check", "m.sqlite", "--notes")
        reading("info", "info", "m.sqlite")
        for form in ("csv", "sqlite", "views"):
            reading(f"export {form}", "export", "m.sqlite", "--format", form, "--output", "out")
        reading("recover --deleted", "recover", "m.sqlite", "--deleted", "--versions", "--output", "out")
        if reading("recover", "recover", "m.sqlite", "--output", "out.sqlite") != 2:
            require_intact(out, "recover")
        if reading("compact", "compact", "m.sqlite", "--output", "out.sqlite", "--purge-history", "all") == 0 and is_intact:
            require_intact(out, "compact")
        code = reading("repair", "repair", "m.sqlite", "--output", "out.sqlite", "--unsafe-fixes")
        if code == 0 and commands.run("check of a repair", "check", "out.sqlite", "--strict", folder=folder) != 0:
            raise Failure("repair left faults")
        if code != 2:
            require_intact(out, "repair")
        if reading("export jsonl", "export", "m.sqlite", "--output", "out") != 2:
            lines = glob.glob(os.path.join(folder, "out", "*.jsonl"))
            for path in lines:
                with open(path, "r+b") as file:
                    content = bytearray(file.read())
                    for _ in range(damage.random.randint(0, 2) if content else 0):
                        content[damage.random.randrange(len(content))] = damage.random.choice(b'{}[]",:0-9eE\\\0\xff$ntA')
                    file.seek(0)
                    file.write(content)
            commands.run("import", "import", "out", "--output", "out2.sqlite", folder=folder)
        for name, arguments in (
            ("repair --in-place", ("repair", "m.sqlite", "--in-place", "--no-backup", "--unsafe-fixes")),
            ("compact --in-place", ("compact", "m.sqlite", "--in-place", "--purge-history", "all")),
        ):
            if commands.run(name, *arguments, folder=folder) == 0 and is_intact:
                require_intact(damage.path, name)
    except Failure as failure:
        raise Failure(f"{failure}\n    seed {number}: {'; '.join(damage.log)}") from failure


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("stores", nargs="+")
    parser.add_argument("--build", default=".build/debug")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    commands = Commands(os.path.abspath(os.path.join(arguments.build, "modelc-store")))
    stores = []
    for path in map(os.path.abspath, arguments.stores):
        stores += [found for found in corpus.stores(path) if os.path.getsize(found) < 1_000_000] if os.path.isdir(path) else [path]
    # The table of a run that is ended early.
    signal.signal(signal.SIGTERM, lambda *_: (commands.print_table(), sys.exit(1)))
    failures = 0
    base = "/dev/shm" if os.path.isdir("/dev/shm") else None
    for number in range(arguments.seed, arguments.seed + arguments.count):
        folder = tempfile.mkdtemp(prefix="store-mutations-", dir=base)
        try:
            run_round(number, commands, stores, folder)
        except Failure as failure:
            failures += 1
            print("FAILURE", failure, flush=True)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    commands.print_table()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
