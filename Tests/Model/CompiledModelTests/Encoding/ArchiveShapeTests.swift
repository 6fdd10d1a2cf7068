import ModelSchema
import Testing

@testable import CompiledModel

/// The shape of an archive, key by key: what is inline (`=`), by reference (`->`), null and absent
/// (Documentation/Formats/CompiledModel.md, 2).
@Suite struct ArchiveShapeTests {
    private func book() -> Entity {
        var book = Entity(name: "Book")
        book.className = ClassName(".Book")
        return book
    }

    private func model(_ entities: Entity...) -> Model {
        var model = Model(name: "Library")
        model.entities = entities
        return model
    }

    @Test func emptyModelMatchesApples() throws {
        let encoded = try EncodedModel(Model(name: "Empty"))
        let expected = """
            NSManagedObjectModel
              CDMCompilerToolVersion = 23507.0
              CDMCompilerXcodeVersion = 160100
              NSEntities -> NSMutableDictionary
              NSFetchRequestTemplates -> null
              NSVersionIdentifiers -> NSSet
                - -> ""
            """
        #expect(try ArchiveDump.text(encoded.bytes) == expected)
    }

    @Test func compilerVersionCanBeOmitted() throws {
        let encoded = try EncodedModel(Model(name: "Empty"), options: .init(compilerVersion: nil))
        #expect(try !ArchiveDump.text(encoded.bytes).contains("CDMCompiler"))
    }

    @Test func entityWithoutPropertiesMatchesApples() throws {
        let encoded = try EncodedModel(model(Entity(name: "Bare")))
        let expected = """
            NSEntityDescription “Bare”
              NSClassNameForEntity -> null
              NSEntityName -> "Bare"
              NSManagedObjectModel -> NSManagedObjectModel …
              NSProperties -> NSMutableDictionary
              NSRenamingIdentifier -> "Bare"
              NSSubentities -> NSMutableDictionary
              NSSuperentity -> null
              NSUserInfo -> NSDictionary
              NSVersionHashModifier -> null
            """
        #expect(try ArchiveDump.text(encoded.bytes, "NSEntities", "Bare") == expected)
    }

    @Test func entityWithEverySettingMatchesApples() throws {
        var parent = Entity(name: "Item")
        parent.isAbstract = true
        var book = book()
        book.parentName = "Item"
        book.renamingIdentifier = "Tome"
        book.versionHashModifier = "2"
        book.userInfo = [UserInfoEntry(key: "k", value: "v")]
        book.uniquenessConstraints = [
            UniquenessConstraint(properties: [PropertyMention(name: "a"), PropertyMention(name: "b")])
        ]
        let bytes = try EncodedModel(model(parent, book)).bytes
        let expected = """
            NSEntityDescription “Book”
              NSClassNameForEntity -> ".Book"
              NSEntityName -> "Book"
              NSManagedObjectModel -> NSManagedObjectModel …
              NSProperties -> NSMutableDictionary
              NSRenamingIdentifier -> "Tome"
              NSSubentities -> NSMutableDictionary
              NSSuperentity -> NSEntityDescription “Item”
                NSClassNameForEntity -> null
                NSEntityName -> "Item"
                NSIsAbstract = true
                NSManagedObjectModel -> NSManagedObjectModel …
                NSProperties -> NSMutableDictionary
                NSRenamingIdentifier -> "Item"
                NSSubentities -> NSMutableDictionary
                  “Book” -> NSEntityDescription “Book” …
                NSSuperentity -> null
                NSUserInfo -> NSDictionary
                NSVersionHashModifier -> null
              NSUniqueTuples -> NSMutableArray
                - -> NSMutableArray
                  - -> "a"
                  - -> "b"
              NSUserInfo -> NSDictionary
                “k” -> "v"
              NSVersionHashModifier -> "2"
            """
        #expect(try ArchiveDump.text(bytes, "NSEntities", "Book") == expected)
    }

