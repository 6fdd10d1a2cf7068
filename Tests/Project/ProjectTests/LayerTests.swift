import Foundation
import TestSupport
import Testing

/// References between the folders of `Sources/Runtime/CoreData` lead downward (Sources/Runtime/README.md, "Layers of
/// the runtime").
@Suite struct LayerTests {
    private static let layers = [
        LayerScanner.Layer(name: "PredicateRuntime", paths: ["PredicateRuntime/"]),
        LayerScanner.Layer(name: "Errors", paths: ["Errors/", "Exports.swift"]),
        LayerScanner.Layer(name: "Queues", paths: ["Queues/"]),
        LayerScanner.Layer(name: "Model", paths: ["Model/"]),
        LayerScanner.Layer(name: "Rows", paths: ["Rows/"]),
        LayerScanner.Layer(name: "Search", paths: ["Search/"]),
        LayerScanner.Layer(name: "StoreInterface", paths: ["StoreInterface/"]),
        LayerScanner.Layer(name: "SQL", paths: ["SQL/"]),
        LayerScanner.Layer(name: "Stores", paths: ["SQLite/", "InMemory/"]),
        LayerScanner.Layer(name: "Objects", paths: ["Objects/"]),
        LayerScanner.Layer(name: "Contexts", paths: ["Contexts/"]),
        LayerScanner.Layer(name: "Coordinator", paths: ["Coordinator/"]),
        LayerScanner.Layer(name: "CustomStores", paths: ["CustomStores/"]),
        LayerScanner.Layer(name: "Migration", paths: ["Migration/"]),
        LayerScanner.Layer(name: "Results", paths: ["Results/"]),
    ]

    /// The remaining upward references, by file. Remove those that the test reports as gone; add none without a reason.
    private static let exceptions: [String: Set<String>] = [
        // Apple's API: an object has a context, a context a coordinator and stores, and adding a store migrates it.
        "Objects/NSManagedObject+Identity.swift": ["NSManagedObjectContext"],
        "Objects/NSManagedObject+ModelAccess.swift": ["NSManagedObjectContext"],
        "Objects/NSManagedObject.swift": ["NSManagedObjectContext"],
        "Objects/ObjectState.swift": ["NSManagedObjectContext"],
        "Contexts/Fetching/ContextFetch.swift": ["NSPersistentStore", "NSPersistentStoreCoordinator"],
        "Contexts/NSManagedObjectContext.swift": ["NSPersistentStore", "NSPersistentStoreCoordinator"],
        "Contexts/Saving/ContextSave.swift": ["NSPersistentStoreCoordinator"],
        "Coordinator/NSPersistentStoreCoordinator+Stores.swift": ["StoreMigration"],
        // The stores that are registered from the start.
        "Coordinator/Stores/StoreTypes.swift": ["BinaryStore", "XMLStore"],
    ]

    /// Returns the sources of the runtime by path.
    private static func sources() throws -> [String: String] {
        let folder = Checkout.root.appendingPathComponent("Sources/Runtime/CoreData")
        let paths = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap { $0 as? String }
        return try Dictionary(
            uniqueKeysWithValues: paths.filter { $0.hasSuffix(".swift") }.map { path in
                (path, try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8))
            })
    }

    @Test func everySourceOfTheRuntimeIsInALayer() throws {
        let scanner = LayerScanner(layers: Self.layers)
        #expect(try Self.sources().keys.filter { scanner.layer(of: $0) == nil }.isEmpty)
    }

    @Test func referencesBetweenLayersLeadDownward() throws {
        let found = LayerScanner(layers: Self.layers).violations(in: try Self.sources())
        let known = Set(
            Self.exceptions.flatMap { file, types in types.map { LayerScanner.Violation(file: file, type: $0) } })
        for violation in found.subtracting(known).sorted(by: { $0.file < $1.file }) {
            Issue.record("\(violation.file) refers upward, to \(violation.type)")
        }
        for violation in known.subtracting(found).sorted(by: { $0.file < $1.file }) {
            Issue.record("\(violation.file) does not refer to \(violation.type) any more: remove the exception")
        }
    }

    /// All types of stores execute a fetch in the same way (`StoreEngine.fetch(_:ahead:)`).
    @Test func contextsDoNotNameKindsOfStores() throws {
        let stores: Set<Substring> = [
            "InMemoryStore", "SQLiteStore", "NSAtomicStore", "NSIncrementalStore", "FormatStore",
        ]
        let layers = ["Contexts/", "Coordinator/", "Model/Requests/", "Objects/", "Results/"]
        // The table of types by name, and tools that print and write rows of databases.
        let exempt = ["Coordinator/Stores/StoreTypes.swift", "Coordinator/Tools/"]
        for (path, text) in try Self.sources()
        where layers.contains(where: path.hasPrefix) && !exempt.contains(where: path.hasPrefix) {
            #expect(stores.isDisjoint(with: LayerScanner.tokens(text)), "\(path) names a kind of store")
        }
    }

    /// Stores of other databases are modules over the store interface.
    @Test func theRuntimeNamesNoDatabaseButSQLite() throws {
        for (path, text) in try Self.sources() {
            // In comments too.
            let text = text.lowercased()
            #expect(!["postgres", "libpq"].contains(where: text.contains), "\(path) names another database")
        }
    }

    // MARK: The scanner

    private static let twoLayers = LayerScanner(layers: [
        LayerScanner.Layer(name: "low", paths: ["Low/"]),
        LayerScanner.Layer(name: "high", paths: ["High/", "Low/Top"]),
    ])

    @Test func referenceToAHigherLayerIsFound() {
        let files = [
            "Low/A.swift": "struct A { var b: B?; func make() -> [Lower] { [] } }",
            "Low/Lower.swift": "struct Lower {}",
            "High/B.swift": "public final class B { let a: A }",
        ]
        #expect(Self.twoLayers.violations(in: files) == [LayerScanner.Violation(file: "Low/A.swift", type: "B")])
    }

    @Test func extensionOfAHigherTypeIsAReference() {
        let files = ["Low/A.swift": "extension B { func a() {} }", "High/B.swift": "class B {}"]
        #expect(Self.twoLayers.violations(in: files) == [LayerScanner.Violation(file: "Low/A.swift", type: "B")])
    }

    @Test func longestPathDecidesTheLayer() {
        let files = ["Low/A.swift": "let x: T?", "Low/Top.swift": "enum T {}"]
        #expect(Self.twoLayers.violations(in: files) == [LayerScanner.Violation(file: "Low/A.swift", type: "T")])
    }

    @Test(arguments: [
        "// B\nstruct A {}", "/* B */ struct A {}", "let a = \"B \\\" B\"", "let a = \"\"\"\nB\n\"\"\"",
        "struct A { struct B {}; var b: B }", "let a = AB(b)",
    ])
    func commentsAndStringsAreIgnored(text: String) {
        #expect(Self.twoLayers.violations(in: ["Low/A.swift": text, "High/B.swift": "struct B {}"]).isEmpty)
    }

    @Test func privateTypesAreIgnored() {
        let files = ["Low/A.swift": "let x: B", "High/B.swift": "private struct B {}\nfileprivate final class C {}"]
        #expect(Self.twoLayers.violations(in: files).isEmpty)
    }
}
