import Diagnostics
import ModelSchema
import SwiftDataModel
import Testing

/// Which declaration a name refers to: a wrong answer is a wrong version hash.
@Suite struct DeclarationTests {
    private func read(_ texts: [String], definitions: [String: Bool] = [:]) -> SwiftDataSources {
        SwiftDataSources(
            texts.enumerated().map { SwiftSourceFile(path: "\($0.offset).swift", bytes: Array($0.element.utf8)) },
            definitions: definitions)
    }

    private func hashes(_ texts: String..., definitions: [String: Bool] = [:]) throws -> [String: String] {
        let sources = read(texts, definitions: definitions)
        #expect(sources.findings.map(\.message) == [])
        let model = try #require(sources.versions.last).model
        return Dictionary(
            uniqueKeysWithValues: model.versionHashes().entities.elements.map { ($0.name, $0.hash.hexString) })
    }

    /// Expects errors that each mention a text and have a location, and no model.
    private func expectErrors(
        _ parts: [String], in texts: String..., sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) {
        let sources = read(texts)
        #expect(sources.versions.isEmpty, sourceLocation: sourceLocation)
        #expect(
            sources.findings.count == parts.count
                && zip(sources.findings, parts).allSatisfy {
                    $0.message.contains($1) && $0.range != nil && $0.help != nil
                },
            "\(sources.findings.map(\.message))", sourceLocation: sourceLocation)
    }

    // MARK: Values of one name

    @Test func enumerationsOfOneNameDoNotAffectEachOther() throws {
        let task = """
            @Model final class Task1 { enum Priority: Int, Codable { case low, high }
                var priority: Priority = Priority.low; var previous: Priority? }
            """
        let project = """
            @Model final class Project { enum Priority: String, Codable { case low, high }
                var priority: Priority = Priority.low; var previous: Priority? }
            """
        let both = try hashes(task, project)
        #expect(try both["Project"] == hashes(project)["Project"])
        #expect(try both["Task1"] == hashes(task)["Task1"])
    }

    @Test func structuresOfOneNameDoNotAffectEachOther() throws {
        let shop =
            "@Model class Shop { struct Address: Codable { var zip: Int }; var home: Address; var work: Address? }"
        let user =
            "@Model class User { struct Address: Codable { var city: String }; var home: Address; var work: Address? }"
        #expect(try hashes(shop, user)["User"] == hashes(user)["User"])
        let twin = "struct OptionalFoo: Codable { var a: Int }\nstruct Foo: Codable { var a: String }\n"
        #expect(
            try hashes(twin + "@Model class A { var x: OptionalFoo; var y: Foo? }")
                != hashes(twin + "@Model class A { var x: OptionalFoo; var y: OptionalFoo? }"))
    }

    @Test func compositesAreNamedAfterTheirTypes() throws {
        let sources = read([
            """
            @Model class A { enum K: Int, Codable { case a }; var k: K; var o: K?; var p: P?; var q: P }
            @Model class B { enum K: String, Codable { case a }; var k: K; var p: P? }
            struct P: Codable { var x: Int; var k: A.K }
            """
        ])
        let model = try #require(sources.versions.first).model
        #expect(model.composites.map(\.name) == ["K.k", "K.o", "OptionalP", "P", "B.K.k"])
        #expect(model.entities[1].attributes.map(\.compositeName) == ["B.K.k", "OptionalP"])
        #expect(model.composites[2].attributes.map(\.compositeName) == [nil, "K.k"])
    }

    @Test func partsOfOneNameAndDifferentTypesAreErrors() throws {
        let parts = "struct P: Codable { var x: Double }\nstruct Q: Codable { var x: Int }\n"
        expectErrors(
            ["“A.s” cannot be stored: two of its parts are named “x”"],
            in: parts + "struct S: Codable { var p: P; var q: Q }\n@Model class A { var s: S }")
        _ = try hashes(parts + "struct S: Codable { var p: P; var q: P }\n@Model class A { var s: S }")
    }

    // MARK: Aliases

    @Test func conditionsAroundAliasesMatter() throws {
        let text = """
            #if os(iOS)
            typealias Money = Double
            #else
            typealias Money = Decimal
            #endif
            @Model class A { var amount: Money }
            """
        expectErrors(
            ["“A.amount” cannot be stored: “Money” depends on `#if os(iOS)` (0.swift:2 and 0.swift:4)"], in: text)
        #expect(
            try hashes(text, definitions: ["os(iOS)": true]) == hashes("@Model class A { var amount: Double }"))
    }

    @Test func privateDeclarationsBelongToTheirFile() throws {
        for kind in ["private", "fileprivate"] {
            let found = try hashes(
                "\(kind) typealias Kind = Int32\n@Model class A { var k: Kind }",
                "\(kind) typealias Kind = String\n@Model class B { var k: Kind }",
                "\(kind) enum Kind: Double, Codable { case a = 1 }\n@Model class C { var k: Kind? }")
            #expect(try found["A"] == hashes("@Model class A { var k: Int32 }")["A"])
            #expect(try found["B"] == hashes("@Model class B { var k: String }")["B"])
            #expect(
                try found["C"]
                    == hashes("enum Kind: Double, Codable { case a = 1 }\n@Model class C { var k: Kind? }")["C"])
        }
        expectErrors(
            ["“A.k” cannot be stored: “Kind” is declared twice (0.swift:1 and 1.swift:1)"],
            in: "private struct Kind: Codable { var a: Int }\n@Model class A { var k: Kind }",
            "struct Kind: Codable { var b: Int }")
    }

    @Test func aliasesDeclaredTwiceAreErrors() {
        expectErrors(
            ["“A.k” cannot be stored: “Kind” is declared twice (0.swift:1 and 1.swift:1)"],
            in: "typealias Kind = Int32\n@Model class A { var k: Kind }", "typealias Kind = String")
        expectErrors(
            ["“A.k” cannot be stored: “Kind” is declared twice (1.swift:1 and 0.swift:1)"],
            in: "typealias Kind = Int32\n@Model class A { var k: Kind }", "enum Kind: Int, Codable { case a }")
    }

    @Test func theElementsOfAnAliasAreThoseOfItsScope() throws {
        let text = """
            enum N { @Model class Tag { var name: String }; typealias Tags = [Tag] }
            @Model class Tag2 { var tags: N.Tags }
            """
        #expect(
            try hashes(text) == hashes("@Model class Tag { var name: String }\n@Model class Tag2 { var tags: [Tag] }"))
    }

    // MARK: Extensions

    @Test func extensionsOfAnAliasBelongToItsType() throws {
        let expected = try hashes("enum Status: Int, Codable { case a }\n@Model class Item { var s: Status }")
        let schema = """
            enum SchemaV1: VersionedSchema {
                static let versionIdentifier = Schema.Version(1, 0, 0)
                static var models: [any PersistentModel.Type] { [Item.self] }
                @Model class Item { var s: Status }
            }
            """
        let alias = "typealias Item = SchemaV1.Item"
        let members = "extension Item { enum Status: Int, Codable { case a } }"
        let other = "enum Status: String, Codable { case a }"
        #expect(try hashes(schema, alias, members, other) == expected)
        #expect(try hashes(members, alias, schema) == expected)
        #expect(
            try hashes(
                other, "typealias Current = SchemaV1", "extension Current.Item { typealias Status = Other }",
                schema, "enum Other: Int, Codable { case a }") == expected)
    }

    @Test func modelsMayBeDeclaredInAnExtensionOfAnAlias() throws {
        #expect(
            try hashes(
                "typealias Current = SchemaV2\nextension Current { @Model class Item { var x: Int } }",
                """
                enum SchemaV2: VersionedSchema {
                    static let versionIdentifier = Schema.Version(2, 0, 0)
                    static var models: [any PersistentModel.Type] { [Item.self] }
                }
                """) == hashes("@Model class Item { var x: Int }"))
    }

    @Test func codingKeysInAnExtensionOfAnAliasAreFound() {
        expectErrors(
            ["has coding keys"],
            in: """
                enum N { struct Address: Codable { var street: String } }
                typealias Address = N.Address
                extension Address { enum CodingKeys: String, CodingKey { case street = "s" } }
                @Model class A { var address: Address }
                """)
    }

    @Test func extensionsMayExtendWhatOthersDeclare() throws {
        #expect(
            try hashes(
                "extension A.B.C { enum K: Int, Codable { case a } }",
                "extension A.B { struct C: Codable { var k: K } }",
                "extension A { enum B {} }\nextension String { enum Case: Int, Codable { case up } }",
                "@Model class A { var c: B.C; var s: String.Case }")
                == hashes(
                    """
                    struct C: Codable { var k: K }
                    enum K: Int, Codable { case a }
                    enum Case: Int, Codable { case up }
                    @Model class A { var c: C; var s: Case }
                    """))
    }

    /// Code in an extension of `N.I` does not see what `N` declares.
    @Test func extensionsDoNotSeeTheTypesAroundTheirType() throws {
        let text = """
            enum N { struct I {}; enum S: Int, Codable { case a } }
            enum S: String, Codable { case b }
            extension N.I { struct V: Codable { var s: S } }
            @Model class A { var v: N.I.V }
            """
        #expect(
            try hashes(text)
                == hashes(
                    "enum S: String, Codable { case b }\n@Model class A { var v: V }\nstruct V: Codable { var s: S }"))
    }

    @Test func anExtensionOfAnAmbiguousAliasIsAnError() throws {
        expectErrors(
            ["the extended type “Item” depends on `#if OLD`"],
            in: """
                #if OLD
                typealias Item = A
                #else
                typealias Item = B
                #endif
                @Model class A { var s: S }
                @Model class B { var s: S }
                enum S: Int, Codable { case a }
                """, "extension Item { enum S: String, Codable { case a } }")
        _ = try hashes(
            """
            #if os(iOS)
            typealias PlatformColor = UIColor
            #else
            typealias PlatformColor = NSColor
            #endif
            extension PlatformColor { enum Name { case red } }
            @Model class A { var x: Int }
            """)
    }

    // MARK: Classes

    @Test(arguments: ["struct", "class", "enum", "protocol", "func", "typealias", "var", "let"])
    func importsOfDeclarationsAreSkipped(kind: String) throws {
        #expect(
            try hashes("import \(kind) Foundation.URL\n@Model class A { var x: Int }")
                == hashes("@Model class A { var x: Int }"))
        _ = try hashes("@testable import \(kind) Kit.Name; @Model class A { var x: Int }")
    }

    @Test func aModelIsFoundBesideAnotherTypeOfItsName() {
        let model = "@Model class Item { var x: Int }"
        let value = "struct Item { var y: Int }"
        expectErrors(["“Item” is declared twice; the other declaration is at 0.swift:1"], in: value, model)
        expectErrors(["“Item” is declared twice; the other declaration is at 1.swift:1"], in: model, value)
    }

    @Test func destinationsOfDestinationsBelongToTheSchema() throws {
        let models = """
            @Model class A { var c: C? }
            @Model class B { var c: C? }
            @Model class C { var ds: [D] = [] }
            @Model class D { var c: C? }
            """
        let schema = """
            enum S: VersionedSchema {
                static let versionIdentifier = Schema.Version(1, 0, 0)
                static var models: [any PersistentModel.Type] { [A.self, B.self] }
            }
            """
        let found = try hashes(models, schema)
        #expect(found.keys.sorted() == ["A", "B", "C", "D"])
        #expect(try found == hashes(models))
    }

    @Test func twoDestinationsOfOneNameAreAnError() {
        expectErrors(
            ["two models of one schema are named “C”"],
            in: """
                enum Old { @Model class C { var x: Int }; @Model class B { var c: C } }
                @Model class C { var y: Int }
                @Model class A { var c: C }
                enum S: VersionedSchema {
                    static let versionIdentifier = Schema.Version(1, 0, 0)
                    static var models: [any PersistentModel.Type] { [A.self, Old.B.self] }
                }
                """)
    }

    @Test(arguments: [
        "init() { super.init() }", "override func f() {}", "override var y: Int { 1 }",
        "var y: Int { super.y }",
    ])
    func aBaseClassOfAnotherModuleIsFoundByItsUse(member: String) {
        expectErrors(
            ["“A” inherits from “Base”: the version hash"], in: "@Model class A: Base { var x: Int = 0\n\(member) }")
    }

    @Test func protocolsOfOtherModulesAreNotBaseClasses() throws {
        #expect(
            try hashes("@Model class A: Identifiable, Kit.Named & Tagged { var x: Int; init() { x = 1 } }")
                == hashes("@Model class A { var x: Int }"))
    }

    // MARK: Versions

    @Test(arguments: [
        "protocol AppSchema: VersionedSchema {}", "protocol AppSchema: Sendable, VersionedSchema {}",
        "typealias AppSchema = VersionedSchema", "typealias AppSchema = VersionedSchema & Sendable",
        "protocol Base: VersionedSchema {}\ntypealias AppSchema = Sendable & Base",
    ])
    func aVersionMayConformThroughAProtocol(declaration: String) {
        let versions = """
            enum SchemaV1: VersionedSchema {
                static let versionIdentifier = Schema.Version(1, 0, 0)
                static var models: [any PersistentModel.Type] { [Item.self] }
                @Model class Item { var x: Int }
            }
            enum SchemaV2: AppSchema {
                static let versionIdentifier = Schema.Version(2, 0, 0)
                static var models: [any PersistentModel.Type] { [Item.self] }
                @Model class Item { var x: Int; var y: Int? }
            }
            """
        let sources = read([declaration, versions])
        #expect(sources.findings == [])
        #expect(sources.versions.map(\.name) == ["SchemaV1", "SchemaV2"])
    }

    @Test func aVersionThatDependsOnAConditionIsAnError() {
        let version = """
            enum SchemaV1: VersionedSchema {
                static let versionIdentifier = Schema.Version(1, 0, 0)
                static var models: [any PersistentModel.Type] { [Item.self] }
            }
            """
        let model = "@Model class Item { var x: Int }"
        expectErrors(["the version “SchemaV1” depends on `#if BETA`"], in: "#if BETA\n\(version)\n#endif", model)
        expectErrors(["the version “SchemaV1” is declared twice"], in: version, version, model)
    }

    // MARK: Lexical details

    @Test(arguments: ["/* open", "/* a /* b */", "let s = \"\"\"\n a", "let s = ##\"\"\"\n\"\"\"#", "let r = #/a"])
    func truncatedFileIsAnError(start: String) {
        expectErrors(
            ["a comment or string is not closed"],
            in: "@Model class A { var x: Int }\n\(start)\n@Model class B { var y: Int }\n")
    }

    @Test func aDeclarationWithoutBodyIsAnError() {
        expectErrors(["“S” has no body"], in: "struct S\n@Model class A { var x: Int }\nclass B { }")
    }

    @Test func hexadecimalNumbersHaveNoDecimalExponent() {
        expectErrors(["the type of “A.n” cannot be determined"], in: "@Model class A { var n = 0xFE-1 }")
    }

    @Test func genericArgumentsDoNotEndAnExpression() throws {
        #expect(
            try hashes("@Model class A { var n: Int = Foo<Int, String>.zero, m: Int = f(a < b, c > d) }")
                == hashes("@Model class A { var n: Int; var m: Int }"))
    }

    @Test func typesOfTheStandardLibraryMayBeQualified() throws {
        #expect(
            try hashes(
                "@Model class A { var d: Swift.Optional<Data>; var bs: Swift.Array<B> = [] }\n@Model class B { var a: A? }"
            )
                == hashes("@Model class A { var d: Data?; var bs: [B] = [] }\n@Model class B { var a: A? }"))
    }

    @Test func enumerationsWithRawValuesMayDecodeThemselves() throws {
        let plain = "enum K: String, Codable { case a, b }"
        let model = "@Model class A { var k: K }\n"
        let decoding = "init(from decoder: any Decoder) throws { self = .a }"
        let expected = try hashes(model + plain)
        #expect(try hashes(model + "enum K: String, Codable { case a, b\n\(decoding) }") == expected)
        #expect(try hashes(model + plain, "extension K { \(decoding) }") == expected)
        expectErrors(
            ["encodes itself"],
            in: model + plain, "extension K { \(decoding); func encode(to encoder: any Encoder) throws {} }")
        expectErrors(["encodes itself"], in: model + "enum K: Codable { case a, b\n\(decoding) }")
    }

    @Test func deeplyNestedTypesAreOneError() {
        let read = read([String(repeating: "class A {\n", count: 5000) + String(repeating: "}\n", count: 5000)])
        #expect(read.findings.map(\.message) == ["types are nested too deeply"])
    }
}
