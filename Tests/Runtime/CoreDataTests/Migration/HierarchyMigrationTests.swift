import CoreData
import Testing

/// Lightweight migration of entities and their hierarchies.
@Suite struct HierarchyMigrationTests {
    private static func attribute(_ name: String) -> String {
        "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"String\"/>"
    }

    private static func entity(_ name: String, parent: String? = nil, _ attributes: String..., extra: String = "")
        -> String
    {
        let inheritance = parent.map { " parentEntity=\"\($0)\"" } ?? ""
        return "<entity name=\"\(name)\"\(inheritance)>\(attributes.map(attribute).joined())\(extra)</entity>"
    }

    private func values(_ context: NSManagedObjectContext, _ entity: String, _ key: String) throws -> [String] {
        try context.all(entity, by: key).map { "\($0.entity.name ?? "") \($0.value(forKey: key) as? String ?? "-")" }
    }

    @Test func newParentTakesThePropertiesOfItsChild() throws {
        let fixture = try MigrationFixture(Self.entity("Book", "title", "isbn") + Self.entity("Zoo", "name"))
        try fixture.fill { context throws in
            _ = context.make("Book", ["title": "Emma", "isbn": "1"])
            _ = context.make("Zoo", ["name": "z"])
        }
        try fixture.migrate(
            to: Self.entity("Work", "title") + Self.entity("Book", parent: "Work", "isbn")
                + Self.entity("Film", parent: "Work", "length") + Self.entity("Zoo", "name")
        ) { context throws in
            #expect(try values(context, "Work", "title") == ["Book Emma"])
            #expect(try values(context, "Book", "isbn") == ["Book 1"])
            #expect(try values(context, "Zoo", "name") == ["Zoo z"])
            _ = context.make("Film", ["title": "F"])
            try context.save()
        }
        // The sequence of keys continues.
        #expect(try fixture.rows("SELECT Z_PK FROM ZWORK ORDER BY 1") == [["1"], ["2"]])
    }

    @Test func entityMovesOutOfItsHierarchy() throws {
        let pet = "<relationship name=\"pet\" optional=\"YES\" maxCount=\"1\" destinationEntity=\"Animal\"/>"
        let owner = Self.entity("Owner", "name", extra: pet)
        let fixture = try MigrationFixture(
            Self.entity("Animal", "name") + Self.entity("Cat", parent: "Animal", "fur")
                + Self.entity("Dog", parent: "Animal", "bark") + owner)
        try fixture.fill { context throws in
            let cat = context.make("Cat", ["name": "c", "fur": "f"])
            let dog = context.make("Dog", ["name": "d", "bark": "b"])
            _ = context.make("Animal", ["name": "a"])
            _ = context.make("Owner", ["name": "x", "pet": cat])
            _ = context.make("Owner", ["name": "y", "pet": dog])
        }
        try fixture.migrate(
            to: Self.entity("Animal", "name") + Self.entity("Cat", parent: "Animal", "fur")
                + Self.entity("Dog", "name", "bark") + owner
        ) { context throws in
            #expect(try values(context, "Animal", "name") == ["Animal a", "Cat c"])
            #expect(try values(context, "Dog", "name") == ["Dog d"])
            #expect(try values(context, "Dog", "bark") == ["Dog b"])
            let owners = try context.all("Owner", by: "name")
            #expect(owners.map { $0.value(forKeyPath: "pet.name") as? String } == ["c", nil])
        }
    }

    @Test func propertiesMoveUpAndDown() throws {
        let fixture = try MigrationFixture(
            Self.entity("P", "a", "down") + Self.entity("C", parent: "P", "up") + Self.entity("D", parent: "P", "up2"))
        try fixture.fill { context throws in
            _ = context.make("C", ["a": "1", "down": "x", "up": "y"])
            _ = context.make("D", ["a": "2", "down": "z", "up2": "w"])
            _ = context.make("P", ["a": "3", "down": "gone"])
        }
        try fixture.migrate(
            to: Self.entity("P", "a", "up") + Self.entity("C", parent: "P", "down")
                + Self.entity("D", parent: "P", "up2")
        ) { context throws in
            let objects = try context.all("P", by: "a")
            #expect(objects.map { $0.value(forKey: "up") as? String } == ["y", nil, nil])
            #expect(try values(context, "C", "down") == ["C x"])
            #expect(try values(context, "D", "up2") == ["D w"])
        }
        #expect(try fixture.rows("SELECT ZDOWN FROM ZP ORDER BY ZA") == [["x"], [nil], [nil]])
    }

