import CoreData

/// The work by generated Core Data classes.
struct CoreDataSide {
    let coordinator: NSPersistentStoreCoordinator

    init() throws {
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: "/dev/null"),
            options: [NSPersistentHistoryTrackingKey: NSNumber(value: true)])
    }

    nonisolated(unsafe) private static let model: NSManagedObjectModel = {
        func attribute(_ name: String, _ type: NSAttributeType, _ defaultValue: Any? = nil) -> NSAttributeDescription {
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            attribute.isOptional = true
            attribute.defaultValue = defaultValue
            return attribute
        }
        let (author, book) = (NSEntityDescription(), NSEntityDescription())
        (author.name, author.managedObjectClassName) = ("Author", NSStringFromClass(Author.self))
        (book.name, book.managedObjectClassName) = ("Book", NSStringFromClass(Book.self))
        let (books, owner) = (NSRelationshipDescription(), NSRelationshipDescription())
        (books.name, books.destinationEntity, books.maxCount, books.deleteRule) = ("books", book, 0, .cascadeDeleteRule)
        (owner.name, owner.destinationEntity, owner.maxCount, owner.deleteRule) = (
            "author", author, 1, .nullifyDeleteRule
        )
        (books.inverseRelationship, owner.inverseRelationship) = (owner, books)
        author.properties = [attribute("name", .stringAttributeType), books]
        book.properties = [
            attribute("isbn", .stringAttributeType), attribute("isNew", .booleanAttributeType, NSNumber(value: true)),
            attribute("pages", .integer64AttributeType, NSNumber(value: 0)),
            attribute("price", .doubleAttributeType, NSNumber(value: 0)), attribute("published", .dateAttributeType),
            attribute("title", .stringAttributeType), owner,
        ]
        let model = NSManagedObjectModel()
        model.entities = [author, book]
        return model
    }()

    private func context() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        return context
    }

    func insert(_ count: Int) throws {
        let context = context()
        for index in 0..<count {
            let book = Book(context: context)
            book.isbn = "isbn \(index)"
            book.isNew = true
            book.pages = Int64(index % 1000)
            book.price = 9.5
            book.published = Date(timeIntervalSinceReferenceDate: Double(index))
            book.title = "Title \(index)"
        }
        try context.save()
    }

    func read() throws -> Int {
        let context = context()
        var sum = 0
        for book in try context.fetch(Book.fetchRequest()) {
            sum += Int(book.pages) + (book.title?.utf8.count ?? 0) + (book.isNew ? 1 : 0) + Int(book.price)
            sum += Int(book.published?.timeIntervalSinceReferenceDate ?? 0)
        }
        return sum
    }

    func update() throws {
        let context = context()
        for book in try context.fetch(Book.fetchRequest()) {
            book.pages += 1
            book.title = "Changed"
        }
        try context.save()
    }

    func search(_ times: Int) throws -> Int {
        let context = context()
        var count = 0
        for round in 0..<times {
            let request = Book.fetchRequest()
            request.predicate = NSPredicate(format: "pages >= %d AND pages < %d", round * 10, round * 10 + 10)
            count += try context.fetch(request).count
        }
        return count
    }

    /// Reads and writes in memory.
    func access(_ times: Int) throws -> Int {
        let context = context()
        let request = Book.fetchRequest()
        request.fetchLimit = 1000
        let books = try context.fetch(request)
        var sum = 0
        for round in 0..<times {
            for book in books {
                sum += Int(book.pages) + (book.title?.utf8.count ?? 0)
                book.pages = Int64(round)
            }
        }
        return sum
    }
}
