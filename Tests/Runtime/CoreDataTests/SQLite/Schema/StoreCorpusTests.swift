import CoreData
import ModelSource
import StoreFile
import Testing

/// The stores of Apple's framework in the folder named by `MODELC_CORPUS` can be opened, read, changed and saved, and
/// keep Apple's layout.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["MODELC_CORPUS"] != nil))
struct StoreCorpusTests {
    private static let root = URL(fileURLWithPath: ProcessInfo.processInfo.environment["MODELC_CORPUS"] ?? "")

    private static func files(_ suffix: String) -> [URL] {
        let paths = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        return paths.filter { $0.hasSuffix(suffix) && (suffix != ".sqlite" || SchemaCorpusTests.isPlain($0)) }.sorted()
            .map { root.appendingPathComponent($0) }
    }

    /// Returns the models that match a store: its own copy, and one from source if the corpus contains it.
    static func models(of store: StoreFile, _ fixture: CompiledFixture) throws -> [NSManagedObjectModel] {
        var models: [NSManagedObjectModel] = []
        if let archive = store.modelArchive {
            let url = fixture.folder.appendingPathComponent(UUID().uuidString + ".mom")
            try Data(archive).write(to: url)
            models += [try #require(NSManagedObjectModel(contentsOf: url))]
        }
        let hashes = Dictionary(uniqueKeysWithValues: store.hashes.elements.map { ($0.name, Data($0.hash.bytes)) })
        for source in files("/contents") {
            guard let xml = try? String(contentsOf: source, encoding: .utf8), let model = try? fixture.load(xml),
                model.entityVersionHashesByName == hashes
            else { continue }
            return models + [model]
        }
        return models
    }

    @Test func readsAndChangesApplesStores() throws {
        let fixture = try CompiledFixture()
        var (stores, objects, related) = (0, 0, 0)
        for (index, file) in Self.files(".sqlite").enumerated() {
            for (number, model) in try Self.models(of: StoreFile(path: file.path), fixture).enumerated() {
                let copy = fixture.folder.appendingPathComponent("\(index)-\(number).sqlite")
                for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: file.path + suffix) {
                    try FileManager.default.copyItem(atPath: file.path + suffix, toPath: copy.path + suffix)
                    let writable: [FileAttributeKey: Any] = [.posixPermissions: 0o644]
                    try FileManager.default.setAttributes(writable, ofItemAtPath: copy.path + suffix)
                }
                let check = StoreCheck(name: file.lastPathComponent, url: copy, model: model)
                let found = try check.run()
                (stores, objects, related) = (stores + 1, objects + found.objects, related + found.related)
            }
        }
        #expect(stores > 0)
        print("opened \(stores) stores, read \(objects) objects, followed \(related) relationships")
    }
}

/// One store with one model.
private struct StoreCheck {
    let name: String
    let url: URL
    let model: NSManagedObjectModel

