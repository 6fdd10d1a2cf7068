import Testing

@testable import CoreData

/// The files of XML and binary stores, and what happens to them when a save fails.
@Suite struct FormatStoreFileTests {
    @Test(arguments: FormatStoreTests.types) func readOnlyStoresAreNotWritten(_ type: String) throws {
        let stack = try FormatStack(type)
        defer { stack.remove() }
        try FormatStoreTests.fill(try stack.context())
        let bytes = try stack.bytes()
        let again = try FormatStack(type, stack.url, options: [NSReadOnlyPersistentStoreOption: true])
        defer { again.remove() }
        let context = try again.context()
        try FormatStoreTests.expectAll(context)
        _ = context.make("Tag")
        #expect(throws: (any Error).self) { try context.save() }
        #expect(try stack.bytes() == bytes)
        let missing = stack.folder.appendingPathComponent("missing")
        #expect(throws: (any Error).self) {
            try FormatStack(type, missing, options: [NSReadOnlyPersistentStoreOption: true])
        }
        #expect(!FileManager.default.fileExists(atPath: missing.path))
    }

    @Test(arguments: FormatStoreTests.types) func aFailedSaveChangesNothing(_ type: String) throws {
        let stack = try FormatStack(type)
        defer { stack.remove() }
        let context = try stack.context()
        try FormatStoreTests.fill(context)
        let moved = stack.folder.appendingPathComponent("moved")
        let bytes = try stack.bytes()
        try FileManager.default.moveItem(at: stack.url, to: moved)
        try FileManager.default.createDirectory(at: stack.url, withIntermediateDirectories: false)
        let book = try #require(try context.all("Novel").first)
        book.setValue("changed", forKey: "title")
        #expect(throws: (any Error).self) { try context.save() }
        #expect(context.hasChanges && book.isUpdated)
        try FileManager.default.removeItem(at: stack.url)
        try FileManager.default.moveItem(at: moved, to: stack.url)
        #expect(try stack.bytes() == bytes)
        try context.save()
        let again = try FormatStack(type, stack.url)
        defer { again.remove() }
        let reader = try again.context()
        #expect(try reader.all("Novel").first?.value(forKey: "title") as? String == "changed")
        #expect(try FileManager.default.contentsOfDirectory(atPath: stack.folder.path).count == 1)
    }

    @Test(arguments: FormatStoreTests.types) func otherFilesAreRejectedAndKept(_ type: String) throws {
        let stack = try FormatStack(type)
        defer { stack.remove() }
        let other = try FormatStack(type == NSXMLStoreType ? NSBinaryStoreType : NSXMLStoreType)
        defer { other.remove() }
        try FormatStoreTests.fill(try other.context())
        let contents = [
            try other.bytes(), Data("bplist00\u{1}".utf8), Data("<?xml version=\"1.0\"?>\n<model/>".utf8),
            Data("MODELC-".utf8), Data([0]),
        ]
        let url = stack.folder.appendingPathComponent("file")
        for content in contents {
            try content.write(to: url)
            #expect {
                _ = try FormatStack(type, url)
            } throws: {
                ($0 as NSError).code == CocoaError.fileReadCorruptFile.rawValue
            }
            #expect(throws: (any Error).self) {
                try stack.coordinator.destroyPersistentStore(at: url, ofType: type)
            }
            #expect(throws: (any Error).self) {
                try stack.coordinator.replacePersistentStore(at: url, withPersistentStoreFrom: stack.url, ofType: type)
            }
            #expect(throws: (any Error).self) {
                try NSPersistentStoreCoordinator.setMetadata([:], forPersistentStoreOfType: type, at: url)
            }
            #expect(try Data(contentsOf: url) == content)
        }
        for position in ["/dev/null", stack.folder.path] {
            let url = URL(fileURLWithPath: position)
            #expect(throws: (any Error).self) { try FormatStack(type, url) }
            #expect(throws: (any Error).self) {
                try stack.coordinator.destroyPersistentStore(at: url, ofType: type)
            }
            #expect(throws: (any Error).self) {
                try stack.coordinator.replacePersistentStore(at: url, withPersistentStoreFrom: stack.url, ofType: type)
            }
        }
        #expect(FileManager.default.fileExists(atPath: "/dev/null"))
    }

    @Test(arguments: FormatStoreTests.types) func foreignFilesAreNotOverwritten(_ type: String) throws {
        let stack = try FormatStack(type)
        defer { stack.remove() }
        let context = try stack.context()
        let note = Data("shopping list".utf8)
        try note.write(to: stack.url)
        _ = context.make("Tag")
        #expect(throws: (any Error).self) { try context.save() }
        #expect(try stack.bytes() == note)
    }

    /// A save writes the whole file, so it must not replace one with objects that it does not know.
    @Test(arguments: FormatStoreTests.types) func objectsThatOthersHaveSavedAreNotOverwritten(_ type: String) throws {
        let stack = try FormatStack(type)
        defer { stack.remove() }
        let context = try stack.context()
        _ = context.make("Tag", ["name": "first"])
        try context.save()
        let other = try FormatStack(type, stack.url)
        defer { other.remove() }
        let otherContext = try other.context()
        _ = otherContext.make("Tag", ["name": "other"])
        try otherContext.save()
        let bytes = try stack.bytes()

        let mine = context.make("Tag", ["name": "mine"])
        for _ in 0..<2 {
            let error = try #require(nsError { try context.save() })
            #expect(error.domain == NSCocoaErrorDomain && error.code == NSPersistentStoreSaveError)
            #expect((error.userInfo[NSAffectedStoresErrorKey] as? [NSPersistentStore])?.first === stack.store)
            #expect(mine.isInserted && mine.objectID.isTemporaryID)
            #expect(try stack.bytes() == bytes)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: stack.folder.path).count == 1)

        // As the message says.
        try stack.coordinator.remove(stack.store)
        try stack.coordinator.addPersistentStore(ofType: type, configurationName: nil, at: stack.url)
        try context.save()
        #expect(
            try context.all("Tag", by: "name").compactMap { $0.value(forKey: "name") as? String } == [
                "first", "mine", "other",
            ])
        // The other coordinator's store is now the one that is out of date.
        _ = otherContext.make("Tag", ["name": "again"])
        #expect(nsError { try otherContext.save() }?.code == NSPersistentStoreSaveError)
    }

    /// Metadata that other programs have written do not matter, and are kept.
    @Test(arguments: FormatStoreTests.types) func metadataThatOthersHaveSavedAreKept(_ type: String) throws {
        let stack = try FormatStack(type)
        defer { stack.remove() }
        let context = try stack.context()
        try FormatStoreTests.fill(context)
        let other = try FormatStack(type, stack.url)
        defer { other.remove() }
        for (coordinator, store, key) in [
            (other.coordinator, other.store, "b"), (stack.coordinator, stack.store, "a"),
            (other.coordinator, other.store, "c"),
        ] {
            coordinator.setMetadata(coordinator.metadata(for: store).merging([key: key]) { $1 }, for: store)
            try Library.context(coordinator).save()
        }
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: stack.url)
        #expect(["a", "b", "c"].allSatisfy { metadata[$0] as? String == $0 })
        try FormatStoreTests.expectAll(try FormatStack(type, stack.url).context())
    }

    /// A file that was replaced by one with another UUID is another store.
    @Test(arguments: FormatStoreTests.types) func storesThatTookThePositionOfAnotherAreNotOverwritten(_ type: String)
        throws
    {
        let (stack, other) = (try FormatStack(type), try FormatStack(type))
        defer {
            stack.remove()
            other.remove()
        }
        let context = try stack.context()
        try other.bytes().write(to: stack.url)
        _ = context.make("Tag")
        #expect(nsError { try context.save() }?.code == NSPersistentStoreSaveError)
        #expect(try stack.bytes() == other.bytes())
    }

    @Test(arguments: FormatStoreTests.types) func symbolicLinksAreKept(_ type: String) throws {
        let stack = try FormatStack(type)
        defer { stack.remove() }
        let link = stack.folder.appendingPathComponent("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: stack.url)
        let other = try FormatStack(type, link)
        defer { other.remove() }
        try FormatStoreTests.fill(try other.context())
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == stack.url.path)
        let again = try FormatStack(type, stack.url)
        defer { again.remove() }
        try FormatStoreTests.expectAll(try again.context())
        let dangling = stack.folder.appendingPathComponent("dangling")
        try FileManager.default.createSymbolicLink(
            at: dangling, withDestinationURL: stack.folder.appendingPathComponent("nowhere"))
        #expect(throws: (any Error).self) { try FormatStack(type, dangling) }
    }

    @Test(arguments: FormatStoreTests.types) func permissionsAreKept(_ type: String) throws {
        let stack = try FormatStack(type)
        defer { stack.remove() }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: stack.url.path)
        try FormatStoreTests.fill(try stack.context())
        let attributes = try FileManager.default.attributesOfItem(atPath: stack.url.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
}
