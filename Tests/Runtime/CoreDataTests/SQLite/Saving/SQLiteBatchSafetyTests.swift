import CoreData
import Testing

/// Batch requests whose handlers, expressions or rows are unusual.
@Suite struct SQLiteBatchSafetyTests {
    private static func relationship(
        _ name: String, to entity: NSEntityDescription, many: Bool = false, rule: NSDeleteRule = .nullifyDeleteRule
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = entity
        relationship.maxCount = many ? 0 : 1
        relationship.isOptional = true
        relationship.deleteRule = rule
        return relationship
    }

    /// Adds a to-many relationship and its to-one inverse.
    private static func relate(
        _ owner: NSEntityDescription, _ members: String, _ rule: NSDeleteRule = .nullifyDeleteRule,
        to member: NSEntityDescription, _ name: String
    ) {
        let many = relationship(members, to: member, many: true, rule: rule)
        let one = relationship(name, to: owner)
        (many.inverseRelationship, one.inverseRelationship) = (one, many)
        owner.properties.append(many)
        member.properties.append(one)
    }

    /// The handler's save must not end the transaction of the batch.
    @Test func handlersCannotWriteToTheStoreOfTheirBatch() throws {
        let store = try TestStore()
        let context = try store.open()
        let other = try Library.context(context.persistentStoreCoordinator)
        let errors = Recorder<NSError?>()
        try context.performAndWait {
            var number = 0
            let request = NSBatchInsertRequest(entityName: "Author") { (row: NSMutableDictionary) in
                if number == 5 {
                    other.performAndWait {
                        let author = other.make("Author", ["name": "other"])
                        errors.values.append(nsError { try other.save() })
                        errors.values.append(nsError { try other.obtainPermanentIDs(for: [author]) })
                        let inner = NSBatchInsertRequest(entityName: "Tag", objects: [["name": "inner"]])
                        errors.values.append(nsError { try other.execute(inner) })
                    }
                }
                row["name"] = "\(number)"
                number += 1
                return number > 10
            }
            _ = try context.execute(request)
        }
        #expect(errors.values.map { $0?.code } == Array(repeating: NSPersistentStoreSaveError, count: 3))
        #expect(try store.database().rows("SELECT count(*), max(Z_PK) FROM ZAUTHOR") == [["10", "10"]])
        #expect(try store.database().rows("SELECT count(*) FROM ZTAG") == [["0"]])
        try other.performAndWait { try other.save() }
        #expect(try store.database().rows("SELECT ZNAME FROM ZAUTHOR WHERE Z_PK = 11") == [["other"]])
    }

    /// `propertiesToUpdate` refers to the values before the update, in whatever order the rows are written.
    @Test func expressionsOverOtherRowsReadTheOldValues() throws {
        let node = SmallModel.entity("Node", [SmallModel.attribute("level", .integer64AttributeType)])
        Self.relate(node, "children", to: node, "parent")
        let store = try TestStore(SmallModel.model([node]))
        let context = try store.open()
        try context.performAndWait {
            var below: NSManagedObject?
            for level in [5, 1, 0] {
                let object = context.make("Node", ["level": level])
                below?.setValue(object, forKey: "parent")
                try context.save()
                below = object
            }
            let request = NSBatchUpdateRequest(entityName: "Node")
            request.predicate = NSPredicate(format: "children.@count > 0")
            request.propertiesToUpdate = ["level": NSExpression(format: "children.@max.level")]
            _ = try context.execute(request)
        }
        #expect(try store.database().rows("SELECT ZLEVEL FROM ZNODE ORDER BY Z_PK") == [["5"], ["5"], ["1"]])
    }

    /// The rows of a table that only one entity has are its objects, whatever number a migration has left.
    @Test func deletionsCascadeToRowsWithTheNumberOfAnotherEntity() throws {
        let (order, line) = (SmallModel.entity("Order", []), SmallModel.entity("Line", []))
        Self.relate(order, "lines", .cascadeDeleteRule, to: line, "order")
        let store = try TestStore(SmallModel.model([order, line]))
        let context = try store.open()
        try context.performAndWait {
            let order = context.make("Order")
            for _ in 0..<3 { _ = context.make("Line", ["order": order]) }
            _ = context.make("Line")
            try context.save()
        }
        try store.database().run("UPDATE ZLINE SET Z_ENT = 77")
        // The line without an order has the number of its entity again, for the check at the end.
        try store.database().run(
            "UPDATE ZLINE SET Z_ENT = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Line') WHERE ZORDER IS NULL")
        try context.performAndWait {
            let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Order")
            _ = try context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
        }
        #expect(try store.database().rows("SELECT count(*) FROM ZLINE") == [["1"]])
        #expect(try store.database().rows("SELECT count(*) FROM ZLINE WHERE ZORDER NOT NULL") == [["0"]])
    }

    /// An update that cannot write all values writes none, and says so.
    @Test func updatesOfRelationshipsToOtherStoresAreErrors() throws {
        let book = SmallModel.entity("Book", [SmallModel.attribute("isFinished", .booleanAttributeType)])
        let author = SmallModel.entity("Author", [])
        Self.relate(author, "books", to: book, "author")
        let model = SmallModel.model([book, author])
        model.setEntities([book], forConfigurationName: "One")
        model.setEntities([author], forConfigurationName: "Two")
        let store = try TestStore(model)
        store.isSound = false
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        for (name, url) in [("One", store.url), ("Two", store.folder.appendingPathComponent("Second.sqlite"))] {
            try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: name, at: url)
        }
        let context = try Library.context(coordinator)
        try context.performAndWait {
            _ = context.make("Book", ["isFinished": false])
            try context.save()
            let request = NSBatchUpdateRequest(entityName: "Book")
            request.propertiesToUpdate = ["isFinished": true, "author": NSNull()]
            let error = nsError { _ = try context.execute(request) }
            #expect(error?.code == NSManagedObjectExternalRelationshipError)
        }
        #expect(try store.database().rows("SELECT ZISFINISHED FROM ZBOOK") == [["0"]])
    }

    /// The key of the relationship is the only value that can be freed for the exchange.
    @Test func objectsExchangeRelationshipsThatMustBeUnique() throws {
        let list = SmallModel.entity("List", [SmallModel.attribute("name", .stringAttributeType)])
        let item = SmallModel.entity("Item", [SmallModel.attribute("position", .integer64AttributeType)])
        Self.relate(list, "items", to: item, "list")
        item.uniquenessConstraints = [["list", "position"]]
        let store = try TestStore(SmallModel.model([list, item]))
        let context = try store.open()
        try context.performAndWait {
            let lists = ["a", "b"].map { context.make("List", ["name": $0]) }
            let items = lists.map { context.make("Item", ["list": $0, "position": 1]) }
            try context.save()
            items[0].setValue(lists[1], forKey: "list")
            items[1].setValue(lists[0], forKey: "list")
            try context.save()
            #expect(items.map { ($0.value(forKey: "list") as? NSManagedObject) === lists[0] } == [false, true])
            let fresh = try store.open()
            try fresh.performAndWait {
                let saved = try items.map { item in
                    let id = try #require(
                        fresh.persistentStoreCoordinator?.managedObjectID(
                            forURIRepresentation: item.objectID.uriRepresentation()))
                    return try fresh.existingObject(with: id).value(forKeyPath: "list.name") as? String
                }
                #expect(saved == ["b", "a"])
            }
        }
    }
}
