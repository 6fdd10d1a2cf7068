import CoreData
import Testing

/// The persistent history of a store.
@Suite struct HistoryTests {
    private static let options: [String: Bool] = [
        NSPersistentHistoryTrackingKey: true, NSPersistentStoreRemoteChangeNotificationPostOptionKey: true,
    ]

    private func transactions(
        _ context: NSManagedObjectContext, after token: NSPersistentHistoryToken? = nil
    ) throws -> [NSPersistentHistoryTransaction] {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        let result = try #require(try context.execute(request) as? NSPersistentHistoryResult)
        return try #require(result.result as? [NSPersistentHistoryTransaction])
    }

    @Test func transactionsAndChanges() throws {
        let model = Library.model()
        model.entitiesByName["Author"]?.attributesByName["name"]?.preservesValueInHistoryOnDeletion = true
        let store = try TestStore(model)
        let context = try store.open(Self.options)
        try context.performAndWait {
            context.name = "main"
            context.transactionAuthor = "me"
            let author = context.make("Author", ["name": "a"])
            let book = context.make("Book", ["author": author])
            try context.save()
            let coordinator = try #require(context.persistentStoreCoordinator)
            let token = try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
            context.transactionAuthor = nil
            author.setValue(5, forKey: "age")
            try context.save()
            context.delete(author)
            try context.save()

            let all = try transactions(context)
            #expect(all.map(\.transactionNumber) == [1, 2, 3])
            #expect(all[0].author == "me" && all[0].contextName == "main" && all[1].author == nil)
            #expect(abs(all[0].timestamp.timeIntervalSinceNow) < 60 && !all[0].processID.isEmpty)
            let first = try #require(all[0].changes)
            #expect(Set(first.map(\.changedObjectID)) == [author.objectID, book.objectID])
            #expect(first.allSatisfy { $0.changeType == .insert && $0.updatedProperties == nil })
            let update = try #require(all[1].changes?.first)
            #expect(update.changeType == .update && update.updatedProperties?.map(\.name) == ["age"])
            let deletion = try #require(all[2].changes?.first { $0.changeType == .delete })
            #expect(deletion.changedObjectID == author.objectID && deletion.tombstone?["name"] as? String == "a")

            let later = try transactions(context, after: token)
            #expect(later.map(\.transactionNumber) == [2, 3])
            let archived = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
            let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: archived)
            #expect(read == token)

            let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
            fetch.predicate = NSPredicate(format: "author == 'me'")
            let request = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: fetch)
            request.resultType = .count
            let count = (try context.execute(request) as? NSPersistentHistoryResult)?.result as? Int
            #expect(count == 1)
        }
        let database = try store.database()
        // Apple's tables (core-data-runtime.md, 3.1).
        #expect(try database.rows("SELECT ZCHANGETYPE, ZENTITY, ZENTITYPK FROM ACHANGE WHERE ZTRANSACTIONID = 2") == [["1", "1", "1"]])
        #expect(try database.rows("SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000 ORDER BY 1").map { $0[0] } == ["16001", "16002", "16003"])
        #expect(try database.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16002") == [["3"]])
    }

    @Test func purging() throws {
        let store = try TestStore()
        let context = try store.open(Self.options)
        try context.performAndWait {
            let coordinator = try #require(context.persistentStoreCoordinator)
            var tokens: [NSPersistentHistoryToken] = []
            for index in 0..<4 {
                _ = context.make("Tag", ["name": "\(index)"])
                try context.save()
                tokens.append(try #require(coordinator.currentPersistentHistoryToken(fromStores: nil)))
            }
            try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: tokens[2]))
            let left = try transactions(context)
            #expect(left.map(\.transactionNumber) == [3, 4])
            let after = try transactions(context, after: tokens[1])
            #expect(after.map(\.transactionNumber) == [3, 4])
            let error = nsError { _ = try transactions(context, after: tokens[0]) }
            #expect(error?.domain == NSCocoaErrorDomain && error?.code == NSPersistentHistoryTokenExpiredError)
            try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture))
            let none = try transactions(context)
            #expect(none.isEmpty)
            _ = context.make("Tag")
            try context.save()
            let numbers = try transactions(context).map(\.transactionNumber)
            #expect(numbers == [5])
        }
    }

    /// What another program has done is found in the history and merged.
    @Test func mergingWhatOthersDid() throws {
        let store = try TestStore()
        let (one, two) = (try store.open(Self.options), try store.open(Self.options))
        let id = try one.performAndWait { () throws -> NSManagedObjectID in
            let author = one.make("Author", ["name": "old"])
            try one.save()
            let coordinator = try #require(one.persistentStoreCoordinator)
            let token = try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
            try two.performAndWait {
                try two.all("Author").first?.setValue("new", forKey: "name")
                try two.save()
                let request = NSBatchInsertRequest(entityName: "Author", objects: [["name": "batch"]])
                try two.execute(request)
            }
            let found = try transactions(one, after: token)
            #expect(found.map { $0.changes?.count } == [1, 1])
            for transaction in found { one.mergeChanges(fromContextDidSave: transaction.objectIDNotification()) }
            #expect(author.value(forKey: "name") as? String == "new")
            return author.objectID
        }
        #expect(!id.isTemporaryID)
    }

    @Test func withoutTracking() throws {
        let store = try TestStore()
        let context = try store.open()
        context.performAndWait {
            let error = nsError { _ = try transactions(context) }
            #expect(error?.code == NSPersistentStoreUnsupportedRequestTypeError)
            #expect(context.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil) == nil)
        }
    }

    @Test func notification() async throws {
        let store = try TestStore()
        let context = try store.open(Self.options)
        let coordinator = try #require(context.persistentStoreCoordinator)
        let token = await withCheckedContinuation { continuation in
            let observed = Recorder<any NSObjectProtocol>()
            observed.values = [
                NotificationCenter.default.addObserver(
                    forName: .NSPersistentStoreRemoteChange, object: coordinator, queue: nil
                ) { notification in
                    for observer in observed.values { NotificationCenter.default.removeObserver(observer) }
                    continuation.resume(
                        returning: notification.userInfo?[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken)
                }
            ]
            context.performAndWait {
                _ = context.make("Tag")
                #expect(nsError { try context.save() } == nil)
            }
        }
        #expect(token != nil && token == coordinator.currentPersistentHistoryToken(fromStores: nil))
    }
}
