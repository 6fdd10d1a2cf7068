import CoreData
import Testing

/// Objects in one save with the same unique values, for every merge policy.
@Suite struct UniqueConstraintTests {
    static let policies: [NSMergePolicy] = [
        .mergeByPropertyObjectTrump, .overwrite, .mergeByPropertyStoreTrump, .rollback,
    ]
    /// The policies under which the context wins.
    static let contextWins: [NSMergePolicy] = [.mergeByPropertyObjectTrump, .overwrite]
    static let storeWins: [NSMergePolicy] = [.mergeByPropertyStoreTrump, .rollback]

    /// A store of tags with unique names, and a context with the merge policy.
    private struct World {
        let store: TestStore
        let context: NSManagedObjectContext

        init(_ policy: NSMergePolicy, _ constraints: [String: [[Any]]] = ["Tag": [["name"]]]) throws {
            let model = Library.model()
            for (name, constraint) in constraints { model.entitiesByName[name]?.uniquenessConstraints = constraint }
            store = try TestStore(model)
            context = try store.open()
            context.mergePolicy = policy
        }

        func tag(_ name: String, books: [String] = []) -> NSManagedObject {
            let tag = context.make("Tag", ["name": name])
            for title in books { tag.mutableSetValue(forKey: "books").add(context.make("Book", ["title": title])) }
            return tag
        }

        /// Returns the saved tags with the titles of their books, and checks that the context has the same.
        func tags() throws -> [String: [String]] {
            func read(_ context: NSManagedObjectContext) throws -> [String: [String]] {
                Dictionary(
                    uniqueKeysWithValues: try context.all("Tag").map {
                        ($0.value(forKey: "name") as? String ?? "nil", $0.names("books"))
                    })
            }
            let saved = try read(try store.open())
            #expect(try read(context) == saved)
            #expect(try StoreIntegrity.problems(of: store.url) == [])
            #expect(!context.hasChanges)
            return saved
        }
    }

    /// Only the members of the stored object change.
    @Test(arguments: policies)
    func duplicatesKeepTheMembersOfTheStoredObject(policy: NSMergePolicy) throws {
        let world = try World(policy)
        let old = world.tag("a", books: ["old"])
        try world.context.save()
        old.mutableSetValue(forKey: "books").add(world.context.make("Book", ["title": "added"]))
        _ = world.tag("a", books: ["new"])
        try world.context.save()
        let books = Self.contextWins.contains(policy) ? ["added", "new", "old"] : ["added", "old"]
        #expect(try world.tags() == ["a": books])
    }

    /// A relationship without an inverse leads to the retained object, in its order.
    @Test(arguments: policies)
    func oneWayRelationshipsLeadToTheRetainedObject(policy: NSMergePolicy) throws {
        let model = Library.model()
        let tag = try #require(model.entitiesByName["Tag"])
        tag.uniquenessConstraints = [["name"]]
        let (one, many) = (NSRelationshipDescription(), NSRelationshipDescription())
        (one.name, many.name) = ("topic", "topics")
        (one.maxCount, many.maxCount) = (1, 0)
        many.isOrdered = true
        for relationship in [one, many] {
            relationship.destinationEntity = tag
            relationship.isOptional = true
            model.entitiesByName["Book"]?.properties.append(relationship)
        }
        let store = try TestStore(model)
        let context = try store.open()
        context.mergePolicy = policy
        let stored = context.make("Tag", ["name": "a"])
        let changed = context.make("Book", ["title": "changed"])
        try context.save()
        let book = context.make("Book", ["title": "new"])
        let tags = ["b", "a", "a"].map { context.make("Tag", ["name": $0]) }
        book.setValue(tags[1], forKey: "topic")
        book.setValue(NSOrderedSet(array: tags + [stored]), forKey: "topics")
        changed.setValue(tags[2], forKey: "topic")
        try context.save()
        for context in [context, try store.open()] {
            #expect(try context.all("Tag").map { $0.value(forKey: "name") as? String }.count == 2)
            for book in try context.all("Book") {
                #expect((book.value(forKey: "topic") as? NSManagedObject)?.value(forKey: "name") as? String == "a")
            }
            let book = try #require(try context.all("Book").first { $0.value(forKey: "title") as? String == "new" })
            let topics = try #require(book.value(forKey: "topics") as? NSOrderedSet)
            #expect(topics.array.map { ($0 as? NSManagedObject)?.value(forKey: "name") as? String } == ["b", "a"])
        }
        #expect(try StoreIntegrity.problems(of: store.url) == [])
    }

    @Test func duplicatesAreErrorsUnderTheErrorPolicy() throws {
        let world = try World(.error)
        let old = world.tag("a")
        try world.context.save()
        old.mutableSetValue(forKey: "books").add(world.context.make("Book", ["title": "added"]))
        _ = world.tag("a")
        let error = nsError { try world.context.save() }
        #expect(error?.code == NSManagedObjectConstraintMergeError)
        world.context.rollback()
        #expect(try world.tags() == ["a": []])
    }

