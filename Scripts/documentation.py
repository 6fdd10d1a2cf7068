#!/usr/bin/env python3
"""Builds the documentation site with DocC.

    Scripts/documentation.py [--build FOLDER] [--output FOLDER]

The site has the guides of this repository as articles and the reference of the `CoreData` module. It needs no package
plugin: the compiler extracts the symbols from a debug build, and the toolchain's `docc` converts them. Every warning is
an error. The sections of DEVIATIONS.md also appear on the pages of the types that they concern.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

from runtime_module import import_arguments

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DEVIATIONS = "Sources/Runtime/CoreData/DEVIATIONS.md"
# The types on whose pages a section of DEVIATIONS.md appears.
CONCERNS = {
    "NSManagedObjectModel": ["NSManagedObjectModel"],
    "Entities and properties": ["NSEntityDescription", "NSPropertyDescription"],
    "Objects": ["NSManagedObject"],
    "Contexts": ["NSManagedObjectContext"],
    "NSPersistentCloudKitContainer": ["NSPersistentCloudKitContainer"],
    "Fetches": ["NSFetchRequest"],
    "Fetches from SQLite files": ["NSFetchRequest"],
    "NSFetchedResultsController": ["NSFetchedResultsController"],
    "Stores": ["NSPersistentStore", "NSPersistentStoreCoordinator"],
    "SQLite files": ["NSPersistentStoreDescription"],
    "Migration with mapping models and in stages": ["NSMigrationManager", "NSStagedMigrationManager"],
    "Batch requests": ["NSBatchInsertRequest", "NSBatchUpdateRequest", "NSBatchDeleteRequest"],
    "Persistent history": ["NSPersistentHistoryChangeRequest"],
    "Query generations": ["NSQueryGenerationToken"],
}


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def articles():
    """Returns the paths of the guides by the names of their articles."""
    listing = ["git", "-C", ROOT, "ls-files", "--"]
    listing += [f":(glob)Documentation/{folder}/*.md" for folder in ("Guides", "Evidence", "Formats")]
    paths = subprocess.run(listing, capture_output=True, text=True, check=True).stdout.split()
    paths += ["ARCHITECTURE.md", DEVIATIONS]
    names = {}
    for path in paths:
        name = os.path.splitext(os.path.basename(path))[0]
        if path.startswith("Documentation/Formats/"):
            name = "Formats" if name == "README" else f"Formats-{name}"
        elif name == "README":
            name = "Evidence"
        names[name] = path
    return names


def converted(path, names):
    """Returns a guide as an article: links between guides become DocC's, other links in the repository become text."""
    by_path = {guide: name for name, guide in names.items()}
    # GitHub's names of sections are in lower case, DocC's are not.
    headings = [heading.replace("`", "").strip() for heading in re.findall(r"^##+ (.*)$", read(path), flags=re.M)]
    sections = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-"): heading.replace(" ", "-")
                for heading in headings}

    def link(match):
        text, target = match.group(1), match.group(2)
        if re.match(r"[a-z]+:", target):
            return match.group(0)
        file, _, anchor = target.partition("#")
        file = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
        if file not in by_path:
            return text
        section = sections.get(anchor) if file == path else None
        return f"[{text}](doc:{by_path[file]}{'#' + section if section else ''})"

    lines, fenced = [], False
    for line in read(path).split("\n"):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            if re.match(r"\s*<!--.*-->$", line):
                continue
            line = re.sub(r"!\[([^\]]*)\]\((?:[^)]*/)?([^)/]+)\)", r"![\1](\2)", line)
            line = re.sub(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)", link, line)
        lines.append(line)
    return "\n".join(lines)


def deviations(names):
    """Returns the sections of DEVIATIONS.md by type."""
    sections = re.split(r"^## ", converted(DEVIATIONS, names), flags=re.M)[1:]
    result = {}
    for section in sections:
        title, body = section.split("\n", 1)
        for name in CONCERNS.get(title.strip(), []):
            result.setdefault(name, []).append(body.strip())
    unknown = set(CONCERNS) - {section.split("\n", 1)[0].strip() for section in sections}
    if unknown:
        sys.exit(f"error: DEVIATIONS.md has no section “{unknown.pop()}”")
    return result


def write_catalog(folder):
    """Writes the articles, the pages of types and the pictures into a documentation catalog."""
    names = articles()
    for name, path in names.items():
        with open(os.path.join(folder, name + ".md"), "w", encoding="utf-8") as file:
            file.write(converted(path, names))
    for name, bodies in deviations(names).items():
        with open(os.path.join(folder, f"CoreData-{name}.md"), "w", encoding="utf-8") as file:
            file.write(f"# ``CoreData/{name}``\n\n## Differences from Apple's framework\n\n" + "\n".join(bodies) + "\n")
    shutil.copy(os.path.join(ROOT, "Documentation/Site/CoreData.md"), os.path.join(folder, "CoreData.md"))
    images = os.path.join(ROOT, "Documentation/Images")
    for image in os.listdir(images):
        shutil.copy(os.path.join(images, image), folder)


def extract_symbols(build, folder):
    """Writes the symbol graph of the `CoreData` module, which must be built."""
    target = subprocess.run(["uname", "-m"], capture_output=True, text=True, check=True).stdout.strip()
    command = ["swift", "symbolgraph-extract", "-module-name", "CoreData", *import_arguments(build)]
    command += ["-target", f"{target}-unknown-linux-gnu", "-minimum-access-level", "public", "-skip-inherited-docs"]
    # CoreData exports it, so that its types are part of what `import CoreData` offers.
    command += ["-experimental-allowed-reexported-modules=CoreDataFoundationExtras"]
    command += ["-output-dir", folder]
    subprocess.run(command, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, ".build/debug"), help="a debug build of the package")
    parser.add_argument("--output", default=os.path.join(ROOT, ".build/documentation"), help="the folder of the site")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        catalog, symbols = os.path.join(folder, "CoreData.docc"), os.path.join(folder, "symbols")
        os.mkdir(catalog)
        os.mkdir(symbols)
        write_catalog(catalog)
        extract_symbols(options.build, symbols)
        command = ["docc", "convert", catalog, "--additional-symbol-graph-dir", symbols, "--output-dir", options.output]
        command += ["--fallback-display-name", "CoreData", "--fallback-bundle-identifier", "modelc.CoreData"]
        result = subprocess.run([*command, "--warnings-as-errors", "--transform-for-static-hosting"])
    print(f"site: {options.output}")
    return result.returncode


if __name__ == "__main__":
    sys.exit(main())
