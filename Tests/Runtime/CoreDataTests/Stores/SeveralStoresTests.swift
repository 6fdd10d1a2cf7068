import CoreData
import Testing

/// Stores of several types with one coordinator, and several users of one store.
@Suite(.overAllStores) struct SeveralStoresTests {
    private func names(_ objects: [NSManagedObject]) -> [String] {
        objects.compactMap { $0.value(forKey: "name") as? String }
    }

    /// Returns a stack with two servers and, optionally, an in-memory store.
    private func stack(withMemory: Bool) throws -> (ServerStack, other: Server, NSManagedObjectContext) {
        let stack = try ServerStack()
        let other = Server()
        try stack.coordinator.addPersistentStore(
            ofType: "DictionaryStore", configurationName: nil, at: URL(fileURLWithPath: "/other"),
            options: [DictionaryStore.serverOption: other])
        if withMemory {
            try stack.coordinator.addPersistentStore(
                ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        }
        for number in [1, 4, 5] { stack.server.add("Author", ["name": "n\(number)", "age": number]) }
        for number in [0, 2, 3] { other.add("Author", ["name": "n\(number)", "age": number]) }
        return (stack, other, try stack.context())
    }

    @Test(arguments: [false, true])
    func oneRequestFetchesFromEveryStore(_ withMemory: Bool) throws {
        let (stack, _, context) = try stack(withMemory: withMemory)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        request.predicate = NSPredicate(format: "age > 0")
        #expect(try names(context.fetch(request)) == ["n1", "n2", "n3", "n4", "n5"])
        #expect(try context.count(for: request) == 5)
        request.fetchOffset = 1
        request.fetchLimit = 3
        #expect(try names(context.fetch(request)) == ["n2", "n3", "n4"])
        request.affectedStores = [stack.store]
        #expect(try names(context.fetch(request)) == ["n4", "n5"])
        #expect(try context.count(for: request) == 2)
    }

    @Test func objectsGoToTheStoreTheyAreAssignedTo() throws {
        let (stack, other, context) = try stack(withMemory: true)
        let stores = stack.coordinator.persistentStores
        for (store, name) in zip(stores, ["first", "second", "third"]) {
            context.assign(context.make("Author", ["name": name]), to: store)
        }
        try context.save()
        #expect(stack.server.records.count == 4 && other.records.count == 4)
        let memory = NSFetchRequest<NSManagedObject>(entityName: "Author")
        memory.affectedStores = [stores[2]]
        #expect(try names(context.fetch(memory)) == ["third"])
    }

    /// Relationships cannot cross stores.
    @Test func relationshipsCannotCrossStores() throws {
        let (stack, other, context) = try stack(withMemory: false)
        let author = try #require(try context.all("Author").first { $0.objectID.persistentStore === stack.store })
        let book = context.make("Book", ["author": author])
        context.assign(book, to: stack.coordinator.persistentStores[1])
        #expect {
            try context.save()
        } throws: { ($0 as NSError).code == NSManagedObjectExternalRelationshipError }
        #expect(other.records.count == 3)
    }

    @Test func valuesOfTheWrongTypeAreErrors() throws {
        let stack = try ServerStack()
        let key = stack.server.add("Author", ["name": 5])
        let context = try stack.context()
        let id = try #require(try context.all("Author").first?.objectID)
        #expect {
            _ = try context.existingObject(with: id)
        } throws: { error in
            (error as NSError).code == NSCoreDataError
                && (error as NSError).localizedDescription.contains("“Author.name”")
        }
        stack.server.records[key]?.values["name"] = "five"
        #expect(try context.existingObject(with: id).value(forKey: "name") as? String == "five")
    }

    @Test func storesWorkFromManyThreads() async throws {
        let file = try JSONStack()
        defer { file.removeFile() }
        let server = try ServerStack()
        for coordinator in [file.coordinator, server.coordinator] {
            await withTaskGroup(of: Void.self) { group in
                for worker in 0..<4 {
                    group.addTask {
                        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                        context.persistentStoreCoordinator = coordinator
                        for step in 0..<5 {
                            await context.perform {
                                let author = context.make("Author", ["name": "\(worker) \(step)"])
                                _ = context.make("Book", ["author": author, "title": "\(worker)"])
                                try? context.save()
                                _ = try? context.all("Book").map { $0.value(forKey: "author") }
                                context.refreshAllObjects()
                            }
                        }
                    }
                }
            }
            let context = try Library.context(coordinator)
            #expect(try context.all("Author").count == 20)
            #expect(try context.all("Book").allSatisfy { $0.value(forKey: "author") != nil })
        }
        #expect(try JSONStack(file.url).context().all("Book").count == 20)
    }
}
