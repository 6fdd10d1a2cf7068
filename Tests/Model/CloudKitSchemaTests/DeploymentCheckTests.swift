import CloudKitSchema
import Diagnostics
import ModelSchema
import Testing

/// The differences between production and a model (Documentation/Formats/CloudKitSchema.md, 4).
@Suite struct DeploymentCheckTests {
    private static var model: Model {
        var model = Samples.model([("Book", nil, ["title"]), ("Tag", nil, [])])
        model.entities[0].attributes.append(Attribute(name: "pages", type: .integer32))
        model.entities[0].relationships = [Samples.relationship("tags", "Tag", inverse: "books", isToMany: true)]
        model.entities[1].relationships = [Samples.relationship("books", "Book", inverse: "tags", isToMany: true)]
        return model
    }

    private func findings(
        _ model: Model = model, _ options: SchemaOptions = SchemaOptions(), checksIndexes: Bool = false,
        changing change: (inout Schema) -> Void = { _ in }
    ) throws -> [DeploymentFinding] {
        let mapping = SchemaMapping(try #require(MirroredEntities(model)), in: model)
        var production = SchemaMapping(try #require(MirroredEntities(Self.model)), in: Self.model).schema()
        change(&production)
        return DeploymentCheck.findings(for: mapping, in: production, options, checksIndexes: checksIndexes)
    }

    private func expect(
        _ findings: [DeploymentFinding], _ expected: [(RuleID, Severity, String)],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let found = findings.map { "\($0.finding.rule) \($0.finding.severity) \($0.finding.message)" }
        #expect(found == expected.map { "\($0) \($1) \($2)" }, sourceLocation: sourceLocation)
    }

    @Test func aModelPassesAgainstItsOwnSchema() throws {
        #expect(try findings() == [])
        #expect(try findings(checksIndexes: true) == [])
    }

    @Test func missingTypesAndFieldsMustBeDeployed() throws {
        let found = try findings { schema in
            schema.recordTypes.removeAll { $0.name == "CD_Tag" }
            schema.remove(["CD_pages", "CD_entityName"], from: "CD_Book")
        }
        expect(
            found,
            [
                (.cloudkitNotDeployed, .error, "production has no field “CD_Book.CD_entityName”"),
                (.cloudkitNotDeployed, .error, "production has no field “CD_Book.CD_pages”"),
                (.cloudkitNotDeployed, .error, "production has no record type “CD_Tag”"),
            ])
        #expect(
            found.map(\.remedy) == [
                .deploy("CD_Book.CD_entityName"), .deploy("CD_Book.CD_pages"), .deploy("CD_Tag"),
            ])
        #expect(found.map(\.components) == [["Book"], ["Book", "pages"], ["Tag"]])
        #expect(found[1].finding.help == "Deploy the field: CD_pages INT64 QUERYABLE SORTABLE.")
    }

    @Test func fieldsNeededBySomeFeaturesOnlyAreWarnings() throws {
        let found = try findings { schema in
            schema.recordTypes.removeAll { $0.name == "CDMR" }
            schema.remove(["CD_title_ckAsset", "CD_moveReceipt", "CD_moveReceipt_ckAsset"], from: "CD_Book")
        }
        expect(
            found,
            [
                (.cloudkitIncomplete, .warning, "production has no field “CD_Book.CD_moveReceipt”"),
                (.cloudkitIncomplete, .warning, "production has no field “CD_Book.CD_moveReceipt_ckAsset”"),
                (.cloudkitLargeValue, .warning, "production has no field “CD_Book.CD_title_ckAsset”"),
                (.cloudkitIncomplete, .warning, "production has no record type “CDMR”"),
            ])
        var options = SchemaOptions()
        options.includesReceipts = false
        #expect(
            try findings(Self.model, options) { schema in
                schema.remove(["CD_moveReceipt", "CD_moveReceipt_ckAsset"], from: "CD_Book")
            } == [])
        options.includesSharing = true
        expect(
            try findings(Self.model, options),
            [(.cloudkitIncomplete, .warning, "production has no record type “cloudkit.share”")])
    }

    @Test func changedFieldTypesCannotBeDeployed() throws {
        var model = Self.model
        model.entities[0].attributes[1].type = .double
        model.entities[0].attributes[0].allowsCloudEncryption = true
        let found = try findings(model)
        expect(
            found,
            [
                (
                    .cloudkitTypeChanged, .error,
                    "“CD_Book.CD_title” is STRING in production; the model needs ENCRYPTED STRING"
                ),
                (.cloudkitTypeChanged, .error, "“CD_Book.CD_pages” is INT64 in production; the model needs DOUBLE"),
            ])
        #expect(found.map(\.remedy) == [.impossible, .impossible])
        #expect(found.map(\.finding.attribute) == ["allowsCloudEncryption", "attributeType"])
    }

    @Test func attributeTypesWithOneFieldTypeAreEqual() throws {
        var model = Self.model
        model.entities[0].attributes[1].type = .boolean
        #expect(try findings(model) == [])
    }

