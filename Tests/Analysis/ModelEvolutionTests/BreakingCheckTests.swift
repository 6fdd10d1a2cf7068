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
            in: ModelHistory(versions: versions, currentName: current), against: released, level: level
        ).changes
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

    // MARK: Earlier changes

    /// Versions of which each but the first changes the type of `title` in a way that cannot be inferred.
    private var blocked: [ModelHistory.Version] {
        [
            version("1", [optional("title")]), version("2", [optional("title", .binary)]),
            version("3", [optional("title", .binary), optional("year")]),
        ]
    }

    @Test func changesBetweenReleasedVersionsAreEarlierOnes() {
        let released = ModelHistory(versions: Array(blocked[..<2]), currentName: "2")
        // Without a change, and with a new version that is not to blame.
        for versions in [Array(blocked[..<2]), blocked] {
            let result = BreakingCheck.changes(
                in: ModelHistory(versions: versions, currentName: versions.last?.name), against: released,
                level: .cloudkit)
            #expect(result.changes == [])
            #expect(result.earlierChanges.map(\.versions) == [["1"]])
            #expect(result.earlierChanges.map(\.property) == ["title"])
        }
        // A new version that changes the type again breaks the migration from all versions.
        let again = version("3", [optional("title", .date)])
        #expect(
            changes(Array(blocked[..<2]) + [again], current: "3", against: released).map(\.versions) == [["1"], ["2"]])
    }

    /// A version from which no store could be migrated is not broken by another obstacle.
    @Test func otherObstaclesForBlockedVersionsAreEarlierOnes() {
        func required(_ name: String) -> Attribute { Attribute(name: name, type: .string) }
        var number = required("number")
        number.renamingIdentifier = "isbn"
        let (first, second) = (version("1", [optional("title")]), version("2", [optional("title"), required("isbn")]))
        let released = ModelHistory(versions: [first, second], currentName: "2")
        // The obstacle of the first version gets another name.
        let result = BreakingCheck.changes(
            in: ModelHistory(versions: [first, second, version("3", [optional("title"), number])], currentName: "3"),
            against: released, level: .migratable)
        #expect(!result.changes.contains { if case .notLightweight = $0.kind { true } else { false } })
        #expect(result.earlierChanges.map(\.versions) == [["1"]])
        // Without mapping models, nothing is known of the stores: they may have been migrated with one.
        let unmapped = BreakingCheck.changes(
            in: ModelHistory(versions: [first, second, version("3", [optional("title"), number])], currentName: "3"),
            against: released, level: .lightweight)
        #expect(unmapped.changes.contains { if case .notLightweight = $0.kind { true } else { false } })
        // A mapping model migrates the stores of the first version to the second one, and none to the third.
        let mapped = BreakingCheck.changes(
            in: ModelHistory(versions: [first, second, version("3", [optional("title"), number])], currentName: "3"),
            against: released, level: .migratable,
            isMapped: { $1.model.entities.first?.attributes.contains { $0.name == "isbn" } == true })
        #expect(mapped.changes.contains { if case .notLightweight = $0.kind { true } else { false } })
        // An obstacle for stores that could be migrated is reported.
        let third = version("3", [optional("title"), number, required("year")])
        let found = changes([first, second, third], current: "3", against: released)
        #expect(Set(found.flatMap(\.versions)) == ["1", "2"])
    }

    @Test func aReferenceWithoutACurrentVersionIsComparedWithItsLastOne() {
        let released = ModelHistory(versions: Array(blocked[..<2]), currentName: nil)
        #expect(changes(blocked, current: "3", against: released) == [])
    }

    @Test func earlierMigrationsThatMayHaveChangedAreReported() {
        let released = ModelHistory(versions: Array(blocked[..<2]), currentName: "2")
        let result = BreakingCheck.changes(
            in: released, against: released, level: .migratable, knowsEarlierMigrations: false)
        #expect(result.changes.map(\.versions) == [["1"]])
        #expect(result.earlierChanges == [])
    }

    @Test func equalVersionsOfTheReleaseAreEarlierOnes() {
        var copy = first
        copy.name = "1b"
        let released = ModelHistory(versions: [first, copy], currentName: "1b")
        let result = BreakingCheck.changes(in: released, against: released, level: .store)
        #expect(result.changes == [])
        #expect(result.earlierChanges.map(\.kind) == [.equalVersions(other: "1")])
    }

    @Test func mappingModelsCountAtTheLevelMigratable() {
        let released = ModelHistory(versions: [blocked[0]], currentName: "1")
        let model = ModelHistory(versions: Array(blocked[..<2]), currentName: "2")
        for (level, isMapped, count) in [
            (CompatibilityLevel.store, false, 0), (.migratable, false, 1), (.migratable, true, 0),
            (.lightweight, true, 1),
        ] {
            let result = BreakingCheck.changes(in: model, against: released, level: level) { _, _ in isMapped }
            #expect(result.changes.count == count, "\(level) \(isMapped)")
        }
    }

    @Test func stepwiseMigrationsLeadToTheNextVersion() {
        let released = ModelHistory(versions: [blocked[0]], currentName: "1")
        let model = ModelHistory(versions: blocked, currentName: "3")
        var pairs: [String] = []
        let pages = version("3", [optional("title", .binary), optional("pages")])
        _ = BreakingCheck.changes(in: model, against: released, level: .migratable, isStepwise: true) {
            source, target in
            pairs.append("\(source.entities["Book"]?.properties.keys.sorted() ?? [])")
            return true
        }
        // The second pair is that of 2 and 3. The released state has one version only, and no pair.
        #expect(pairs == ["[\"title\"]", "[\"title\"]"])
        let result = BreakingCheck.changes(in: model, against: released, level: .lightweight, isStepwise: true)
        #expect(result.changes.map(\.versions) == [["1"]])
        #expect(result.changes.map(\.originVersion) == ["2"])
        // Versions before the first released one do not matter.
        let later = BreakingCheck.changes(
            in: ModelHistory(versions: Array(blocked[..<2]) + [pages], currentName: "3"),
            against: ModelHistory(versions: [blocked[1]], currentName: "2"), level: .lightweight, isStepwise: true)
        #expect(later.changes == [])
    }

    @Test func anEditedVersionIsReportedAtTheProperty() throws {
        var model = Model(name: "Books")
        var entity = Entity(name: "Book")
        entity.origin = ElementOrigin(index: 1)
        var title = optional("title", .binary)
        title.origin = ElementOrigin(index: 7)
        entity.attributes = [title]
        model.entities = [entity]
        let indexed = IndexedModel(model)
        let edited = ModelHistory.Version(name: "1", hashes: indexed.hashes.entities, model: indexed)
        let released = ModelHistory(versions: [first], currentName: "1")
        func origin() -> ElementOrigin? {
            BreakingCheck.changes(
                in: ModelHistory(versions: [edited], currentName: "1"), against: released, level: .store
            ).changes.first?.origin
        }
        #expect(origin() == ElementOrigin(index: 7))
    }

    @Test func removalsAreBreakingForCloudKitOnly() {
        let third = version("3", [optional("year")])
        #expect(changes([first, second, third], current: "3", against: released) == [])
        #expect(
            changes([first, second, third], current: "3", against: released, level: .cloudkit).map(\.kind)
                == [.notAdditive("was removed")])
    }

    @Test func typesWithOneCloudKitFieldTypeAreEqual() {
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
