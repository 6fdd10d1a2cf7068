import Diagnostics
import Foundation
import SwiftDataModel
import TestSupport
import Testing

/// Frozen copies of schemas.
@Suite struct FrozenSchemaTests {
    private static let live = """
        import SwiftData
        import SwiftUI

        enum SchemaV2: VersionedSchema {
            static let versionIdentifier = Schema.Version(2, 1, 0)
            static var models: [any PersistentModel.Type] { [Shelf.Book.self, Author.self] }
        }
        typealias Title = String
        enum Shelf {
            /// A book.
            @Model public final class Book {
                #Unique<Shelf.Book>([\\.made], [\\Shelf.Book.title, \\.kind])
                #Index<Book>([\\.title], .rtree([\\.pages]))
                @Attribute(.unique) public private(set) var id = UUID()
                @Attribute(originalName: "name", hashModifier: "3") var title: Title
                var pages = 3 { didSet { print(pages) } }
                var made: Date = .now
                var kind: Kind
                var state = State.draft
                var price: Price?
                var tags: [String] = []
                @Transient var cache: [Int: Int] = [:]
                @Relationship(deleteRule: .deny, inverse: \\Author.books) var author: Author?
                enum Kind: String, Codable, CaseIterable { case novel = "N", other }
                init(title: String) { self.title = title; kind = .novel }
                func shout() -> String { title + helper() }
            }
        }
        func helper() -> String { "!" }
        struct Price: Codable, Hashable { var amount: Decimal; var currency: Currency
            var text: String { "\\(amount)" } }
        enum Currency: Codable { case euro; case dollar }
        enum State: Int, Codable { case draft, done }
        @Model class Author { var name: String?; var books: [Shelf.Book] }
        """

    private func freeze(_ text: String, _ name: String, identifier: String? = nil) throws -> String {
        try FrozenSchema(
            freezing: name, identifier: identifier, in: [SwiftSourceFile(path: "Live.swift", bytes: Array(text.utf8))]
        ).text
    }