    @Test func removedEntityLosesItsTableAndItsRows() throws {
        let fixture = try MigrationFixture(
            Self.entity("A", "x") + Self.entity("B", "x") + Self.entity("C", parent: "B", "y"))
        try fixture.fill { context throws in
            for entity in ["A", "B", "C"] { _ = context.make(entity, ["x": entity]) }
        }
        try fixture.migrate(to: Self.entity("B", "x")) { context throws in
            #expect(try values(context, "B", "x") == ["B B"])
        }
        #expect(try fixture.rows("SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY") == [["1", "2"]])
    }

    @Test func newConstraintsAndIndexesAreCreated() throws {
        let indexed = """
            <fetchIndex name="byX"><fetchIndexElement property="x" type="Binary" order="ascending"/></fetchIndex>
            <uniquenessConstraints><uniquenessConstraint><constraint value="x"/></uniquenessConstraint></uniquenessConstraints>
            """
        let fixture = try MigrationFixture(Self.entity("A", "x"))
        try fixture.fill { context throws in
            _ = context.make("A", ["x": "1"])
            _ = context.make("A", ["x": "2"])
        }
        try fixture.migrate(to: Self.entity("A", "x", extra: indexed)) { context throws in
            #expect(try values(context, "A", "x") == ["A 1", "A 2"])
        }
        try fixture.migrate(to: Self.entity("A", "x", "y")) { context throws in
            _ = context.make("A", ["x": "1"])
            try context.save()
        }
    }

    @Test(arguments: [("A", ["x"]), ("A_UNIQUE_B", ["x_y"]), ("A_B", ["x", "y_z"])])
    func equalValuesThatMustBeUniqueStopTheMigration(name: String, properties: [String]) throws {
        func entity(_ extra: String) -> String {
            let attributes = properties.map {
                "<attribute name=\"\($0)\" optional=\"YES\" attributeType=\"String\"/>"
            }
            return "<entity name=\"\(name)\">\(attributes.joined())\(extra)</entity>"
        }
        let fixture = try MigrationFixture(entity(""))
        let values = Dictionary(uniqueKeysWithValues: properties.map { ($0, "1") })
        try fixture.fill { context throws in for _ in 0..<2 { _ = context.make(name, values) } }
        let constraint = properties.map { "<constraint value=\"\($0)\"/>" }.joined()
        let unique = "<uniquenessConstraint>\(constraint)</uniquenessConstraint>"
        let error = try fixture.failure(entity("<uniquenessConstraints>\(unique)</uniquenessConstraints>"))
        #expect(error.code == 134111)
        #expect(error.userInfo["entity"] as? String == name)
        #expect(error.userInfo["property"] as? String == properties.joined(separator: ", "))
    }

    @Test func historyFollowsTheModel() throws {
        let tracking: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]
        let fixture = try MigrationFixture(Self.entity("A", "gone", "x") + Self.entity("B", "x"))
        try fixture.fill(tracking) { context throws in
            let a = context.make("A", ["x": "1"])
            _ = context.make("B", ["x": "2"])
            try context.save()
            a.setValue("3", forKey: "x")
        }
        try fixture.migrate(
            to: Self.entity("AA", "x")
                + Self.entity("Z", "n").replacingOccurrences(
                    of: "name=\"Z\"", with: "name=\"Z\" elementID=\"A\""
                ).replacingOccurrences(
                    of: "name=\"n\"", with: "name=\"n\" elementID=\"x\""), tracking
        ) { context throws in
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast)
            let result = try context.execute(request) as? NSPersistentHistoryResult
            let changes = (result?.result as? [NSPersistentHistoryTransaction] ?? []).flatMap { $0.changes ?? [] }
            #expect(changes.map { $0.changedObjectID.entity.name } == ["Z", "Z"])
            #expect(changes.last?.updatedProperties?.map(\.name) == ["n"])
        }
    }
}
