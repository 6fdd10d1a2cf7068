#!/usr/bin/env python3
"""Type-checks the Swift examples in the documentation, and runs those that say what they print.

    Scripts/code-blocks.py [--build FOLDER] [FILE...]

Reads the ```swift blocks of README.md, of the guides and of the doc comments of `CoreData`, and compiles them against
the built `CoreData` module and the classes of the Books sample. The examples may use `context`, `container`,
`coordinator`, `description`, `model`, `old` and `new` (models), `mapping`, `url`, `oldURL`, `newURL`, `request`, `book`
and `author` without declaring them. Errors name the line of the example.

A block after a line `<!-- not compiled: REASON -->` is skipped and counted: manifests, generated code, excerpts.

An example with a comment `// prints TEXT` is run, and its output compared: with a SQLite store that has the books “Emma” (the example's
`book`) and “Persuasion” by “Jane Austen” (`author`), both saved.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

from runtime_module import import_arguments

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ACCESS = re.compile(r"^(\s*)(?:public|open|package|internal) (?=\w)")  # Not allowed in a function.
FENCE = re.compile(r"^(\s*)(```+)(\S*)")
PARAMETERS = (
    "_ context: NSManagedObjectContext, _ container: NSPersistentContainer, "
    "_ coordinator: NSPersistentStoreCoordinator, _ model: NSManagedObjectModel, "
    "_ request: NSFetchRequest<Book>, _ book: Book, _ author: Author, _ old: NSManagedObjectModel, "
    "_ new: NSManagedObjectModel, _ mapping: NSMappingModel, _ oldURL: URL, _ newURL: URL, _ url: URL, "
    "_ description: NSPersistentStoreDescription"
)


class Block:
    """An example: its lines, the file and line where it begins, and why it is skipped, if it is."""

    def __init__(self, path, line, lines, skipped):
        self.path, self.line, self.lines, self.skipped = path, line, lines, skipped

    @property
    def printed(self):
        """What the example says that it prints, or None if it is asynchronous or says nothing."""
        if any("await" in line for line in self.lines):
            return None
        return [match.group(1) for line in self.lines if (match := re.search(r"// prints (.+)$", line))] or None

    def source(self, number):
        """Returns a Swift file with the example in a function; imports and extensions stay outside."""
        location = f'#sourceLocation(file: "{self.path}", line: {self.line})'
        if any(re.match(r"(public |private |fileprivate |@retroactive )?extension ", line) for line in self.lines):
            return f"import Foundation\nimport CoreData\n{location}\n" + "\n".join(self.lines) + "\n"
        imports = [line for line in self.lines if re.match(r"(public |internal |@testable )?import ", line)]
        body = ["" if line in imports else ACCESS.sub(r"\1", line) for line in self.lines]
        effects = "async throws" if any("await" in line for line in body) else "throws"
        heading = "\n".join(imports) + f"\nfunc example{number}({PARAMETERS}) {effects} {{"
        return f"import Foundation\nimport CoreData\n{heading}\n{location}\n" + "\n".join(body) + "\n}\n"


FIXTURE = """import CoreData
import Foundation

setvbuf(stdout, nil, _IONBF, 0)
let folder = URL(fileURLWithPath: CommandLine.arguments[1])

func run(
    _ number: Int,
    _ example: (
        NSManagedObjectContext, NSPersistentContainer, NSPersistentStoreCoordinator, NSManagedObjectModel, NSFetchRequest<Book>, Book,
        Author, NSManagedObjectModel, NSManagedObjectModel, NSMappingModel, URL, URL, URL, NSPersistentStoreDescription
    ) throws -> Void
) throws {
    let container = NSPersistentContainer(name: "Books")
    let url = folder.appendingPathComponent("\\(number).sqlite")
    let description = NSPersistentStoreDescription(url: url)
    container.persistentStoreDescriptions = [description]
    container.loadPersistentStores { _, error in if let error { fatalError("\\(error)") } }
    let context = container.viewContext
    let author = Author(context: context)
    author.name = "Jane Austen"
    let books = ["Emma", "Persuasion"].map { title in
        let book = Book(context: context)
        book.title = title
        book.author = author
        return book
    }
    try context.save()
    print("\\u{1}\\(number)")
    let model = container.managedObjectModel
    try example(
        context, container, container.persistentStoreCoordinator, model, Book.fetchRequest(), books[0], author, model, model,
        NSMappingModel(), url, url, url, description)
}

