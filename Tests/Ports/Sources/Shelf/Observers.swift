import CoreData

public final class TitleObserver: NSObject {
    public private(set) var titles: [String] = []
    private let novel: Novel

    public init(_ novel: Novel) {
        self.novel = novel
        super.init()
        novel.addObserver(self, forKeyPath: #keyPath(Novel.title), options: [.new], context: nil)
    }

    deinit { novel.removeObserver(self, forKeyPath: #keyPath(Novel.title)) }

    public override func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        guard keyPath == #keyPath(Novel.title) else {
            super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
            return
        }
        objc_sync_enter(self)
        defer { objc_sync_exit(self) }
        if let title = change?[.newKey] as? String { titles.append(title) }
    }
}

public enum ShelfStore {
    public static func container() throws -> NSPersistentContainer {
        let url = Bundle(for: Novel.self).url(forResource: "Shelf", withExtension: "momd")
        let model = url.flatMap(NSManagedObjectModel.init(contentsOf:)) ?? NSManagedObjectModel()
        let container = NSPersistentContainer(name: "Shelf", managedObjectModel: model)
        let description = NSPersistentStoreDescription()
        description.url = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: "group.shelf")
        description.type = NSInMemoryStoreType
        description.setOption(FileProtectionType.complete as NSObject, forKey: NSPersistentStoreFileProtectionKey)
        container.persistentStoreDescriptions = [description]
        var failure: Error?
        container.loadPersistentStores { failure = $1 }
        if let failure = failure { throw failure }
        return container
    }
}
