import CoreData
import Testing

/// Numbers that no program writes, in files that other programs or faults have changed.
@Suite struct DamagedNumberTests {
    /// Creates a store with a tag, and runs a statement in its file.
    private func damaged(_ sql: String) throws -> TestStore {
        let store = try TestStore()
        let context = try store.open()
        try context.performAndWait {
            _ = context.make("Tag", ["name": "a"])
            try context.save()
        }
        try TestStore.close(context)
        try store.database().run(sql)
        store.isSound = false
        return store
    }

    @Test func negativeEntityNumbersAreIgnored() throws {
        let store = try damaged("UPDATE Z_PRIMARYKEY SET Z_ENT = -1 WHERE Z_NAME = 'Tag'")
        let context = try store.open()
        try context.performAndWait {
            #expect(try context.all("Tag").map { $0.value(forKey: "name") as? String } == ["a"])
            _ = context.make("Tag", ["name": "b"])
            try context.save()
        }
        #expect(try store.database().rows("SELECT ZNAME FROM ZTAG ORDER BY Z_PK") == [["a"], ["b"]])
    }

    @Test func newRowsGetKeysIfTheLastKeyIsAText() throws {
        let store = try damaged("UPDATE Z_PRIMARYKEY SET Z_MAX = 'abc' WHERE Z_NAME = 'Tag'")
        let context = try store.open()
        try context.performAndWait {
            _ = context.make("Tag", ["name": "b"])
            try context.save()
        }
        #expect(try store.database().rows("SELECT Z_PK, ZNAME FROM ZTAG ORDER BY Z_PK") == [["1", "a"], ["2", "b"]])
        #expect(try store.database().rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag'") == [["2"]])
    }

    @Test func objectsWithTheGreatestVersionAreSaved() throws {
        let store = try damaged("UPDATE ZTAG SET Z_OPT = \(Int64.max)")
        let context = try store.open()
        try context.performAndWait {
            let tag = try #require(try context.all("Tag").first)
            for name in ["b", "c"] {
                tag.setValue(name, forKey: "name")
                try context.save()
            }
        }
        #expect(try store.database().rows("SELECT ZNAME FROM ZTAG") == [["c"]])
    }

    @Test func documentsWithoutNumbersForNewObjectsAreDamaged() throws {
        let stack = try FormatStack(NSXMLStoreType)
        defer { stack.remove() }
        let context = try stack.context()
        _ = context.make("Tag", ["name": "a"])
        try context.save()
        let text = String(decoding: try stack.bytes(), as: UTF8.self)
        let number = try #require(text.range(of: "<nextObjectID>[0-9]+</nextObjectID>", options: .regularExpression))
        let changed = text.replacingCharacters(in: number, with: "<nextObjectID>\(Int64.max)</nextObjectID>")
        try Data(changed.utf8).write(to: stack.url)
        let error = nsError { _ = try FormatStack(NSXMLStoreType, stack.url) }
        #expect(error?.code == CocoaError.fileReadCorruptFile.rawValue, "\(error as Any)")
    }
}
