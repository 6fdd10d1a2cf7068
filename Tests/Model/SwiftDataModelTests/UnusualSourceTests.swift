import Diagnostics
import ModelSchema
import SwiftDataModel
import TestSupport
import Testing

/// Sources that compile but could be misread: they are read correctly or yield an error, never another hash.
@Suite struct UnusualSourceTests {
    private func entity(_ text: String, definitions: [String: Bool] = [:]) throws -> Entity {
        let sources = SwiftDataSources(
            [SwiftSourceFile(path: "A.swift", bytes: Array(text.utf8))], definitions: definitions)
        #expect(sources.findings.map(\.message) == [])
        return try #require(sources.versions.first?.model.entity(named: "A"))
    }

    /// Expects one error with a help text, and no model.
    private func expectError(
        _ part: String, in text: String, sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) {
        let sources = SwiftDataSources([SwiftSourceFile(path: "A.swift", bytes: Array(text.utf8))])
        #expect(sources.versions.isEmpty, sourceLocation: sourceLocation)
        #expect(
            sources.findings.count == 1 && sources.findings[0].message.contains(part)
                && sources.findings[0].help != nil,
            "\(sources.findings.map(\.message))", sourceLocation: sourceLocation)
    }

    private func constraints(_ text: String, definitions: [String: Bool] = [:]) throws -> [[String]] {
        try entity(text, definitions: definitions).uniquenessConstraints.map { $0.properties.map(\.name) }
    }

    // MARK: Attributes in front of a property

    @Test func argumentsMayStandApartFromTheirAttribute() throws {
        #expect(try constraints("@Model class A { @Attribute (.unique) var x: Int }") == [["x"]])
        #expect(try constraints("@Model class A { @Attribute/* key */(.unique) // x\n var x: Int }") == [["x"]])
        #expect(try constraints("@Model class A { @Attribute(.unique) private (set) var x: Int }") == [["x"]])
    }

    @Test func aConditionAroundAnAttributeDecides() throws {
        let text = "@Model class A {\n#if KEY\n@Attribute(.unique)\n#endif\nvar x: Int\nvar y: Int\n}"
        expectError("“A.x” depends on `#if KEY`", in: text)
        #expect(try constraints(text, definitions: ["KEY": true]) == [["x"]])
        #expect(try constraints(text, definitions: ["KEY": false]) == [])
    }

    @Test func anAttributeWithoutDeclarationIsReported() {
        expectError(
            "“@Attribute” is not followed by a declaration", in: "@Model class A { @Attribute(.unique) foo var x: Int }"
        )
    }

    @Test func macrosOfTheOtherKindOfProperty() {
        expectError("its type is not a model", in: "@Model class A { @Relationship var x: [String] }")
        expectError(
            "is a relationship", in: "@Model class B {}\n@Model class A { @Attribute(.externalStorage) var x: B? }")
        expectError("“@ObservationIgnored”", in: "@Model class A { @ObservationIgnored var x: Int }")
    }

    // MARK: Observers

    @Test(arguments: [
        "{ didSet { } }", "{ @MainActor willSet { } didSet { } }", "{ @available(iOS 17, *) didSet { } }",
        "{\n#if DEBUG\ndidSet { }\n#endif\n}", "= 1 {\n#if DEBUG\ndidSet { }\n#endif\n}",
    ])
    func observedPropertiesAreStored(_ rest: String) throws {
        #expect(try entity("@Model class A { var x: Int \(rest)\nvar y: Int }").attributes.map(\.name) == ["x", "y"])
    }

    @Test(arguments: [
        "{ 1 }", "{ get { 1 } set { } }", "{\n#if DEBUG\nreturn 1\n#else\nreturn 2\n#endif\n}",
        "{ @available(iOS 17, *) get { 1 } }",
    ])
    func computedPropertiesAreNotStored(_ rest: String) throws {
        #expect(try entity("@Model class A { var x: Int \(rest)\nvar y: Int }").attributes.map(\.name) == ["y"])
    }

    // MARK: Inferred types

    @Test(arguments: [
        "URL(string: \"https://example.org\")", "Int(\"5\")", "UUID(uuidString: \"\")", "Double(text)",
        "Kind(rawValue: 1)", "Point(\"1,2\")", "Decimal(string: \"1\")",
    ])
    func initializersThatMayFailDecideNothing(_ value: String) {
        let types = """
            enum Kind: Int, Codable { case a }
            struct Point: Codable { var x: Int; init?(_ text: String) { nil } }

            """
        expectError("the type of “A.x” cannot be determined", in: types + "@Model class A { var x = \(value) }")
    }

    @Test func otherInitializersDecide() throws {
        let entity = try entity(
            """
            @Model class A {
                var a = Int(5), b = Date(timeIntervalSinceNow: -3), c = Double(-1.5), d = UUID(), e = Data(count: 3)
                var f = String(repeating: "a", count: 3), g = Date.init(), h = Int32(0)
            }
            """)
        #expect(
            entity.attributes.map(\.type) == [
                .integer64, .date, .double, .uuid, .binary, .string, .date, .integer32,
            ])
    }

    // MARK: Values

    @Test func valuesThatEncodeTheirRawValue() {
        for name in ["OptionSet", "RawRepresentable"] {
            expectError(
                "encodes its raw value",
                in: "struct V: \(name), Codable { let rawValue: Int }\n@Model class A { var x: V }")
        }
        expectError(
            "encodes its raw value",
            in: "struct V: Codable { var n = 0 }\nextension V: RawRepresentable {}\n@Model class A { var x: V }")
    }

    @Test func valuesThatAMacroMayEncode() {
        expectError("“@Codable”", in: "@Codable struct V { var n: Int }\n@Model class A { var x: V }")
    }

    @Test func enumerationsThatCannotBeDecided() {
        expectError(
            "the raw type of “E”", in: "enum E: Character, Codable { case a = \"x\" }\n@Model class A { var x: E }")
        expectError(
            "“E.b” depends on `#if FOO`",
            in: "enum E: Codable {\ncase a\n#if FOO\ncase b\n#endif\n}\n@Model class A { var x: E }")
        expectError("“E” has no cases", in: "enum E: Codable {}\n@Model class A { var x: E }")
        expectError("“V” stores nothing", in: "struct V: Codable {}\n@Model class A { var x: V }")
    }

    // MARK: Constraints, indexes and inverses

    @Test func repeatedConstraintsAreErrors() {
        expectError("repeats itself", in: "@Model class A { #Unique<A>([\\.x]); @Attribute(.unique) var x: Int }")
        expectError("repeats itself", in: "@Model class A { #Unique<A>([\\.x, \\.x]); var x: Int }")
    }

    @Test func keyPathsNameStoredProperties() throws {
        let value = "struct V: Codable { var x: Int }\n"
        for macro in ["Index", "Unique"] {
            for path in ["\\.v.x", "\\A.v.x", "\\N.A.v.x", "\\.v?.x"] {
                expectError(
                    "“v.x” in “#\(macro)” of “A” is a part of “v”",
                    in: value + "enum N { @Model class A { #\(macro)<A>([\(path)]); var v: V; var x: Int } }")
            }
            expectError(
                "“y” in “#\(macro)” of “A” is not a stored property",
                in: "@Model class A { #\(macro)<A>([\\.y]); var x: Int; var y: Int { x } }")
        }
        let entity = try entity(
            "enum N { @Model class A { #Unique<N.A>([\\N.A.x, \\.y], [\\A.y]); #Index<A>([\\A.x]); var x: Int; var y: Int } }"
        )
        #expect(entity.uniquenessConstraints.map { $0.properties.map(\.name) } == [["x", "y"], ["y"]])
        #expect(entity.fetchIndexes.map { $0.elements.map(\.propertyName) } == [["x"]])
    }

    @Test func anInverseMayNameAnAlias() throws {
        let entity = try entity(
            """
            typealias Animal = Pet
            @Model class Pet { var owner: A? }
            @Model class A { @Relationship(inverse: \\Animal.owner) var pets: [Pet] }
            """)
        #expect(entity.relationships.map(\.inverseName) == ["owner"])
    }
}