    private func open() throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        // A store with a history can be changed only by programs that maintain it.
        let isTracked = try !TestDatabase(path: url.path).rows(
            "SELECT 1 FROM sqlite_master WHERE name = 'ATRANSACTION'"
        ).isEmpty
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: isTracked ? [NSPersistentHistoryTrackingKey: true] : nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    private func close(_ context: NSManagedObjectContext) throws {
        let coordinator = try #require(context.persistentStoreCoordinator)
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    func run() throws -> (objects: Int, related: Int) {
        for attribute in model.entities.flatMap(\.attributesByName.values) {
            guard let transformer = attribute.valueTransformerName, !transformer.isEmpty else { continue }
            // The app's transformer is not available: values are their bytes.
            ValueTransformer.setValueTransformer(ValueTransformer(), forName: NSValueTransformerName(transformer))
        }
        let before = try TestDatabase(path: url.path)
        let schema = try before.rows("SELECT sql FROM sqlite_master WHERE sql NOT NULL ORDER BY sql")
        let counts = try before.rows("SELECT Z_NAME, Z_ENT FROM Z_PRIMARYKEY WHERE Z_ENT < 16000")
        let maxima = try before.rows("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT < 16000 ORDER BY Z_ENT")
        let context = try open()
        let result = try context.performAndWait { () throws -> (Int, Int) in
            let found = try read(context, before, entityCount: counts.count)
            try change(context)
            return found
        }
        try close(context)
        let after = try TestDatabase(path: url.path)
        #expect(try after.rows("PRAGMA integrity_check") == [["ok"]], "\(name)")
        #expect(try after.rows("SELECT sql FROM sqlite_master WHERE sql NOT NULL ORDER BY sql") == schema, "\(name)")
        // One object was inserted into each hierarchy that can have objects.
        for (old, new) in zip(
            maxima, try after.rows("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT < 16000 ORDER BY Z_ENT"))
        {
            let entity = old[0].flatMap { model.entitiesByName[$0] }
            let isRoot = entity.map { $0.superentity == nil && hasConcreteEntity($0) } ?? false
            #expect(Int(new[1] ?? "") == (Int(old[1] ?? "") ?? 0) + (isRoot ? 1 : 0), "\(name) \(new)")
        }
        return result
    }

    private func hasConcreteEntity(_ entity: NSEntityDescription) -> Bool {
        !entity.isAbstract || entity.subentities.contains(where: hasConcreteEntity)
    }

    /// Returns the first entity of a hierarchy that can have objects.
    private func concrete(_ entity: NSEntityDescription) -> NSEntityDescription? {
        entity.isAbstract ? entity.subentities.compactMap(concrete).first : entity
    }

    /// Compares all values with the columns, and follows all relationships.
    private func read(
        _ context: NSManagedObjectContext, _ database: TestDatabase, entityCount: Int
    ) throws -> (Int, Int) {
        #expect(model.entities.count == entityCount, "\(name)")
        var (objects, related) = (0, 0)
        for entity in model.entities where entity.superentity == nil {
            let table = "Z" + (entity.name ?? "").uppercased()
            let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
            let found = try context.fetch(request)
            let count = try database.rows("SELECT count(*) FROM \(table)").first?[0]
            #expect("\(found.count)" == count, "\(name) \(table)")
            for object in found {
                let key = object.objectID.uriRepresentation().lastPathComponent.dropFirst()
                objects += 1
                // Do what the app's class would do when the object awakes.
                for attribute in object.entity.attributesByName.values
                where attribute.isTransient && !attribute.isOptional {
                    object.setPrimitiveValue(Self.value(attribute), forKey: attribute.name)
                }
                let attributes = object.entity.attributesByName.values.filter { !$0.isTransient }
                let columns = attributes.map { "Z" + $0.name.uppercased() }.joined(separator: ", ")
                let stored = try database.rows("SELECT \(columns) FROM \(table) WHERE Z_PK = \(key)").first ?? []
                for (attribute, stored) in zip(attributes, stored) {
                    compare(object.value(forKey: attribute.name), stored, attribute)
                }
                for relationship in object.entity.relationshipsByName.values where !relationship.isTransient {
                    related += follow(relationship, of: object)
                }
            }
        }
        return (objects, related)
    }

    private func compare(_ value: Any?, _ stored: String?, _ attribute: NSAttributeDescription) {
        let label = "\(name) \(attribute.name) \(stored ?? "null")"
        switch attribute.attributeType {
        // For objects of unavailable classes, the bytes are read if there is a named transformer.
        case .transformableAttributeType where attribute.valueTransformerName == nil: return
        case .stringAttributeType: check(value as? String == stored, label)
        case .URIAttributeType: check((value as? URL)?.absoluteString == stored, label)
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            check((value as? Int).map { "\($0)" } == stored, label)
        case .booleanAttributeType: check((value as? Bool).map { $0 ? "1" : "0" } == stored, label)
        case .dateAttributeType:
            let seconds = (value as? Date)?.timeIntervalSinceReferenceDate
            check(seconds == stored.flatMap { Double($0) }, label)
        case .doubleAttributeType, .floatAttributeType, .decimalAttributeType:
            let number = (value as? NSNumber)?.doubleValue
            check((number == nil) == (stored == nil), label)
            if let number, let stored = stored.flatMap({ Double($0) }) { check(abs(number - stored) < 1e-6, label) }
        default: check((value == nil) == (stored == nil), label)
        }
    }

    /// Checks that each related object has values and refers back to this object.
    private func follow(_ relationship: NSRelationshipDescription, of object: NSManagedObject) -> Int {
        let value = object.value(forKey: relationship.name)
        let others = (value as? NSSet)?.allObjects ?? (value as? NSOrderedSet)?.array ?? value.map { [$0] } ?? []
        for case let other as NSManagedObject in others {
            let isRight = other.entity.isKindOf(entity: relationship.destinationEntity ?? other.entity)
            check(!other.isDeleted && isRight, "\(name) \(relationship.name)")
            guard let inverse = relationship.inverseRelationship else { continue }
            let back = other.value(forKey: inverse.name)
            let exists =
                (back as? NSSet)?.contains(object) ?? (back as? NSOrderedSet)?.contains(object)
                ?? ((back as? NSManagedObject) === object)
            check(exists, "\(name) \(relationship.name)")
        }
        return others.count
    }

    /// Records an issue if a condition is false, for conditions that are checked many thousands of times.
    private func check(_ isTrue: Bool, _ label: String) {
        if !isTrue { Issue.record("\(label)") }
    }

    /// Changes an object of each entity, adds one and deletes one, and checks the file.
    private func change(_ context: NSManagedObjectContext) throws {
        var changed: [NSManagedObjectID: String] = [:]
        for entity in model.entities where !entity.isAbstract {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
            request.includesSubentities = false
            let texts = entity.attributesByName.values.filter { $0.attributeType == .stringAttributeType }
                .filter { !$0.isTransient && !($0 is NSDerivedAttributeDescription) }.map(\.name).sorted()
            guard let object = try context.fetch(request).last, let key = texts.first else { continue }
            object.setValue("changed 💾 \(entity.name ?? "")", forKey: key)
            changed[object.objectID] = key
        }
        let new = model.entities.filter { $0.superentity == nil }.compactMap(concrete)
            .map { NSManagedObject(entity: $0, insertInto: context) }
        for object in new {
            let entity = object.entity
            for attribute in entity.attributesByName.values where attribute.attributeType == .UUIDAttributeType {
                object.setValue(UUID(), forKey: attribute.name)
            }
            for attribute in entity.attributesByName.values where attribute.attributeType == .stringAttributeType {
                guard !(attribute is NSDerivedAttributeDescription) else { continue }
                object.setValue("x", forKey: attribute.name)
            }
            for attribute in entity.attributesByName.values where attribute.attributeType == .dateAttributeType {
                object.setValue(Date(timeIntervalSinceReferenceDate: 1), forKey: attribute.name)
            }
            for attribute in entity.attributesByName.values
            where !attribute.isOptional && object.value(forKey: attribute.name) == nil {
                object.setPrimitiveValue(Self.value(attribute), forKey: attribute.name)
            }
            for relationship in entity.relationshipsByName.values where !relationship.isOptional {
                guard let destination = relationship.destinationEntity else { continue }
                let others = NSFetchRequest<NSManagedObject>(entityName: destination.name ?? "")
                // A new destination is not taken from another object.
                let other =
                    try new.first { $0.entity.isKindOf(entity: destination) } ?? context.fetch(others).first
                if !relationship.isToMany {
                    object.setValue(other, forKey: relationship.name)
                } else if let other {
                    object.mutableSetValue(forKey: relationship.name).add(other)
                }
            }
        }
        try context.save()
        let database = try TestDatabase(path: url.path)
        for (id, key) in changed {
            let object = context.object(with: id)
            var root = object.entity
            while let parent = root.superentity { root = parent }
            let sql = "SELECT Z\(key.uppercased()) FROM Z\((root.name ?? "").uppercased()) WHERE Z_OPT > 1 AND Z_PK = "
            let row = try database.rows(sql + id.uriRepresentation().lastPathComponent.dropFirst())
            #expect(row == [["changed 💾 \(object.entity.name ?? "")"]], "\(name) \(id)")
        }
        var inserted = context.registeredObjects.first { changed[$0.objectID] == nil && !$0.isFault }
        if let object = inserted {
            context.delete(object)
            do {
                try context.save()
            } catch let error as NSError where error.code == NSValidationMissingMandatoryPropertyError {
                // Other objects require it.
                context.rollback()
                inserted = nil
            }
        }
        let other = try open()
        try other.performAndWait {
            for (id, key) in changed where id != inserted?.objectID {
                let again = try #require(
                    other.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: id.uriRepresentation()))
                let object = try other.existingObject(with: again)
                #expect(object.value(forKey: key) as? String == "changed 💾 \(object.entity.name ?? "")")
            }
            if let inserted,
                let id = other.persistentStoreCoordinator?.managedObjectID(
                    forURIRepresentation: inserted.objectID.uriRepresentation())
            {
                #expect(throws: NSError.self) { try other.existingObject(with: id) }
            }
        }
        try close(other)
    }

    private static func value(_ attribute: NSAttributeDescription) -> Any? {
        switch attribute.attributeType {
        case .binaryDataAttributeType: Data([1])
        case .URIAttributeType: URL(string: "https://example.com")
        case .decimalAttributeType: NSDecimalNumber(value: 1)
        case .transformableAttributeType: Data([1, 2])
        default: NSNumber(value: 1)
        }
    }
}
