import CoreData
import Foundation

/// A store of books and authors in a temporary folder, with its model.
final class BookStore {
    let folder: URL
    let url: URL
    let model: NSManagedObjectModel

    /// Makes a store with a few objects, and as many plain books as are wanted, of which an author has every third.
    init(
        _ type: String = NSSQLiteStoreType, books: Int = 0, tracksHistory: Bool = false, isOrdered: Bool = false,
        deniesDeletion: Bool = false, hasTransientInverse: Bool = false
    ) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("StoreBrowserTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        url = folder.appendingPathComponent("Books.store")
        model = Self.makeModel(isOrdered: isOrdered)
        if hasTransientInverse { model.entitiesByName["Book"]?.relationshipsByName["author"]?.isTransient = true }
        if deniesDeletion {
            model.entitiesByName["Author"]?.relationshipsByName["books"]?.deleteRule = .denyDeleteRule
        }
        try write(type, books, tracksHistory)
    }

    /// Makes a store with another model.
    init(model: NSManagedObjectModel, _ body: (NSManagedObjectContext) throws -> Void) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("StoreBrowserTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        url = folder.appendingPathComponent("Books.store")
        self.model = model
        try change { try body($0) }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Opens the store like another program.
    func stack(_ type: String = NSSQLiteStoreType, tracksHistory: Bool = false) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: url,
            options: [
                NSPersistentHistoryTrackingKey: tracksHistory, NSSQLitePragmasOption: ["journal_mode": "DELETE"],
            ])
        let context = NSManagedObjectContext(.privateQueue)
        context.performAndWait { context.persistentStoreCoordinator = coordinator }
        return context
    }

    /// Changes the store like another program.
    func change(
        _ type: String = NSSQLiteStoreType, tracksHistory: Bool = false, _ body: (NSManagedObjectContext) throws -> Void
    ) throws {
        let context = try stack(type, tracksHistory: tracksHistory)
        try context.performAndWait {
            try body(context)
            try context.save()
        }
    }

    /// Returns the bytes of the files in the folder, by name.
    func files() throws -> [String: Data] {
        var result: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            result[name] = try? Data(contentsOf: folder.appendingPathComponent(name))
        }
        return result
    }

    static let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3])

    private func write(_ type: String, _ books: Int, _ tracksHistory: Bool) throws {
        try change(type, tracksHistory: tracksHistory) { context in
            context.transactionAuthor = "the app"
            let author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
            author.setValue("Ursula", forKey: "name")
            let novel = NSEntityDescription.insertNewObject(forEntityName: "Novel", into: context)
            novel.setValue("<b>The Dispossessed</b>", forKey: "title")
            novel.setValue("utopia", forKey: "genre")
            novel.setValue(author, forKey: "author")
            novel.setValue(387, forKey: "pages")
            novel.setValue(NSDecimalNumber(string: "1234567890.12345"), forKey: "price")
            novel.setValue(Date(timeIntervalSinceReferenceDate: 0.25), forKey: "published")
            novel.setValue(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"), forKey: "code")
            novel.setValue(Self.png, forKey: "cover")
            novel.setValue(["a", "b"] as NSArray, forKey: "tags")
            for number in 0..<books {
                let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
                book.setValue("Book \(number)", forKey: "title")
                book.setValue((number * 7919) % 1000, forKey: "pages")
                book.setValue(number % 3 == 0 ? author : nil, forKey: "author")
            }
        }
    }

    private static func attribute(
        _ name: String, _ type: NSAttributeType, isOptional: Bool = true
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = isOptional
        return attribute
    }

    private static func makeModel(isOrdered: Bool) -> NSManagedObjectModel {
        let (author, book, novel) = (NSEntityDescription(), NSEntityDescription(), NSEntityDescription())
        author.name = "Author"
        book.name = "Book"
        novel.name = "Novel"
        let (books, writer) = (NSRelationshipDescription(), NSRelationshipDescription())
        books.name = "books"
        books.destinationEntity = book
        books.inverseRelationship = writer
        books.isOptional = true
        books.maxCount = 0
        books.isOrdered = isOrdered
        writer.name = "author"
        writer.destinationEntity = author
        writer.inverseRelationship = books
        writer.maxCount = 1
        writer.isOptional = true
        author.properties = [attribute("name", .stringAttributeType, isOptional: false), books]
        let tags = attribute("tags", .transformableAttributeType)
        tags.valueTransformerName = "NSSecureUnarchiveFromData"
        let pages = attribute("pages", .integer32AttributeType)
        pages.setValidationPredicates([NSPredicate(format: "SELF >= 0")], withValidationWarnings: ["too few pages"])
        book.properties = [
            attribute("title", .stringAttributeType, isOptional: false), pages,
            attribute("price", .decimalAttributeType), attribute("published", .dateAttributeType),
            attribute("code", .UUIDAttributeType), attribute("cover", .binaryDataAttributeType), tags, writer,
        ]
        novel.properties = [attribute("genre", .stringAttributeType)]
        book.subentities = [novel]
        let model = NSManagedObjectModel()
        model.entities = [author, book, novel]
        return model
    }
}
