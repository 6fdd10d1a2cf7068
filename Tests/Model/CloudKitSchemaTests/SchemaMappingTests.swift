import CloudKitSchema
import ModelSchema
import Testing

/// The schema that Core Data derives from a model (Documentation/Formats/CloudKitSchema.md, 3).
@Suite struct SchemaMappingTests {
    private func schema(
        _ model: Model, configuration: String? = nil, _ options: SchemaOptions = SchemaOptions()
    ) throws -> Schema {
        let mirrored = try #require(MirroredEntities(model, configuration: configuration))
        return SchemaMapping(mirrored, in: model).schema(options)
    }

    /// Returns the fields of a record type, except those common to all types, as written by an export.
    private func fields(_ type: String, in schema: Schema) throws -> [String] {
        let common: Set = ["CD_entityName", "CD_moveReceipt", "CD_moveReceipt_ckAsset"]
        return try #require(schema.recordType(named: type)).fields
            .filter { !common.contains($0.name) && RecordField.systemType(of: $0.name) == nil }
            .map { "\($0.name) \(SchemaPrinter.definition(of: $0))" }
    }

    /// The table of attribute types.
    @Test(
        arguments: [
            (.integer16, ["INT64 QUERYABLE SORTABLE"]), (.integer32, ["INT64 QUERYABLE SORTABLE"]),
            (.integer64, ["INT64 QUERYABLE SORTABLE"]), (.boolean, ["INT64 QUERYABLE SORTABLE"]),
            (.double, ["DOUBLE QUERYABLE SORTABLE"]), (.float, ["DOUBLE QUERYABLE SORTABLE"]),
            (.decimal, ["DOUBLE QUERYABLE SORTABLE"]), (.date, ["TIMESTAMP QUERYABLE SORTABLE"]),
            (.uuid, ["STRING QUERYABLE SEARCHABLE SORTABLE"]), (.uri, ["STRING QUERYABLE SEARCHABLE SORTABLE"]),
            (.string, ["STRING QUERYABLE SEARCHABLE SORTABLE", "ASSET"]),
            (.binary, ["BYTES QUERYABLE SORTABLE", "ASSET"]), (.transformable, ["BYTES QUERYABLE SORTABLE", "ASSET"]),
            (.undefined, []), (.objectID, []), (.composite, ["BYTES QUERYABLE SORTABLE", "ASSET"]),
        ] as [(AttributeType, [String])])
    func attributesBecomeFields(_ type: AttributeType, _ definitions: [String]) throws {
        var entity = Entity(name: "A")
        var attribute = Attribute(name: "x", type: type)
        attribute.allowsExternalBinaryStorage = true
        attribute.defaultValue = "1"
        entity.attributes = [attribute]
        var model = Model(name: "M")
        model.entities = [entity]
        let expected = zip(["CD_x", "CD_x_ckAsset"], definitions).map { "\($0) \($1)" }
        #expect(try fields("CD_A", in: schema(model)) == expected)

        model.entities[0].attributes[0].allowsCloudEncryption = true
        let encrypted = zip(["CD_x", "CD_x_ckAsset"], definitions).map { name, definition in
            definition == "ASSET" ? "\(name) ASSET" : "\(name) ENCRYPTED \(definition.prefix { $0 != " " })"
        }
        #expect(try fields("CD_A", in: schema(model)) == encrypted)

        model.entities[0].attributes[0].isTransient = true
        #expect(try fields("CD_A", in: schema(model)).isEmpty)
    }

    @Test func everyRecordTypeHasSystemFieldsAndGrants() throws {
        let model = Samples.model([("A", nil, [])])
        let type = try #require(try schema(model).recordType(named: "CD_A"))
        let expected = """
            DEFINE SCHEMA

                RECORD TYPE CD_A (
                    CD_entityName          STRING QUERYABLE SEARCHABLE SORTABLE,
                    CD_moveReceipt         BYTES QUERYABLE SORTABLE,
                    CD_moveReceipt_ckAsset ASSET,
            \(SchemaText.systemFields(width: 22))\
                    GRANT WRITE TO "_creator",
                    GRANT CREATE TO "_icloud",
                    GRANT READ TO "_world"
                );

            """
        #expect(SchemaPrinter.text(Schema(recordTypes: [type])) == expected)
        let users = try #require(try schema(model).recordType(named: "Users"))
        #expect(SchemaPrinter.text(Schema(recordTypes: [users])) == "DEFINE SCHEMA\n\n" + SchemaText.users)
    }