    @Test func plainAttributeMatchesApples() throws {
        var entity = Entity(name: "E")
        entity.attributes = [Attribute(name: "title", type: .string)]
        let expected = """
            NSAttributeDescription “title”
              NSAttributeType = 700
              NSAttributeValueClassName -> "NSString"
              NSDefaultValue -> null
              NSEntity -> NSEntityDescription “E”
                NSClassNameForEntity -> null
                NSEntityName -> "E"
                NSManagedObjectModel -> NSManagedObjectModel …
                NSProperties -> NSMutableDictionary
                  “title” -> NSAttributeDescription “title” …
                NSRenamingIdentifier -> "E"
                NSSubentities -> NSMutableDictionary
                NSSuperentity -> null
                NSUserInfo -> NSDictionary
                NSVersionHashModifier -> null
              NSFlagsKey = 0
              NSPropertyName -> "title"
              NSRenamingIdentifier -> "title"
              NSValueTransformerName -> null
              _P = 241
            """
        #expect(
            try ArchiveDump.text(try EncodedModel(model(entity)).bytes, "NSEntities", "E", "NSProperties", "title")
                == expected)
    }

    /// The values of `_P` in Apple's files (Documentation/Formats/CompiledModel.md, 2.3), and the two with a modifier,
    /// from stores.
    static let flags: [(Int, @Sendable (inout Attribute) -> Void)] = [
        (241, { _ in }), (243, { $0.isOptional = true }), (249, { $0.isTransient = true }),
        (
            251,
            {
                $0.isOptional = true; $0.isTransient = true
            }
        ),
        (177, { $0.userInfo = [UserInfoEntry(key: "k", value: "v")] }),
        (
            179,
            {
                $0.isOptional = true; $0.userInfo = [UserInfoEntry(key: "k", value: "v")]
            }
        ),
        (193, { $0.minimum = "1" }),
        (
            195,
            {
                $0.minimum = "1"; $0.isOptional = true
            }
        ),
        (113, { $0.versionHashModifier = "2" }),
        (
            115,
            {
                $0.versionHashModifier = "2"; $0.isOptional = true
            }
        ),
        (
            245,
            {
                $0.isDerived = true; $0.derivationExpression = "now()"
            }
        ),
        (
            247,
            {
                $0.isDerived = true; $0.derivationExpression = "now()"; $0.isOptional = true
            }
        ),
    ]

    @Test(arguments: flags)
    func propertyFlagsAreEncoded(flags: Int, change: @Sendable (inout Attribute) -> Void) throws {
        var attribute = Attribute(name: "a", type: .string)
        change(&attribute)
        var entity = Entity(name: "E")
        entity.attributes = [attribute]
        let text = try ArchiveDump.text(try EncodedModel(model(entity)).bytes, "NSEntities", "E", "NSProperties", "a")
        #expect(text.contains("\n  _P = \(flags)"))
        #expect(text.contains("\n  NSIsOptional = true") == attribute.isOptional)
        #expect(text.contains("\n  NSIsTransient = true") == attribute.isTransient)
        #expect(text.contains("\n  NSIsReadOnly = true") == attribute.isDerived)
        #expect(text.contains("\n  NSUserInfo -> NSDictionary") == !attribute.userInfo.isEmpty)
        #expect(text.contains("\n  NSVersionHashModifier") == (attribute.versionHashModifier != nil))
    }

    @Test func relationshipsReferToTheirInverses() throws {
        var library = Entity(name: "Library")
        var books = Relationship(name: "books", destinationName: "Book")
        books.isToMany = true
        books.isOrdered = true
        books.isOptional = true
        books.deleteRule = .cascade
        books.inverseName = "library"
        library.relationships = [books]
        // The inverse is declared by an ancestor of the destination.
        var item = Entity(name: "Item")
        var back = Relationship(name: "library", destinationName: "Library")
        back.inverseName = "books"
        back.minimumCount = 1
        item.relationships = [back]
        var book = book()
        book.parentName = "Item"
        let bytes = try EncodedModel(model(library, item, book)).bytes
        let text = try ArchiveDump.text(bytes, "NSEntities", "Library", "NSProperties", "books")
        for line in [
            "NSDeleteRule = 2", "NSDestinationEntity -> NSEntityDescription “Book”",
            "NSInverseRelationship -> NSRelationshipDescription “library”", "NSIsOptional = true", "NSIsOrdered = true",
            "NSMaxCount = 0", "NSMinCount = 0", "_NSDestinationEntityName -> \"Book\"",
            "_NSInverseRelationshipName -> \"library\"", "_P = 1267",
        ] { #expect(text.contains("\n  \(line)"), "\(line)") }
        let inverse = try ArchiveDump.text(bytes, "NSEntities", "Item", "NSProperties", "library")
        for line in ["NSMaxCount = 1", "NSMinCount = 1", "NSDeleteRule = 1", "_P = 241"] {
            #expect(inverse.contains("\n  \(line)"), "\(line)")
        }
        #expect(!inverse.contains("\n  NSIsOrdered"))
    }

    @Test func relationshipsWithoutDestinationAreEncoded() throws {
        var entity = Entity(name: "E")
        entity.relationships = [Relationship(name: "r", destinationName: "Nobody")]
        entity.relationships[0].inverseName = "back"
        let bytes = try EncodedModel(model(entity)).bytes
        let text = try ArchiveDump.text(bytes, "NSEntities", "E", "NSProperties", "r")
        #expect(text.contains("\n  NSDestinationEntity -> null"))
        #expect(text.contains("\n  NSInverseRelationship -> null"))
    }

    @Test func fetchIndexesAreEncoded() throws {
        var entity = Entity(name: "E")
        entity.attributes = ["a", "b"].map { Attribute(name: $0, type: .string) }
        var single = FetchIndex(name: "byA")
        single.elements = [FetchIndex.Element(propertyName: "a")]
        var double = FetchIndex(name: "byBoth")
        double.elements = [FetchIndex.Element(propertyName: "a"), FetchIndex.Element(propertyName: "b")]
        double.elements[1].isAscending = false
        entity.fetchIndexes = [single]
        let one = try EncodedModel(model(entity)).bytes
        #expect(try ArchiveDump.text(one, "NSEntities", "E", "NSCompoundIndexes") == "NSMutableArray")
        #expect(try ArchiveDump.text(one, "NSEntities", "E", "NSProperties", "a").contains("\n  NSIsIndexed = true"))
        #expect(try !ArchiveDump.text(one, "NSEntities", "E", "NSProperties", "b").contains("\n  NSIsIndexed = true"))
        entity.fetchIndexes = [double]
        let two = try EncodedModel(model(entity)).bytes
        let expected = """
            NSMutableArray
              - -> NSMutableArray
                - -> "a"
                - -> "b"
            """
        #expect(try ArchiveDump.text(two, "NSEntities", "E", "NSCompoundIndexes") == expected)
        let elements = try ArchiveDump.text(two, "NSEntities", "E", "NSFetchIndexDescriptions", "0", "NSIndexElements")
        #expect(
            elements.replacing("NSFetchIndexDescription -> NSFetchIndexDescription “byBoth”\n", with: "")
                .hasPrefix("NSArray\n  - -> NSFetchIndexElementDescription “b”".replacing("“b”", with: "“a”")))
        #expect(elements.contains("NSAscending = true"))
        #expect(elements.contains("NSAscending = false"))
        #expect(elements.contains("NSFetchIndexElementType = 0"))
    }

    /// The form of one file that Xcode 9 compiled; earlier compilers wrote only the flag.
    @Test func indexFlagsOfModelsSavedByXcode9AreEncodedAsIndexes() throws {
        var entity = Entity(name: "E")
        entity.attributes = ["a", "b"].map { Attribute(name: $0, type: .string) }
        entity.attributes[1].isIndexed = true
        var model = model(entity)
        for version in ["12141", "11542.3"] {
            model.settings.lastSavedToolsVersion = version
            let old = try EncodedModel(model).bytes
            #expect(try !ArchiveDump.text(old, "NSEntities", "E").contains("NSFetchIndexDescriptions"))
        }
        model.settings.lastSavedToolsVersion = "13533"
        let bytes = try EncodedModel(model).bytes
        #expect(try ArchiveDump.text(bytes, "NSEntities", "E", "NSCompoundIndexes") == "NSMutableArray")
        #expect(try ArchiveDump.text(bytes, "NSEntities", "E", "NSProperties", "b").contains("\n  NSIsIndexed = true"))
        let index = try ArchiveDump.text(bytes, "NSEntities", "E", "NSFetchIndexDescriptions", "0")
        for line in ["NSIndexName -> \"b\"", "NSEntity -> null", "NSPropertyName -> \"b\"", "NSAscending = true"] {
            #expect(index.contains(line), "\(line): \(index)")
        }
        let decoded = try DecodedModel(bytes, name: "M").model
        #expect(decoded.entities[0].fetchIndexes == [])
        #expect(decoded.entities[0].attributes.map(\.isIndexed) == [false, true])
    }

    @Test func compoundIndexesOfOldModelsAreEncoded() throws {
        var entity = Entity(name: "E")
        entity.compoundIndexes = [CompoundIndex(properties: [PropertyMention(name: "a, b,c")])]
        let bytes = try EncodedModel(model(entity)).bytes
        let expected = """
            NSArray
              - -> NSMutableArray
                - -> "a"
                - -> "b"
                - -> "c"
            """
        #expect(try ArchiveDump.text(bytes, "NSEntities", "E", "NSCompoundIndexes") == expected)
    }

    @Test(
        arguments: [
            (nil, ".Book", ".Book"), ("Library", ".Book", "Library.Book"), ("Library", "Book", "Book"),
            ("Library", "Other.Book", "Other.Book"), ("", ".Book", ".Book"),
        ] as [(String?, String, String)])
    func moduleNamesAreAddedToClassNames(module: String?, className: String, compiled: String) throws {
        var entity = Entity(name: "E")
        entity.className = ClassName(className)
        let bytes = try EncodedModel(model(entity), options: .init(moduleName: module)).bytes
        #expect(try ArchiveDump.text(bytes, "NSEntities", "E", "NSClassNameForEntity") == "\"\(compiled)\"")
    }

    @Test func configurationsReferToTheirEntities() throws {
        var model = model(Entity(name: "A"), Entity(name: "B"))
        model.configurations = [Configuration(name: "Cloud")]
        model.configurations[0].members = ["B", "Nobody", "B"].map { .init(entityName: $0) }
        let text = try ArchiveDump.text(try EncodedModel(model).bytes, "NSConfigurations")
        #expect(text.hasPrefix("NSMutableDictionary\n  “Cloud” -> NSSet\n    - -> NSEntityDescription “B”"))
        #expect(text.components("    - -> ") == 1)
    }
}

extension String {
    fileprivate func replacing(_ part: String, with other: String) -> String {
        var result = ""
        var rest = self[...]
        while let first = rest.first {
            if rest.hasPrefix(part) {
                result += other
                rest = rest.dropFirst(part.count)
            } else {
                result.append(first)
                rest = rest.dropFirst()
            }
        }
        return result
    }

    /// Returns the number of occurrences of a text.
    fileprivate func components(_ part: String) -> Int {
        indices.count { self[$0...].hasPrefix(part) }
    }
}
