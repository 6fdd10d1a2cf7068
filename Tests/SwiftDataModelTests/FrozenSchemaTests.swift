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
                        init(title: String, made: Date, kind: Kind, state: State) {
                            self.title = title
                """), "\(copy)")
        #expect(copy.contains("        case novel = \"N\"\n        case other"))
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
}
