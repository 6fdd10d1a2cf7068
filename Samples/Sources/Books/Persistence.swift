import CoreData

struct PersistenceController {
    /// An in-memory store with some books, for previews and tests.
    @MainActor static let preview: PersistenceController = {
        let result = PersistenceController(inMemory: true)
        let viewContext = result.container.viewContext
        let author = Author(context: viewContext)
        author.name = "A. Preview"
        for number in 1...10 {
            let newBook = Book(context: viewContext)
            newBook.title = "Book \(number)"
            newBook.author = author
        }
        do {
            try viewContext.save()
        } catch {
            let nsError = error as NSError
            fatalError("Unresolved error \(nsError), \(nsError.userInfo)")
        }
        return result
    }()

    let container: NSPersistentContainer

    /// - Parameters:
    ///   - inMemory: Whether the store is kept only in memory.
    ///   - folder: The folder for the store; `nil` for the app's own folder.
    init(inMemory: Bool = false, folder: URL? = nil) {
        container = NSPersistentContainer(name: "Books")
        if inMemory {
            container.persistentStoreDescriptions.first?.url = URL(fileURLWithPath: "/dev/null")
        } else if let folder {
            container.persistentStoreDescriptions.first?.url = folder.appendingPathComponent("Books.sqlite")
        }
        container.loadPersistentStores(completionHandler: { (storeDescription, error) in
            if let error = error as NSError? {
                fatalError("Unresolved error \(error), \(error.userInfo)")
            }
        })
        container.viewContext.automaticallyMergesChangesFromParent = true
    }
}
