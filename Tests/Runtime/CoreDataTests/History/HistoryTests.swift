import CoreData
import Testing

/// The history of stores, as described in Apple's documentation of persistent history.
@Suite struct HistoryTests {
    @Test(.overDatabases) func savesAreTransactions() throws {
        let stack = try HistoryStack()
        let context = try stack.context()
        context.name = "import"
        context.transactionAuthor = "tests"
        let before = Date()
        let author = context.make("Author", ["name": "Ada", "age": 36])
        let book = context.make("Book", ["title": "Notes", "author": author])
        try context.save()
        author.setValue(37, forKey: "age")
        try context.save()
        let ids = (author.objectID, book.objectID)
        context.delete(book)
        try context.save()

        let history = try context.history()
        #expect(history.map(\.transactionNumber) == [1, 2, 3])
        #expect(history.allSatisfy { $0.author == "tests" && $0.contextName == "import" })
        let store = try #require(context.persistentStoreCoordinator?.persistentStores.first)
        #expect(history.allSatisfy { $0.storeID == store.identifier })
        #expect(history.allSatisfy { $0.processID == ProcessInfo.processInfo.processName })
        #expect(history.allSatisfy { $0.timestamp >= before.addingTimeInterval(-1) && $0.timestamp <= Date() })

        let first = try #require(history[0].changes)
        #expect(Set(first.map(\.changedObjectID)) == [ids.0, ids.1])
        #expect(first.allSatisfy { $0.changeType == .insert && $0.updatedProperties == nil && $0.tombstone == nil })
        #expect(first.allSatisfy { $0.transaction === history[0] || $0.transaction == history[0] })
        let second = try #require(history[1].changes)
        #expect(second.map(\.changedObjectID) == [ids.0] && second.map(\.changeType) == [.update])
        #expect(second.first?.updatedProperties?.map(\.name) == ["age"])
        let third = try #require(history[2].changes)
        #expect(third.contains { $0.changedObjectID == ids.1 && $0.changeType == .delete })
        let numbers = history.flatMap { $0.changes ?? [] }.map(\.changeID)
        #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
    }

