import Testing

@testable import CoreData

/// A stack with an XML or binary store in a separate folder.
struct FormatStack {
    let folder: URL
    let url: URL
    let type: String
    let coordinator: NSPersistentStoreCoordinator
    let store: NSPersistentStore

    init(
        _ type: String, _ url: URL? = nil, model: NSManagedObjectModel = Library.model(),
        options: [AnyHashable: Any]? = nil
    ) throws {
        self.type = type
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-format-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.url = url ?? folder.appendingPathComponent("store.\(type.lowercased())")
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        store = try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: self.url, options: options)
    }

    func context() throws -> NSManagedObjectContext { try Library.context(coordinator) }

    func bytes() throws -> Data { try Data(contentsOf: url) }

    func remove() { try? FileManager.default.removeItem(at: folder) }
}

/// Stores of the types XML and Binary.
@Suite struct FormatStoreTests {
    /// A disk that cannot synchronize folders.
    private final class FailingDisk: StoreDisk, @unchecked Sendable {
        override func synchronize(_ url: URL) throws { throw POSIXError(.EIO) }
    }

    /// A file that was renamed is saved, whatever happens to its folder: an error would say that nothing has changed.
    @Test func replacedFilesAreSavedThoughTheirFolderIsNotSynchronized() throws {
        let folder = try TestFolder()
        let url = folder.url.appendingPathComponent("Store.xml")
        let position = try StoreFileLocation(url, disk: FailingDisk())
        try position.replace(with: [1])
        try position.replace(with: [2])
        #expect(try Data(contentsOf: url) == Data([2]))
        let other = folder.url.appendingPathComponent("Other.xml")
        try Data([3]).write(to: other)
        try position.replace(withFileAt: other)
        #expect(try Data(contentsOf: url) == Data([3]))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["Store.xml"])
    }

    static let types = [NSXMLStoreType, NSBinaryStoreType]

    static func fill(_ context: NSManagedObjectContext) throws {
        let author = context.make("Author", ["name": "Austen <&> \\u0000 \u{1}\r\n“”😀", "age": -41])
        let emma = context.make(
            "Book",
            [
                "title": "Emma", "pages": Int(Int32.max), "price": 0.1, "isNew": false,
                "cost": NSDecimalNumber(string: "123456789012345678.123456789012345678"),
                "date": Date(timeIntervalSinceReferenceDate: 704_123_456.789),
                "data": Data((0..<200).map { UInt8($0) }), "weight": Float(0.1),
                "uuid": UUID(uuidString: "0123A567-89AB-CDEF-0123-456789ABCDEF"),
                "link": URL(string: "https://example.org/emma?a=1&b=%20"), "extra": ["a", "b"] as NSArray,
                "author": author,
            ])
        let novel = context.make("Novel", ["title": "", "data": Data(), "author": author, "prequel": emma])
        let tags = ["old", "good"].map { context.make("Tag", ["name": $0]) }
        emma.setValue(NSSet(array: tags), forKey: "tags")
        novel.setValue(NSSet(array: [tags[0]]), forKey: "tags")
        let shelf = context.make("Shelf", ["name": nil])
        shelf.setValue(NSOrderedSet(array: [novel, emma]), forKey: "volumes")
        try context.save()
    }

