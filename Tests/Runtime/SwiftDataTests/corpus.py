#!/usr/bin/env python3
"""Compares compiled @Model classes and the stores that they make with those of Apple's framework.

usage: Tests/Runtime/SwiftDataTests/corpus.py CORPUS [--scratch FOLDER]

Writes the declarations of CORPUS/swiftdata as Swift sources into a temporary package and runs its tests: the version hashes are those that Apple's
framework wrote, its stores are opened, changed and migrated, and a new store has the same tables, indexes, triggers and metadata keys.
"""

import argparse
import json
import os
import pathlib
import plistlib
import sqlite3
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]

MANIFEST = """// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "SwiftDataCorpus",
    dependencies: [.package(name: "modelc", path: "%s", traits: ["SwiftData"])],
    targets: [.testTarget(name: "CorpusTests", dependencies: [.product(name: "SwiftData", package: "modelc")])],
    swiftLanguageModes: [.v6]
)
"""

TEST = """import SwiftData
import Testing

@Suite struct CorpusTests {
%s}

func check(_ types: [any PersistentModel.Type], _ hashes: [String: String]) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appendingPathComponent("x.store")
    _ = try ModelContainer(for: Schema(types), configurations: [ModelConfiguration(url: url)])
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url)
    let found = try #require(metadata[NSStoreModelVersionHashesKey] as? [String: Data])
    #expect(Set(found.keys) == Set(hashes.keys))
    for (name, hash) in hashes {
        #expect(found[name]?.map { String(format: "%%02x", $0) }.joined() == hash, "\\(name)")
    }
}

@Suite struct StoreTests {
    private let folder = URL(fileURLWithPath: ProcessInfo.processInfo.environment["STORES"] ?? "")

    private func users<User: PersistentModel>(_ type: User.Type, _ name: String) throws -> ModelContext {
        let url = folder.appendingPathComponent(name)
        return ModelContext(try ModelContainer(for: Schema([type]), configurations: [ModelConfiguration(url: url)]))
    }

    @Test func appleStoreIsChangedAndMigrated() throws {
        do {
            let context = try users(Schema1.User.self, "FreezeRay-V1.sqlite")
            #expect(try context.fetchCount(FetchDescriptor<Schema1.User>()) == 0)
            context.insert(Schema1.User(name: "a", createdAt: .now))
            try context.save()
        }
        let context = try users(Schema2.User.self, "FreezeRay-V1.sqlite")
        let user = try #require(try context.fetch(FetchDescriptor<Schema2.User>()).first)
        #expect(user.name == "a" && user.email == nil)
        user.email = "b"
        try context.save()
        #expect(try users(Schema2.User.self, "FreezeRay-V2.sqlite").fetchCount(FetchDescriptor<Schema2.User>()) == 0)
    }

    @Test func newStores() throws {
        _ = try users(Schema1.User.self, "New-V1.sqlite")
        _ = try users(Schema2.User.self, "New-V2.sqlite")
    }
}
"""


def contents(path):
    """The definitions of a store's tables, and the keys of its metadata."""
    database = sqlite3.connect(f"file:{path}?immutable=1", uri=True)
    schema = set(database.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"))
    (metadata,) = database.execute("SELECT Z_PLIST FROM Z_METADATA").fetchone()
    return schema, plistlib.loads(metadata)


def compare(apple, own):
    """Prints the differences between two stores, and returns their number."""
    (schema, metadata), (own_schema, own_metadata) = contents(apple), contents(own)
    different = 0
    for row in sorted(schema ^ own_schema, key=str):
        print("Apple's" if row in schema else "own", row)
        different += 1
    for key in sorted(metadata.keys() | own_metadata.keys()):
        if key in {"NSPersistenceFrameworkVersion", "NSPersistenceMaximumFrameworkVersion", "NSStoreModelVersionIdentifiers"}:
            continue
        if metadata.get(key) != own_metadata.get(key):
            print(key, metadata.get(key), own_metadata.get(key))
            different += 1
    return different


def value_type(name, declared):
    if declared["kind"] == "enum":
        raw = f": {declared['raw']}, Codable" if declared.get("raw") else ": Codable"
        return f"    enum {name}{raw} {{ case {', '.join(declared['cases'])} }}\n"
    fields = "".join(f"        var {field['name']}: {field['type']}\n" for field in declared["fields"])
    return f"    struct {name}: Codable {{\n{fields}    }}\n"


def entity(declared):
    lines = [f"    @Model final class {declared['name']} {{"]
    compound = [group for group in declared["unique"] if len(group) > 1]
    single = {group[0] for group in declared["unique"] if len(group) == 1}
    if compound:
        groups = ", ".join("[" + ", ".join(f"\\.{name}" for name in group) + "]" for group in compound)
        lines.append(f"        #Unique<{declared['name']}>({groups})")
    parameters, body = [], []
    for field in declared["properties"]:
        name, kind = field["name"], field["type"]
        options = [".unique"] * (name in single) + [".externalStorage"] * bool(field.get("externalStorage"))
        if options:
            lines.append(f"        @Attribute({', '.join(options)})")
        if field.get("relationshipMacro"):
            inverse = f"(inverse: \\{field['inverse']})" if field.get("inverse") else ""
            lines.append(f"        @Relationship{inverse or '()'}")
        elif field.get("inverse"):
            lines.append(f"        @Relationship(inverse: \\{field['inverse']})")
        lines.append(f"        var {name}: {kind}")
        parameters.append(f"{name}: {kind}")
        body.append(f"            self.{name} = {name}")
    lines.append(f"        init({', '.join(parameters)}) {{")
    return "\n".join(lines + body + ["        }", "    }", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--scratch", type=pathlib.Path, default=ROOT / ".build-swiftdata")
    arguments = parser.parse_args()
    schemas = json.loads((arguments.corpus / "swiftdata/declarations.json").read_text())
    with tempfile.TemporaryDirectory() as folder:
        package = pathlib.Path(folder) / "SwiftDataCorpus"
        sources = package / "Tests/CorpusTests"
        sources.mkdir(parents=True)
        (package / "Package.swift").write_text(MANIFEST % ROOT)
        tests = ""
        for number, schema in enumerate(schemas):
            values = "".join(value_type(name, declared) for name, declared in schema["valueTypes"].items())
            models = "\n".join(entity(declared) for declared in schema["entities"])
            (sources / f"Schema{number}.swift").write_text(f"import SwiftData\n\nenum Schema{number} {{\n{values}\n{models}}}\n")
            names = ", ".join(f"Schema{number}.{declared['name']}.self" for declared in schema["entities"])
            hashes = ", ".join(f'"{declared["name"]}": "{declared["hash"]}"' for declared in schema["entities"])
            tests += f"    @Test func schema{number}() throws {{\n        try check([{names}], [{hashes}])\n    }}\n"
        (sources / "CorpusTests.swift").write_text(TEST % tests)
        stores = pathlib.Path(folder) / "stores"
        stores.mkdir()
        for store in (arguments.corpus / "swiftdata/stores").glob("*.sqlite"):
            (stores / store.name).write_bytes(store.read_bytes())
        subprocess.run(
            ["swift", "test", "--package-path", package, "--scratch-path", arguments.scratch.resolve()], check=True,
            env={**os.environ, "STORES": str(stores)})
        different = 0
        for version in ["V1", "V2"]:
            apple = arguments.corpus / f"swiftdata/stores/FreezeRay-{version}.sqlite"
            different += compare(apple, stores / f"New-{version}.sqlite")
        sys.exit(different > 0)


main()
