import Foundation
import TestSupport
import Testing

/// References between the folders of `Sources/Runtime/CoreData` lead downward (Sources/Runtime/README.md, "Layers of the runtime").
@Suite struct LayerTests {
    private static let layers = [
        LayerScanner.Layer(name: "Support", paths: ["Support/", "Errors/", "Exports.swift"]),
        LayerScanner.Layer(
            name: "Descriptions",
            paths: [
                "Model/", "Transform/", "Rows/", "Fetch/", "Batch/", "Predicate/",
                // Belongs to Rows/.
                "Object/SlotValue.swift",
            ]),
        LayerScanner.Layer(
            name: "Evaluation",
            paths: [
                "Predicate/Evaluation/", "Predicate/SwiftPredicate/", "Sorting/", "Fetch/Search/",
                "Fetch/Dictionaries/",
                // Follows key paths as text, for sorting and key-value coding.
                "Object/KeyPathValues.swift",
                // A position that predicates compare.
                "History/NSPersistentHistoryToken.swift",
            ]),
        LayerScanner.Layer(name: "SQL", paths: ["SQL/", "Store/SQLite/Schema/"]),
        LayerScanner.Layer(name: "Stores", paths: ["Store/"]),
        LayerScanner.Layer(
            name: "Objects",
            paths: [
                "Object/", "Context/", "Coordinator/", "Undo/", "Observing/", "KeyPaths/", "Generations/", "History/",
                "Container/", "Migration/",
            ]),
        LayerScanner.Layer(name: "Results", paths: ["ResultsController/", "LiveQuery/"]),
    ]

    /// The remaining upward references, by file. Remove those that the test reports as gone; add none without a reason.
    private static let exceptions: [String: Set<String>] = [
        // Apple's API: requests refer to stores, contexts and the classes of objects; an ID knows its store.
        "Batch/NSBatchInsertRequest.swift": ["NSManagedObject"],
        "Fetch/NSFetchRequest.swift": [
            "ContextQueue", "ManagedObjectClasses", "NSManagedObject", "NSPersistentStore",
        ],
        "Fetch/NSPersistentStoreRequest.swift": ["NSPersistentStore"],
        "Fetch/NSPersistentStoreResult.swift": ["NSManagedObjectContext"],
        "Rows/NSManagedObjectID.swift": ["NSPersistentStore"],
        // Apple's API: predicates and expressions evaluate themselves, and are created from Swift key paths of objects.
        "Predicate/FormatArguments.swift": ["PredicateValue"],
        "Predicate/PredicateTree.swift": ["BlockNode"],
        "Predicate/SwiftPredicate/PredicateResolver.swift": ["PropertyKeyPath"],
        "Predicate/TreeExpression.swift": ["ExpressionEvaluator", "LazyReference", "NodeCompiler"],
        "Predicate/TreePredicates.swift": ["LazyReference", "NodeCompiler", "PredicateEvaluator"],
        // A slot of an object can contain other objects; a slot of a row could be a type without these cases.
        "Object/SlotValue.swift": ["NSManagedObject", "ToManyStorage"],
        // Reads properties of objects without boxing.
        "Object/KeyPathValues.swift": ["NSManagedObject"],
        "Sorting/KeySortDescriptor.swift": ["NSManagedObject"],
        // Archived models contain sort descriptors.
        "Model/Coding/DescriptionDecoder.swift": ["KeySortDescriptor"],
        // A change knows its object: for errors, derived values, and Apple's API of stores.
        "Store/NSPersistentStore.swift": ["NSManagedObject", "NSPersistentStoreCoordinator"],
        "Store/ReferenceObject.swift": ["NSManagedObject"],
        "Store/Requests/ConstraintConflicts.swift": ["NSManagedObject"],
        "Store/Requests/NSSaveChangesRequest.swift": ["NSManagedObject"],
        "Store/Requests/ObjectChange.swift": ["NSManagedObject"],
        "Store/Requests/SaveConflicts.swift": ["NSManagedObject"],
        "Store/Requests/StoreSave.swift": ["NSManagedObject"],
        "Store/InMemory/InMemoryStore.swift": ["NSManagedObject"],
        "Store/SQLite/Rows/SQLiteStore+Reading.swift": ["NSManagedObject"],
        "Store/SQLite/SQLiteStore.swift": ["NSManagedObject", "NSPersistentStoreCoordinator"],
        "Store/SQLite/SQLiteStore+Opening.swift": ["NSPersistentStoreCoordinator"],
        "Store/Requests/DerivedValues.swift": ["NSManagedObject"],
        "Store/PostgreSQL/PostgreSQLStore.swift": ["NSManagedObject", "NSPersistentStoreCoordinator"],
        "Store/PostgreSQL/PostgreSQLStore+Opening.swift": ["NSPersistentStoreCoordinator"],
        "Store/PostgreSQL/Rows/PostgreSQLStore+Reading.swift": ["NSManagedObject"],
        "Store/PostgreSQL/Saving/PostgreSQLConstraintCheck.swift": ["NSManagedObject"],
        "Store/PostgreSQL/Saving/PostgreSQLSave.swift": ["NSManagedObject"],
        "Store/SQLite/Saving/SaveTransaction.swift": ["NSManagedObject"],
        // Apple's API of atomic and incremental stores.
        "Store/Atomic/Files/FormatStore.swift": ["NSManagedObject"],
        "Store/Atomic/Files/ObjectCodec.swift": ["NSManagedObject"],
        "Store/Atomic/AtomicStoreSave.swift": ["NSManagedObject"],
        "Store/Atomic/NSAtomicStore.swift": ["NSManagedObject", "NSPersistentStoreCoordinator"],
        "Store/Incremental/NSIncrementalStore.swift": ["NSManagedObject", "NSManagedObjectContext", "NSMergeConflict"],
        // Expressions of batch updates are evaluated on objects; they could be evaluated on rows.
        "Store/Requests/NSPersistentStore+BatchExpressions.swift": ["NSManagedObject", "NSManagedObjectContext"],
        "Store/SQLite/History/RemoteChanges.swift": ["NSPersistentStoreCoordinator"],
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

    /// All types of stores execute a fetch in the same way (`NSPersistentStore.fetch(_:)`).
    @Test func contextsDoNotAskWhichStoreTheyHave() throws {
        let stores: Set<Substring> = [
            "InMemoryStore", "SQLiteStore", "NSAtomicStore", "NSIncrementalStore", "FormatStore",
        ]
        for (path, text) in try Self.sources()
        where ["Context/", "Fetch/", "Object/", "ResultsController/", "LiveQuery/"].contains(where: path.hasPrefix) {
            #expect(stores.isDisjoint(with: LayerScanner.tokens(text)), "\(path) names a kind of store")
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
    func whatIsNoReferenceIsNotFound(text: String) {
        #expect(Self.twoLayers.violations(in: ["Low/A.swift": text, "High/B.swift": "struct B {}"]).isEmpty)
    }

    @Test func privateTypesAreNoOneElses() {
        let files = ["Low/A.swift": "let x: B", "High/B.swift": "private struct B {}\nfileprivate final class C {}"]
        #expect(Self.twoLayers.violations(in: files).isEmpty)
    }
}
