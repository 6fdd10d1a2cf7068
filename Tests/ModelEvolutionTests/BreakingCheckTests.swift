import ModelSchema
import Testing

@testable import ModelEvolution
@testable import ModelMigration

@Suite struct BreakingCheckTests {
    private func version(_ name: String, _ attributes: [Attribute]) -> ModelHistory.Version {
        var model = Model(name: name)
        model.entities = [Entity(name: "Book")]
        model.entities[0].attributes = attributes
        let indexed = IndexedModel(model)
        return ModelHistory.Version(name: name, hashes: indexed.hashes.entities, model: indexed)
    }

    private func optional(_ name: String, _ type: AttributeType = .string) -> Attribute {
        var attribute = Attribute(name: name, type: type)
        attribute.isOptional = true
        return attribute
    }

    private var first: ModelHistory.Version { version("1", [optional("title")]) }
    private var second: ModelHistory.Version { version("2", [optional("title"), optional("year")]) }

    private func changes(
        _ versions: [ModelHistory.Version], current: String, against released: ModelHistory,
        level: CompatibilityLevel = .lightweight
    ) -> [BreakingChange] {
        BreakingCheck.changes(
            in: ModelHistory(versions: versions, currentName: current), against: released, level: level)
    }

    private var released: ModelHistory { ModelHistory(versions: [first, second], currentName: "2") }

    @Test func anUnchangedModelBreaksNothing() {
        #expect(changes([first, second], current: "2", against: released, level: .cloudkit) == [])
    }

    @Test func aNewVersionWithAnOptionalAttributeBreaksNothing() {
        let third = version("3", [optional("title"), optional("year"), optional("isbn")])
        #expect(changes([first, second, third], current: "3", against: released, level: .cloudkit) == [])
    }

    @Test func anEditedVersionIsReportedWithItsTerms() throws {
        let edited = version("1", [optional("title"), optional("subtitle")])
        let change = try #require(changes([edited, second], current: "2", against: released, level: .store).first)
        #expect(
            change.kind
                == .editedVersion(entities: [
                    BreakingChange.EditedEntity(name: "Book", terms: [.addedProperty("subtitle")])
                ]))
        #expect(change.versions == ["1"])
    }

    @Test func aRenamedVersionIsNotReported() {
        var renamed = first
        renamed.name = "Original"
        #expect(changes([renamed, second], current: "2", against: released, level: .store) == [])
    }

    @Test func aDeletedVersionIsReported() {
        #expect(changes([second], current: "2", against: released, level: .store).map(\.kind) == [.deletedVersion])
    }

    @Test func aVersionEqualToAnEarlierOneIsARollback() {
        var copy = first
        copy.name = "2"
        let kinds = changes([first, copy], current: "2", against: released, level: .store).map(\.kind)
        #expect(kinds == [.rolledBackVersion(to: "1"), .equalVersions(other: "1")])
    }

    @Test func anOlderCurrentVersionIsReported() {
        #expect(
            changes([first, second], current: "1", against: released, level: .store).map(\.kind)
                == [.currentWentBack(from: "2")])
    }

    @Test func aChangeThatCannotBeInferredIsReportedOnceForAllVersions() {
        let third = version("3", [optional("title", .binary), optional("year")])
        let found = changes([first, second, third], current: "3", against: released)
        #expect(found.map(\.versions) == [["1", "2"]])
        #expect(found.map(\.property) == ["title"])
        #expect(changes([first, second, third], current: "3", against: released, level: .store) == [])
    }

    @Test func removalsAreBreakingForCloudKitOnly() {
        let third = version("3", [optional("year")])
        #expect(changes([first, second, third], current: "3", against: released) == [])
        #expect(
            changes([first, second, third], current: "3", against: released, level: .cloudkit).map(\.kind)
                == [.notAdditive("was removed")])
    }

    @Test func typesThatShareACloudKitFieldTypeAreNoChange() {
        func kinds(_ old: AttributeType, _ new: AttributeType) -> [BreakingChange.Kind] {
            let before = version("1", [optional("x", old)])
            let after = version("2", [optional("x", new)])
            let released = ModelHistory(versions: [before], currentName: "1")
            return changes([before, after], current: "2", against: released, level: .cloudkit).map(\.kind).filter {
                if case .notAdditive = $0 { true } else { false }
            }
        }
        #expect(kinds(.integer16, .integer64) == [])
        #expect(kinds(.float, .double) == [])
        #expect(kinds(.integer16, .double) == [.notAdditive("changed its type from Integer 16 to Double")])
        #expect(kinds(.undefined, .composite).count == 1)
    }

    @Test func probableRenamesAreReported() {
        let third = version("3", [optional("title"), optional("yearOfPublication")])
        let kinds = changes([first, second, third], current: "3", against: released).map(\.kind)
        #expect(kinds == [.renameWithoutIdentifier(old: "year", new: "yearOfPublication")])
    }
}
