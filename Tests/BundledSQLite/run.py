#!/usr/bin/env python3
"""Builds a program with the package trait BundledSQLite, and runs it.

usage: Tests/BundledSQLite/run.py [--scratch FOLDER] [--hidden]

The package that the trait fetches, swift-toolchain-sqlite, is replaced with a stand-in of the same name (SwiftPM's mirrors): SQLite's
amalgamation, made from Debian's source package. As root, the header and the archive of the system's SQLite are hidden while the program
is built. Needs tclsh and Debian's package lists.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Scripts"))

from commands import expect, run  # noqa: E402

ORIGINAL = "https://github.com/swiftlang/swift-toolchain-sqlite"
SOURCES = """\
Types: deb-src
URIs: http://deb.debian.org/debian
Suites: {suite}
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
"""
STAND_IN = """\
// swift-tools-version: 5.9
import PackageDescription

let package = Package(
    name: "swift-toolchain-sqlite",
    products: [.library(name: "SwiftToolchainCSQLite", targets: ["SwiftToolchainCSQLite"])],
    targets: [.target(name: "SwiftToolchainCSQLite", path: "Sources/CSQLite")])
"""
MANIFEST = """\
// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "App",
    dependencies: [.package(name: "modelc", path: "{root}"{traits})],
    targets: [.executableTarget(name: "App", dependencies: [.product(name: "CoreData", package: "modelc")])])
"""
PROGRAM = """\
import CoreData
import Foundation

let title = NSAttributeDescription()
title.name = "title"
title.attributeType = .stringAttributeType
let entity = NSEntityDescription()
entity.name = "Book"
entity.properties = [title]
let model = NSManagedObjectModel()
model.entities = [entity]
for isReopened in [false, true] {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let url = URL(fileURLWithPath: CommandLine.arguments[1])
    try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
        if !isReopened {
            NSEntityDescription.insertNewObject(forEntityName: "Book", into: context).setValue("Émile", forKey: "title")
            try context.save()
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: "title BEGINSWITH[cd] %@", "em")
        print(try context.fetch(request).map { $0.value(forKey: "title") as? String ?? "nil" })
    }
}
"""


def write_stand_in(folder):
    """Writes the stand-in as a git repository with a version; returns its folder."""
    source = folder / "source"
    (source / "lists/partial").mkdir(parents=True)
    suite = next(line.split("=")[1] for line in open("/etc/os-release") if line.startswith("VERSION_CODENAME=")).strip()
    (source / "debian.sources").write_text(SOURCES.format(suite=suite))
    options = [
        "-o", f"Dir::Etc::sourcelist={source}/debian.sources", "-o", "Dir::Etc::sourceparts=-", "-o", f"Dir::State::lists={source}/lists"]
    run("apt-get", *options, "update", "-qq")
    run("apt-get", *options, "source", "-qq", "--download-only", "sqlite3", cwd=source)
    run("tar", "-xf", next(source.glob("sqlite3_*.orig.tar.*")), cwd=source)
    unpacked = next(source.glob("sqlite3-*/"))
    run("./configure", cwd=unpacked)
    run("make", "sqlite3.c", cwd=unpacked)

    package = folder / "swift-toolchain-sqlite"
    (package / "Sources/CSQLite/include").mkdir(parents=True)
    (unpacked / "sqlite3.c").rename(package / "Sources/CSQLite/sqlite3.c")
    (unpacked / "sqlite3.h").rename(package / "Sources/CSQLite/include/sqlite3.h")
    (package / "Package.swift").write_text(STAND_IN)
    git = ["git", "-C", package, "-c", "user.name=Test", "-c", "user.email=test@example.com"]
    run("git", "init", "-q", package)
    run(*git, "add", "-A")
    run(*git, "commit", "-q", "-m", "SQLite")
    run(*git, "tag", "1.0.0")
    return package


def write_app(folder, stand_in, traits):
    """Writes the program's package, for which the stand-in is the mirror of the original."""
    (folder / "Sources/App").mkdir(parents=True)
    (folder / "Package.swift").write_text(MANIFEST.format(root=ROOT, traits=traits))
    (folder / "Sources/App/main.swift").write_text(PROGRAM)
    run("swift", "package", "config", "set-mirror", "--original", ORIGINAL, "--mirror", stand_in.as_uri(), cwd=folder)
    return folder


def hide_system_library(folder):
    """Hides what the system's SQLite is compiled and linked with from this process. SwiftPM itself needs its library."""
    empty = folder / "empty"
    empty.touch()
    for path in [Path("/usr/include/sqlite3.h"), *Path("/usr/lib").glob("*/libsqlite3.a")]:
        if path.exists():
            run("mount", "--bind", empty, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scratch", type=Path, default=ROOT / ".build-sqlite", help="the build folder")
    parser.add_argument("--hidden", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if os.getuid() == 0 and not options.hidden:
        os.execvp("unshare", ["unshare", "--mount", sys.executable, __file__, "--scratch", str(options.scratch), "--hidden"])
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        stand_in = write_stand_in(folder)
        # Without the trait, the package is not fetched.
        plain = write_app(folder / "plain", stand_in, "")
        expect("sqlite" not in run("swift", "package", "show-dependencies", cwd=plain), "SQLite is fetched without the trait")
        if options.hidden:
            hide_system_library(folder)
        app = write_app(folder / "app", stand_in, ', traits: ["BundledSQLite"]')
        run("swift", "build", "--scratch-path", options.scratch, cwd=app)
        program = options.scratch / "debug/App"
        expect("libsqlite3" not in run("ldd", program), "the program needs the system's SQLite")
        printed = run(program, folder / "books.sqlite")
        expect(printed == '["Émile"]\n["Émile"]\n', f"the program printed\n{printed}")
        print("a program with SQLite from a package: ok" + (", the system's hidden" if options.hidden else ""))


if __name__ == "__main__":
    main()
