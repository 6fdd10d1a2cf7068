import CoreData
import Testing

/// Derived attributes and fetched properties.
@Suite struct DerivedAttributeTests {
    private func derived(_ name: String, _ expression: String, _ type: NSAttributeType) -> NSDerivedAttributeDescription
    {
        let attribute = NSDerivedAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.derivationExpression = NSExpression(format: expression)
        return attribute
    }

    private func stack() throws -> NSPersistentStoreCoordinator {
        let model = Library.model()
        let (author, book) = (model.entitiesByName["Author"], model.entitiesByName["Book"])
        author?.properties += [
            derived("count", "books.@count", .integer64AttributeType),
            derived("sum", "books.@sum.pages", .integer64AttributeType),
            derived("other", "sum:(books.pages)", .integer64AttributeType),
            derived("search", "canonical:(name)", .stringAttributeType),
        ]
        book?.properties += [
            derived("authorName", "author.name", .stringAttributeType),
            derived("upper", "uppercase:(title)", .stringAttributeType),
            derived("lower", "lowercase:(title)", .stringAttributeType),
            derived("changed", "now()", .dateAttributeType),
            derived("tagCount", "tags.@count", .integer64AttributeType),
        ]
        return try Library.coordinator(model)
    }

    @Test(.overAllStores) func derivationsOfTheObjectsOwnAttributesAreComputed() throws {
        let context = try Library.context(stack())
        let before = Date()
        let author = context.make("Author", ["name": "Brontë"])
        let book = context.make("Book", ["title": "Emma"])
        #expect(book.value(forKey: "upper") == nil)
        try context.save()
        #expect(author.value(forKey: "search") as? String == "bronte")
        #expect(book.value(forKey: "upper") as? String == "EMMA" && book.value(forKey: "lower") as? String == "emma")
        let first = try #require(book.value(forKey: "changed") as? Date)
        #expect(first >= before && first <= Date())
        #expect(!context.hasChanges && !book.hasPersistentChangedValues)
        book.setValue("Anne", forKey: "title")
        #expect(book.value(forKey: "upper") as? String == "EMMA")
        try context.save()
        #expect(book.value(forKey: "upper") as? String == "ANNE")
        #expect(try #require(book.value(forKey: "changed") as? Date) >= first)
        #expect(try context.count(for: request("Book", "upper == 'ANNE'")) == 1)
    }

    private func request(_ entity: String, _ format: String) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = NSPredicate(format: format)
        return request
    }

    @Test(.overAllStores) func savesShowDerivationsOverRelationships() throws {
        let coordinator = try stack()
        let context = try Library.context(coordinator)
        let authors = ["A", "B"].map { context.make("Author", ["name": $0]) }
        let books = [100, 100, 300].map { context.make("Book", ["pages": $0, "author": authors[0]]) }
        try context.save()
        func numbers(_ key: String) -> [Int?] { authors.map { $0.value(forKey: key) as? Int } }
        func check(_ count: [Int], _ sum: [Int], _ line: Int = #line) throws {
            #expect(
                numbers("count") == count && numbers("sum") == sum && numbers("other") == sum,
                "\(StoreKind.current), line \(line)")
            let fresh = try Library.context(coordinator)
            let found = try fresh.all("Author", by: "name").map { $0.value(forKey: "count") as? Int }
            #expect(found == count, "\(StoreKind.current), line \(line)")
            #expect(!context.hasChanges)
        }
        try check([3, 0], [500, 0])
        #expect(books.allSatisfy { $0.value(forKey: "authorName") as? String == "A" })
        // An attribute at the other end.
        books[0].setValue(150, forKey: "pages")
        try context.save()
        try check([3, 0], [550, 0])
        // Move a book from one owner to another.
        books[2].setValue(authors[1], forKey: "author")
        try context.save()
        try check([2, 1], [250, 300])
        #expect(books[2].value(forKey: "authorName") as? String == "B")
        context.delete(books[1])
        try context.save()
        try check([1, 1], [150, 300])
        authors[0].setValue("C", forKey: "name")
        try context.save()
        #expect(books[0].value(forKey: "authorName") as? String == "C")
        let tag = context.make("Tag")
        books[0].setValue(NSSet(object: tag), forKey: "tags")
        try context.save()
        #expect(books[0].value(forKey: "tagCount") as? Int == 1)
        context.delete(tag)
        try context.save()
        #expect(books[0].value(forKey: "tagCount") as? Int == 0)
    }

    @Test(.overAllStores) func changedDerivedValuesDoNotConflict() throws {
        let coordinator = try stack()
        let context = try Library.context(coordinator)
        let author = context.make("Author", ["name": "A"])
        try context.save()
        let other = try Library.context(coordinator)
        let same = try #require(other.all("Author").first)
        same.setValue(7, forKey: "age")
        _ = context.make("Book", ["pages": 5, "author": author])
        try context.save()
        // The author changed only in the store.
        try other.save()
        #expect(same.value(forKey: "count") as? Int == 1)
        context.refresh(author, mergeChanges: false)
        #expect(author.value(forKey: "age") as? Int == 7 && author.value(forKey: "count") as? Int == 1)
    }

    @Test(.overAllStores) func requiredDerivedAttributesCanBeSaved() throws {
        let coordinator = try {
            let model = Library.model()
            let attribute = derived("upper", "uppercase:(name)", .stringAttributeType)
            attribute.isOptional = false
            model.entitiesByName["Author"]?.properties.append(attribute)
            return try Library.coordinator(model)
        }()
        let context = try Library.context(coordinator)
        let author = context.make("Author", ["name": "a"])
        try context.save()
        #expect(author.value(forKey: "upper") as? String == "A")
    }

    // MARK: Fetched properties

    @Test func fetchedPropertiesUseTheirUserInfo() throws {
        let model = Library.model()
        let property = NSFetchedPropertyDescription()
        property.name = "longOnes"
        property.userInfo = ["least": 100]
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = model.entitiesByName["Book"]
        request.predicate = NSPredicate(
            format:
                "author == $FETCH_SOURCE AND pages >= $FETCHED_PROPERTY.userInfo.least AND title != $FETCH_SOURCE.name")
        request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: false)]
        property.fetchRequest = request
        model.entitiesByName["Author"]?.properties.append(property)
        let context = try Library.context(Library.coordinator(model))
        let author = context.make("Author", ["name": "A"])
        for (title, pages) in [("x", 99), ("y", 100), ("z", 200), ("A", 300)] {
            _ = context.make("Book", ["title": title, "pages": pages, "author": author])
        }
        func titles() -> [String]? {
            (author.value(forKey: "longOnes") as? [NSManagedObject])?.compactMap {
                $0.value(forKey: "title") as? String
            }
        }
        #expect(titles() == ["z", "y"])
        try context.save()
        #expect(titles() == ["z", "y"] && !author.hasChanges)
        // "Fetched Properties" in Apple's programming guide: the property is evaluated lazily and cached; a refresh
        // evaluates it again.
        _ = context.make("Book", ["title": "w", "pages": 150, "author": author])
        #expect(titles() == ["z", "y"])
        try context.save()
        context.refresh(author, mergeChanges: true)
        #expect(titles() == ["z", "w", "y"])
    }
}
