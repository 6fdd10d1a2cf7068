import CoreData
import StoreFile
import Testing

/// The histories written by Apple's framework, in the stores in the folder named by `MODELC_CORPUS`.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["MODELC_CORPUS"] != nil))
struct HistoryCorpusTests {
    private static let root = URL(fileURLWithPath: ProcessInfo.processInfo.environment["MODELC_CORPUS"] ?? "")

    @Test func readsHistoriesOfApplesStores() throws {
        let fixture = try CompiledFixture()
        let paths = FileManager.default.enumerator(atPath: Self.root.path)?.compactMap { $0 as? String } ?? []
        var count = 0
        for (index, path) in paths.filter({ $0.hasSuffix(".sqlite") && SchemaCorpusTests.isPlain($0) }).sorted()
            .enumerated()
        {
            let copy = fixture.folder.appendingPathComponent("\(index).sqlite")
            for suffix in ["", "-wal"] {
                let file = Self.root.appendingPathComponent(path + suffix).path
                guard FileManager.default.fileExists(atPath: file) else { continue }
                try FileManager.default.copyItem(atPath: file, toPath: copy.path + suffix)
                try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: copy.path + suffix)
            }
            let isTracked = try !TestDatabase(path: copy.path).rows(
                "SELECT 1 FROM sqlite_master WHERE name = 'ACHANGE'"
            ).isEmpty
            guard isTracked, let archive = try StoreFile(path: copy.path).modelArchive else { continue }
            let url = fixture.folder.appendingPathComponent("\(index).mom")
            try Data(archive).write(to: url)
            try check(copy, try #require(NSManagedObjectModel(contentsOf: url)))
            count += 1
        }
        #expect(count > 0)
        print("read \(count) histories")
    }

    private func check(_ url: URL, _ model: NSManagedObjectModel) throws {
        for name in model.entities.flatMap(\.attributesByName.values).compactMap(\.valueTransformerName) {
            ValueTransformer.setValueTransformer(ValueTransformer(), forName: NSValueTransformerName(name))
        }
        let database = try TestDatabase(path: url.path)
        let schema = try database.rows("SELECT sql FROM sqlite_master WHERE sql NOT NULL ORDER BY sql")
        let counts = try database.rows(
            "SELECT Z_NAME, ZCHANGETYPE, count(*) FROM ACHANGE JOIN Z_PRIMARYKEY ON Z_PRIMARYKEY.Z_ENT = ZENTITY "
                + "GROUP BY 1, 2 ORDER BY 1, 2")
        let times = try database.rows("SELECT Z_PK, ZTIMESTAMP FROM ATRANSACTION ORDER BY 1")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [NSPersistentHistoryTrackingKey: true])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let history = try context.history()
        #expect(history.map { "\($0.transactionNumber)" } == times.map { $0[0] })
        for (transaction, row) in zip(history, times) {
            let seconds = try #require(row[1].flatMap { Double($0) })
            #expect(abs(transaction.timestamp.timeIntervalSinceReferenceDate - seconds) < 1e-5)
            // They were written by test programs.
            #expect(transaction.bundleID == "com.apple.dt.xctest.tool" && transaction.processID == "xctest")
        }
        var found: [String: Int] = [:]
        for change in history.flatMap({ $0.changes ?? [] }) {
            found["\(change.changedObjectID.entity.name ?? "") \(change.changeType.rawValue)", default: 0] += 1
        }
        let expected = counts.map { ("\($0[0] ?? "") \($0[1] ?? "")", Int($0[2] ?? "") ?? 0) }
        #expect(found == Dictionary(uniqueKeysWithValues: expected))
        // The IDs refer to existing objects.
        for change in history.last?.changes?.prefix(20) ?? [] where change.changeType != .delete {
            #expect(try context.existingObject(with: change.changedObjectID).objectID == change.changedObjectID)
        }
        // A transaction of this runtime follows Apple's.
        let last = try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
        func text(_ entity: NSEntityDescription) -> String? {
            entity.attributesByName.values.filter {
                $0.attributeType == .stringAttributeType && !$0.isTransient && !($0 is NSDerivedAttributeDescription)
            }.map(\.name).min()
        }
        let changes = history.last?.changes ?? []
        // The last transaction of some stores has no object with a text that could be changed.
        guard let id = changes.first(where: { text($0.changedObjectID.entity) != nil })?.changedObjectID else { return }
        let object = try context.existingObject(with: id)
        let key = try #require(text(object.entity))
        object.setValue("changed", forKey: key)
        context.transactionAuthor = "tests"
        do {
            try context.save()
        } catch let error as NSError where error.code == NSValidationMissingMandatoryPropertyError {
            return
        }
        let new = try context.history(after: last)
        #expect(new.map(\.transactionNumber) == [(history.last?.transactionNumber ?? 0) + 1])
        #expect(new.first?.author == "tests")
        let change = try #require(new.first?.changes?.first { $0.changedObjectID == id })
        #expect(change.changeType == .update && change.updatedProperties?.map(\.name).contains(key) == true)
        #expect(try database.rows("SELECT sql FROM sqlite_master WHERE sql NOT NULL ORDER BY sql") == schema)
        #expect(try database.rows("PRAGMA integrity_check") == [["ok"]])
    }
}
