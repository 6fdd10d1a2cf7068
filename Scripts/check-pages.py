#!/usr/bin/env python3
"""Checks the pages for contributors against the sources.

usage: Scripts/check-pages.py

- An identifier in code voice on a page beside the sources, in ARCHITECTURE.md or in CONTRIBUTING.md must occur in the sources or be a
  folder of theirs.
- CONTRIBUTING.md's table must have exactly the steps of Scripts/checks.py.
- Documentation/README.md must link every guide. It or the page of their folder must link all formats and evidence.
- The table “Tests” of ARCHITECTURE.md must have every folder of Tests, and Scripts/README.md every script.
- The figures in README.md must be those of Documentation/Evidence/README.md.

Prints what is wrong, and exits with 1 if there is something.
"""

import fnmatch
import re
import subprocess
import sys
from pathlib import Path

import checks

ROOT = Path(__file__).resolve().parents[1]
# Pages that name what Apple's frameworks have and this project lacks.
EXEMPT = "DEVIATIONS.md"
# “53 of 53”, “109 653 rows”, “54 migrations”.
FIGURE = re.compile(r"\b\d+ of \d+\b|\b\d[\d ]* (?:migrations|rows)\b")


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


def unlisted_pages():
    index = (ROOT / "Documentation/README.md").read_text()
    links = set(re.findall(r"\]\(([^)#]+)", index))
    for folder in ("Guides", "Formats", "Evidence"):
        for page in tracked(f"Documentation/{folder}/*.md"):
            name = f"{folder}/{page.name}"
            # The page of a folder lists the other pages in it.
            own = ROOT / "Documentation" / folder / "README.md"
            is_in_own = own.is_file() and page.name in own.read_text()
            if page != own and name not in links and not is_in_own:
                yield f"Documentation/README.md: no link to “{name}”"
    for link in sorted(links):
        if not (ROOT / "Documentation" / link).exists():
            yield f"Documentation/README.md: “{link}” does not exist"


def unlisted_tests():
    page = (ROOT / "ARCHITECTURE.md").read_text()
    section = page[page.index("\n## Tests\n"):]
    section = section[:section.index("\n## ", 1)]
    listed = {name.split("/")[0] for row in re.findall(r"^\| (`.*?) \|", section, re.MULTILINE) for name in re.findall(r"`(.*?)`", row)}
    wings = {path.relative_to(ROOT / "Sources").parts[0] for path in tracked("Sources/*/*")}
    folders = {path.relative_to(ROOT / "Tests").parts[0] for path in tracked("Tests/*")}
    for name in sorted(folders - listed - wings):
        yield f"ARCHITECTURE.md: the table of tests lacks “{name}”"
    for name in sorted(listed - folders):
        yield f"ARCHITECTURE.md: there is no folder “Tests/{name}”"


def unlisted_scripts():
    page = (ROOT / "Scripts/README.md").read_text()
    patterns = re.findall(r"`([^`\s]+)`", page)
    scripts = {path.relative_to(ROOT / "Scripts").parts[0] for path in tracked("Scripts/*")} - {"README.md"}
    for script in sorted(scripts):
        if not any(fnmatch.fnmatchcase(script, pattern) for pattern in patterns):
            yield f"Scripts/README.md: no group has “{script}”"
    for pattern in patterns:
        if "." in pattern and not fnmatch.filter(scripts, pattern.split("/")[-1]) and not (ROOT / pattern).exists():
            yield f"Scripts/README.md: there is no “{pattern}”"


def unproven_figures():
    evidence = (ROOT / "Documentation/Evidence/README.md").read_text()
    proven = set(FIGURE.findall(evidence))
    claims = (ROOT / "README.md").read_text()
    claims = claims[claims.index("\n## What makes it different\n"):]
    for figure in FIGURE.findall(claims[:claims.index("\n## ", 1)]):
        if figure not in proven:
            yield f"README.md: Documentation/Evidence/README.md does not have “{figure}”"


def main():
    problems = [
        *unknown_identifiers(), *wrong_steps(), *unlisted_pages(), *unlisted_tests(), *unlisted_scripts(), *unproven_figures(),
    ]
    print("\n".join(problems) or "the pages fit the sources")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
