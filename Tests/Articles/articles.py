"""Reads the blocks of an article that a reader would type, save or compare.

Comments in the article say how its next block is used:

    <!-- file: PATH -->              the reader saves the block as PATH
    <!-- given: COMMAND -->          the reader has done this before; the article does not show it
    <!-- prints: COMMAND -->         the block is what the command prints
    <!-- exits with CODE -->         the last command of the block ends with this code
    <!-- numbers vary -->            numbers in the output are not compared
    <!-- not run: REASON -->         the block cannot run here
    <!-- shown: REASON -->           the block is read and neither typed nor saved
"""

import re

FENCE = re.compile(r"^(\s*)(```+)(\S*)\s*$")
COMMENT = re.compile(r"^\s*<!-- (file|given|prints|not run|shown): (.*) -->\s*$")
FLAG = re.compile(r"^\s*<!-- (exits with|numbers vary)(?: (\d+))? -->\s*$")
SHELL = ("sh", "bash", "console")


class Block:
    """A fenced block: its language, its lines, the number of its first line, and the comments before it."""

    def __init__(self, language, line, lines, comments):
        self.language, self.line, self.lines, self.comments = language, line, lines, comments
        self.follows_commands = False

    def comment(self, name):
        values = [value for key, value in self.comments if key == name]
        return values[-1] if values else None

    @property
    def text(self):
        return "\n".join(self.lines) + "\n"


def blocks(text):
    """Returns the blocks of an article in their order."""
    found, comments, block, fence, prose = [], [], None, None, False
    for number, line in enumerate(text.split("\n"), 1):
        match = FENCE.match(line)
        if fence is not None:
            if match and match.group(2) == fence.group(2) and not match.group(3):
                fence = None
            else:
                block.lines.append(line.removeprefix(fence.group(1)))
        elif match:
            fence = match
            block = Block(match.group(3), number + 1, [], comments)
            previous = found[-1] if found else None
            block.follows_commands = previous is not None and previous.language in SHELL and not prose
            found.append(block)
            comments, prose = [], False
        elif COMMENT.match(line) or FLAG.match(line):
            comments.append((COMMENT.match(line) or FLAG.match(line)).groups(default=""))
        elif line.strip():
            prose = True
    if comments:
        found.append(Block("given", 0, [], comments))
    return found


def pattern(lines, numbers_vary):
    """Returns a regular expression for an output, in which “…” stands for anything, and a line of it for any lines."""
    parts = []
    for line in lines:
        if line.strip() == "…":
            parts.append(r"(?:.*\n)*?")
            continue
        text = re.escape(line.rstrip()).replace("…", ".*")
        if numbers_vary:
            text = re.sub(r"\d+(?:\\\.\d+)?", r"\\d+(?:\\.\\d+)?", text)
        parts.append(text + r"[ \t]*\n")
    return re.compile("".join(parts))