    @Test func theCopyIsSelfContained() throws {
        let copy = try freeze(Self.live, "SchemaV2")
        let sources = SwiftDataSources([SwiftSourceFile(path: "Copy.swift", bytes: Array(copy.utf8))])
        #expect(sources.findings == [])
        let version = try #require(sources.versions.first)
        #expect(version.name == "SchemaV2" && version.identifier == "2.1.0")
        let live = SwiftDataSources([SwiftSourceFile(path: "Live.swift", bytes: Array(Self.live.utf8))])
        #expect(version.model.versionHashes().entities == live.versions.first?.model.versionHashes().entities)
        #expect(version.model.entities.map(\.fetchIndexes.count) == [2, 0])
        #expect(version.model.entities[0].attributes.map(\.renamingIdentifier).contains("name"))
        #expect(
            copy.contains(
                """
                        init(title: String, kind: Kind) {
                            self.title = title
                """), "\(copy)")
        #expect(copy.contains("        enum Kind: String, Codable, CaseIterable { case novel = \"N\", other }\n"))
        #expect(copy.contains("        var state: State = State.draft\n        var price: Price?\n"))
        #expect(copy.contains("@Relationship(deleteRule: .deny, inverse: \\Author.books)"))
        #expect(!copy.contains("helper") && !copy.contains("cache"))
    }

    /// The Swift parser accepts a copy.
    @Test func theCopyParses() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("SchemaV2.swift")
        try Data(try freeze(Self.live, "SchemaV2").utf8).write(to: file)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["swiftc", "-frontend", "-parse", file.path]
        let pipe = Pipe()
        process.standardError = pipe
        try process.run()
        let errors = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(String(decoding: errors, as: UTF8.self))")
    }

    @Test func sourcesWithoutVersionsGetOne() throws {
        let copy = try freeze("@Model class A { var x: Int? }", "SchemaV1", identifier: "1.2.0")
        #expect(
            copy.contains(
                "enum SchemaV1: VersionedSchema {\n    static let versionIdentifier = Schema.Version(1, 2, 0)"))
        #expect(copy.contains("        init() {}"))
    }

    @Test(arguments: [
        ("SchemaV9", "no version"), ("", "no version"),
    ])
    func unknownVersionsAreErrors(name: String, part: String) {
        let error = #expect(throws: FrozenSchema.Failure.self) { try freeze(Self.live, name) }
        #expect(error?.findings.first?.message.contains(part) == true)
    }

    @Test func badNamesAndAmbiguousValuesAreErrors() {
        let name = #expect(throws: FrozenSchema.Failure.self) { try freeze("@Model class A { var x: Int }", "1 { }") }
        #expect(name?.findings.first?.message.contains("not a valid type name") == true)
        let twins = """
            enum One { struct V: Codable { var a: Int } }
            enum Two { struct V: Codable { var b: Int } }
            @Model class A { var one: One.V; var two: Two.V }
            """
        let values = #expect(throws: FrozenSchema.Failure.self) { try freeze(twins, "SchemaV1") }
        #expect(values?.findings.first?.message.contains("two types") == true)
        let broken = #expect(throws: FrozenSchema.Failure.self) { try freeze("@Model class A { var x = f() }", "S") }
        #expect(broken?.findings.first?.file == "Live.swift")
    }

    // MARK: Values

    /// Everything that decides how a value is encoded is copied, also where the version hash does not cover it.
    @Test func valuesAreCopiedWhole() throws {
        let copy = try freeze(
            """
            @propertyWrapper struct Clamped: Codable { var wrappedValue: Int }
            enum Defaults {
                struct Meta: Codable {
                    var title: String
                    var shape: Shape; @Clamped var level: Int = 5
                    enum CodingKeys: String, CodingKey {
                        case title = "t", shape, level
                    }
                }
                indirect enum Shape: Codable {
                    case circle(radius: Double), group([Shape]), square, `private`
                    func encode(to encoder: Encoder) throws {}
                }
            }
            extension Defaults.Shape { init(from decoder: any Decoder) throws { self = .square } }
            extension Defaults.Shape { var isRound: Bool { false } }
            extension Defaults.Meta: Hashable { typealias Other = Defaults.Shape }
            struct Wrap: Codable { var metas: [Defaults.Meta] = [] }
            @Model final class A { var dict: [String: Defaults.Meta] = [:]; var wrap: Wrap }
            """, "SchemaV1")
        #expect(
            copy.contains(
                """
                    struct Meta: Codable {
                        var title: String
                        var shape: Shape; @Clamped var level: Int = 5
                        enum CodingKeys: String, CodingKey {
                            case title = "t", shape, level
                        }
                    }

                    indirect enum Shape: Codable {
                        case circle(radius: Double), group([Shape]), square, `private`
                        func encode(to encoder: Encoder) throws {}
                    }

                    @propertyWrapper
                    struct Clamped: Codable { var wrappedValue: Int }
                """), "\(copy)")
        #expect(copy.contains("    struct Wrap: Codable { var metas: [Meta] = [] }\n"))
        #expect(
            copy.contains("\nextension SchemaV1.Shape { init(from decoder: any Decoder) throws { self = .square } }\n"))
        #expect(copy.contains("\nextension SchemaV1.Meta: Hashable { typealias Other = SchemaV1.Shape }\n"))
        #expect(!copy.contains("isRound"))
        #expect(copy.contains("        var dict: [String: Meta] = [:]\n"))
    }

    @Test func valuesStayNestedInTheirTypes() throws {
        let copy = try freeze(
            """
            typealias Urgency = Task1.Priority
            @Model class Task1 {
                enum Priority: Int, Codable { case low, high }
                var priority = Urgency.low
                var all: [Task1] = []
                @Relationship(inverse: \\Task1.all) var part: Task1?
            }
            extension Project { struct Info: Codable { var priority: Priority; var task: Urgency? } }
            @Model class Project {
                enum Priority: String, Codable { case low, high }
                var priority: Project.Priority = Priority.high; var info: Info?; var urgency: Urgency?
            }
            """, "SchemaV1")
        #expect(copy.contains("var priority: Task1.Priority = Task1.Priority.low\n"), "\(copy)")
        #expect(
            copy.contains(
                "        struct Info: Codable { var priority: Priority; var task: Task1.Priority? }\n"), "\(copy)")
        #expect(copy.contains("var priority: Project.Priority = Priority.high\n"))
        #expect(copy.contains("var urgency: Task1.Priority?\n"))
        #expect(copy.contains("        enum Priority: Int, Codable { case low, high }\n    }\n"))
    }

    @Test func typesBehindATransformerAreOnlyReferredTo() throws {
        let copy = try freeze(
            """
            enum Kit { final class MyColor: NSObject, NSSecureCoding { var red: Double = 0 }
                final class ColorTransformer: ValueTransformer {} }
            struct Shape: Codable { var a: Int }
            typealias Paint = Kit.MyColor
            @Model final class A {
                @Attribute(.transformable(by: Kit.ColorTransformer.self)) var color: Paint?
                @Attribute(.transformable(by: "Name")) var tags: Set<String>
                @Attribute(.transformable(by: "Name")) var length: Measurement<UnitLength>?
                @Attribute(.transformable(by: "Name")) var shape: Shape?
            }
            """, "SchemaV1")
        #expect(!copy.contains("class MyColor") && !copy.contains("struct Shape"))
        #expect(
            copy.contains(
                "@Attribute(.transformable(by: Kit.ColorTransformer.self))\n        var color: Kit.MyColor?\n"))
        #expect(copy.contains("var tags: Set<String>\n"))
        #expect(copy.contains("var length: Measurement<UnitLength>?\n"))
        #expect(copy.contains("init(tags: Set<String>) {"))
    }

    /// A transformer of the type that is also a value would get the copy.
    @Test(arguments: [
        (
            "struct V: Codable { var a: Int }\n@Model class A { var v: V; @Attribute(.transformable(by: \"T\")) var t: V? }",
            "stored both by a value transformer and as a value"
        ),
        (
            "@Model class A { class C: NSObject {}; @Attribute(.transformable(by: \"T\")) var c: C? }",
            "a copy cannot refer to “A.C”"
        ),
        (
            "private class C: NSObject {}\n@Model class A { @Attribute(.transformable(by: \"T\")) var c: C? }",
            "private to its file"
        ),
    ])
    func inaccessibleTypesAreErrors(text: String, part: String) {
        let error = #expect(throws: FrozenSchema.Failure.self) { try freeze(text, "SchemaV1") }
        #expect(error?.findings.first?.message.contains(part) == true, "\(error?.findings.map(\.message) ?? [])")
        #expect(error?.findings.first?.file == "Live.swift")
    }

    // MARK: Properties

    @Test func initialValuesAndNamesAreKept() throws {
        let copy = try freeze(
            """
            import CoreLocation
            import struct Foundation.URL
            #if canImport(UIKit)
            import UIKit
            #endif
            enum Mood: String, Codable { case calm, angry }
            @Model class A {
                static let start = "a" + suffix
                static let suffix: String = "b"
                var mood: Mood = Mood.angry, most: Int = Int.max, list: [String] = ["a"], angle: Double = .pi
                var id = UUID().uuidString, name: String = A.start, `in`: Int, `private`: Int = 0
                var text: String = \"\"\"
                    one
                      two
                    \"\"\"
                var computed: Int = {
                    // A comment.
                    return 5
                }()
            }
            """.replacingOccurrences(of: "\"a\" + suffix", with: "\"a\" + A.suffix"), "SchemaV1")
        for line in [
            "var mood: Mood = Mood.angry", "var most: Int = Int.max", "var list: [String] = [\"a\"]",
            "var angle: Double = .pi", "var id: String = UUID().uuidString", "var name: String = A.start",
            "var `in`: Int", "var `private`: Int = 0", "init(`in`: Int) {", "    self.`in` = `in`",
            "static let start = \"a\" + A.suffix", "static let suffix: String = \"b\"",
        ] {
            #expect(copy.contains("        \(line)\n"), "\(line) in \(copy)")
        }
        #expect(
            copy.contains(
                """
                        var text: String = \"\"\"
                        one
                          two
                        \"\"\"
                        var computed: Int = {
                            // A comment.
                            return 5
                        }()
                """), "\(copy)")
        #expect(
            copy.contains(
                "import CoreLocation\nimport Foundation\nimport SwiftData\n#if canImport(UIKit)\nimport UIKit\n#endif\n"
            ))
    }

    @Test func anInitialValueThatCannotBeCopiedIsAnError() {
        for value in ["A.make()", "Self.count", "A.missing"] {
            let error = #expect(throws: FrozenSchema.Failure.self) {
                try freeze(
                    "@Model class A { var x: Int = \(value); static var count: Int { 3 }; static func make() -> Int { 3 } }",
                    "SchemaV1")
            }
            #expect(error?.findings.first?.message.contains("is not a constant") == true)
        }
    }

    /// A problem of another version does not matter.
    @Test func aVersionIsFrozenBesideOneThatCannotBeRead() throws {
        let text = """
            enum SchemaV1: VersionedSchema {
                static let versionIdentifier = Schema.Version(1, 0, 0)
                static var models: [any PersistentModel.Type] { [Item.self] }
                @Model class Item { var x: Int }
            }
            enum SchemaV2: VersionedSchema {
                static let versionIdentifier = Schema.Version(2, 0, 0)
                static var models: [any PersistentModel.Type] { [Item.self, Missing.self] }
                @Model class Item { var x: Unknown }
            }
            """
        _ = try freeze(text, "SchemaV1")
        let error = #expect(throws: FrozenSchema.Failure.self) { try freeze(text, "SchemaV2") }
        #expect(error?.findings.count == 2)
    }
}
