import CoreData
import Testing

/// Composite attributes in SQLite stores: a column for each element, named after it, with a number on a clash (the
/// specification of SwiftData's stores, 3.1), and requests in SQL with the same results as an in-memory store.
@Suite struct CompositeStoreTests {
    private static func attribute(
        _ name: String, _ type: NSAttributeType, isOptional: Bool = true
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = isOptional
        return attribute
    }

    private static func composite(
        _ name: String, isOptional: Bool = true, _ elements: [NSAttributeDescription]
    ) -> NSCompositeAttributeDescription {
        let composite = NSCompositeAttributeDescription()
        composite.name = name
        composite.isOptional = isOptional
        composite.elements = elements
        return composite
    }

    /// Returns a model with persons, who have an address that contains a position, and a required state, and with their
    /// badges.
    static func model() -> NSManagedObjectModel {
        let types: [(String, NSAttributeType)] = [
            ("flag", .booleanAttributeType), ("amount", .decimalAttributeType), ("born", .dateAttributeType),
            ("photo", .binaryDataAttributeType), ("key", .UUIDAttributeType), ("home", .URIAttributeType),
            ("small", .integer16AttributeType), ("ratio", .floatAttributeType),
        ]
        let position = composite(
            "position", [attribute("x", .doubleAttributeType), attribute("y", .doubleAttributeType)])
        let person = NSEntityDescription()
        person.name = "Person"
        let badge = NSEntityDescription()
        badge.name = "Badge"
        let (owner, badges) = (NSRelationshipDescription(), NSRelationshipDescription())
        (owner.name, owner.destinationEntity, owner.maxCount, owner.isOptional) = ("owner", person, 1, true)
        (badges.name, badges.destinationEntity, badges.maxCount, badges.isOptional) = ("badges", badge, 0, true)
        (owner.inverseRelationship, badges.inverseRelationship) = (badges, owner)
        person.properties = [
            attribute("name", .stringAttributeType),
            composite(
                "address", [attribute("city", .stringAttributeType), attribute("name", .stringAttributeType), position]),
            composite("state", isOptional: false, [attribute("state", .integer64AttributeType)]),
            composite("values", types.map { attribute($0, $1) }), badges,
        ]
        badge.properties = [owner]
        let model = NSManagedObjectModel()
        model.entities = [person, badge]
        return model
    }

    private static func fill(_ context: NSManagedObjectContext) throws {
        for number in 0..<12 {
            let person = context.make(
                "Person", ["name": "p\(number)", "state": number % 5 == 0 ? [:] : ["state": number]])
            if number % 4 != 3 {
                var address: [String: Any] = ["city": ["Bath", "Ayr", "bath"][number % 3]]
                if number % 2 == 0 { address["position"] = ["x": Double(number) / 2, "y": -1.0] }
                person.setValue(address, forKey: "address")
            }
            if number < 9 { _ = context.make("Badge", ["owner": number % 2 == 0 ? person : nil]) }
        }
        try context.save()
    }

    @Test func eachElementHasAColumn() throws {
        let store = try TestStore(Self.model())
        _ = try store.open()
        let columns = try store.database().rows("SELECT name FROM pragma_table_info('ZPERSON')").compactMap { $0[0] }
        for name in ["ZCITY", "ZNAME", "ZNAME1", "ZX", "ZY", "ZSTATE", "ZAMOUNT", "ZPHOTO"] {
            #expect(columns.contains(name), "\(name)")
        }
        #expect(!columns.contains { ["ZADDRESS", "ZPOSITION", "ZVALUES"].contains($0) })
        #expect(columns.count == 3 + 1 + 4 + 1 + 8)
    }

