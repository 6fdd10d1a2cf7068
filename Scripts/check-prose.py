#!/usr/bin/env python3
"""Finds phrases that read as translated, in messages, comments and documentation, comment lines above 120 columns, and lines of pages
above 140.

usage: Scripts/check-prose.py [FILE...]

Without files, checks everything that git tracks, except test data. Prints FILE:LINE: phrase: text, and exits with 1 if it found
something. Checked are Markdown, and the comments and string literals of Swift sources and templates.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

PHRASES = [
    r"\bwhat is none\b",
    r"(?<!there )\b(?:is|was) none of (?:the|this|its|ours|another)\b",
    r"\bthe way out\b",
    r"\bof (?:one['’]s|a user['’]s) own\b",
    r"\btemplates of your own\b",
    r"\bnobody['’]s\b",
    r"\bwhoever\b",
    r"\bhow messages call\b",
    r"\bof no concern\b",
    r"\b(?:is|that is) (?:that|the) owner['’]s matter\b",
    r"\bknows nothing of\b",
    r"\bmade anew\b|\bwritten anew\b|\bbegins? anew\b",
    r"\bis no (?:binary property list|target with)\b",
    r"\bis no Core Data model\b",
    r"\bnot there yet\b",
    r"\blooks much like\b",
    r"\bin the same breath\b",
    r"\bhas to be told\b",
    r"\ba matter of taste\b",
    r"\bmake a source of\b",
    r"\bwhat is wrong with them though\b",
    r"\bof our own\b",
    r"\bnobody (?:has|here|uses|writes|asked|tells|wrote|meant|looks|knows|can|but|else)\b",
    r"\b(?:reads?|looks?|opened|opens|bound|followed|pinned|computed|write) (?:it |them |the [a-z]+ |the golden files )?anew\b",
    r"\bis no (?:string|number|UUID|URL|directory|terminal)\b",
    r"\b(?:it|object|value|line) (?:that )?is none(?=[.,;:]|$)",
    r"\bhas to say of\b",
    r"\bsays of (?:itself|two|a failure|the versions|the rows)\b",
    r"\b(?:properties|stores|rules|objects) that (?:is|are) asked\b",
    r"\bthere is (?:something|another file|a file|a folder) of this name\b",
    r"\bnothing (?:tells|says) which\b",
    r"\bleads to nothing\b",
    r"\bexpected a text\b",
    r"\bNothing has to be done\b",
    r"\bname it with --",
    r"\b(?:a|no) way leads from\b",
    r"\bwhatever it says\b",
    r"\bleads? (?:back|out)\b",
    r"\bleads? to no\b",
    r"\bcannot be told\b",
    r"\bin no form\b",
    r", so that the app\b",
    r"\bcarr(?:y|ies) out\b",
    r"\bmakes? no sense\b",
    r"\bis beyond what\b",
    r"\bthe other one is here\b",
    r"\bamounts? to\b",
    r"\bleads? nowhere\b",
    r"\b(?:can|cannot) say (?:a|the)\b",
    r"\btells of\b",
    r"\bnevertheless\b",
    r"\bcarried out\b",
    r"\bnests? too deep\b",
    r"\bthe right to write\b",
    r"\b(?:has|have) no place (?:in|for)\b",
    r"(?<!there )\b(?:is|are) no [“\\]",
    r"\bcarr(?:y|ies) (?:it|them) out\b",
    r"\bothers (?:may |might |could )?(?:have |has )?(?:written|saved|changed|deleted|migrated|replaced|write|save)\b",
    r"\bnone of (?:its|their) business\b",
]
PATTERN = re.compile("|".join(f"(?:{phrase})" for phrase in PHRASES), re.IGNORECASE)
# Tables and code in comments, and addresses, are not wrapped.
LONG_COMMENT = re.compile(r"\s*///? (?!\||    )(?!.*://).{20,}")
SWIFT_TEXT = re.compile(r"//.*|\"(?:[^\"\\]|\\.)*\"")
# Generated pages are not wrapped; nor are tables, code and HTML comments on the others.
GENERATED = ("Documentation/Guides/Rules.md", "Documentation/Guides/Settings.md")
PAGE_WIDTH = 140
DATA = ("Tests/Tool/EndToEnd/Cases/", "+CoreDataModel.swift", "Tests/Ports/", "/Fixtures/", "/Goldens/", "Documentation/Evidence/CorpusFindings.md")


def texts(path):
    """The lines of a file that people read, with their numbers."""
    block = False
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        if path.suffix != ".swift":
            yield number, line
            continue
        fences = line.count('"""')
        if block or fences:
            # A literal of several lines is text in which // means nothing.
            yield number, line
            block ^= fences % 2 == 1
            continue
        for text in SWIFT_TEXT.findall(line):
            yield number, text


def wide_lines(path):
    """The lines of a page that are wider than the other pages, with their numbers."""
    in_code = False
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        in_code ^= line.lstrip().startswith("```")
        if not in_code and len(line) > PAGE_WIDTH and not line.lstrip().startswith(("|", "<!--")):
            yield number, line


def tracked():
    names = subprocess.run(
        ["git", "ls-files", "*.swift", "*.md", "*.mustache"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [ROOT / name for name in names.splitlines() if not any(part in name for part in DATA)]


def main(arguments):
    count = 0
    for path in [Path(argument) for argument in arguments] or tracked():
        if not path.is_file():
            continue
        shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        if path.suffix == ".swift":
            in_literal = False
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                in_literal ^= line.count('"""') % 2 == 1
                if not in_literal and len(line) > 120 and LONG_COMMENT.match(line):
                    count += 1
                    print(f"{shown}:{number}: comment above 120 columns: {line.strip()[:80]}…")
        if path.suffix == ".md" and str(shown) not in GENERATED:
            for number, line in wide_lines(path):
                count += 1
                print(f"{shown}:{number}: line above {PAGE_WIDTH} columns: {line.strip()[:80]}…")
        for number, text in texts(path):
            for hit in PATTERN.finditer(text):
                count += 1
                print(f"{shown}:{number}: {hit.group(0)}: {text.strip()[:120]}")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