    @Test func referenceFieldsAreRejected() throws {
        var model = Self.model
        model.entities[0].relationships.append(Samples.relationship("cover", "Tag", inverse: "books"))
        let found = try findings(model) { $0.add(RecordField(name: "CD_cover", type: .reference), to: "CD_Book") }
        expect(
            found,
            [(.cloudkitTypeChanged, .error, "“CD_Book.CD_cover” is REFERENCE in production; the model needs STRING")])
        #expect(found.first?.finding.why?.contains("made by hand") == true)
    }

    @Test func elementsMissingFromTheModelAreNotes() throws {
        var model = Self.model
        model.entities[0].attributes.removeFirst()
        let found = try findings(model) { schema in
            schema.recordTypes.append(RecordType(name: "CD_Old", fields: RecordField.system))
            schema.recordTypes.append(RecordType(name: "NotCoreData", fields: [RecordField(name: "x", type: .string)]))
        }
        expect(
            found,
            [
                (.cloudkitOrphan, .note, "the model has no property for “CD_Book.CD_title”"),
                (.cloudkitOrphan, .note, "the model has no entity for the record type “CD_Old”"),
            ])
    }

    @Test func renamesCannotBeDeployed() throws {
        var model = Self.model
        model.entities[0].attributes[0].name = "heading"
        model.entities[0].attributes[0].renamingIdentifier = "title"
        model.entities[1].name = "Label"
        model.entities[1].renamingIdentifier = "Tag"
        model.entities[0].relationships[0].destinationName = "Label"
        expect(
            try findings(model),
            [
                (.cloudkitNotDeployed, .error, "production has no field “CD_Book.CD_heading”"),
                (
                    .cloudkitRenamed, .error,
                    "“Book.heading” was renamed from “title”, and “CD_title” cannot be renamed"
                ),
                (.cloudkitLargeValue, .warning, "production has no field “CD_Book.CD_heading_ckAsset”"),
                (.cloudkitNotDeployed, .error, "production has no record type “CD_Label”"),
                (.cloudkitRenamed, .error, "“Label” was renamed from “Tag”, and “CD_Tag” cannot be renamed"),
            ])
        // Once the new field exists too, the old one is merely left over.
        let later = try findings(model) { schema in
            schema.add(RecordField(name: "CD_heading", type: .string), to: "CD_Book")
            schema.add(RecordField(name: "CD_heading_ckAsset", type: .asset), to: "CD_Book")
        }
        #expect(later.contains { $0.finding.rule == .cloudkitOrphan && $0.components == ["CD_Book", "CD_title"] })
        #expect(!later.contains { $0.finding.rule == .cloudkitRenamed && $0.components == ["Book", "heading"] })
    }

    @Test func indexesAreComparedOnRequest() throws {
        func dropIndexes(_ schema: inout Schema) {
            schema.remove(["CD_title"], from: "CD_Book")
            schema.add(RecordField(name: "CD_title", type: .string, options: [.queryable]), to: "CD_Book")
        }
        #expect(try findings(changing: dropIndexes) == [])
        expect(
            try findings(checksIndexes: true, changing: dropIndexes),
            [(.cloudkitIndexMissing, .warning, "“CD_Book.CD_title” is not SEARCHABLE SORTABLE in production")])
        var options = SchemaOptions()
        options.isPublic = true
        let found = try findings(Self.model, options)
        #expect(found.count == 4)
        #expect(found.allSatisfy { $0.finding.rule == .cloudkitIndexMissing })
    }

    @Test func unverifiedIndexesAreAcceptedEitherWay() throws {
        var model = Self.model
        var derived = Attribute(name: "count", type: .integer64)
        derived.isDerived = true
        model.entities[0].attributes += [derived, Attribute(name: "place", type: .composite)]
        #expect(try findings(model) == [])
        #expect(
            try findings(model) { schema in
                schema.add(RecordField(name: "CD_count", type: .int64), to: "CD_Book")
                schema.add(RecordField(name: "CD_place_x", type: .double), to: "CD_Book")
                schema.add(RecordField(name: "CD_place", type: .bytes), to: "CD_Book")
            } == [])
        #expect(
            try findings(model) { $0.add(RecordField(name: "CD_count", type: .string), to: "CD_Book") }.map(
                \.finding.rule)
                == [.cloudkitTypeChanged])
        model.settings.usedWithSwiftData = true
        #expect(try findings(model).map(\.finding.rule).contains(.cloudkitNotDeployed))
    }

    @Test func aHandMadeManyToManyTypeIsRejected() throws {
        let found = try findings { schema in
            schema.remove(["CD_entityNames", "CD_recordNames"], from: "CDMR")
            schema.add(RecordField(name: "CD_recordNames", type: .int64), to: "CDMR")
        }
        #expect(found.map(\.finding.rule) == [.cloudkitIncomplete, .cloudkitTypeChanged])
    }
}

extension Schema {
    /// Removes fields of a record type.
    mutating func remove(_ fields: Set<String>, from type: String) {
        guard let index = recordTypes.firstIndex(where: { $0.name == type }) else { return }
        recordTypes[index].fields.removeAll { fields.contains($0.name) }
    }

    /// Adds a field to a record type.
    mutating func add(_ field: RecordField, to type: String) {
        guard let index = recordTypes.firstIndex(where: { $0.name == type }) else { return }
        recordTypes[index].fields.append(field)
    }
}