    @Test func optionsAddAndRemoveParts() throws {
        let model = Samples.model([("A", nil, ["x"])])
        var options = SchemaOptions()
        options.includesReceipts = false
        options.includesSharing = true
        options.isPublic = true
        let schema = try schema(model, options)
        #expect(schema.recordTypes.map(\.name) == ["CD_A", "Users", "cloudkit.share"])
        let type = try #require(schema.recordType(named: "CD_A"))
        #expect(type.field(named: "CD_moveReceipt") == nil)
        #expect(type.field(named: "CD_moveReceipt_ckAsset") == nil)
        #expect(type.field(named: "___recordID")?.options == [.queryable])
        #expect(type.field(named: "___modTime")?.options == [.queryable, .sortable])
        #expect(schema.recordType(named: "cloudkit.share")?.field(named: "cloudkit.thumbnailImageData")?.type == .bytes)
    }

    @Test func relationshipsBecomeFieldsOnTheToOneSide() throws {
        var model = Samples.model([("Book", nil, []), ("Author", nil, [])])
        model.entities[0].relationships = [Samples.relationship("author", "Author", inverse: "books")]
        model.entities[1].relationships = [Samples.relationship("books", "Book", inverse: "author", isToMany: true)]
        let oneToMany = try schema(model)
        #expect(try fields("CD_Book", in: oneToMany) == ["CD_author STRING QUERYABLE SEARCHABLE SORTABLE"])
        #expect(try fields("CD_Author", in: oneToMany) == [])
        #expect(oneToMany.recordType(named: "CDMR") == nil)

        model.entities[1].relationships[0].isToMany = false
        let oneToOne = try schema(model)
        #expect(try fields("CD_Author", in: oneToOne) == ["CD_books STRING QUERYABLE SEARCHABLE SORTABLE"])

        model.entities[0].relationships[0].isToMany = true
        model.entities[1].relationships[0].isToMany = true
        let manyToMany = try schema(model)
        #expect(try fields("CD_Book", in: manyToMany) == [])
        #expect(
            try fields("CDMR", in: manyToMany)
                == ["CD_entityNames", "CD_recordNames", "CD_relationships"].map {
                    "\($0) STRING QUERYABLE SEARCHABLE SORTABLE"
                })
        #expect(manyToMany.recordType(named: "CDMR")?.field(named: "CD_entityName") == nil)
        #expect(manyToMany.recordTypes.map(\.name) == ["CDMR", "CD_Author", "CD_Book", "Users"])

