import CoreData
import Testing

/// Apple's framework reads, changes and migrates stores that modelc's runtime wrote.
@Suite struct StoreTests {
    @Test(arguments: ["Everything", "Plain"]) func storesHaveTheSameContents(name: String) throws {
        try ComparisonTable.shared.record("stores: \(name).sqlite") {
            let url = try Fixtures.copyOfStore(name, as: "read")
            let store = try StoreContents(url, model: Fixtures.model(name, version: name))
            try Fixtures.compare(store.text(), with: "\(name).txt")
        }
    }

    @Test func changesAreSaved() throws {
        try ComparisonTable.shared.record("changes: Everything.sqlite") {
            let url = try Fixtures.copyOfStore("Everything", as: "changed")
            let model = try Fixtures.model("Everything", version: "Everything")
            let store = try StoreContents(url, model: model)
            try store.edit { context in
                let item = NSEntityDescription.insertNewObject(forEntityName: "Box", into: context)
                let owner = NSEntityDescription.insertNewObject(forEntityName: "Owner", into: context)
                let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
                owner.setValue("Añn", forKey: "name")
                tag.setValue("new", forKey: "name")
                for (key, value) in Self.values { item.setValue(value, forKey: key) }
                item.setValue(owner, forKey: "owner")
                item.setValue(NSSet(object: tag), forKey: "tags")
                for old in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Tag")) where old != tag {
                    context.delete(old)
                }
                for old in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Owner")) where old != owner {
                    old.setValue("changed", forKey: "name")
                }
                try context.save()
            }
            try store.close()
            let reopened = try StoreContents(url, model: model)
            try Fixtures.compare(reopened.text(), with: "Everything-changed.txt")
        }
    }

    private static var values: [String: Any] {
        [
            "name": "Ähre", "rank": 7, "size": -70_000, "serial": Int64.max, "weight": 0.1, "ratio": Float(1.5),
            "isNew": false, "price": NSDecimalNumber(string: "12345.6789"),
            "made": Date(timeIntervalSinceReferenceDate: 123_456.75), "thumbnail": Data([0, 1, 255]),
            "photo": Data(repeating: 7, count: 200_000), "link": URL(fileURLWithPath: "/a b.txt"),
            "code": UUID(uuid: (1, 35, 69, 103, 137, 171, 205, 239, 1, 35, 69, 103, 137, 171, 205, 239)),
            "keywords": ["a", "b"],
            "position": ["x": 1.5, "y": -2.0], "capacity": 3,
        ]
    }

    @Test func lightweightMigrationHasTheSameResult() throws {
        try ComparisonTable.shared.record("migration: lightweight") {
            let url = try Fixtures.copyOfStore("Everything", as: "migrated")
            let store = try StoreContents(
                url, model: Fixtures.model("Everything", version: "Everything 2"),
                options: [
                    NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
                ])
            try Fixtures.compare(store.text(), with: "Everything-migrated.txt")
        }
    }

    @Test func migrationWithAMappingModelHasTheSameResult() throws {
        try ComparisonTable.shared.record("migration: mapping model") {
            let url = try Fixtures.copyOfStore("Plain", as: "mapped")
            guard let mapping = NSMappingModel(contentsOf: Fixtures.url("Plain.cdm")) else {
                throw Difference(description: "the framework cannot load Plain.cdm")
            }
            let (old, new) = (
                try Fixtures.model("Plain", version: "Plain"), try Fixtures.model("Plain", version: "Plain 2")
            )
            let destination = url.deletingLastPathComponent().appendingPathComponent("Migrated.sqlite")
            try NSMigrationManager(sourceModel: old, destinationModel: new).migrateStore(
                from: url, sourceType: NSSQLiteStoreType, options: nil, with: mapping, toDestinationURL: destination,
                destinationType: NSSQLiteStoreType, destinationOptions: nil)
            let store = try StoreContents(destination, model: new)
            try Fixtures.compare(store.text(hasKeys: false), with: "Plain-mapped.txt")
        }
    }
}