    /// Tables, columns, indexes and entities are the same as in stores written by Apple's framework
    /// (Documentation/Formats/SQLiteStore.md, 7.1).
    @Test func tablesMatchApples() throws {
        let stack = try HistoryStack()
        let context = try stack.context()
        context.transactionAuthor = "tests"
        _ = context.make("Author")
        try context.save()
        let entities = try stack.rows("SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000")
        #expect(
            entities == [
                ["16001", "CHANGE", "0", "1"], ["16002", "TRANSACTION", "0", "1"],
                ["16003", "TRANSACTIONSTRING", "0", "2"],
            ])
        let columns = try stack.rows("SELECT name || ' ' || type FROM pragma_table_info('ACHANGE')").map { $0[0] }
        #expect(
            columns == [
                "Z_PK INTEGER", "Z_ENT INTEGER", "Z_OPT INTEGER", "ZCHANGETYPE INTEGER", "ZENTITY INTEGER",
                "ZENTITYPK INTEGER", "ZTRANSACTIONID INTEGER", "ZCOLUMNS BLOB",
            ])
        // Apple's framework leaves the versions and texts of transactions null, and interns texts.
        #expect(
            try stack.rows("SELECT Z_PK, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS FROM ACHANGE")
                == [["1", "16001", nil, "0", "1", "1", nil]])
        #expect(
            try stack.rows("SELECT Z_PK, Z_ENT, Z_OPT, ZAUTHOR, ZPROCESSID, ZBUNDLEIDTS FROM ATRANSACTION")
                == [["1", "16002", nil, nil, nil, nil]])
        #expect(
            try stack.rows("SELECT s.ZNAME FROM ATRANSACTION t JOIN ATRANSACTIONSTRING s ON s.Z_PK = t.ZAUTHORTS")
                == [["tests"]])
        let indexes = try stack.rows(
            "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name LIKE 'A%' ORDER BY name"
        ).map { $0[0] }
        #expect(
            indexes == [
                "ACHANGE_ZTRANSACTIONID_INDEX", "ATRANSACTION_ZAUTHORTS_INDEX", "ATRANSACTION_ZBUNDLEIDTS_INDEX",
                "ATRANSACTION_ZCONTEXTNAMETS_INDEX", "ATRANSACTION_ZPROCESSIDTS_INDEX",
                "Z_TRANSACTIONSTRING_UNIQUE_NAME", "Z_TRANSACTION_TransactionAuthorIndex",
                "Z_TRANSACTION_TransactionTimestampIndex",
            ])
        context.transactionAuthor = "tests"
        _ = context.make("Author")
        try context.save()
        #expect(try stack.rows("SELECT count(*) FROM ATRANSACTIONSTRING") == [["2"]])
    }

    @Test func storesWithoutTrackingHaveNoHistory() throws {
        let stack = try HistoryStack()
        let coordinator = try stack.coordinator([:])
        let context = try stack.context(coordinator)
        _ = context.make("Author")
        try context.save()
        #expect(coordinator.currentPersistentHistoryToken(fromStores: nil) == nil)
        #expect(try stack.rows("SELECT count(*) FROM sqlite_master WHERE name LIKE 'ATRANSACTION%'") == [["0"]])
        do {
            _ = try context.history()
            Issue.record("there is a history")
        } catch {
            #expect((error as NSError).code == NSPersistentStoreUnsupportedRequestTypeError)
        }
    }

    /// Michael Tsai, 2023: a store that was opened with tracking is read-only without it.
    @Test(.overDatabases) func trackedStoresAreReadOnlyWithoutTracking() throws {
        let stack = try HistoryStack()
        let coordinator = try stack.coordinator()
        let context = try stack.context(coordinator)
        _ = context.make("Author", ["name": "Ada"])
        try context.save()
        try coordinator.remove(coordinator.persistentStores[0])
        let other = try stack.coordinator([:])
        #expect(other.persistentStores[0].isReadOnly)
        let reader = try stack.context(other)
        #expect(try reader.all("Author").count == 1)
        #expect(try reader.history().count == 1)
        _ = reader.make("Author")
        #expect(throws: (any Error).self) { try reader.save() }
        try other.remove(other.persistentStores[0])
        #expect(try !stack.coordinator().persistentStores[0].isReadOnly)
    }

    @Test(.overDatabases) func fetchesStartAtTokensAndDates() throws {
        let stack = try HistoryStack()
        let coordinator = try stack.coordinator()
        let context = try stack.context(coordinator)
        let start = try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
        // No stores are all stores, as nil is.
        #expect(coordinator.currentPersistentHistoryToken(fromStores: []) == start)
        _ = context.make("Author", ["name": "a"])
        try context.save()
        let middle = try #require(coordinator.currentPersistentHistoryToken(fromStores: coordinator.persistentStores))
        // No stores are all stores.
        #expect(coordinator.currentPersistentHistoryToken(fromStores: []) == middle)
        #expect(start != middle)
        let time = Date()
        Thread.sleep(forTimeInterval: 0.01)
        _ = context.make("Author", ["name": "b"])
        try context.save()
        #expect(try context.history(after: start).map(\.transactionNumber) == [1, 2])
        let last = try context.history(after: middle)
        #expect(last.map(\.transactionNumber) == [2])
        #expect(last[0].token == coordinator.currentPersistentHistoryToken(fromStores: nil))
        #expect(last[0].token.hash == coordinator.currentPersistentHistoryToken(fromStores: nil)?.hash)
        #expect(try context.history(after: last[0].token).isEmpty)
        let after = try context.result(of: .fetchHistory(after: time)) as? [NSPersistentHistoryTransaction]
        #expect(after == last)
        let first = try #require(try context.history().first)
        let rest = try context.result(of: .fetchHistory(after: first)) as? [NSPersistentHistoryTransaction]
        #expect(rest == last)
        let data = try NSKeyedArchiver.archivedData(withRootObject: middle, requiringSecureCoding: true)
        let kept = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: data)
        #expect(kept == middle)
        #expect(try context.history(after: kept).map(\.transactionNumber) == [2])
        #expect(NSPersistentHistoryChangeRequest.fetchHistory(after: middle).token == middle)
        #expect(NSPersistentHistoryChangeRequest.fetchHistory(after: time).token == nil)
    }

    @Test(.overDatabases) func resultsHaveTheRequestedType() throws {
        let stack = try HistoryStack()
        let context = try stack.context()
        let author = context.make("Author")
        try context.save()
        author.setValue("Ada", forKey: "name")
        _ = context.make("Tag")
        try context.save()
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        #expect(request.resultType == .transactionsAndChanges)
        request.resultType = .statusOnly
        #expect(try context.result(of: request) as? Bool == true)
        request.resultType = .count
        #expect(try context.result(of: request) as? Int == 2)
        request.resultType = .transactionsOnly
        let bare = try #require(try context.result(of: request) as? [NSPersistentHistoryTransaction])
        #expect(bare.count == 2 && bare.allSatisfy { $0.changes == nil })
        request.resultType = .changesOnly
        let changes = try #require(try context.result(of: request) as? [NSPersistentHistoryChange])
        #expect(changes.count == 3)
        #expect(changes.map { $0.transaction?.transactionNumber } == [1, 2, 2])
        request.resultType = .objectIDs
        let ids = try #require(try context.result(of: request) as? [NSManagedObjectID])
        #expect(ids.count == 2 && ids.contains(author.objectID))
        let values = [
            NSPersistentHistoryResultType.statusOnly, .objectIDs, .count, .transactionsOnly, .changesOnly,
            .transactionsAndChanges,
        ].map(\.rawValue)
        #expect(values == [0, 1, 2, 3, 4, 5])
        #expect(NSPersistentHistoryChangeRequest.deleteHistory(before: Date()).resultType == .statusOnly)
    }

    @Test func deletingHistoryKeepsNewerTransactions() throws {
        let stack = try HistoryStack()
        let coordinator = try stack.coordinator()
        let context = try stack.context(coordinator)
        let start = try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
        var tokens: [NSPersistentHistoryToken] = []
        for age in 1...5 {
            _ = context.make("Author", ["age": age])
            try context.save()
            tokens += [try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))]
        }
        let deletion = NSPersistentHistoryChangeRequest.deleteHistory(before: tokens[2])
        deletion.resultType = .count
        #expect(try context.result(of: deletion) as? Int == 2)
        // The transaction of the token remains: only those before it are deleted.
        #expect(try context.history().map(\.transactionNumber) == [3, 4, 5])
        #expect(try stack.rows("SELECT count(*) FROM ACHANGE") == [["3"]])
        #expect(try context.history(after: tokens[2]).map(\.transactionNumber) == [4, 5])
        #expect(try context.history(after: tokens[1]).map(\.transactionNumber) == [3, 4, 5])
        for token in [start, tokens[0]] {
            do {
                _ = try context.history(after: token)
                Issue.record("the token has not expired")
            } catch {
                let error = error as NSError
                #expect(error.domain == NSCocoaErrorDomain && error.code == NSPersistentHistoryTokenExpiredError)
            }
        }
        let fourth = try #require(try context.history().first { $0.transactionNumber == 4 })
        #expect(try context.result(of: .deleteHistory(before: fourth)) as? Bool == true)
        #expect(try context.history().map(\.transactionNumber) == [4, 5])
        #expect(try context.result(of: .deleteHistory(before: Date().addingTimeInterval(1))) as? Bool == true)
        #expect(try context.history().isEmpty)
        #expect(try context.history(after: tokens[4]).isEmpty)
        // Numbers are not reused.
        _ = context.make("Author", ["age": 6])
        try context.save()
        #expect(try context.history(after: tokens[4]).map(\.transactionNumber) == [6])
        #expect(try context.all("Author").count == 6)
    }

    @Test(.overDatabases) func fetchRequestsFilterTransactions() throws {
        let stack = try HistoryStack()
        let context = try stack.context()
        for (author, name) in [("app", "a"), ("widget", "b"), ("app", "c"), (nil, "d")] {
            context.transactionAuthor = author
            _ = context.make("Author", ["name": name])
            try context.save()
        }
        let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
        fetch.predicate = NSPredicate(format: "author != %@", "app")
        let request = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: fetch)
        var found = try #require(try context.result(of: request) as? [NSPersistentHistoryTransaction])
        #expect(found.map(\.transactionNumber) == [2, 4])
        #expect(found.allSatisfy { $0.changes?.count == 1 })

        let second = NSPersistentHistoryChangeRequest.fetchHistory(after: found[0])
        let entityFetch = NSFetchRequest<any NSFetchRequestResult>()
        entityFetch.entity = NSPersistentHistoryTransaction.entityDescription(with: context)
        entityFetch.predicate = NSPredicate(format: "%K = %@", "author", "app")
        second.fetchRequest = entityFetch
        found = try #require(try context.result(of: second) as? [NSPersistentHistoryTransaction])
        #expect(found.map(\.transactionNumber) == [3])

        let newest = try #require(NSPersistentHistoryTransaction.fetchRequest)
        newest.sortDescriptors = [NSSortDescriptor(key: "timestamp", ascending: false)]
        newest.fetchLimit = 2
        found = try #require(
            try context.result(of: .fetchHistory(withFetch: newest)) as? [NSPersistentHistoryTransaction])
        #expect(found.map(\.transactionNumber) == [4, 3])
    }

    @Test(.overDatabases) func fetchRequestsFilterChanges() throws {
        let stack = try HistoryStack()
        let context = try stack.context()
        let author = context.make("Author", ["name": "a"])
        _ = context.make("Tag", ["name": "t"])
        try context.save()
        author.setValue("b", forKey: "name")
        try context.save()
        let fetch = try #require(NSPersistentHistoryChange.fetchRequest)
        fetch.predicate = NSPredicate(format: "changedObjectID == %@", author.objectID)
        let request = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: fetch)
        request.resultType = .changesOnly
        let changes = try #require(try context.result(of: request) as? [NSPersistentHistoryChange])
        #expect(changes.map(\.changeType) == [.insert, .update])
        request.resultType = .transactionsAndChanges
        let found = try #require(try context.result(of: request) as? [NSPersistentHistoryTransaction])
        #expect(found.map { $0.changes?.count } == [1, 1])
        fetch.predicate = NSPredicate(format: "changeType == %d", NSPersistentHistoryChangeType.update.rawValue)
        request.fetchRequest = fetch
        let updates = try #require(try context.result(of: request) as? [NSPersistentHistoryTransaction])
        #expect(updates.map(\.transactionNumber) == [2])
    }

    @Test(.overDatabases) func tombstonesKeepPreservedValues() throws {
        let model = Library.model()
        let author = try #require(model.entitiesByName["Author"])
        author.attributesByName["name"]?.preservesValueInHistoryOnDeletion = true
        let book = try #require(model.entitiesByName["Book"])
        for key in ["uuid", "pages", "date"] { book.attributesByName[key]?.preservesValueInHistoryOnDeletion = true }
        let stack = try HistoryStack(model)
        let context = try stack.context()
        let (id, date) = (UUID(), Date(timeIntervalSinceReferenceDate: 700_000_000))
        let objects = [
            context.make("Author", ["name": "Ada", "age": 3]),
            context.make("Novel", ["uuid": id, "pages": 7, "date": date, "title": "T"]), context.make("Tag"),
        ]
        try context.save()
        let entities = objects.map { $0.entity.name }
        // The tombstone contains the saved values.
        objects[0].setValue("Bea", forKey: "name")
        for object in objects { context.delete(object) }
        try context.save()
        let changes = try #require(try context.history().last?.changes)
        #expect(changes.count == 3 && changes.allSatisfy { $0.changeType == .delete })
        #expect(Set(changes.map(\.changedObjectID.entity.name)) == Set(entities))
        func tombstone(_ entity: String) -> [AnyHashable: Any]? {
            changes.first { $0.changedObjectID.entity.name == entity }?.tombstone
        }
        #expect(tombstone("Author")?["name"] as? String == "Ada" && tombstone("Author")?.count == 1)
        #expect(tombstone("Novel")?["uuid"] as? UUID == id)
        #expect(tombstone("Novel")?["pages"] as? Int == 7)
        #expect(tombstone("Novel")?["date"] as? Date == date)
        #expect(tombstone("Tag") == nil)
    }

    @Test(.overDatabases) func mergingAnotherCoordinatorsHistory() throws {
        let stack = try HistoryStack()
        let (writer, reader) = (try stack.context(), try stack.context())
        let author = writer.make("Author", ["name": "a"])
        let other = writer.make("Author", ["name": "x"])
        try writer.save()
        let known = try reader.all("Author", by: "name")
        #expect(known.compactMap { $0.value(forKey: "name") as? String } == ["a", "x"])
        let token = try #require(reader.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil))
        author.setValue("b", forKey: "name")
        writer.delete(other)
        _ = writer.make("Author", ["name": "c"])
        try writer.save()
        for transaction in try reader.history(after: token) {
            let notification = transaction.objectIDNotification()
            #expect(notification.name == .NSManagedObjectContextDidSaveObjectIDs)
            #expect((notification.userInfo?[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID>)?.count == 1)
            reader.mergeChanges(fromContextDidSave: notification)
        }
        #expect(known[0].value(forKey: "name") as? String == "b")
        #expect(known[1].isDeleted || known[1].managedObjectContext == nil)
        #expect(try reader.all("Author", by: "name").map { $0.value(forKey: "name") as? String } == ["b", "c"])
    }

    @Test func tokensCoverSeveralStores() throws {
        let model = Library.model()
        model.setEntities(
            model.entities.filter { $0.name == "Author" || $0.name == "Tag" }, forConfigurationName: "one")
        let stack = try HistoryStack()
        let other = try HistoryStack(stack.model)
        let coordinator = try stack.coordinator()
        let second = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: other.url, options: HistoryStack.tracking)
        let context = try stack.context(coordinator)
        _ = context.make("Author", ["name": "a"])
        try context.save()
        let placed = context.make("Author", ["name": "b"])
        context.assign(placed, to: second)
        try context.save()
        let history = try context.history()
        #expect(history.map(\.storeID) == coordinator.persistentStores.map(\.identifier))
        #expect(history.map(\.transactionNumber) == [1, 1])
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        request.affectedStores = [second]
        let own = try #require(try context.result(of: request) as? [NSPersistentHistoryTransaction])
        #expect(own.map(\.storeID) == [second.identifier])
        let token = try #require(coordinator.currentPersistentHistoryToken(fromStores: [second]))
        // A token does not cover other stores: all of their history comes after it.
        #expect(try context.history(after: token).map(\.storeID) == [coordinator.persistentStores[0].identifier])
    }

    @Test func aFailedSaveLeavesNoTrace() throws {
        let stack = try HistoryStack()
        let (one, other) = (try stack.context(), try stack.context())
        let author = one.make("Author", ["age": 1])
        try one.save()
        let copy = try #require(try other.all("Author").first)
        _ = copy.value(forKey: "age")
        author.setValue(2, forKey: "age")
        try one.save()
        copy.setValue(3, forKey: "age")
        #expect(throws: (any Error).self) { try other.save() }
        #expect(try one.history().count == 2)
        #expect(try stack.rows("SELECT count(*), max(Z_PK) FROM ACHANGE") == [["2", "2"]])
    }
}