        model.entities[0].relationships[0].isTransient = true
        model.entities[1].relationships[0].isTransient = true
        #expect(try schema(model).recordType(named: "CDMR") == nil)
    }

    @Test func anInverseCanBeInherited() throws {
        var model = Samples.model([("Tag", nil, []), ("Post", "Item", []), ("Item", nil, [])])
        model.entities[0].relationships = [Samples.relationship("posts", "Post", inverse: "tags", isToMany: true)]
        model.entities[2].relationships = [Samples.relationship("tags", "Tag", inverse: "posts", isToMany: true)]
        #expect(try schema(model).recordType(named: "CDMR") != nil)
    }

    @Test func anInheritanceTreeIsOneRecordType() throws {
        let model = Samples.model([
            ("Novel", "Book", ["shared", "plot"]), ("Atlas", "Book", ["shared", "scale"]), ("Book", "Item", ["pages"]),
            ("Item", nil, ["title"]), ("Other", nil, []),
        ])
        let schema = try schema(model)
        #expect(schema.recordTypes.map(\.name) == ["CD_Item", "CD_Other", "Users"])
        #expect(
            try fields("CD_Item", in: schema).filter { !$0.hasSuffix(" ASSET") }.map { $0.prefix { $0 != " " } }
                == ["CD_pages", "CD_plot", "CD_scale", "CD_shared", "CD_title"])
    }

    @Test func configurationsSelectEntities() throws {
        var model = Samples.model([
            ("Item", nil, ["title"]), ("Book", "Item", ["pages"]), ("Film", "Item", ["length"]), ("Log", nil, ["text"]),
        ])
        model.configurations = [Samples.configuration("Cloud", ["Book"]), Samples.configuration("Local", ["Log"])]
        #expect(try schema(model).recordTypes.map(\.name) == ["CD_Item", "CD_Log", "Users"])
        let cloud = try schema(model, configuration: "Cloud")
        #expect(cloud.recordTypes.map(\.name) == ["CD_Item", "Users"])
        // Inherited attributes are included, those of sibling entities are not.
        #expect(
            try fields("CD_Item", in: cloud).map { $0.prefix { $0 != " " } }
                == ["CD_pages", "CD_pages_ckAsset", "CD_title", "CD_title_ckAsset"])
        #expect(try schema(model, configuration: "Default").recordTypes.count == 3)
        #expect(MirroredEntities(model, configuration: "Nothing") == nil)

        model.configurations[1].usedWithCloudKit = true
        #expect(try schema(model).recordTypes.map(\.name) == ["CD_Log", "Users"])
        #expect(try schema(model, configuration: "Cloud") == cloud)
        model.configurations[0].usedWithCloudKit = true
        #expect(try schema(model).recordTypes.map(\.name) == ["CD_Item", "CD_Log", "Users"])
    }

    @Test func propertySettingsMakeNoDifference() throws {
        let model = Samples.model([("A", nil, ["x", "y"])])
        var other = model
        other.entities[0].attributes[0].isOptional = true
        other.entities[0].attributes[0].usesScalarType = true
        other.entities[0].attributes[0].minimum = "1"
        other.entities[0].attributes[1].defaultValue = "1"
        other.entities[0].attributes[1].renamingIdentifier = "z"
        other.entities[0].attributes[1].isIndexed = true
        other.entities[0].isAbstract = true
        other.entities[0].className = ClassName("Other")
        other.entities.append(contentsOf: [])
        #expect(try schema(model) == schema(other))
    }

    @Test func namesAreCopiedVerbatim() throws {
        let model = Samples.model([("item", nil, ["sTokenV2", "_hidden"])])
        let schema = try schema(model)
        let type = try #require(schema.recordType(named: "CD_item"))
        #expect(type.field(named: "CD_sTokenV2") != nil)
        #expect(type.field(named: "CD__hidden") != nil)
    }

    @Test func unverifiedMappingsAreNoted() throws {
        var model = Samples.model([("A", nil, ["x"])])
        var derived = Attribute(name: "d", type: .integer64)
        derived.isDerived = true
        let composite = Attribute(name: "c", type: .composite)
        model.entities[0].attributes += [derived, composite]
        let mapping = SchemaMapping(try #require(MirroredEntities(model)), in: model)
        #expect(mapping.findings.map(\.rule) == [.cloudkitUnproven, .cloudkitUnproven])
        let type = try #require(mapping.schema().recordType(named: "CD_A"))
        #expect(type.field(named: "CD_d")?.type == .int64)
        #expect(type.field(named: "CD_c")?.type == .bytes)
    }

    /// The fields of three apps' enumerations: with integers, with strings and with associated values.
    @Test func compositesOfSwiftDataAreMapped() throws {
        var model = Samples.model([("A", nil, ["x"])])
        model.settings.usedWithSwiftData = true
        model.entities[0].attributes = [Attribute(name: "kind", type: .composite)]
        let mapping = SchemaMapping(try #require(MirroredEntities(model)), in: model)
        #expect(mapping.findings.isEmpty)
        #expect(
            try fields("CD_A", in: mapping.schema())
                == ["CD_kind BYTES QUERYABLE SORTABLE", "CD_kind_ckAsset ASSET"])
        #expect(mapping.types[0].fields.suffix(2).map(\.purpose) == [.attribute, .asset])
    }

    @Test func mergingKeepsTheElementsOfProduction() throws {
        let production = try #require(
            SchemaText.schema(
                """
                DEFINE SCHEMA CREATE ROLE editor;
                RECORD TYPE CD_A (CD_old BYTES, CD_x STRING, "___recordID" REFERENCE QUERYABLE, GRANT READ TO editor);
                RECORD TYPE Other (y INT64);
                """))
        let model = Samples.model([("A", nil, ["x"])])
        let merged = production.adding(try schema(model))
        #expect(merged.roles.map(\.name) == ["editor"])
        #expect(merged.recordTypes.map(\.name).sorted() == ["CD_A", "Other", "Users"])
        let type = try #require(merged.recordType(named: "CD_A"))
        #expect(type.field(named: "CD_old")?.type == .bytes)
        #expect(type.field(named: "CD_x")?.options == [.queryable, .searchable, .sortable])
        #expect(type.field(named: "___recordID")?.options == [.queryable])
        #expect(type.grants == [Grant([.read], to: "editor")])
        // Production accepts the result.
        #expect(SchemaDifference(from: production, to: merged).refused.isEmpty)
    }
}

extension Schema {
    fileprivate func recordType(named name: String) -> RecordType? { recordTypes.first { $0.name == name } }
}