    static func expectAll(_ context: NSManagedObjectContext) throws {
        let books = try context.all("Book", by: "title")
        try #require(books.map(\.entity.name) == ["Novel", "Book"])
        let (novel, emma) = (books[0], books[1])
        let author = try #require(emma.value(forKey: "author") as? NSManagedObject)
        #expect(author.value(forKey: "name") as? String == "Austen <&> \\u0000 \u{1}\r\n“”😀")
        #expect(author.value(forKey: "age") as? Int == -41)
        #expect(emma.value(forKey: "title") as? String == "Emma")
        #expect(emma.value(forKey: "pages") as? Int == Int(Int32.max) && emma.value(forKey: "price") as? Double == 0.1)
        #expect(emma.value(forKey: "isNew") as? Bool == false && emma.value(forKey: "weight") as? Float == 0.1)
        #expect(
            emma.value(forKey: "cost") as? NSDecimalNumber
                == NSDecimalNumber(string: "123456789012345678.123456789012345678"))
        #expect(emma.value(forKey: "date") as? Date == Date(timeIntervalSinceReferenceDate: 704_123_456.789))
        #expect(emma.value(forKey: "data") as? Data == Data((0..<200).map { UInt8($0) }))
        #expect(emma.value(forKey: "uuid") as? UUID == UUID(uuidString: "0123A567-89AB-CDEF-0123-456789ABCDEF"))
        #expect(emma.value(forKey: "link") as? URL == URL(string: "https://example.org/emma?a=1&b=%20"))
        #expect(emma.value(forKey: "extra") as? [String] == ["a", "b"])
        // nil differs from an empty string and empty data.
        #expect(novel.value(forKey: "title") as? String == "" && novel.value(forKey: "data") as? Data == Data())
        #expect(novel.value(forKey: "genre") == nil && emma.value(forKey: "prequel") == nil)
        #expect(novel.value(forKey: "prequel") as? NSManagedObject === emma)
        #expect(emma.value(forKey: "sequel") as? NSManagedObject === novel)
        #expect(emma.names("tags") == ["good", "old"] && novel.names("tags") == ["old"])
        #expect(author.names("books") == ["", "Emma"])
        let shelf = try #require(try context.all("Shelf").first)
        #expect(shelf.value(forKey: "name") == nil && shelf.names("volumes") == ["", "Emma"])
    }

    @Test(arguments: types) func savesAndReadsAllKindsOfValues(_ type: String) throws {
        let stack = try FormatStack(type)
        defer { stack.remove() }
        #expect(stack.store.type == type && NSPersistentStoreCoordinator.registeredStoreTypes[type] != nil)
        try Self.fill(try stack.context())
        let again = try FormatStack(type, stack.url)
        defer { again.remove() }
        #expect(again.store.identifier == stack.store.identifier)
        try Self.expectAll(try again.context())
        let names = try FileManager.default.contentsOfDirectory(atPath: stack.folder.path)
        #expect(names == [stack.url.lastPathComponent])
    }

    @Test(arguments: types) func objectIDsStayTheSame(_ type: String) throws {
        let stack = try FormatStack(type)
        defer { stack.remove() }
        let context = try stack.context()
        let first = context.make("Tag", ["name": "first"])
        try context.save()
        let uri = first.objectID.uriRepresentation()
        context.delete(first)
        let second = context.make("Tag", ["name": "second"])
        try context.save()
        let again = try FormatStack(type, stack.url)
        defer { again.remove() }
        let other = try again.context()
        let new = other.make("Tag", ["name": "third"])
        try other.save()
        let uris = Set([uri, second.objectID.uriRepresentation(), new.objectID.uriRepresentation()])
        #expect(uris.count == 3)
        let id = try #require(
            again.coordinator.managedObjectID(forURIRepresentation: second.objectID.uriRepresentation()))
        #expect(try other.existingObject(with: id).value(forKey: "name") as? String == "second")
    }

    @Test(arguments: types) func changesAndDeletionsReachTheFile(_ type: String) throws {
        let stack = try FormatStack(type)
        defer { stack.remove() }
        let context = try stack.context()
        try Self.fill(context)
        let books = try context.all("Book", by: "title")
        books[1].setValue("Emma, again", forKey: "title")
        books[1].setValue(nil, forKey: "data")
        books[1].setValue(nil, forKey: "author")
        context.delete(books[0])
        try context.save()
        let again = try FormatStack(type, stack.url)
        defer { again.remove() }
        let other = try again.context()
        let book = try #require(try other.all("Book").first)
        #expect(try other.all("Book").count == 1 && book.value(forKey: "title") as? String == "Emma, again")
        #expect(book.value(forKey: "data") == nil && book.value(forKey: "author") == nil)
        #expect(book.names("tags") == ["good", "old"])
        #expect(try #require(try other.all("Author").first).names("books").isEmpty)
        #expect(try #require(try other.all("Shelf").first).names("volumes") == ["Emma, again"])
    }

    @Test(arguments: types) func filesAreDeterministic(_ type: String) throws {
        let stack = try FormatStack(type)
        defer { stack.remove() }
        let first = try stack.context()
        try Self.fill(first)
        // Foundation's archives of equal objects differ.
        for book in try first.all("Book") { book.setValue(nil, forKey: "extra") }
        try first.save()
        let bytes = try stack.bytes()
        let again = try FormatStack(type, stack.url)
        defer { again.remove() }
        let context = try again.context()
        let tag = context.make("Tag")
        try context.save()
        #expect(try stack.bytes() != bytes)
        context.delete(tag)
        try context.save()
        // The number of the deleted object is not reused, so that the file keeps it.
        if type == NSXMLStoreType {
            func withoutNumber(_ data: Data) -> String {
                String(decoding: data, as: UTF8.self).split(separator: "\n").filter { !$0.contains("nextObjectID") }
                    .joined(separator: "\n")
            }
            #expect(withoutNumber(try stack.bytes()) == withoutNumber(bytes))
        } else {
            #expect(try stack.bytes().count == bytes.count)
        }
    }

    // MARK: Metadata and versions

    @Test(arguments: types) func metadataRoundTrips(_ type: String) throws {
        let stack = try FormatStack(type)
        defer { stack.remove() }
        let date = Date(timeIntervalSinceReferenceDate: 704_123_456)
        let mine: [String: Any] = [
            "app": "mine <&>", "list": [1, 2.5, true, date, Data([1, 2])] as [Any], "inner": ["a": "b"],
        ]
        stack.coordinator.setMetadata(stack.store.metadata.merging(mine) { $1 }, for: stack.store)
        try stack.context().save()
        let read = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: type, at: stack.url, options: nil)
        #expect(read["app"] as? String == "mine <&>" && read["inner"] as? [String: String] == ["a": "b"])
        let list = try #require(read["list"] as? [Any])
        #expect(list[0] as? Int == 1 && list[1] as? Double == 2.5 && list[2] as? Bool == true)
        #expect(list[3] as? Date == date && list[4] as? Data == Data([1, 2]))
        #expect(read[NSStoreTypeKey] as? String == type && read[NSStoreUUIDKey] as? String == stack.store.identifier)
        let hashes = stack.coordinator.managedObjectModel.entityVersionHashesByName
        #expect(read[NSStoreModelVersionHashesKey] as? [String: Data] == hashes)
        #expect(
            stack.coordinator.managedObjectModel.isConfiguration(withName: nil, compatibleWithStoreMetadata: read))
        try NSPersistentStoreCoordinator.setMetadata(
            read.merging([NSStoreUUIDKey: "U", "app": "yours"]) { $1 }, forPersistentStoreOfType: type, at: stack.url,
            options: nil)
        let again = try FormatStack(type, stack.url)
        defer { again.remove() }
        #expect(again.store.identifier == "U" && again.store.metadata["app"] as? String == "yours")
    }

    @Test(arguments: types) func settingMetadataKeepsTheObjects(_ type: String) throws {
        let stack = try FormatStack(type)
        defer { stack.remove() }
        try Self.fill(try stack.context())
        var metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: stack.url)
        metadata["app"] = "mine"
        try NSPersistentStoreCoordinator.setMetadata(metadata, forPersistentStoreOfType: type, at: stack.url)
        let again = try FormatStack(type, stack.url)
        defer { again.remove() }
        try Self.expectAll(try again.context())
    }

    @Test(arguments: types) func missingStoresHaveNoMetadata(_ type: String) throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("missing-\(UUID())")
        #expect(throws: CocoaError.self) {
            try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url)
        }
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    @Test(arguments: types) func incompatibleModelsAreRejected(_ type: String) throws {
        let stack = try FormatStack(type)
        defer { stack.remove() }
        try Self.fill(try stack.context())
        let bytes = try stack.bytes()
        let model = Library.model()
        let color = NSAttributeDescription()
        color.name = "color"
        color.attributeType = .stringAttributeType
        model.entitiesByName["Tag"]?.properties.append(color)
        #expect {
            _ = try FormatStack(type, stack.url, model: model)
        } throws: {
            ($0 as NSError).code == NSPersistentStoreIncompatibleVersionHashError
        }
        #expect(try stack.bytes() == bytes)
    }

    // MARK: Files

    @Test(arguments: types) func readOnlyStoresAreNotWritten(_ type: String) throws {
        let stack = try FormatStack(type)
        defer { stack.remove() }
        try Self.fill(try stack.context())
        let bytes = try stack.bytes()
        let again = try FormatStack(type, stack.url, options: [NSReadOnlyPersistentStoreOption: true])
        defer { again.remove() }
        let context = try again.context()
        try Self.expectAll(context)
        _ = context.make("Tag")
        #expect(throws: (any Error).self) { try context.save() }
        #expect(try stack.bytes() == bytes)
        let missing = stack.folder.appendingPathComponent("missing")
        #expect(throws: (any Error).self) {
            try FormatStack(type, missing, options: [NSReadOnlyPersistentStoreOption: true])
        }
        #expect(!FileManager.default.fileExists(atPath: missing.path))
    }

    @Test(arguments: types) func aFailedSaveChangesNothing(_ type: String) throws {
        let stack = try FormatStack(type)
        defer { stack.remove() }
        let context = try stack.context()
        try Self.fill(context)
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

    @Test(arguments: types) func otherFilesAreRejectedAndKept(_ type: String) throws {
        let stack = try FormatStack(type)
        defer { stack.remove() }
        let other = try FormatStack(type == NSXMLStoreType ? NSBinaryStoreType : NSXMLStoreType)
        defer { other.remove() }
        try Self.fill(try other.context())
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

    @Test(arguments: types) func foreignFilesAreNotOverwritten(_ type: String) throws {
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
    @Test(arguments: types) func objectsThatOthersHaveSavedAreNotOverwritten(_ type: String) throws {
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
    @Test(arguments: types) func metadataThatOthersHaveSavedAreKept(_ type: String) throws {
        let stack = try FormatStack(type)
        defer { stack.remove() }
        let context = try stack.context()
        try Self.fill(context)
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
        try Self.expectAll(try FormatStack(type, stack.url).context())
    }

    /// A file that was replaced by one with another UUID is another store.
    @Test(arguments: types) func storesThatTookThePositionOfAnotherAreNotOverwritten(_ type: String) throws {
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

    @Test(arguments: types) func symbolicLinksAreKept(_ type: String) throws {
        let stack = try FormatStack(type)
        defer { stack.remove() }
        let link = stack.folder.appendingPathComponent("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: stack.url)
        let other = try FormatStack(type, link)
        defer { other.remove() }
        try Self.fill(try other.context())
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == stack.url.path)
        let again = try FormatStack(type, stack.url)
        defer { again.remove() }
        try Self.expectAll(try again.context())
        let dangling = stack.folder.appendingPathComponent("dangling")
        try FileManager.default.createSymbolicLink(
            at: dangling, withDestinationURL: stack.folder.appendingPathComponent("nowhere"))
        #expect(throws: (any Error).self) { try FormatStack(type, dangling) }
    }

    @Test(arguments: types) func permissionsAreKept(_ type: String) throws {
        let stack = try FormatStack(type)
        defer { stack.remove() }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: stack.url.path)
        try Self.fill(try stack.context())
        let attributes = try FileManager.default.attributesOfItem(atPath: stack.url.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    // MARK: Destroying, replacing and migrating

    @Test(arguments: types) func storesAreDestroyedAndReplaced(_ type: String) throws {
        let stack = try FormatStack(type)
        defer { stack.remove() }
        try Self.fill(try stack.context())
        let copy = stack.folder.appendingPathComponent("copy")
        try stack.coordinator.replacePersistentStore(at: copy, withPersistentStoreFrom: stack.url, ofType: type)
        #expect(try Data(contentsOf: copy) == stack.bytes())
        let other = try FormatStack(type, copy)
        defer { other.remove() }
        try Self.expectAll(try other.context())
        try stack.coordinator.destroyPersistentStore(at: copy, ofType: type)
        #expect(!FileManager.default.fileExists(atPath: copy.path))
        try stack.coordinator.destroyPersistentStore(at: copy, ofType: type)
    }

    @Test(arguments: types, [NSSQLiteStoreType] + types) func migratesToEveryType(_ type: String, _ other: String)
        throws
    {
        let stack = try FormatStack(type)
        defer { stack.remove() }
        try Self.fill(try stack.context())
        let url = stack.folder.appendingPathComponent("copy")
        let copy = try stack.coordinator.migratePersistentStore(stack.store, to: url, withType: other)
        #expect(copy.type == other && copy.identifier != stack.store.identifier)
        let context = try stack.context()
        guard other != NSSQLiteStoreType else {
            // A column of a database keeps 15 digits of the decimal number.
            #expect(try context.all("Book").count == 2)
            return
        }
        try Self.expectAll(context)
        let again = try FormatStack(other, url)
        defer { again.remove() }
        try Self.expectAll(try again.context())
    }

    @Test(arguments: types) func migratesFromSQLite(_ type: String) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        let stack = try FormatStack(type)
        defer { stack.remove() }
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: stack.folder.appendingPathComponent("a.sqlite"))
        let context = try Library.context(coordinator)
        let author = context.make("Author", ["name": "Austen"])
        _ = context.make("Novel", ["title": "Emma", "author": author])
        try context.save()
        let url = stack.folder.appendingPathComponent("copy")
        try coordinator.migratePersistentStore(store, to: url, withType: type)
        let again = try FormatStack(type, url)
        defer { again.remove() }
        let reader = try again.context()
        #expect(try #require(try reader.all("Author").first).names("books") == ["Emma"])
    }

    @Test(arguments: types) func compositeAttributesRoundTrip(_ type: String) throws {
        func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            return attribute
        }
        let inner = NSCompositeAttributeDescription()
        inner.name = "position"
        inner.elements = [attribute("x", .doubleAttributeType), attribute("y", .doubleAttributeType)]
        let position = NSCompositeAttributeDescription()
        position.name = "place"
        position.elements = [attribute("city", .stringAttributeType), inner]
        let entity = NSEntityDescription()
        entity.name = "Event"
        entity.properties = [position]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let stack = try FormatStack(type, model: model)
        defer { stack.remove() }
        let context = try stack.context()
        let value: [String: Any] = ["city": "Bath", "position": ["x": 1.5]]
        _ = context.make("Event", ["place": value])
        _ = context.make("Event")
        try context.save()
        let again = try FormatStack(type, stack.url, model: model.copy() as? NSManagedObjectModel ?? model)
        defer { again.remove() }
        let reader = try again.context()
        let values = try reader.all("Event").map { $0.value(forKey: "place") as? NSDictionary }
        #expect(values.contains(nil) || values.contains([:]))
        #expect(values.contains(NSDictionary(dictionary: value)))
    }
}
