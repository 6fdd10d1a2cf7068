import CoreData
import Testing

/// Two versions of a model of people and pets, stores of the first, and a mapping model between them.
final class MappingFixture {
    let folder: URL
    /// People with a name, and pets with an owner.
    let first: NSManagedObjectModel
    /// People with a full name, a rank and an ordered set of pets, and pets with an owner.
    let second: NSManagedObjectModel

    /// - Parameter change: A function that changes the second version further.
    init(change: (NSManagedObjectModel) -> Void = { _ in }) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        first = Self.model(
            person: [Self.attribute("name", .stringAttributeType), Self.attribute("age", .integer64AttributeType)],
            isOrdered: false)
        second = Self.model(
            person: [
                Self.attribute("fullName", .stringAttributeType), Self.attribute("age", .integer32AttributeType),
                Self.attribute("rank", .integer16AttributeType, optional: false, value: 7),
            ], isOrdered: true)
        change(second)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Creates a fixture with unique version hashes, so that files next to the test program match no other test.
    static func unique() throws -> MappingFixture {
        let fixture = try MappingFixture { second in
            second.entitiesByName["Person"]?.attributesByName["fullName"]?.renamingIdentifier = "name"
        }
        let modifier = UUID().uuidString
        for model in [fixture.first, fixture.second] {
            for entity in model.entities { entity.versionHashModifier = modifier }
        }
        return fixture
    }

    /// Runs a body with files next to the test program, where mapping models and models are searched for.
    static func withResources<Result>(_ files: [String: Data], _ body: () throws -> Result) throws -> Result {
        let prefix = UUID().uuidString
        let urls = files.map { (Bundle.main.bundleURL.appendingPathComponent("\(prefix)-\($0.key)"), $0.value) }
        defer { for (url, _) in urls { try? FileManager.default.removeItem(at: url) } }
        for (url, data) in urls { try data.write(to: url) }
        return try body()
    }

    static func attribute(
        _ name: String, _ type: NSAttributeType, optional: Bool = true, value: Any? = nil
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = optional
        attribute.defaultValue = value
        return attribute
    }

    private static func model(person attributes: [NSAttributeDescription], isOrdered: Bool) -> NSManagedObjectModel {
        let person = NSEntityDescription()
        person.name = "Person"
        let pet = NSEntityDescription()
        pet.name = "Pet"
        // Apple's migrations use plain objects, whatever the name of the class.
        pet.managedObjectClassName = "MigrationPet"
        let cat = NSEntityDescription()
        cat.name = "Cat"
        let owner = NSRelationshipDescription()
        owner.name = "owner"
        owner.destinationEntity = person
        owner.maxCount = 1
        let pets = NSRelationshipDescription()
        pets.name = "pets"
        pets.destinationEntity = pet
        pets.maxCount = 0
        pets.isOrdered = isOrdered
        owner.inverseRelationship = pets
        pets.inverseRelationship = owner
        person.properties = attributes + [pets]
        pet.properties = [attribute("name", .stringAttributeType), owner]
        cat.properties = [attribute("lives", .integer16AttributeType)]
        pet.subentities = [cat]
        let model = NSManagedObjectModel()
        model.entities = [person, pet, cat]
        return model
    }

    func url(_ name: String) -> URL { folder.appendingPathComponent(name) }

