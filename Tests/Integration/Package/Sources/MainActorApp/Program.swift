import CoreData

nonisolated public class Note: NSManagedObject {
    @NSManaged var text: String?
    @NSManaged var folder: Folder?
}

@main
struct Program {
    static func main() async throws {
        let container = NSPersistentContainer(name: "Notes")
        container.persistentStoreDescriptions.first?.type = NSInMemoryStoreType
        container.loadPersistentStores { _, error in if let error { fatalError("\(error)") } }
        try await container.performBackgroundTask { @Sendable context in
            let note = Note(context: context)
            note.text = "from the background"
            note.folder = Folder(context: context)
            try context.save()
        }
        let notes = try container.viewContext.fetch(NSFetchRequest<Note>(entityName: "Note"))
        print(notes.count, notes.first?.text ?? "-", notes.first?.folder?.notes?.count ?? 0)
    }
}
