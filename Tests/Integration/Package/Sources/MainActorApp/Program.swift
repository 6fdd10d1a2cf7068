import CoreData

// A target whose default isolation is MainActor, as in Xcode's templates: nothing here is nonisolated.

public class Note: NSManagedObject {
    @NSManaged var text: String?
    @NSManaged var folder: Folder?
    @NSManaged var tags: NSSet?

    public override func awakeFromInsert() {
        super.awakeFromInsert()
        text = "new"
    }

    func add(_ tag: Tag) { mutableSetValue(forKey: "tags").add(tag) }
}

final class Watcher: NSObject, NSFetchedResultsControllerDelegate {
    var changes = 0

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) { changes += 1 }
}

final class Notebook {
    lazy var persistentContainer: NSPersistentContainer = {
        let container = NSPersistentContainer(name: "Notes")
        container.persistentStoreDescriptions.first?.type = NSInMemoryStoreType
        container.loadPersistentStores { _, error in if let error { fatalError("\(error)") } }
        container.viewContext.automaticallyMergesChangesFromParent = true
        return container
    }()
    var count = 0

    var context: NSManagedObjectContext { persistentContainer.viewContext }

    func fill() async throws {
        try await persistentContainer.performBackgroundTask { context in
            let note = Note(context: context)
            note.text = "from the background"
            note.folder = Folder(context: context)
            try context.save()
        }
    }

    func tag() async throws {
        await context.perform {}
        let note = try await context.perform {
            try self.context.fetch(NSFetchRequest<Note>(entityName: "Note")).first ?? Note(context: self.context)
        }
        try await context.perform {
            let tag = Tag(context: self.context)
            tag.name = "blue"
            note.add(tag)
            try self.context.save()
        }
        count = try context.performAndWait { try context.count(for: Tag.fetchRequest()) }
    }
}

@main
struct Program {
    static func main() async throws {
        let notebook = Notebook()
        try await notebook.fill()
        try await notebook.tag()
        let notes = try notebook.context.fetch(NSFetchRequest<Note>(entityName: "Note"))
        let tags = notes.first?.tags as? Set<Tag>
        print(notes.count, notes.first?.text ?? "-", notes.first?.folder?.notes?.count ?? 0, tags?.first?.name ?? "-")

        let request = NSFetchRequest<Note>(entityName: "Note")
        request.sortDescriptors = [NSSortDescriptor(key: "text", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: notebook.context, sectionNameKeyPath: nil, cacheName: nil)
        let watcher = Watcher()
        controller.delegate = watcher
        try controller.performFetch()
        print(Note(context: notebook.context).text ?? "-")
        try notebook.context.save()
        print(watcher.changes > 0, notebook.count)

        let bundle = Bundle(for: Note.self)
        let model = NSManagedObjectModel.mergedModel(from: [bundle])
        print(model?.entitiesByName["Tag"] != nil, NSPersistentContainer.defaultDirectoryURL().isFileURL)
    }
}
