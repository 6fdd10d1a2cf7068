#!/usr/bin/env python3
"""Checks the pages for contributors against the sources.

usage: Scripts/check-pages.py

- An identifier in code voice on a page beside the sources, in ARCHITECTURE.md or in CONTRIBUTING.md must occur in the sources or be a
  folder of theirs.
- CONTRIBUTING.md's table must have exactly the steps of Scripts/checks.py.

Prints what is wrong, and exits with 1 if there is something.
"""

import re
import subprocess
import sys
from pathlib import Path

import checks

ROOT = Path(__file__).resolve().parents[1]
# Pages that name what Apple's frameworks have and this project lacks.
EXEMPT = "DEVIATIONS.md"


def tracked(*patterns):
    names = subprocess.run(
        ["git", "ls-files", "-z", *patterns], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [ROOT / name for name in names.split("\0") if name and (ROOT / name).is_file()]


def unknown_identifiers():
    words = set()
    for path in tracked("*.swift", "*.c", "*.h", "*.js", "*.py", "*.sh", "*.mustache", "*.yml"):
        words.update(re.findall(r"[A-Za-z_]\w*", path.read_text(errors="replace")))
        words.update(path.relative_to(ROOT).parts)
    for page in tracked("Sources/*.md", "ARCHITECTURE.md", "CONTRIBUTING.md"):
        if page.name == EXEMPT:
            continue
        text = re.sub(r"```.*?```", lambda block: "\n" * block[0].count("\n"), page.read_text(), flags=re.DOTALL)
        for number, line in enumerate(text.splitlines(), 1):
            for code in re.findall(r"`([A-Za-z_]\w*)(?:\(.*?\))?`", line):
                if code not in words:
                    yield f"{page.relative_to(ROOT)}:{number}: the sources have no “{code}”"


def wrong_steps():
    table = (ROOT / "CONTRIBUTING.md").read_text()
    rows = re.findall(r"^\| ([a-z][a-z, -]*) \| .*\|$", table[table.index("| Step |"):], re.MULTILINE)
    listed = [name for row in rows for name in row.split(", ")]
    steps = [step.name for step in checks.steps()]
    for name in sorted(set(steps) - set(listed)):
        yield f"CONTRIBUTING.md: the table of steps lacks “{name}”"
    for name in sorted(set(listed) - set(steps)):
        yield f"CONTRIBUTING.md: there is no step “{name}”"


def main():
    problems = [*unknown_identifiers(), *wrong_steps()]
    print("\n".join(problems) or "the pages fit the sources")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
