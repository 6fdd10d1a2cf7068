import Diagnostics
import ModelSchema
import SwiftDataModel
import TestSupport
import Testing

/// The meaning of `@Model` sources, rule by rule (Documentation/Formats/SwiftDataModel.md, 2 to 4).
@Suite struct SwiftDataReaderTests {
    private func read(_ texts: String..., definitions: [String: Bool] = [:]) -> SwiftDataSources {
        SwiftDataSources(
            texts.enumerated().map { SwiftSourceFile(path: "\($0.offset).swift", bytes: Array($0.element.utf8)) },
            definitions: definitions)
    }

    private func entity(_ name: String = "A", in text: String, definitions: [String: Bool] = [:]) throws -> Entity {
        let sources = read(text, definitions: definitions)
        #expect(sources.findings.map(\.message) == [])
        return try #require(sources.versions.first?.model.entity(named: name))
    }

    /// Expects one error that mentions a text, and no model.
    private func expectError(
        _ part: String, in texts: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let sources = SwiftDataSources(
            texts.enumerated().map { SwiftSourceFile(path: "\($0.offset).swift", bytes: Array($0.element.utf8)) })
        #expect(sources.versions.isEmpty, sourceLocation: sourceLocation)
        #expect(
            sources.findings.contains { $0.message.contains(part) && $0.range != nil && $0.help != nil },
            "\(sources.findings.map(\.message))", sourceLocation: sourceLocation)
    }

    typealias SourceLocation = Testing.SourceLocation

    // MARK: Attributes

    @Test func typesMapToAttributeTypes() throws {
        let expected: [(String, AttributeType)] = [
            ("String", .string), ("Bool", .boolean), ("Int", .integer64), ("Int64", .integer64), ("UInt64", .integer64),
            ("Int32", .integer32), ("UInt32", .integer32), ("Int16", .integer16), ("UInt16", .integer16),
            ("UInt8", .integer16), ("Double", .double), ("TimeInterval", .double), ("Float", .float),
            ("CGFloat", .float),
            ("Decimal", .decimal), ("Date", .date), ("Data", .binary), ("UUID", .uuid), ("URL", .uri),
            ("Foundation.Date", .date), ("[String]", .transformable), ("Array<UInt32>", .transformable),
        ]
        for (type, attributeType) in expected {
            let required = try entity(in: "@Model class A { var x: \(type) }")
            #expect(required.attributes.map(\.type) == [attributeType], "\(type)")
            #expect(required.attributes.map(\.isOptional) == [false])
            let optional = try entity(in: "@Model class A { var x: \(type)? }")
            #expect(optional.attributes.map(\.type) == [attributeType] && optional.attributes[0].isOptional)
        }
    }

    @Test func onlyStoredPropertiesCount() throws {
        let entity = try entity(
            in: """
                @Model public final class A: Identifiable {
                    @Attribute(.unique) public private(set) var id: UUID
                    let made = Date(), kind: Int
                    var first, second: String?
                    var observed: Int = 0 {
                        willSet { print(newValue) }
                    }
                    var computed: Int { 5 }
                    var computedToo: Int { get { 5 } set { } }
                    static var shared: Int = 3
                    lazy var slow: Int = { 5 }()
                    @Transient var scratch: Int = 0
                    var closure: Int = { 5 }()
                    func f(x: Int = 3) -> Int { var local: Int = 5; return local }
                    init(id: UUID) { self.id = id }
                    enum Nested { case a }
                    class Other { var hidden: Int = 0 }
                }
                extension A { var inExtension: Int { 4 } }
                """)
        #expect(
            entity.attributes.map(\.name) == ["id", "made", "kind", "first", "second", "observed", "closure"])
        #expect(entity.attributes.map(\.isOptional) == [false, false, false, true, true, false, false])
        #expect(entity.uniquenessConstraints.map { $0.properties.map(\.name) } == [["id"]])
    }

    @Test(arguments: [
        ("= \"a\"", AttributeType.string), ("= 1", .integer64), ("= -1", .integer64), ("= 1.5", .double),
        ("= -0.5", .double), ("= 1e3", .double), ("= 1.5e-3", .double), ("= true", .boolean), ("= Date()", .date),
        ("= Date.now", .date), ("= UUID()", .uuid), ("= UUID().uuidString", .string), ("= Int16(5)", .integer16),
        ("= 5 as Int32", .integer32), ("= Decimal(string: \"1\")! as Decimal", .decimal),
        ("= [String]()", .transformable),
        ("= [1, 2]", .transformable), ("= Data.init()", .binary), ("= Int.max", .integer64),
    ])
    func typesAreInferred(value: String, type: AttributeType) throws {
        #expect(
            try entity(in: "@Model class A { var x \(value)\n var y: Int }").attributes.map(\.type) == [
                type, .integer64,
            ])
    }

    @Test func literalsAreDefaultValues() throws {
        let entity = try entity(
            in: """
                @Model class A {
                    var a = "text"; var b = -1_000; var c: Double = 1.5; var d = true; var e: Int? = nil; var f = Date()
                    var g = "a\\(1)"; var h: Decimal = 3
                }
                """)
        #expect(entity.attributes.map(\.defaultValue) == ["text", "-1000", "1.5", "YES", nil, nil, nil, "3"])
    }

    @Test func optionsOfAttributes() throws {
        let entity = try entity(
            in: """
                @Model class A {
                    @Attribute(.externalStorage) var image: Data?
                    @Attribute(.preserveValueOnDeletion, originalName: "old", hashModifier: "2") var kept: String
                    @Attribute(.ephemeral) var shortLived: Int = 0
                    @Attribute(.transformable(by: ColorTransformer.self)) var color: Color
                    @Attribute(.transformable(by: "Named")) var other: Color
                    @Attribute(.allowsCloudEncryption, .spotlight) var secret: String
                }
                """)
        #expect(entity.attributes[0].allowsExternalBinaryStorage)
        #expect(entity.attributes[1].isPreservedAfterDeletion)
        #expect(entity.attributes[1].renamingIdentifier == "old" && entity.attributes[1].versionHashModifier == "2")
        #expect(entity.attributes[2].isTransient)
        #expect(entity.attributes[3].type == .transformable)
        #expect(entity.attributes[3].valueTransformerName == "ColorTransformer")
        #expect(entity.attributes[4].valueTransformerName == "Named")
        #expect(entity.attributes[5].allowsCloudEncryption && entity.attributes[5].isIndexedBySpotlight)
    }

    @Test func constraintsAndIndexes() throws {
        let entity = try entity(
            in: """
                @Model class A {
                    #Unique<A>([\\.b, \\A.a], [\\.c])
                    #Index<A>([\\.a], .binary([\\.a, \\.b]), .rtree([\\.c]))
                    var a: Int; var b: Int
                    var c: Int
                }
                """)
        #expect(entity.uniquenessConstraints.map { $0.properties.map(\.name) } == [["b", "a"], ["c"]])
        #expect(entity.fetchIndexes.map(\.name) == ["a", "ab", "c"].map { "SwiftDataIndexOnBinary" + $0 })
        #expect(entity.fetchIndexes.map { $0.elements[0].type } == ["Binary", "Binary", "RTree"])
    }

    // MARK: Value types

    @Test func valuesAreComposites() throws {
        let sources = read(
            """
            struct Inner: Codable { var deep: Int }
            struct Point: Codable { var x: Double; var label: String?; var tags: [String]; var inner: Inner
                static let zero = 0
                var length: Double { x } }
            enum Status: String, Codable { case on, off }
            enum Bare: Codable { case one; case two }
            @Model class A { var required: Point; var optional: Point?; var status: Status; var bare: Bare }
            """)
        #expect(sources.findings == [])
        let model = try #require(sources.versions.first?.model)
        let attributes = model.entities[0].attributes
        #expect(attributes.allSatisfy { $0.type == .composite })
        func leaves(_ index: Int) -> [String] {
            (attributes[index].leaves(model.composites) ?? []).map {
                "\($0.name):\($0.type.rawValue)\($0.isOptional ? "?" : "")"
            }
        }
        #expect(leaves(0) == ["x:500", "label:700?", "tags:1000", "deep:300"])
        #expect(leaves(1) == ["x:500?", "label:700?", "tags:1000?", "deep:300?"])
        #expect(leaves(2) == ["status:700?"])
        #expect(leaves(3) == ["one:700?", "two:700?"])
    }

    /// The hash of a composite attribute is that of its leaves by name; its own name and flags do not count.
    @Test func compositeHashesAreThoseOfTheirLeaves() throws {
        func hash(_ property: String) throws -> VersionHash? {
            let sources = read("struct P: Codable { var b: Int?; var a: String? }\n@Model class A { var \(property) }")
            return try #require(sources.versions.first).model.versionHashes().entities["A"]
        }
        #expect(try hash("p: P") == hash("renamed: P?"))
        #expect(try hash("p: P") != hash("p: String"))
    }

    // MARK: Relationships

    private func inverses(_ text: String) throws -> [String] {
        let sources = read(text)
        #expect(sources.findings.map(\.message) == [])
        return try #require(sources.versions.first).model.entities.flatMap { entity in
            entity.relationships.map { "\(entity.name).\($0.name)=\($0.inverseName ?? "-")" }
        }
    }

    @Test func writtenInversesSetBothEnds() throws {
        #expect(
            try inverses(
                """
                @Model class A { @Relationship(deleteRule: .cascade, inverse: \\B.a) var bs: [B]; var c: B? }
                @Model class B { var a: A }
                """) == ["A.bs=a", "A.c=-", "B.a=bs"])
    }

    @Test func aPlainPairIsInferred() throws {
        #expect(try inverses("@Model class A { var bs: [B] }\n@Model class B { var a: A? }") == ["A.bs=a", "B.a=bs"])
        #expect(try inverses("@Model class A { var b: B? }\n@Model class B { var a: A? }") == ["A.b=a", "B.a=b"])
        #expect(
            try inverses("@Model class A { @Relationship var bs: [B] }\n@Model class B { var a: A? }") == [
                "A.bs=a", "B.a=bs",
            ])
    }

    @Test func aRequiredEndHasNoInverse() throws {
        #expect(try inverses("@Model class A { var bs: [B] }\n@Model class B { var a: A }") == ["A.bs=-", "B.a=-"])
    }

    @Test func twoMacrosAreNotPaired() throws {
        #expect(
            try inverses("@Model class A { @Relationship var bs: [B] }\n@Model class B { @Relationship var a: A? }")
                == ["A.bs=-", "B.a=-"])
    }

    @Test func severalCandidatesAreNotPaired() throws {
        #expect(
            try inverses("@Model class A { var bs: [B] }\n@Model class B { var a: A?; var other: A? }")
                == ["A.bs=-", "B.a=-", "B.other=-"])
    }

    @Test func oneWayEndsAreNotPaired() throws {
        let one = "@Model class A { @Relationship(inverse: nil) var bs: [B] }\n"
        #expect(try inverses(one + "@Model class B { var a: A? }") == ["A.bs=-", "B.a=-"])
        // The other property is then the only candidate.
        let two = "@Model class A { @Relationship(inverse: nil) var b: B?; var bs: [B] }\n"
        #expect(try inverses(two + "@Model class B { var a: A? }") == ["A.b=-", "A.bs=a", "B.a=bs"])
        #expect(try inverses("@Model class A { @Relationship(inverse: nil) var next: A? }") == ["A.next=-"])
    }

    @Test func relationshipsHaveSwiftDataCounts() throws {
        let entity = try entity(
            in: """
                @Model class A {
                    @Relationship(minimumModelCount: 1, maximumModelCount: 3, originalName: "x") var bs: [B]?
                    var b: B
                }
                @Model class B { }
                """)
        #expect(entity.relationships.map(\.isToMany) == [true, false])
        #expect(
            entity.relationships.map(\.minimumCount) == [1, 0] && entity.relationships.map(\.maximumCount) == [3, 1])
        #expect(entity.relationships.map(\.isOptional) == [true, false])
        #expect(entity.relationships[0].renamingIdentifier == "x")
    }

    // MARK: Names and versions

    @Test func namesAreFoundFromTheInsideOut() throws {
        let sources = read(
            """
            typealias Item = SchemaV2.Item
            typealias Text = String
            enum SchemaV1: VersionedSchema {
                static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
                static var models: [any PersistentModel.Type] { return [Item.self] }
                @Model final class Item { var title: Text; var owner: Owner? }
                @Model final class Owner { var name: String }
            }
            """,
            """
            enum SchemaV2: VersionedSchema {
                static let versionIdentifier: Schema.Version = .init(1, 10, 0)
                static let models: [any PersistentModel.Type] = [Item.self] + SchemaV1.models.dropLastNothing
            }
            extension SchemaV2 { @Model final class Item { var title: Text? } }
            """)
        #expect(sources.findings.map(\.message) == ["the models of “SchemaV2” are not a list of types"])
        let fixed = read(
            """
            typealias Item = SchemaV2.Item
            enum SchemaV1: VersionedSchema {
                static var versionIdentifier: Schema.Version { Schema.Version(1, 2, 0) }
                static var models: [any PersistentModel.Type] { return [Item.self] }
                @Model final class Item { var title: String; var owner: Owner? }
                @Model final class Owner { var name: String }
            }
            enum SchemaV2: VersionedSchema {
                static let versionIdentifier: Schema.Version = .init(1, 10, 0)
                static var models: [any PersistentModel.Type] { [Item.self] + SchemaV0.models }
            }
            enum SchemaV0: VersionedSchema {
                static let versionIdentifier = Schema.Version(1, 0, 0)
                static var models: [any PersistentModel.Type] { get { [Thing.self] } }
            }
            extension SchemaV2 { @Model final class Item { var title: String? } }
            @Model class Thing { var x: Int }
            """)
        #expect(fixed.findings.map(\.message) == [])
        #expect(fixed.versions.map(\.name) == ["SchemaV0", "SchemaV1", "SchemaV2"])
        #expect(fixed.versions.map(\.identifier) == ["1.0.0", "1.2.0", "1.10.0"])
        #expect(
            fixed.versions.map { $0.model.entities.map(\.name) } == [["Thing"], ["Item", "Owner"], ["Item", "Thing"]])
        #expect(fixed.versions[2].model.entities[0].attributes[0].isOptional)
    }

    @Test func locationsAreThoseOfTheNames() throws {
        let version = try #require(
            read("import SwiftData\n\n@Model class A {\n    var title: String\n}").versions.first)
        let location = version.location(of: version.model.entities[0].attributes[0].origin)
        #expect(location?.file == "0.swift")
        #expect(location?.range.start == SourcePosition(line: 4, column: 9))
    }

    @Test func conditionsAreDecidedByDefinitions() throws {
        let text = """
            @Model class A {
                #if os(Linux)
                var never: Int
                #elseif EXTRA
                var extra: Int
                #else
                var plain: Int
                #endif
            }
            """
        #expect(try entity(in: text, definitions: ["EXTRA": true]).attributes.map(\.name) == ["extra"])
        #expect(try entity(in: text, definitions: ["EXTRA": false]).attributes.map(\.name) == ["plain"])
        expectError("`#if EXTRA`", in: text)
    }

    // MARK: What is unknown

    @Test(arguments: [
        ("var x: Unknown", "not declared"), ("var x: [Unknown]", "array of values"),
        ("var x: Set<String>", "not declared"),
        ("var x: [String: String]", "dictionary"), ("var x: Int??", "optional of an optional"),
        ("var x: (Int, Int)", "a tuple"), ("var x = make()", "initial value"), ("var (x, y) = (1, 2)", "tuple"),
        ("@Wrapped var x: Int", "@Wrapped"), ("@Attribute(.magic) var x: Int", "magic"),
        ("#Secret\nvar x: Int", "#Secret"), ("@Relationship(inverse: some) var x: A?", "key path"),
        ("var next: A?", "its own model"), ("var x: any Codable", "a protocol"),
        ("#Unique<A>([\\.missing])", "missing"),
    ])
    func unknownFormsAreErrors(member: String, part: String) {
        expectError(part, in: "@Model class A {\n    \(member)\n}")
    }

    @Test func unstorableValuesAreErrors() {
        let model = "@Model class A { var v: V }"
        expectError("associated values", in: "enum V: Codable { case a(Int) }\n" + model)
        expectError(
            "encodes itself", in: "struct V: Codable { var a: Int; func encode(to encoder: Encoder) {} }\n" + model)
        expectError(
            "coding keys",
            in: "struct V: Codable { var a: Int; enum CodingKeys: String, CodingKey { case a } }\n" + model)
        expectError("generic", in: "struct V<T>: Codable { var a: Int }\n" + model)
        expectError("class", in: "class V: Codable { var a: Int = 0 }\n" + model)
        expectError("contains itself", in: "struct V: Codable { var a: W? }\nstruct W: Codable { var v: V? }\n" + model)
        expectError("declared twice", in: "struct V: Codable { var a: Int }\n" + model, "struct V: Codable { }")
    }

    @Test func ambiguousModelsAreErrors() {
        expectError("declared twice", in: "@Model class A { var x: Int }", "@Model class A { var y: Int }")
        expectError("two models", in: "enum Old { @Model class A { var x: Int } }\n@Model class A { var y: Int }")
        expectError("inherits", in: "@Model class A { var x: Int }\n@Model class B: A { var y: Int }")
        expectError("generic", in: "@Model class A<T> { var x: Int }")
        expectError("inverses of each other", in: "@Model class A { var bs: [B] }\n@Model class B { var a: [A] }")
        expectError(
            "not declared",
            in: "enum V1: VersionedSchema { static var models: [any PersistentModel.Type] { [A.self] } }")
    }

    @Test func sourcesThatDoNotCompileAreErrors() {
        expectError("not closed", in: "@Model class A { var x: Int")
        expectError("no opening brace", in: "@Model class A { var x: Int } }")
        let bytes = Array("@Model class A { var x: Int } // ".utf8) + [0xFF]
        let sources = SwiftDataSources([SwiftSourceFile(path: "a.swift", bytes: bytes)])
        #expect(sources.versions.isEmpty && sources.findings.map(\.message) == ["the file is not UTF-8"])
    }

    /// Mutated sources neither trap nor hang.
    @Test(.randomized) func mutatedSourcesNeitherTrapNorHang() {
        let text = """
            import SwiftData
            enum SchemaV1: VersionedSchema {
                static let versionIdentifier = Schema.Version(1, 0, 0)
                static var models: [any PersistentModel.Type] { [A.self, B.self] }
            }
            struct Point: Codable { var x: Double = 1.5e-3; var tags: [String: Int] }
            @Model final class A { #Unique<A>([\\.a, \\.b]) @Attribute(.unique, originalName: "o") var a: Int
                #if DEBUG
                var b = UUID() { didSet { print("\\(b)") } }
                #else
                let b: [String] = ["x"]
                #endif
                @Relationship(deleteRule: .cascade, inverse: \\B.a) var bs: [B]? = []
                var p: Point?
            }
            @Model class B { var a: A?, c = Date.now }
            """
        let bytes = Array(text.utf8)
        Seeds.run(rounds: 700) { random, _ in
            var random = random
            var mutated = bytes
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let span = Int.random(in: 0..<mutated.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: mutated.remove(at: span)
                case 1: mutated[span] = UInt8.random(in: 0...255, using: &random)
                case 2: mutated.insert(Array("{}()[]<>\"#@\\,.:=?".utf8).randomElement(using: &random) ?? 0, at: span)
                default: mutated.removeSubrange(span..<min(span + 20, mutated.count))
                }
                if mutated.isEmpty { mutated = bytes }
            }
            _ = SwiftDataSources([SwiftSourceFile(path: "a.swift", bytes: mutated)], definitions: ["DEBUG": true])
        }
    }
}