"""


def objects(build):
    """Returns the object files of the runtime and of the modules that it uses."""
    with tempfile.TemporaryDirectory() as scratch:
        manifest = json.loads(subprocess.run(
            ["swift", "package", "--package-path", ROOT, "--scratch-path", scratch, "dump-package"], check=True,
            capture_output=True, text=True).stdout)
    targets = {target["name"]: target for target in manifest["targets"]}
    used, waiting = set(), ["CoreData"]
    while waiting:
        name = waiting.pop()
        if name in targets and name not in used:
            used.add(name)
            waiting += [each["byName"][0] for each in targets[name]["dependencies"] if "byName" in each]
    found = []
    for name in sorted(used):
        for folder, _, names in os.walk(os.path.join(build, f"{name}.build")):
            # Files of sources that were moved to another module stay in the folder.
            sources = os.path.join(folder, "sources")
            if os.path.exists(sources):
                with open(sources, encoding="utf-8") as file:
                    names = [os.path.basename(path.strip().strip("'\"")) + ".o" for path in file if path.strip()]
            found += [os.path.join(folder, each) for each in sorted(names) if each.endswith(".o")]
    return found


def run(examples, sources, build, folder):
    """Runs examples, given with their numbers; returns the number of those that print something else."""
    main = os.path.join(folder, "main.swift")
    with open(main, "w", encoding="utf-8") as file:
        file.write(FIXTURE + "".join(f"try run({number}, example{number})\n" for number, _ in examples))
    programs = os.path.join(folder, "program")
    os.mkdir(programs)
    modelc, model = os.path.join(build, "modelc"), os.path.join(ROOT, "Samples/Sources/Books/Books.xcdatamodeld")
    subprocess.run(
        [modelc, "compile", model, os.path.join(programs, "Books.momd"), "--module", "Examples", "-q"], check=True)
    names = [f"Example{number}.swift" for number, _ in examples]
    used = [path for path in sources if os.path.basename(path) in names or "/Example" not in path]
    program = os.path.join(programs, "examples")
    subprocess.run(
        ["swiftc", "-o", program, "-module-name", "Examples", "-swift-version", "5", "-suppress-warnings", *import_arguments(build),
         *used, main, *objects(build), "-lxml2", "-lsqlite3", "-lz"], cwd=ROOT, check=True)
    done = subprocess.run(
        [program, folder], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=120,
        env={**os.environ, "HOME": folder})
    printed = {}
    for part in done.stdout.split("\x01")[1:]:
        number, _, text = part.partition("\n")
        printed[int(number)] = text.rstrip("\n").split("\n")
    failures = 0
    for number, block in examples:
        if printed.get(number) != block.printed:
            failures += 1
            print(f"{block.path}:{block.line}: prints {printed.get(number)}, not {block.printed}")
    if done.returncode != 0:
        failures += 1
        print(f"the examples ended with exit code {done.returncode}\n{done.stdout[-2000:]}")
    return failures


def blocks_of_lines(path, lines):
    """Yields the Swift examples among (number, text) pairs of Markdown lines."""
    fence, start, content, reason = None, 0, [], None
    for number, text in lines:
        match = FENCE.match(text)
        if fence is None:
            comment = re.match(r"\s*<!-- not compiled: (.*) -->", text)
            if comment:
                reason = comment.group(1)
            elif match:
                fence, start, content = match, number + 1, []
            elif text.strip():
                reason = None
        elif match and match.group(2) == fence.group(2) and not match.group(3):
            if fence.group(3) == "swift":
                indent = len(fence.group(1))
                if any("import PackageDescription" in line for line in content):
                    reason = "a package manifest"
                yield Block(path, start, [line[indent:] for line in content], reason)
            fence, reason = None, None
        else:
            content.append(text)


def blocks_of_file(path):
    """Yields the Swift examples of a Markdown file, or of the doc comments of a Swift file."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        lines = file.read().split("\n")
    if path.endswith(".md"):
        yield from blocks_of_lines(path, list(enumerate(lines, 1)))
        return
    comment = []
    for number, line in enumerate(lines + [""], 1):
        match = re.match(r"\s*/// ?(.*)", line)
        if match:
            comment.append((number, match.group(1)))
        elif comment:
            # Only the public declarations are part of the documentation.
            if not re.match(r"\s*(nonisolated )?(final )?package ", line):
                yield from blocks_of_lines(path, comment)
            comment = []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, ".build/debug"), help="a debug build of the package")
    parser.add_argument("files", nargs="*", help="only these files")
    options = parser.parse_args()
    files = options.files
    if not files:
        patterns = [
            "README.md", ":(glob)Documentation/Guides/*.md", ":(glob)Documentation/Evidence/*.md", "Sources/Runtime/CoreData/*.swift",
            "Sources/Runtime/CoreData/**/*.swift", "Sources/Runtime/CoreDataFoundationExtras/Selectors/*.swift"]
        files = subprocess.run(
            ["git", "-C", ROOT, "ls-files", "--", *patterns], capture_output=True, text=True, check=True
        ).stdout.split()
    blocks = [block for path in files for block in blocks_of_file(path)]
    checked = [block for block in blocks if not block.skipped]
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(ROOT, "Samples/Sources/Books/Books.xcdatamodeld")
        generate = [os.path.join(options.build, "modelc"), "generate", model, "--output", folder]
        subprocess.run([*generate, "--flavor", "portable"], check=True, stdout=subprocess.DEVNULL)
        sources = [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".swift")]
        for number, block in enumerate(checked):
            path = os.path.join(folder, f"Example{number}.swift")
            with open(path, "w", encoding="utf-8") as file:
                file.write(block.source(number))
            sources.append(path)
        result = subprocess.run(
            ["swiftc", "-typecheck", "-wmo", "-module-name", "Examples", "-swift-version", "6",
             "-suppress-warnings", *import_arguments(options.build), *sources], cwd=ROOT
        )
        examples = [(number, block) for number, block in enumerate(checked) if block.printed and result.returncode == 0]
        failures = run(examples, sources, options.build, folder) if examples else 0
    print(f"{len(checked)} examples type-checked, {len(blocks) - len(checked)} skipped; {len(examples)} run, {failures} failed")
    return 1 if failures else result.returncode


if __name__ == "__main__":
    sys.exit(main())
