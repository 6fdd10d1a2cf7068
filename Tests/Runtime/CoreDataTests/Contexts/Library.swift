import CoreData

/// An author.
class Author: NSManagedObject {}

/// A book, which records the hooks that are called.
class Book: NSManagedObject {
    /// The names of the called hooks, in order.
    var calls: [String] = []

    override func awakeFromInsert() {
        super.awakeFromInsert()
        calls.append("awakeFromInsert")
    }

    override func awakeFromFetch() {
        super.awakeFromFetch()
        calls.append("awakeFromFetch")
    }

    override func willSave() {
        super.willSave()
        calls.append("willSave")
    }

    override func didSave() {
        super.didSave()
        calls.append("didSave")
    }

    override func prepareForDeletion() {
        super.prepareForDeletion()
        calls.append("prepareForDeletion")
    }

    override func willTurnIntoFault() {
        super.willTurnIntoFault()
        calls.append("willTurnIntoFault")
    }

    override func didTurnIntoFault() {
        super.didTurnIntoFault()
        calls.append("didTurnIntoFault")
    }
}

/// The values seen by an observer, in single-threaded tests.
final class Recorder<Value>: @unchecked Sendable {
    var values: [Value] = []
}

extension NSManagedObjectContext {
    /// Returns the notifications that the context posts while a closure runs.
    func notes(
        _ name: Notification.Name = .NSManagedObjectContextDidSave, during body: () throws -> Void
    ) rethrows -> [Notification] {
        let notes = Recorder<Notification>()
        let token = NotificationCenter.default.addObserver(forName: name, object: self, queue: nil) {
            notes.values.append($0)
        }
        defer { NotificationCenter.default.removeObserver(token) }
        try body()
        return notes.values
    }
}

/// The model and stack of most tests: authors, books, shelves and tags.
enum Library {
    private static func attribute(
        _ name: String, _ type: NSAttributeType, optional: Bool = true, value: Any? = nil
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = optional
        attribute.defaultValue = value
        return attribute
    }

    private static func relationship(
        _ name: String, to entity: NSEntityDescription, many: Bool = false, ordered: Bool = false,
        rule: NSDeleteRule = .nullifyDeleteRule, optional: Bool = true
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = entity
        relationship.maxCount = many ? 0 : 1
        relationship.minCount = 0
        relationship.isOrdered = ordered
        relationship.deleteRule = rule
        relationship.isOptional = optional
        return relationship
    }

    private static func pair(_ one: NSRelationshipDescription, _ other: NSRelationshipDescription) {
        one.inverseRelationship = other
        other.inverseRelationship = one
    }

    /// Creates a model.
    ///
    /// - Parameter booksRule: The delete rule of `Author.books`.
    static func model(booksRule: NSDeleteRule = .nullifyDeleteRule) -> NSManagedObjectModel {
        let author = NSEntityDescription()
        author.name = "Author"
        author.managedObjectClassName = "CoreDataTests.Author"
        let book = NSEntityDescription()
        book.name = "Book"
        book.managedObjectClassName = "CoreDataTests.Book"
        let novel = NSEntityDescription()
        novel.name = "Novel"
        novel.managedObjectClassName = "NSManagedObject"
        let tag = NSEntityDescription()
        tag.name = "Tag"
        let shelf = NSEntityDescription()
        shelf.name = "Shelf"

        let books = relationship("books", to: book, many: true, rule: booksRule)
        let writer = relationship("author", to: author)
        pair(books, writer)
        let tags = relationship("tags", to: tag, many: true)
        let tagged = relationship("books", to: book, many: true)
        pair(tags, tagged)
        let volumes = relationship("volumes", to: book, many: true, ordered: true)
        let shelved = relationship("shelf", to: shelf)
        pair(volumes, shelved)
        let cover = relationship("sequel", to: book)
        let prequel = relationship("prequel", to: book)
        pair(cover, prequel)

        author.properties = [attribute("name", .stringAttributeType), attribute("age", .integer32AttributeType), books]
        book.properties = [
            attribute("title", .stringAttributeType, optional: false, value: "Untitled"),
            attribute("pages", .integer32AttributeType, value: 0), attribute("price", .doubleAttributeType),
            attribute("isNew", .booleanAttributeType, value: true), attribute("date", .dateAttributeType),
            attribute("uuid", .UUIDAttributeType), attribute("data", .binaryDataAttributeType),
            attribute("cost", .decimalAttributeType), attribute("link", .URIAttributeType),
            attribute("weight", .floatAttributeType), attribute("extra", .transformableAttributeType),
            writer, tags, shelved, cover, prequel,
        ]
        let transient = attribute("cache", .stringAttributeType)
        transient.isTransient = true
        book.properties.append(transient)
        novel.properties = [attribute("genre", .stringAttributeType)]
        book.subentities = [novel]
        tag.properties = [attribute("name", .stringAttributeType), tagged]
        shelf.properties = [attribute("name", .stringAttributeType), volumes]
        let model = NSManagedObjectModel()
        model.entities = [author, book, novel, tag, shelf]
        return model
    }

    /// Creates a coordinator with a new store of the type that the test runs with.
    static func coordinator(_ model: NSManagedObjectModel = model()) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try StoreKind.add(to: coordinator)
        return coordinator
    }

    /// Creates a context for a coordinator, or for a new one.
    static func context(_ coordinator: NSPersistentStoreCoordinator? = nil) throws -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = try coordinator ?? Library.coordinator()
        return context
    }
}

extension NSManagedObjectContext {
    /// Inserts a new object.
    func make(_ entity: String, _ values: [String: Any?] = [:]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
    }

    /// Returns all objects of an entity, sorted by a key.
    func all(_ entity: String, by key: String? = nil) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        if let key { request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)] }
        return try fetch(request)
    }
}

extension NSManagedObject {
    /// Returns the sorted names or titles of a to-many relationship's objects.
    func names(_ key: String) -> [String] {
        let objects: [Any] =
            (value(forKey: key) as? NSSet)?.allObjects ?? (value(forKey: key) as? NSOrderedSet)?.array ?? []
        let names = objects.compactMap { object -> String? in
            guard let object = object as? NSManagedObject else { return nil }
            return object.value(forKey: object.entity.attributesByName["title"] == nil ? "name" : "title") as? String
        }
        return value(forKey: key) is NSOrderedSet ? names : names.sorted()
    }
}
