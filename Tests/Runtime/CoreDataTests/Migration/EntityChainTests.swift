import CoreData
import Testing

/// Entities of equal shape that pass on their names. Their version hashes say that they have not changed.
@Suite struct EntityChainTests {
    /// Returns a model with entities of one shape, by name and renaming identifier.
    private static func model(_ entities: [(name: String, identifier: String?)]) -> String {
        entities.map { entity in
            let identifier = entity.identifier.map { " elementID=\"\($0)\"" } ?? ""
            return "<entity name=\"\(entity.name)\"\(identifier)>"
                + "<attribute name=\"tag\" optional=\"YES\" attributeType=\"String\"/></entity>"
        }.joined()
    }

    private static func tags(_ context: NSManagedObjectContext, _ names: [String]) throws -> [String: [String]] {
        try Dictionary(
            uniqueKeysWithValues: names.map { name in
                (name, try context.all(name).compactMap { $0.value(forKey: "tag") as? String }.sorted())
            })
    }

    /// Migrates a store with an object of each entity, in place and with a manager, and expects where they are then.
    private func expectMigration(
        of old: [String], to new: [(name: String, identifier: String?)], result: [String: [String]]
    ) throws {
        let (before, after) = (Self.model(old.map { ($0, nil) }), Self.model(new))
        let fixture = try MigrationFixture(before)
        try fixture.fill { context in for name in old { _ = context.make(name, ["tag": "of \(name)"]) } }
        let (source, destination) = (try MigrationFixture.model(before), try MigrationFixture.model(after))
        let copy = try TestStore(destination)
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: source, destinationModel: destination)
        try NSMigrationManager(sourceModel: source, destinationModel: destination).migrateStore(
            from: fixture.store.url, sourceType: NSSQLiteStoreType, with: mapping, toDestinationURL: copy.url,
            destinationType: NSSQLiteStoreType)
        let context = try copy.open(model: destination)
        let byManager = try context.performAndWait { try Self.tags(context, new.map(\.name)) }
        #expect(byManager == result)
        try TestStore.close(context)
        var inPlace: [String: [String]] = [:]
        try fixture.migrate(to: after) { inPlace = try Self.tags($0, new.map(\.name)) }
        #expect(inPlace == result)
    }

    @Test func aNamePassedOnTakesTheRowsOfItsPredecessor() throws {
        try expectMigration(
            of: ["A", "C"], to: [("A", "C"), ("B", "A")], result: ["A": ["of C"], "B": ["of A"]])
        try expectMigration(
            of: ["A", "B", "C"], to: [("A", "C"), ("B", "A"), ("D", "B")],
            result: ["A": ["of C"], "B": ["of A"], "D": ["of B"]])
    }

    /// If nothing else claims the rows of an entity, they stay: its identifier may be from an earlier version.
    @Test func incompleteChainsAreNotFollowed() throws {
        try expectMigration(of: ["A", "C"], to: [("A", "C")], result: ["A": ["of A"]])
        try expectMigration(
            of: ["A", "C"], to: [("A", "C"), ("D", nil)], result: ["A": ["of A"], "D": []])
    }
}
