#!/usr/bin/env python3
"""Migrates databases with stores of the models of a corpus.

usage: Scripts/postgresql-corpus.py CORPUS [--build BUILDFOLDER] [--every N]

For two neighboring versions of a bundle: `store make` fills a store of the first one, `store copy` copies it into a database of a temporary
server, `sql apply` runs the plan of `sql migrate`, and the copy back must be equal to what `store migrate` makes of the same store. The
tables must be those of a new database, as pg_dump prints them. A migration that is refused must be refused for both. --every N takes each
Nth pair. Prints a table, and exits with 1 if anything is not as it should be.
"""
import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from report import Report

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Tests/PostgreSQLSample"))
from server import Server


def run(*arguments):
    """Runs a program, and returns its exit code and output."""
    result = subprocess.run([str(one) for one in arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=600)
    return result.returncode, result.stdout, result.stdout + result.stderr


def natural(name):
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def pairs(corpus):
    """The bundles with their neighboring versions."""
    for bundle in sorted([*corpus.rglob("*.momd"), *corpus.rglob("*.xcdatamodeld")]):
        names = [path.stem for path in bundle.glob("*.mom" if bundle.suffix == ".momd" else "*.xcdatamodel")]
        names.sort(key=natural)
        for old, new in zip(names, names[1:]):
            yield bundle, old, new


def call(server, program, *arguments):
    """Runs one of the server's programs, and returns what it prints."""
    return server.run(program, "-h", server.folder, "-U", "sample", *arguments)


def url(server, database):
    return f"postgresql:///{database}?host={server.folder}&user=sample"


def tables(server, database):
    """What pg_dump prints of a database, but for the migrations in it."""
    text = call(server, "pg_dump", "--schema-only", "--no-comments", "--exclude-table=*._migrations", database)
    lines = (line.strip().rstrip(",") for line in text.splitlines())
    return sorted(line for line in lines if line and not line.startswith(("--", "SET ", "SELECT ", "\\")))


def check(bundle, old, new, programs, server, folder, number, report):
    pair = f"{bundle.name}: {old} → {new}"
    store, postgresql = programs / "modelc-store", programs / "modelc-postgresql"
    made, migrated, back, plan = (folder / name for name in ["made/a.sqlite", "migrated/a.sqlite", "back.sqlite", "plan.sql"])
    # The server's programs run as another user.
    schema = server.folder / "new.sql"
    made.parent.mkdir(parents=True)
    code, _, output = run(store, "make", bundle, "--version", old, "--rows", 12, "--seed", 5, "-o", made)
    if code:
        # The corpus has models of which no store can be made for other reasons.
        print(f"no store of {pair}: {output.splitlines()[0]}")
        return
    database, fresh = f"migrated{number}", f"new{number}"
    for name in [database, fresh]:
        call(server, "createdb", name)
    code, _, output = run(postgresql, "copy", made, url(server, database))
    report.check("copies", code == 0, f"{pair}: {output[:400]}")
    if code:
        return
    shutil.copytree(made.parent, migrated.parent)
    refused, _, reason = run(store, "migrate", migrated, "--to", bundle, "--version", new, "--no-mapping-models", "--allow-loss")
    code, text, output = run(postgresql, "sql", "migrate", "--from", bundle, "--from-version", old, "--to", bundle, "--to-version", new)
    if code == 0:
        plan.write_text(text)
        code, _, output = run(postgresql, "sql", "apply", plan, "--database", url(server, database))
    report.check("equal refusals", (code == 0) == (refused == 0), f"{pair}: {output[:400]}; file: {reason[:400]}")
    if code or refused:
        return
    code, _, output = run(postgresql, "copy", url(server, database), back)
    report.check("copies back", code == 0, f"{pair}: {output[:400]}")
    if code == 0:
        code, _, output = run(store, "diff", migrated, back, "--model", bundle)
        report.check("equal objects", code == 0, f"{pair}: {output[:800]}")
    code, text, output = run(postgresql, "sql", "create", bundle, "--version", new)
    schema.write_text(text)
    call(server, "psql", "-q", "-v", "ON_ERROR_STOP=1", "-f", schema, fresh)
    found, expected = set(tables(server, database)), set(tables(server, fresh))
    report.check("equal tables", found == expected, f"{pair}: {sorted(found - expected)[:4]} instead of {sorted(expected - found)[:4]}")
    for name in [database, fresh]:
        call(server, "dropdb", name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--build", type=Path, default=Path(".build/debug"))
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    report = Report()
    with tempfile.TemporaryDirectory(prefix="modelc-postgresql-corpus-") as scratch:
        server = Server(Path(scratch), {})
        try:
            for number, (bundle, old, new) in enumerate(pairs(options.corpus)):
                if number % options.every == 0:
                    with tempfile.TemporaryDirectory() as folder:
                        check(bundle, old, new, options.build.resolve(), server, Path(folder), number, report)
        finally:
            server.stop()
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
