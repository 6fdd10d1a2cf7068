import TestSupport
import Testing

@testable import CoreData

/// Elements of composite attributes follow the rules of attributes, in the store and with a migration manager.
@Suite struct CompositeMigrationTests {
    enum Way: CaseIterable {
        case inPlace
        case manager
    }

    private static func element(_ name: String, _ type: String, _ more: String = "optional=\"YES\"") -> String {
        "<attribute name=\"\(name)\" attributeType=\"\(type)\" \(more)/>"
    }

    /// Returns a model with a composite attribute `c`, which has a group `g`.
    private static func model(_ elements: String, group: String = element("i", "Integer 16")) -> String {
        """
        <entity name="E"><attribute name="n" attributeType="Integer 16" defaultValueString="0"/>\
        <attribute name="c" optional="YES" attributeType="Composite" composite="C"/></entity>\
        <composite name="C">\(elements)<attribute name="g" optional="YES" attributeType="Composite" composite="G"/>\
        </composite><composite name="G">\(group)</composite>
        """
    }

    /// Returns the composite values of objects, as sorted text, after the migration of a store.
    private func migrate(
        _ way: Way, _ old: String, _ values: [[String: Any]?], to new: String
    ) throws -> [String] {
        let fixture = try MigrationFixture(old)
        try fixture.fill { context in
            for (index, value) in values.enumerated() {
                let object = NSEntityDescription.insertNewObject(forEntityName: "E", into: context)
                object.setValue(index, forKey: "n")
                object.setValue(value, forKey: "c")
            }
        }
        var result: [String] = []
        func read(_ context: NSManagedObjectContext) throws {
            let request = NSFetchRequest<NSManagedObject>(entityName: "E")
            request.sortDescriptors = [NSSortDescriptor(key: "n", ascending: true)]
            let objects = try context.fetch(request)
            result = objects.map { Self.text($0.value(forKey: "c")) }
            // What was migrated can be saved.
            for object in objects { object.setValue(9, forKey: "n") }
            try context.save()
        }
        switch way {
        case .inPlace: try fixture.migrate(to: new) { try read($0) }
        case .manager:
            let model = try MigrationFixture.model(new)
            let mapping = try NSMappingModel.inferredMappingModel(
                forSourceModel: fixture.source, destinationModel: model)
            let url = fixture.store.folder.appendingPathComponent("new.sqlite")
            try NSMigrationManager(sourceModel: fixture.source, destinationModel: model).migrateStore(
                from: fixture.store.url, sourceType: NSSQLiteStoreType, with: mapping, toDestinationURL: url,
                destinationType: NSSQLiteStoreType)
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url)
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            try context.performAndWait { try read(context) }
            try coordinator.remove(store)
        }
        return result
    }

    private static func text(_ value: Any?) -> String {
        if let number = value as? NSNumber { return number.stringValue }
        guard let group = value as? [String: Any] else { return value.map { "\($0)" } ?? "nil" }
        return "{" + group.sorted { $0.key < $1.key }.map { "\($0.key):\(text($0.value))" }.joined(separator: " ") + "}"
    }

    @Test(arguments: Way.allCases) func renamedElementsKeepTheirValues(_ way: Way) throws {
        let old = Self.model(Self.element("x", "Integer 64") + Self.element("y", "String"))
        let new = Self.model(
            Self.element("x2", "Integer 32", "optional=\"YES\" elementID=\"x\"") + Self.element("y", "String"),
            group: Self.element("j", "Double", "optional=\"YES\" elementID=\"i\""))
        let values = try migrate(way, old, [["x": 7, "y": "a", "g": ["i": 3]], ["y": "b"], nil], to: new)
        #expect(values == ["{g:{j:3.0} x2:7 y:a}", "{y:b}", "nil"])
    }

    @Test(arguments: Way.allCases) func removedElementsAreLeftOut(_ way: Way) throws {
        let old = Self.model(Self.element("x", "Integer 64") + Self.element("y", "String"))
        let new = Self.model(Self.element("x", "Integer 64"))
        let values = try migrate(way, old, [["x": 7, "y": "a"], ["x": 8, "g": ["i": 3]], nil], to: new)
        #expect(values == ["{x:7}", "{g:{i:3} x:8}", "nil"])
    }

    /// The files of values that no row refers to anymore are removed with the attribute or its element.
    @Test(arguments: [true, false]) func removedElementsLeaveNoExternalFiles(_ keepsComposite: Bool) throws {
        let image = Self.element("image", "Binary", "optional=\"YES\" allowsExternalBinaryDataStorage=\"YES\"")
        let fixture = try MigrationFixture(Self.model(Self.element("x", "Integer 64") + image, group: image))
        func files() throws -> Int {
            try fixture.store.files().filter { $0.hasPrefix(".Store_SUPPORT/_EXTERNAL_DATA/") }.count
        }
        try fixture.fill { context in
            let value = Data(repeating: 1, count: 150_000)
            _ = context.make("E", ["c": ["x": 1, "image": value, "g": ["image": value]] as [String: Any]])
        }
        #expect(try files() == 2)
        let new =
            keepsComposite
            ? Self.model(Self.element("x", "Integer 64"), group: image)
            : "<entity name=\"E\"><attribute name=\"n\" attributeType=\"Integer 16\" defaultValueString=\"0\"/></entity>"
        try fixture.migrate(to: new) { context in
            let object = try #require(try context.all("E").first)
            guard keepsComposite else { return }
            let value = object.value(forKeyPath: "c.g.image") as? Data
            #expect(value?.count == 150_000)
        }
        #expect(try files() == (keepsComposite ? 1 : 0))
    }

    /// A group without values is nil, and stays nil.
    @Test(arguments: Way.allCases) func requiredAndNewElementsGetTheirDefaults(_ way: Way) throws {
        let old = Self.model(Self.element("x", "Integer 64") + Self.element("y", "String"))
        let new = Self.model(
            Self.element("x", "Integer 64", "defaultValueString=\"5\"") + Self.element("y", "String")
                + Self.element("z", "Integer 16", "optional=\"YES\" defaultValueString=\"9\""),
            group: Self.element("i", "Integer 16")
                + Self.element("k", "Integer 16", "optional=\"YES\" defaultValueString=\"2\""))
        let values = try migrate(way, old, [["y": "a"], ["x": 8, "g": ["i": 3]], nil], to: new)
        #expect(values == ["{x:5 y:a z:9}", "{g:{i:3 k:2} x:8 z:9}", "nil"])
    }

    @Test(arguments: Way.allCases) func elementsThatDoNotFitStopTheMigration(_ way: Way) throws {
        let old = Self.model(Self.element("x", "Integer 64"))
        let new = Self.model(Self.element("x2", "Integer 16", "optional=\"YES\" elementID=\"x\""))
        let error = nsError { _ = try migrate(way, old, [["x": 70_000]], to: new) }
        #expect(error?.code == 134_110)
    }

    /// The hash of an entity does not cover the names of elements, so that they can be passed on in an unchanged one.
    @Test(arguments: Way.allCases) func aNamePassedOnTakesTheValuesOfItsPredecessor(_ way: Way) throws {
        let old = Self.model(Self.element("x", "Integer 16") + Self.element("z", "Integer 16"))
        let new =
            Self.model(
                Self.element("x", "Integer 16", "optional=\"YES\" elementID=\"z\"")
                    + Self.element("y", "Integer 16", "optional=\"YES\" elementID=\"x\"")) + "<entity name=\"F\"/>"
        #expect(try migrate(way, old, [["x": 1, "z": 2]], to: new) == ["{x:2 y:1}"])
    }

    /// An unchanged entity keeps its rows, whatever renaming identifiers of earlier versions say.
    @Test(arguments: Way.allCases) func oldIdentifiersOfUnchangedEntitiesDoNotCount(_ way: Way) throws {
        func model(_ a: String, _ b: String, _ more: String) -> String {
            """
            <entity name="E"><attribute name="n" attributeType="Integer 16" defaultValueString="0"/>\
            <attribute name="c" optional="YES" attributeType="String" \(a)/>\
            <attribute name="b" optional="YES" attributeType="Integer 32" \(b)/></entity><entity name="F">\(more)</entity>
            """
        }
        let fixture = try MigrationFixture(model("elementID=\"b\"", "elementID=\"c\"", ""))
        try fixture.fill { context in
            let object = NSEntityDescription.insertNewObject(forEntityName: "E", into: context)
            object.setValue("Ada Lovelace", forKey: "c")
            object.setValue(5, forKey: "b")
        }
        let new = model("", "", Self.element("m", "String"))
        guard way == .inPlace else {
            let mapping = try NSMappingModel.inferredMappingModel(
                forSourceModel: fixture.source, destinationModel: try MigrationFixture.model(new))
            let entity = try #require(mapping.entityMappings?.first { $0.destinationEntityName == "E" })
            #expect(entity.mappingType == .copyEntityMappingType)
            let values = (entity.attributeMappings ?? []).map {
                "\($0.name ?? ""): \($0.valueExpression.map { "\($0)" } ?? "")"
            }
            #expect(values.count == 3)
            for name in ["b", "c", "n"] { #expect(values.contains { $0 == "\(name): $source.\(name)" }, "\(values)") }
            return
        }
        try fixture.migrate(to: new) { context in
            let object = try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "E")).first)
            #expect(object.value(forKey: "c") as? String == "Ada Lovelace")
            #expect(object.value(forKey: "b") as? Int == 5)
        }
    }
}
