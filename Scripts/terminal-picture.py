#!/usr/bin/env python3
"""Runs commands on a pseudo-terminal and writes what they print as an SVG picture.

    Scripts/terminal-picture.py OUTPUT.svg COMMAND...

Each command is one shell line, shown after a prompt. Colors and bold text come from the
commands' own escape sequences. The picture depends on nothing but their output.
"""

import html
import os
import pty
import re
import sys

COLUMNS = 116
CHARACTER_WIDTH = 8.4
LINE_HEIGHT = 19
MARGIN = 18
BAR = 30
FOREGROUND = "#e6edf3"
PROMPT = "#7ee787"
COLORS = {31: "#ff7b72", 32: "#7ee787", 33: "#e3b341", 34: "#79c0ff", 35: "#d2a8ff", 36: "#76e3ea", 90: "#8b949e"}
ESCAPE = re.compile(r"\x1b\[([0-9;]*)([A-Za-z])")


def output_of(command):
    """Returns what a shell command writes to a terminal of COLUMNS columns."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ.update(TERM="xterm-256color", COLUMNS=str(COLUMNS))
        os.environ.pop("NO_COLOR", None)
        os.execvp("bash", ["bash", "-c", f"stty cols {COLUMNS}; {command}"])
    chunks = []
    while True:
        try:
            chunk = os.read(terminal, 65536)
        except OSError:  # Linux reports the end of a terminal as EIO.
            break
        if not chunk:
            break
        chunks.append(chunk)
    os.waitpid(process, 0)
    return b"".join(chunks).decode("utf-8").replace("\r\n", "\n")


def runs_of(line, style):
    """Yields the text of a line in runs of one style, and finally the style that the next line begins with."""
    position = 0
    for escape in ESCAPE.finditer(line):
        if escape.start() > position:
            yield line[position : escape.start()], dict(style)
        position = escape.end()
        if escape.group(2) != "m":
            continue
        for code in (int(number or 0) for number in escape.group(1).split(";")):
            if code == 0:
                style.clear()
            elif code == 1:
                style["bold"] = True
            elif code == 2:
                style["color"] = COLORS[90]
            elif code in COLORS or code - 60 in COLORS:
                style["color"] = COLORS.get(code) or COLORS[code - 60]
            elif code == 39:
                style.pop("color", None)
    if position < len(line):
        yield line[position:], dict(style)


def wrapped(runs):
    """Breaks runs of text into lines of at most COLUMNS characters."""
    line, width = [], 0
    for text, style in runs:
        while width + len(text) > COLUMNS:
            head, text = text[: COLUMNS - width], text[COLUMNS - width :]
            line.append((head, style))
            yield line
            line, width = [], 0
        line.append((text, style))
        width += len(text)
    yield line


def text_element(line, y):
    """Returns the SVG of one line. Each run has its own position, so fonts that lack a character do not shift the rest."""
    spans, column = [], 0
    for text, style in line:
        attributes = f'x="{MARGIN + column * CHARACTER_WIDTH:.1f}" textLength="{len(text) * CHARACTER_WIDTH:.1f}"'
        attributes += f' fill="{style.get("color", FOREGROUND)}"'
        if style.get("bold"):
            attributes += ' font-weight="bold"'
        spans.append(f"<tspan {attributes}>{html.escape(text, quote=False)}</tspan>")
        column += len(text)
    return f'<text y="{y}" xml:space="preserve">{"".join(spans)}</text>'


def picture(commands):
    """Returns the SVG of a terminal session."""
    lines = []
    for command in commands:
        lines.append([("$ ", {"color": PROMPT, "bold": True}), (command, {"bold": True})])
        style = {}
        for line in output_of(command).rstrip("\n").split("\n"):
            lines.extend(wrapped(list(runs_of(line, style))))
        lines.append([])
    lines.pop()
    width = int(2 * MARGIN + COLUMNS * CHARACTER_WIDTH)
    height = BAR + MARGIN + len(lines) * LINE_HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
        ' font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" font-size="14">',
        f'<rect width="{width}" height="{height}" rx="10" fill="#0d1117"/>',
    ]
    for index, color in enumerate(("#ff5f56", "#ffbd2e", "#27c93f")):
        parts.append(f'<circle cx="{MARGIN + 5 + index * 20}" cy="18" r="6" fill="{color}"/>')
    for index, line in enumerate(lines):
        if line:
            parts.append(text_element(line, BAR + MARGIN + index * LINE_HEIGHT))
    parts.append("</svg>\n")
    return "\n".join(parts)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    svg = picture(sys.argv[2:])
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(svg)
