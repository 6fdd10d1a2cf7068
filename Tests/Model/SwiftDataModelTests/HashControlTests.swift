import Foundation
import ModelSchema
import SwiftDataModel
import Testing

/// Changes that affect a version hash, and changes that do not (Documentation/Formats/SwiftDataModel.md, 2 to 4).
@Suite struct HashControlTests {
    private static let others = """

        @Model class B { var a: A?; var n: Int = 0 }
        struct P: Codable { var x: Int?; var y: String? }
        enum Status: String, Codable { case on, off }
        """

    private func hash(_ body: String, others: String = HashControlTests.others) throws -> VersionHash {
        let source = "@Model class A {\n\(body)\n}\n\(others)"
        let sources = SwiftDataSources([SwiftSourceFile(path: "a.swift", bytes: Array(source.utf8))])
        #expect(sources.findings.map(\.message) == [], "\(body)")
        let version = try #require(sources.versions.first)
        return try #require(version.model.versionHashes().entities["A"])
    }

    @Test(arguments: [
        ("var x: Int", "var x: Int = 5"), ("var x: Int", "let x: Int"), ("var x: Int", "private(set) var x: Int"),
        ("var x: Int", "var x: Int64"), ("var x: Int", "var x: UInt64"), ("var x: Int32", "var x: UInt32"),
        ("var x: Int16", "var x: UInt8"), ("var x: Float", "var x: CGFloat"),
        ("var x: Int", "var x: Int\nvar c: Int { 1 }"),
        ("var x: Int", "var x: Int\nstatic var s: Int = 1"), ("var x: Int", "var x: Int\n@Transient var t: Int = 1"),
        ("var x: Int = 0", "var x: Int = 0 { didSet { print(1) } }"),
        ("var x: Int; var y: Bool", "var y: Bool; var x: Int"),
        ("var x: Int", "#Index<A>([\\.x])\nvar x: Int"),
        ("@Attribute(.unique) var x: Int", "#Unique<A>([\\.x])\nvar x: Int"),
        ("#Unique<A>([\\.x], [\\.y])\nvar x: Int; var y: Int", "#Unique<A>([\\.y], [\\.x])\nvar x: Int; var y: Int"),
        ("var x: Int", "@Attribute(originalName: \"old\") var x: Int"),
        ("var x: Int", "@Attribute(.spotlight) var x: Int"),
        ("var x: Int", "@Attribute(.allowsCloudEncryption) var x: Int"),
        ("var bs: [B]", "@Relationship(deleteRule: .cascade) var bs: [B]"),
        ("var bs: [B]", "@Relationship(inverse: \\B.a) var bs: [B]"), ("var p: P?", "var p: P"),
        ("var p: P?", "var q: P?"),
        ("var x: Int", "func f() { let y: Int = 1 }\nvar x: Int"),
    ])
    func theHashStays(_ before: String, _ after: String) throws {
        #expect(try hash(before) == hash(after), "\(after)")
    }

    @Test(arguments: [
        ("var x: Int", "var y: Int"), ("var x: Int", "var x: Int?"), ("var x: Int", "var x: Int32"),
        ("var x: UInt8", "var x: Int"),
        ("var x: UInt32", "var x: UInt64"), ("var x: Double", "var x: Float"), ("var x: Int", "var x: Int; var y: Int"),
        ("var x: [String]", "var x: Data"),
        ("var x: [String: P]", "@Attribute(.transformable(by: T.self)) var x: [String: P]"),
        ("var x: Data", "@Attribute(.externalStorage) var x: Data"), ("var x: Int", "@Attribute(.unique) var x: Int"),
        ("var x: Int", "@Attribute(hashModifier: \"2\") var x: Int"), ("var s: Status", "var s: String?"),
        ("#Unique<A>([\\.x, \\.y])\nvar x: Int; var y: Int", "#Unique<A>([\\.y, \\.x])\nvar x: Int; var y: Int"),
        ("#Unique<A>([\\.x, \\.y])\nvar x: Int; var y: Int", "#Unique<A>([\\.x], [\\.y])\nvar x: Int; var y: Int"),
        ("var bs: [B]", "var bs: [B]?"), ("var bs: [B]", "var bs: B?"),
        ("var bs: [B]", "@Relationship(inverse: \\B.a) var cs: [B]"),
        ("var bs: [B]", "@Relationship(minimumModelCount: 1) var bs: [B]"), ("var s: Status", "var t: Status"),
    ])
    func theHashMoves(_ before: String, _ after: String) throws {
        #expect(try hash(before) != hash(after), "\(after)")
    }

    /// A structure's fields, an enumeration's raw type, and an inverse in another class are part of the hash.
    @Test func onlyHashedDeclarationsOfOtherTypesChangeTheHash() throws {
        let body = "var p: P?; var s: Status?; var bs: [B]"
        let plain = try hash(body)
        func edited(_ old: String, _ new: String) throws -> VersionHash {
            let range = try #require(Self.others.firstRange(of: old))
            return try hash(body, others: Self.others.replacingCharacters(in: range, with: new))
        }
        #expect(try edited("var y: String?", "var y: String?; var z: Int?") != plain)
        #expect(try edited("var y: String?", "var renamed: String?") != plain)
        #expect(try edited("enum Status: String", "enum Status: Int") != plain)
        // No inverse is inferred for a required end, nor if there are two candidates.
        #expect(try edited("var a: A?", "var a: A") != plain)
        #expect(try edited("var a: A?", "var a: A?; var other: A?") != plain)
        #expect(try edited("case on, off", "case on, off, unknown") == plain)
        #expect(try edited("var n: Int = 0", "var n: String?") == plain)
        #expect(try edited("var y: String?", "var y: String? = nil; var length: Int { 0 }") == plain)
    }
}
