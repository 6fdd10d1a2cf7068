import CSQLite3
import CompiledModel
import Foundation
import ModelSchema
import SwiftDataModel
import Testing

@testable import ModelcDriver

/// `modelc swiftdata doctor` for stores with the tables that contain the store's model
/// (Documentation/Formats/SQLiteStore.md, 2).
@Suite struct SwiftDataDoctorTests {
    private let repository: GitRepository

    init() throws {
        repository = try GitRepository()
        try repository.write(Self.schema("SchemaV1", 1, "var title: String"), to: "Models/SchemaV1.swift")
        try repository.write(
            Self.schema("SchemaV2", 2, "var title: String; var pages: Int = 0"), to: "Models/SchemaV2.swift")
    }

    private static func schema(_ name: String, _ number: Int, _ body: String) -> String {
        """
        enum \(name): VersionedSchema {
            static let versionIdentifier = Schema.Version(\(number), 0, 0)
            static var models: [any PersistentModel.Type] { [Book.self, Author.self] }
            @Model class Book { \(body) }
            @Model class Author { var name: String }
        }
        """
    }

    /// Writes a store with the model declared by a source.
    private func writeStore(_ source: String, holdsModel: Bool = true) throws -> String {
        let file = SwiftSourceFile(path: "a.swift", bytes: Array(source.utf8))
        let model = try #require(SwiftDataSources([file]).versions.first).model
        let hashes = PropertyListValue.dictionary(
            model.versionHashes().entities.elements.map { .init($0.name, .data($0.hash.bytes)) })
        let metadata = PropertyListValue.dictionary([.init("NSStoreModelVersionHashes", hashes)]).binaryBytes()
        var statements: [(sql: String, bytes: [UInt8])] = [
            ("CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)", []),
            ("INSERT INTO Z_METADATA VALUES (1, 'UUID', ?)", metadata),
        ]
        if holdsModel {
            statements += [
                ("CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)", []),
                ("INSERT INTO Z_MODELCACHE VALUES (?)", try EncodedModel(model).bytes),
            ]
        }
        var handle: OpaquePointer?
        try #require(sqlite3_open(repository.folder.appendingPathComponent("default.store").path, &handle) == SQLITE_OK)
        defer { sqlite3_close(handle) }
        for (sql, bytes) in statements {
            var statement: OpaquePointer?
            try #require(sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK)
            sqlite3_bind_blob(
                statement, 1, bytes, Int32(bytes.count), unsafeBitCast(-1, to: sqlite3_destructor_type.self))
            try #require(sqlite3_step(statement) == SQLITE_DONE)
            sqlite3_finalize(statement)
        }
        return "default.store"
    }

    private func doctor(_ store: String, format: OutputFormat = .text, sources: String = "Models")
        -> GitRepository.Outcome
    {
        repository.run {
            SwiftDataDoctorCommand.runProgram([store, "--sources", sources, "--format", format.rawValue], in: $0)
        }
    }