    /// Opens a store.
    static func open(
        _ url: URL, _ model: NSManagedObjectModel, type: String = NSSQLiteStoreType, options: [AnyHashable: Any]? = nil
    ) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    static func close(_ context: NSManagedObjectContext) throws {
        let coordinator = try #require(context.persistentStoreCoordinator)
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    /// Creates a store of the first version with three people and four pets, one of them a cat and one without an
    /// owner.
    @discardableResult
    func makeStore(
        _ name: String = "Old.sqlite", type: String = NSSQLiteStoreType, at location: URL? = nil, people: Int = 3
    ) throws -> URL {
        let position = location ?? url(name)
        let context = try Self.open(position, first, type: type)
        try context.performAndWait {
            func insert(_ entity: String) -> NSManagedObject {
                NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
            }
            var owners: [NSManagedObject] = []
            for number in 0..<people {
                let person = insert("Person")
                person.setValue("Person \(number)", forKey: "name")
                person.setValue(20 + number, forKey: "age")
                owners.append(person)
            }
            for (number, entity) in ["Pet", "Cat", "Pet", "Pet"].enumerated() {
                let pet = insert(entity)
                pet.setValue("Pet \(number)", forKey: "name")
                if entity == "Cat" { pet.setValue(9, forKey: "lives") }
                if number < 3, owners.count > 1 { pet.setValue(owners[number / 2], forKey: "owner") }
            }
            try context.save()
        }
        try Self.close(context)
        return position
    }

    // MARK: The mapping model

    static func property(_ name: String, _ format: String?) -> NSPropertyMapping {
        let mapping = NSPropertyMapping()
        mapping.name = name
        mapping.valueExpression = format.map { NSExpression(format: $0) }
        return mapping
    }

    static func entity(
        _ name: String, attributes: [(String, String?)], relationships: [(String, String?)] = [], policy: String? = nil
    ) -> NSEntityMapping {
        let mapping = NSEntityMapping()
        mapping.name = "\(name)To\(name)"
        mapping.mappingType = policy == nil ? .transformEntityMappingType : .customEntityMappingType
        mapping.sourceEntityName = name
        mapping.destinationEntityName = name
        mapping.entityMigrationPolicyClassName = policy
        mapping.attributeMappings = attributes.map { property($0.0, $0.1) }
        mapping.relationshipMappings = relationships.map { property($0.0, $0.1) }
        return mapping
    }

    static let petsExpression =
        "FUNCTION($manager, \"destinationInstancesForSourceRelationshipNamed:sourceInstances:\", \"pets\", $source.pets)"
    static let ownerExpression =
        "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", \"PersonToPerson\", $source.owner)"

    /// Returns the mapping model as created by Xcode's editor.
    func mapping(policy: String? = nil, fullName: String = "$source.name") -> NSMappingModel {
        let model = NSMappingModel()
        model.entityMappings = [
            Self.entity(
                "Person", attributes: [("fullName", fullName), ("age", "$source.age"), ("rank", nil)],
                relationships: [("pets", Self.petsExpression)], policy: policy),
            Self.entity(
                "Pet", attributes: [("name", "$source.name")], relationships: [("owner", Self.ownerExpression)]),
            Self.entity(
                "Cat", attributes: [("name", "$source.name"), ("lives", "$source.lives + 1")],
                relationships: [("owner", Self.ownerExpression)]),
        ]
        return model
    }

    /// Migrates a store to a new one.
    func migrate(
        _ source: URL, type: String = NSSQLiteStoreType, _ mapping: NSMappingModel, to name: String = "New.sqlite",
        as newType: String = NSSQLiteStoreType, manager: NSMigrationManager? = nil
    ) throws -> URL {
        let manager = manager ?? NSMigrationManager(sourceModel: first, destinationModel: second)
        let position = url(name)
        try manager.migrateStore(
            from: source, sourceType: type, with: mapping, toDestinationURL: position, destinationType: newType)
        return position
    }

    /// Returns the content of a store of the second version: a line for each person and pet.
    func lines(_ url: URL, type: String = NSSQLiteStoreType) throws -> [String] {
        let context = try Self.open(url, second, type: type)
        defer { try? Self.close(context) }
        return try context.performAndWait {
            let people = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person")).map { person in
                let pets = (person.value(forKey: "pets") as? NSOrderedSet)?.compactMap {
                    ($0 as? NSManagedObject)?.value(forKey: "name") as? String
                }
                return "\(person.value(forKey: "fullName") ?? "nil") \(person.value(forKey: "age") ?? "nil") "
                    + "\(person.value(forKey: "rank") ?? "nil") \((pets ?? []).sorted())"
            }
            let pets = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Pet")).map { pet in
                let lives = pet.entity.name == "Cat" ? " \(pet.value(forKey: "lives") ?? "nil")" : ""
                let owner = (pet.value(forKey: "owner") as? NSManagedObject)?.value(forKey: "fullName") ?? "nil"
                return "\(pet.entity.name ?? "") \(pet.value(forKey: "name") ?? "nil")\(lives) of \(owner)"
            }
            return people.sorted() + pets.sorted()
        }
    }

    /// The content of a migrated store.
    static let migrated = [
        "Person 0 20 7 [\"Pet 0\", \"Pet 1\"]", "Person 1 21 7 [\"Pet 2\"]", "Person 2 22 7 []",
        "Cat Pet 1 10 of Person 0",
        "Pet Pet 0 of Person 0", "Pet Pet 2 of Person 1", "Pet Pet 3 of nil",
    ]

    /// Returns the bytes of all files in the folder whose names begin with a prefix, except shared-memory files of
    /// SQLite.
    func bytes(_ prefix: String) throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
            $0.hasPrefix(prefix) && !$0.hasSuffix("-shm")
        }
        let files = try names.map { ($0, try Data(contentsOf: url($0))) }
        return Dictionary(uniqueKeysWithValues: files.filter { !$0.0.hasSuffix("-wal") || !$0.1.isEmpty })
    }
}
