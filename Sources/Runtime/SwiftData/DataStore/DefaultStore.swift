internal import CoreData
internal import Foundation

/// The store of a `ModelConfiguration`: an SQLite file of Core Data's form, or a store in memory.
public final class DefaultStore: DataStore {
    /// The type of the settings.
    public typealias Configuration = ModelConfiguration
    /// The type of the models' values.
    public typealias Snapshot = DefaultSnapshot

    /// The settings.
    public let configuration: ModelConfiguration
    /// The entities.
    public let schema: Schema
    private let context: ModelContext

    /// Opens the store.
    ///
    /// - Throws: `SwiftDataError.unknownSchema` if the configuration has no schema; otherwise the error of a
    ///   `ModelContainer` for it.
    public init(_ configuration: ModelConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        guard let schema = configuration.schema else {
            throw SwiftDataError(.unknownSchema, "the configuration “\(configuration.name)” has no schema")
        }
        self.configuration = configuration
        self.schema = schema
        context = ModelContext(
            try ModelContainer(for: schema, migrationPlan: migrationPlan, configurations: [configuration]))
    }

    /// The identifier in the file.
    public var identifier: String { context.core.coordinator.persistentStores.first?.identifier ?? "" }

    /// Returns the models that a query finds.
    ///
    /// - Throws: What `ModelContext.fetch(_:)` throws.
    public func fetch<T: PersistentModel>(
        _ request: DataStoreFetchRequest<T>
    ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
        let found = try context.fetch(request.descriptor)
        return DataStoreFetchResult(
            descriptor: request.descriptor,
            fetchedSnapshots: try found.map { try DefaultSnapshot($0.core.managed) { PersistentIdentifier($0) } })
    }

    /// Saves changes.
    ///
    /// - Throws: `SwiftDataError.unknownSchema` for an identifier of another store, the `NSError` of a model that was
    ///   deleted; otherwise what `ModelContext.save()` throws. Nothing is saved then.
    public func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        context.author = request.editingState.author
        var objects: [PersistentIdentifier: NSManagedObject] = [:]
        do {
            for snapshot in request.inserted {
                objects[snapshot.persistentIdentifier] = NSEntityDescription.insertNewObject(
                    forEntityName: snapshot.persistentIdentifier.entityName, into: context.managed)
            }
            for snapshot in request.inserted + request.updated {
                try fill(try object(snapshot.persistentIdentifier, objects), snapshot, objects)
            }
            for snapshot in request.deleted {
                context.managed.delete(try object(snapshot.persistentIdentifier, objects))
            }
            try context.save()
        } catch {
            context.rollback()
            throw error
        }
        let remapped = request.inserted.compactMap { snapshot in
            objects[snapshot.persistentIdentifier].map {
                (snapshot.persistentIdentifier, PersistentIdentifier($0.currentID))
            }
        }
        return DataStoreSaveChangesResult(
            for: identifier, remappedIdentifiers: Dictionary(remapped) { first, _ in first })
    }

    private func fill(
        _ object: NSManagedObject, _ snapshot: DefaultSnapshot, _ new: [PersistentIdentifier: NSManagedObject]
    ) throws {
        guard let info = schema.classes[snapshot.persistentIdentifier.entityName] else { return }
        let values = try snapshot.storedValues(info) { try self.object($0, new) }
        for property in info.properties {
            guard let slot = object.slotNumber(of: property.name) else { continue }
            let value = values[property.name]
            if property.access.isToMany {
                object.setMembers(value as? [NSManagedObject] ?? [], ofSlot: slot)
            } else if property.access.destination != nil {
                object.setObject(value as? NSManagedObject, ofSlot: slot)
            } else {
                object.setValue(value, ofSlot: slot)
            }
        }
    }

    private func object(
        _ identifier: PersistentIdentifier, _ new: [PersistentIdentifier: NSManagedObject]
    ) throws -> NSManagedObject {
        if let object = new[identifier] { return object }
        guard let id = context.objectID(for: identifier) else {
            throw SwiftDataError(.unknownSchema, "\(identifier.debugDescription) is not in the store")
        }
        return try context.managed.existingObject(with: id)
    }

    /// Deletes the contents.
    ///
    /// - Throws: What `ModelContainer.erase()` throws.
    public func erase() throws { try context.container.erase() }
}