    @Test func namesTheVersionThatWroteTheStore() throws {
        let store = try writeStore(Self.schema("Old", 1, "var title: String"))
        let result = doctor(store)
        #expect(result.code == .success)
        #expect(result.errorOutput == "")
        #expect(
            result.output == """
                default.store was written by “SchemaV1” (1.0.0).
                The current version is “SchemaV2” (2.0.0): lightweight migration is possible.

                """)
    }

    @Test func namesTheNearestVersionAndWhatDiffers() throws {
        let store = try writeStore(Self.schema("Old", 1, "var title: String; var pages: Int32 = 0"))
        let result = doctor(store)
        #expect(result.code == .findings)
        #expect(result.output.contains("written by none of the versions in Models"))
        #expect(result.output.contains("nearest version is “SchemaV2” (2.0.0): 1 of 2 entities are equal"))
        #expect(result.output.contains("  ~ pages\n      type: Integer 32 → Integer 64"), "\(result.output)")
        #expect(doctor(store, format: .json).output.contains("\"nearest\": \"SchemaV2\""))
    }

    @Test func aStoreWithoutModelGivesTheEntities() throws {
        let store = try writeStore(Self.schema("Old", 1, "var title: String?"), holdsModel: false)
        let result = doctor(store)
        #expect(result.code == .findings)
        #expect(result.output.contains("These entities differ:\n  Book\n"), "\(result.output)")
    }

    @Test func unreadableInputsAreErrors() throws {
        #expect(doctor("Models/SchemaV1.swift").code == .couldNotRun)
        #expect(doctor("missing.store").code == .couldNotRun)
        let store = try writeStore(Self.schema("Old", 1, "var title: String"))
        #expect(doctor(store, sources: "missing").code == .couldNotRun)
        try repository.write("@Model class A { var x = f() }", to: "Broken/A.swift")
        #expect(doctor(store, sources: "Broken").code == .findings)
    }

    /// The names of composite types are not part of a schema.
    @Test func compositesAreComparedByTheirUse() throws {
        let body = "enum Kind: Int, Codable { case a }; var kind: Kind; var other: Kind?"
        try repository.write(Self.schema("SchemaV3", 3, body + "; var title: String"), to: "Models/SchemaV3.swift")
        let store = try writeStore(
            "enum Wrap { @Model class Page { enum Kind: String, Codable { case b }; var kind: Kind; var other: Kind? } }\n"
                + Self.schema("Old", 3, body + "; var title: String; var pages: Int = 0")
                .replacing("[Book.self", with: "[Wrap.Page.self, Book.self"))
        let result = doctor(store)
        #expect(result.code == .findings)
        #expect(result.output.contains("  - pages"), "\(result.output)")
        #expect(!result.output.contains("~ kind"), "\(result.output)")
    }

    /// The current version is the last one of the store's own schema.
    @Test func anUnrelatedSchemaIsNotTheCurrentVersion() throws {
        try repository.write(
            Self.schema("Cache", 9, "var x: Int").replacing("Book", with: "Entry").replacing("Author", with: "Origin"),
            to: "Models/Cache.swift")
        let result = doctor(try writeStore(Self.schema("Old", 1, "var title: String")))
        #expect(result.code == .success)
        #expect(result.output.contains("The current version is “SchemaV2” (2.0.0)"), "\(result.output)")
        let plan = repository.run { SwiftDataPlanCommand.runProgram(["--sources", "Models"], in: $0) }
        #expect(plan.output.contains("[SchemaV1.self, SchemaV2.self]"), "\(plan)")
        #expect(plan.output.contains("[Cache.self]") && !plan.output.contains("ToCache"), "\(plan)")
        #expect(plan.output.contains("enum MigrationPlan2: SchemaMigrationPlan"), "\(plan)")
    }

    @Test func aPlanFollowsThePlanOfTheSources() throws {
        try repository.write(
            "enum Books { enum Plan: SchemaMigrationPlan { static var schemas: [any VersionedSchema.Type] { [SchemaV2.self] } } }",
            to: "Models/Plan.swift")
        try repository.write(
            Self.schema("SchemaV3", 3, "var title: String; var pages: Int = 1"), to: "Models/SchemaV3.swift")
        try repository.write(Self.schema("SchemaV4", 4, "var title: String?"), to: "Models/SchemaV4.swift")
        let plan = repository.run { SwiftDataPlanCommand.runProgram(["--sources", "Models"], in: $0) }
        #expect(plan.code == .success)
        #expect(plan.output.contains("enum Plan: SchemaMigrationPlan {"), "\(plan)")
        #expect(plan.output.contains("        [SchemaV2.self, SchemaV4.self]\n"), "\(plan)")
        #expect(
            plan.errorOutput.contains("“SchemaV3” has the same version hashes as “SchemaV2” and is left out"), "\(plan)"
        )
        let lint = repository.run { LintCommand.runProgram(["Models"], in: $0) }
        #expect(lint.code == .findings && "\(lint)".contains("[swiftdata-equal-versions]"), "\(lint)")
        let check = repository.run { MigrateCheckCommand.runProgram(["Models"], in: $0) }
        #expect(check.code == .findings, "\(check)")
        #expect(
            check.errorOutput.contains("Models/SchemaV3.swift:1:6: error: “SchemaV3” has the same version hashes as"),
            "\(check)")
    }
}