    @Test func valuesRoundTripThroughTheFile() throws {
        let store = try TestStore(Self.model())
        let context = try store.open()
        let values: [String: Any] = [
            "flag": true, "amount": NSDecimalNumber(string: "12.5"), "born": Date(timeIntervalSinceReferenceDate: 1),
            "photo": Data([1, 2]), "key": UUID(), "home": try #require(URL(string: "https://example.com")), "small": 7,
            "ratio": Float(0.5),
        ]
        let address: [String: Any] = ["city": "Bath", "position": ["x": 1.5]]
        _ = context.make("Person", ["name": "a", "address": address, "state": ["state": 2], "values": values])
        try context.save()
        let other = try store.open()
        let person = try #require(try other.all("Person").first)
        #expect(person.value(forKey: "address") as? NSDictionary == NSDictionary(dictionary: address))
        #expect(person.value(forKey: "values") as? NSDictionary == NSDictionary(dictionary: values))
        #expect(person.value(forKeyPath: "address.position.x") as? Double == 1.5)
        #expect(person.value(forKeyPath: "address.position.y") == nil)
        #expect(try store.database().rows("SELECT ZNAME, ZNAME1, ZX FROM ZPERSON").first?.contains("1.5") == true)

        person.setValue("Ayr", forKeyPath: "address.city")
        person.setValue(nil, forKeyPath: "address.position.x")
        #expect(person.changedValues().keys.sorted() == ["address"])
        try other.save()
        let third = try store.open()
        let same = try #require(try third.all("Person").first)
        #expect(same.value(forKey: "address") as? NSDictionary == ["city": "Ayr"])
        same.setValue(nil, forKey: "address")
        try third.save()
        let fourth = try store.open()
        #expect(try #require(try fourth.all("Person").first).value(forKey: "address") == nil)
    }

    @Test func aRequiredCompositeWithoutValuesIsEmpty() throws {
        let store = try TestStore(Self.model())
        let context = try store.open()
        _ = context.make("Person", ["state": [:]])
        try context.save()
        let other = try store.open()
        let person = try #require(try other.all("Person").first)
        #expect(person.value(forKey: "state") as? NSDictionary == [:] && person.value(forKey: "address") == nil)
        person.setValue("b", forKey: "name")
        try other.save()
    }

    /// The results are the same as in an in-memory store, where the evaluator is used.
    @Test(arguments: [
        "address.city == 'Bath'", "address.city ==[c] 'bath'", "address.city == nil", "address == nil",
        "address != nil AND address.position == nil", "address.position.x > 2", "address.city BEGINSWITH 'B'",
        "address.city IN {'Ayr', 'x'}", "state == nil", "state.state >= 3", "address.position.x * 2 == 4",
        "address.name == nil", "NOT address.city CONTAINS 'a'", "ANY badges.owner.address.city == 'Ayr'",
        "SUBQUERY(badges, $b, $b.owner.state.state > 1).@count > 0",
    ])
    func requestsOnElementsAreTranslated(_ format: String) throws {
        let store = try TestStore(Self.model())
        let file = try store.open()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        let memory = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        memory.persistentStoreCoordinator = coordinator
        var answers: [[String?]] = []
        for context in [file, memory] {
            try Self.fill(context)
            context.reset()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.predicate = NSPredicate(format: format)
            request.sortDescriptors = [
                NSSortDescriptor(key: "address.city", ascending: false), NSSortDescriptor(key: "name", ascending: true),
            ]
            request.fetchLimit = 5
            answers.append(try context.fetch(request).map { $0.value(forKey: "name") as? String })
            #expect(try context.count(for: request) == answers.last?.count)
        }
        #expect(answers[0] == answers[1])
        #expect(!answers[1].isEmpty || format == "state == nil")
    }

    @Test func requestsCrossRelationships() throws {
        let store = try TestStore(Self.model())
        let context = try store.open()
        try Self.fill(context)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Badge")
        request.predicate = NSPredicate(format: "owner.state == nil")
        #expect(try context.count(for: request) == 4)
        request.predicate = NSPredicate(format: "owner.address.city == 'bath'")
        #expect(try context.count(for: request) == 2)
    }

    @Test func batchRequestsWriteElements() throws {
        let store = try TestStore(Self.model())
        let context = try store.open()
        let insert = NSBatchInsertRequest(
            entityName: "Person", objects: [["name": "a", "address": ["city": "Bath"], "state": ["state": 1]]])
        try context.execute(insert)
        let update = NSBatchUpdateRequest(entityName: "Person")
        update.propertiesToUpdate = ["state": ["state": 5]]
        update.predicate = NSPredicate(format: "address.city == 'Bath'")
        try context.execute(update)
        let other = try store.open()
        let person = try #require(try other.all("Person").first)
        #expect(person.value(forKeyPath: "state.state") as? Int == 5)
        #expect(person.value(forKeyPath: "address.city") as? String == "Bath")
    }

    @Test func dictionaryResultsHaveElements() throws {
        let store = try TestStore(Self.model())
        let context = try store.open()
        try Self.fill(context)
        let request = NSFetchRequest<NSDictionary>(entityName: "Person")
        request.resultType = .dictionaryResultType
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        request.propertiesToFetch = ["name", "address"]
        request.fetchLimit = 1
        let first = try #require(try context.fetch(request).first)
        #expect((first["address"] as? NSDictionary)?["city"] as? String == "Bath")
    }
}
