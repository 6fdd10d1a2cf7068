#!/usr/bin/env python3
"""Puts the results of the benchmarks into the page and the chart that show them.

    swift run -c release --package-path Tests/Benchmarks Benchmarks --json > results.json
    Scripts/benchmarks.py results.json...   # of all cases, or of some: the other rows stay
    Scripts/benchmarks.py --check           # whether the chart is that of the page's table

The page is Documentation/Evidence/Benchmarks.md, the chart Documentation/Images/benchmarks.svg.
"""

import json
import os
import sys
from html import escape

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "Documentation/Evidence/Benchmarks.md")
CHART = os.path.join(ROOT, "Documentation/Images/benchmarks.svg")
HEADER = "| case | size | ours | reference | ratio |"
UNITS = {"seconds": (1000, "%.1f ms"), "bytes": (1, "%.0f bytes"), "megabytes": (1e-6, "%.1f MB"), "count": (1, "%.0f")}
# The groups of the chart: a title, the case that compares with the C interface, and those that compare with GRDB's records.
GROUPS = [
    ("100,000 objects saved", "store/insert-save", "store/grdb-columns-insert-save", "store/grdb-insert-save"),
    ("100,000 objects fetched, 3 properties read", "store/fetch-read", "store/grdb-columns-fetch-read", "store/grdb-fetch-read"),
    ("15,889 Northwind orders fetched, 14 properties read", "quoted/northwind", "quoted/northwind-grdb-columns",
     "quoted/northwind-grdb"),
    ("200,000 records of 10 integers fetched", "quoted/integers-fetch", "quoted/integers-fetch-grdb-columns", None),
    ("50,000 records of 10 integers saved", "quoted/integers-insert", "quoted/integers-insert-grdb-columns", None),
]
BARS = [("SQLite’s C interface", "#8c959f"), ("CoreData", "#bf3989"), ("GRDB, hand-written", "#54aeff"), ("GRDB, Codable", "#0969da")]


def row(result):
    """Returns the row of the table for a result in the JSON output."""
    factor, form = UNITS[result["unit"]]
    ours, reference = (form % (result[side] * factor) for side in ("ours", "reference"))
    return [result["case"], result["size"], ours, f"{reference} ({result['referenceName']})", f"{result['ratio']:.2f}"]


def table_range(lines):
    """Returns the indices of the first line of the table's rows and of the line after the last one."""
    start = lines.index(HEADER) + 2
    end = start
    while lines[end].startswith("|"):
        end += 1
    return start, end


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def update(lines, results):
    """Returns the lines of the page with the results. A new case follows the last one of its group."""
    start, end = table_range(lines)
    rows = [cells(line) for line in lines[start:end]]
    for result in results:
        new = row(result)
        group = new[0].split("/")[0]
        known = next((index for index, old in enumerate(rows) if old[0] == new[0]), None)
        if known is not None:
            rows[known] = new
        else:
            last = max((index for index, old in enumerate(rows) if old[0].split("/")[0] == group), default=len(rows) - 1)
            rows.insert(last + 1, new)
    return lines[:start] + ["| " + " | ".join(cells) + " |" for cells in rows] + lines[end:]


def chart(lines):
    """Returns the chart of the page's table: times as multiples of those of the C interface."""
    start, end = table_range(lines)
    ratios = {row[0]: float(row[4]) for row in map(cells, lines[start:end])}
    groups = []
    for title, base, columns, codable in GROUPS:
        if base not in ratios:
            continue
        ours = ratios[base]
        groups.append((title, [1, ours] + [ours / ratios[case] if case in ratios else None for case in (columns, codable)]))
    widest = max(value for _, values in groups for value in values if value)
    left, width, bar, y = 150, 440, 14, 46
    body = []
    x = 16
    for name, color in BARS:
        body.append(f'<rect x="{x}" y="12" width="10" height="10" fill="{color}"/>')
        body.append(f'<text x="{x + 14}" y="21">{escape(name)}</text>')
        x += 44 + 7 * len(name)
    for title, values in groups:
        body.append(f'<text x="16" y="{y}" font-weight="600">{escape(title)}</text>')
        y += 8
        for (name, color), value in zip(BARS, values):
            if not value:
                continue
            size = width * value / widest
            body.append(f'<text x="{left - 8}" y="{y + 11}" text-anchor="end">{escape(name)}</text>')
            body.append(f'<rect x="{left}" y="{y}" width="{size:.1f}" height="{bar - 3}" fill="{color}"/>')
            body.append(f'<text x="{left + size + 6:.1f}" y="{y + 11}">{value:.1f}</text>')
            y += bar
        y += 22
    return "\n".join(
        [f'<svg xmlns="http://www.w3.org/2000/svg" width="640" height="{y - 14}" viewBox="0 0 640 {y - 14}" role="img" '
         'font-family="-apple-system, Segoe UI, Helvetica, Arial, sans-serif" font-size="12" fill="#57606a">',
         "<title>Times as multiples of those of SQLite’s C interface; less is better</title>", *body, "</svg>", ""])


def main(arguments):
    with open(PAGE, encoding="utf-8") as file:
        lines = file.read().split("\n")
    if arguments == ["--check"]:
        with open(CHART, encoding="utf-8") as file:
            return 0 if file.read() == chart(lines) else f"{CHART} is out of date: run Scripts/benchmarks.py"
    for path in arguments:
        with open(path, encoding="utf-8") as file:
            lines = update(lines, json.load(file))
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
    with open(CHART, "w", encoding="utf-8") as file:
        file.write(chart(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