    /// Two stored objects get the same new value. The last one keeps it if the context wins, otherwise the first.
    @Test(arguments: policies)
    func thePolicyDecidesBetweenTwoUpdates(policy: NSMergePolicy) throws {
        let world = try World(policy)
        let (one, two) = (world.tag("a", books: ["1"]), world.tag("b", books: ["2"]))
        try world.context.save()
        one.setValue("x", forKey: "name")
        two.setValue("x", forKey: "name")
        try world.context.save()
        #expect(try world.tags() == (Self.contextWins.contains(policy) ? ["x": ["2"]] : ["x": ["1"], "b": ["2"]]))
    }

    /// A stored object gets the value of another, which also changes, but keeps its value.
    @Test(arguments: policies)
    func updatesToTheValueOfAChangedObjectConflict(policy: NSMergePolicy) throws {
        let world = try World(policy)
        let (one, two) = (world.tag("a"), world.tag("b"))
        try world.context.save()
        two.setValue("a", forKey: "name")
        one.mutableSetValue(forKey: "books").add(world.context.make("Book", ["title": "added"]))
        try world.context.save()
        #expect(try world.tags() == (Self.contextWins.contains(policy) ? ["a": []] : ["a": ["added"], "b": []]))
    }

    /// The same, but the other changes an attribute: its row is part of the save.
    @Test(arguments: policies)
    func updatesToTheValueOfAConcurrentlyChangedObjectConflict(policy: NSMergePolicy) throws {
        let world = try World(policy, ["Author": [["name"]]])
        let (one, two) = (
            world.context.make("Author", ["name": "a", "age": 1]),
            world.context.make("Author", ["name": "b", "age": 2])
        )
        try world.context.save()
        two.setValue("a", forKey: "name")
        one.setValue(10, forKey: "age")
        try world.context.save()
        #expect(
            try world.store.database().rows("SELECT ZNAME, ZAGE FROM ZAUTHOR ORDER BY 1")
                == (Self.contextWins.contains(policy) ? [["a", "2"]] : [["a", "10"], ["b", "2"]]))
    }

    /// A stored object, a changed one and a new one have the same value.
    @Test(arguments: policies)
    func storedChangedAndNewDuplicatesConflict(policy: NSMergePolicy) throws {
        let world = try World(policy)
        _ = world.tag("a", books: ["stored"])
        let changed = world.tag("b", books: ["changed"])
        try world.context.save()
        world.context.reset()
        let again = try #require(try world.context.all("Tag", by: "name").last)
        _ = changed
        again.setValue("a", forKey: "name")
        _ = world.tag("a", books: ["new"])
        try world.context.save()
        let expected: [String: [String]] =
            switch policy.mergeType {
            case .mergeByPropertyObjectTrumpMergePolicyType: ["a": ["changed", "new"]]
            case .overwriteMergePolicyType: ["a": ["changed"]]
            default: ["a": ["stored"], "b": ["changed"]]
            }
        #expect(try world.tags() == expected)
    }

    /// Of three new objects, one remains, and with object trump it has all members.
    @Test(arguments: policies)
    func threeNewDuplicatesConflict(policy: NSMergePolicy) throws {
        let world = try World(policy)
        for title in ["1", "2", "3"] { _ = world.tag("a", books: [title]) }
        try world.context.save()
        let expected: [String] =
            switch policy.mergeType {
            case .mergeByPropertyObjectTrumpMergePolicyType: ["1", "2", "3"]
            case .overwriteMergePolicyType: ["3"]
            default: ["1"]
            }
        #expect(try world.tags() == ["a": expected])
    }

    /// A restored value may conflict with an object that has taken it in the meantime, and so on.
    @Test(arguments: policies)
    func restoredValuesConflictInTurn(policy: NSMergePolicy) throws {
        let world = try World(policy)
        let tags = (0..<30).map { world.tag("\($0)") }
        try world.context.save()
        // The last two get the same value, and each of the others the one of its successor.
        for (index, tag) in tags.enumerated() { tag.setValue("\(min(index + 1, 29))", forKey: "name") }
        try world.context.save()
        let names = try world.tags().keys.compactMap(Int.init).sorted()
        #expect(names == (Self.contextWins.contains(policy) ? Array(1...29) : Array(0...29)))
    }

    @Test(arguments: policies)
    func constraintsCanSpanSeveralAttributes(policy: NSMergePolicy) throws {
        let world = try World(policy, ["Author": [["name", "age"], ["age"]]])
        let old = world.context.make("Author", ["name": "a", "age": 1])
        try world.context.save()
        _ = world.context.make("Author", ["name": "a", "age": 1])
        _ = world.context.make("Author", ["name": "b", "age": 1])
        _ = world.context.make("Author", ["name": "a", "age": 2])
        _ = world.context.make("Author", ["name": nil, "age": nil])
        _ = world.context.make("Author", ["name": "a", "age": nil])
        _ = world.context.make("Author", ["name": "a", "age": nil])
        try world.context.save()
        #expect(old.managedObjectContext != nil)
        let rows = try world.store.database().rows("SELECT ZNAME, ZAGE FROM ZAUTHOR ORDER BY ZAGE, ZNAME")
        let first = Self.contextWins.contains(policy) ? "b" : "a"
        #expect(rows == [[nil, nil], ["a", nil], ["a", nil], [first, "1"], ["a", "2"]])
        #expect(try StoreIntegrity.problems(of: world.store.url) == [])
    }

    /// A subentity shares the constraint of its parent.
    @Test(arguments: policies)
    func subentitiesShareConstraints(policy: NSMergePolicy) throws {
        let world = try World(policy, ["Book": [["title"]], "Novel": [["genre"]]])
        let old = world.context.make("Book", ["title": "t", "pages": 1])
        _ = world.context.make("Novel", ["title": "n", "genre": "g"])
        try world.context.save()
        _ = world.context.make("Novel", ["title": "t", "genre": "h", "pages": 2])
        _ = world.context.make("Novel", ["title": "m", "genre": "g"])
        try world.context.save()
        #expect(old.value(forKey: "pages") as? Int == (Self.contextWins.contains(policy) ? 2 : 1))
        let rows = try world.store.database().rows("SELECT ZTITLE, ZGENRE FROM ZBOOK ORDER BY 1")
        #expect(rows == [[Self.contextWins.contains(policy) ? "m" : "n", "g"], ["t", nil]])
    }

    /// Values that differ in SQLite are not duplicates, even if they are equal or print alike in Swift.
    @Test func valuesThatDifferInSQLiteAreNotDuplicates() throws {
        let world = try World(.mergeByPropertyObjectTrump, ["Tag": [["name"]], "Book": [["date"], ["data"]]])
        let stored = world.tag("a")
        try world.context.save()
        // A real conflict, so that the others are checked.
        _ = world.tag("a")
        for name in ["\u{e9}", "e\u{301}"] { _ = world.tag(name) }
        for second in [0.25, 0.5] {
            _ = world.context.make("Book", ["date": Date(timeIntervalSinceReferenceDate: second)])
        }
        for byte: UInt8 in [1, 2] { _ = world.context.make("Book", ["data": Data([byte])]) }
        try world.context.save()
        #expect(try world.store.database().rows("SELECT count(*) FROM ZTAG") == [["3"]])
        #expect(try world.store.database().rows("SELECT count(*) FROM ZBOOK") == [["4"]])
        #expect(stored.managedObjectContext != nil)
    }

    /// A column has 15 digits of a decimal number, and URLs have several forms.
    @Test(arguments: policies)
    func valuesThatAreEqualOnlyInTheStoreConflict(policy: NSMergePolicy) throws {
        let model = SmallModel.model([
            SmallModel.entity(
                "Item",
                [
                    SmallModel.attribute("price", .decimalAttributeType),
                    SmallModel.attribute("link", .URIAttributeType),
                    SmallModel.attribute("number", .doubleAttributeType),
                ])
        ])
        model.entities[0].uniquenessConstraints = [["price"], ["link"], ["number"]]
        let store = try TestStore(model)
        let context = try store.open()
        context.mergePolicy = policy
        let decimals = ["1234567890.12345678901", "1234567890.12345678999"].map { NSDecimalNumber(string: $0) }
        let links = try [
            #require(URL(string: "http://a.b/c")), #require(URL(string: "c", relativeTo: URL(string: "http://a.b/"))),
        ]
        for isStored in [true, false] {
            for index in 0..<2 {
                _ = context.make("Item", ["price": decimals[index]])
                _ = context.make("Item", ["link": links[index]])
                _ = context.make("Item", ["number": index == 0 ? 0.0 : -0.0])
                if isStored { try context.save() }
            }
            try context.save()
            #expect(try store.open().all("Item").count == 3)
            for item in try context.all("Item") { context.delete(item) }
            try context.save()
        }
    }

    /// Another coordinator has set the value of an object for which this context has the old value.
    @Test(arguments: policies)
    func valuesSavedByOthersConflict(policy: NSMergePolicy) throws {
        let world = try World(policy)
        let known = world.tag("a", books: ["known"])
        try world.context.save()
        let other = try world.store.open()
        try #require(try other.all("Tag").first).setValue("b", forKey: "name")
        try other.save()
        #expect(known.value(forKey: "name") as? String == "a")
        _ = world.tag("b", books: ["new"])
        try world.context.save()
        #expect(try world.tags() == ["b": Self.contextWins.contains(policy) ? ["known", "new"] : ["known"]])
    }
}
