import CoreData
@testable import QueryBuilder

@objc(Note)
class Note: NSManagedObject {
    @NSManaged var title: String?
    @NSManaged var pages: Int32
    @NSManaged var folder: Folder?
}

@objc(Folder)
class Folder: NSManagedObject {
    @NSManaged var name: String?
    @NSManaged var notes: Set<Note>
}

func makeContext() throws -> NSManagedObjectContext {
    func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        return attribute
    }
    let note = NSEntityDescription()
    note.name = "Note"
    note.managedObjectClassName = NSStringFromClass(Note.self)
    let folder = NSEntityDescription()
    folder.name = "Folder"
    folder.managedObjectClassName = NSStringFromClass(Folder.self)
    let toFolder = NSRelationshipDescription()
    toFolder.name = #keyPath(Note.folder)
    toFolder.destinationEntity = folder
    toFolder.maxCount = 1
    let toNotes = NSRelationshipDescription()
    toNotes.name = #keyPath(Folder.notes)
    toNotes.destinationEntity = note
    toNotes.inverseRelationship = toFolder
    toFolder.inverseRelationship = toNotes
    note.properties = [
        attribute(#keyPath(Note.title), .stringAttributeType), attribute(#keyPath(Note.pages), .integer32AttributeType),
        toFolder,
    ]
    folder.properties = [attribute(#keyPath(Folder.name), .stringAttributeType), toNotes]

    let model = NSManagedObjectModel()
    model.entities = [note, folder]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
}

extension Note {
    /// For lists: Apple's runtime knows its name, and key-value coding reads it.
    @objc var heading: String { "\(pages): \(title ?? "")" }
    @objc(isLong) var long: Bool { pages > 10 }
    @NSManaged var primitivePages: NSNumber?
}

/// A row of a table, which is sorted in memory.
class Row: NSObject {
    let number: Int
    @objc var text: String { "Row \(number)" }
    @objc weak var next: Row?

    init(_ number: Int) {
        self.number = number
    }
}

/// A row whose names are inherited.
final class WideRow: Row {}
