internal import Foundation

/// Carries out batch requests: rows are written without objects, each batch in one transaction.
struct BatchWriter {
    private let store: SQLiteStore
    private let connection: SQLiteConnection
    private let context: NSManagedObjectContext
    private let entity: StoredEntity
    private let batch: BatchChange
    private var outcome = BatchOutcome()

    init(
        _ store: SQLiteStore, _ connection: SQLiteConnection, _ batch: BatchChange, _ entity: StoredEntity,
        _ context: NSManagedObjectContext
    ) {
        self.store = store
        self.connection = connection
        self.batch = batch
        self.entity = entity
        self.context = context
    }

    /// Does what the request asks for. The transaction has begun.
    mutating func run() throws -> BatchOutcome {
        switch batch.kind {
        case .insert(let values): try insert(values)
        case .update(let assignments): try update(assignments)
        case .delete(.found): try delete(try found().map { ($0.entity, $0.key) })
        case .delete(.listed(let ids)):
            try delete(
                ids.compactMap { id in
                    guard case .number(let key) = id.reference, id.persistentStore === store else { return nil }
                    return store.entity(of: id).map { ($0, key) }
                })
        }
        return outcome
    }

    private mutating func note(_ key: Int64, _ entity: StoredEntity) {
        outcome.count += 1
        if batch.needsIDs { outcome.ids.append(store.id(key, entity)) }
    }

    // MARK: Insertion

    private mutating func insert(_ values: () -> [SlotValue]?) throws {
        var writer = RowWriter(store, connection)
        let root = entity.mapping.rootNumber
        // The batch has the right to write: nobody else takes keys meanwhile.
        var next = try store.reserveKeys(0, root, connection)
        while let values = values() {
            let row = Row(values: DerivedValues.plain(values, entity), version: 1)
            do {
                try writer.insert(next, row, entity)
                note(next, entity)
                try store.history?.note(.insert, next, entity)
                next += 1
            } catch let error as SQLiteError where error.isUniqueness {
                try merge(row, error)
            }
        }
        try store.setLastKey(next - 1, root, connection)
    }

    /// A new object has the values of a stored one that must be unique: the context's policy says which of the two is wanted.
    private mutating func merge(_ row: Row, _ error: SQLiteError) throws {
        let policy = (context.mergePolicy as? NSMergePolicy)?.mergeType ?? .errorMergePolicyType
        switch policy {
        case .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType: return
        case .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType:
            let check = ConstraintCheck(store, connection, [])
            let keys = try check.storedKeys(row, entity)
            guard keys.count == 1, let stored = keys.first else { throw error }
            try write(row, entity.fields.filter { !isToOne($0) }.map(\.slot), over: stored.key, stored.entity)
        case .errorMergePolicyType:
            throw CoreDataError.error(
                .managedObjectConstraintMerge, "values of the batch must be unique, and are not",
                [NSUnderlyingErrorKey: error.cocoaError(.persistentStoreSave, "the batch failed", at: store.fileURL)])
        }
    }

    private func isToOne(_ field: StoredEntity.Field) -> Bool { if case .toOne = field.kind { true } else { false } }

    // MARK: Update

    /// The objects that the request is about.
    private func found() throws -> [(entity: StoredEntity, key: Int64)] {
        var settings = batch.settings
        settings.resultType = .managedObjectIDResultType
        // One without changes, so that nothing unsaved counts.
        let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        context.persistentStoreCoordinator = store.persistentStoreCoordinator
        return try store.fetch(settings, for: context).compactMap { result in
            guard let id = result as? NSManagedObjectID, case .number(let key) = id.reference else { return nil }
            return store.entity(of: id).map { ($0, key) }
        }
    }

    private mutating func update(_ assignments: [BatchChange.Assignment]) throws {
        let needsObjects = assignments.contains { if case .expression = $0.value { true } else { false } }
        let reading = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        reading.persistentStoreCoordinator = store.persistentStoreCoordinator
        let slots = assignments.map(\.slot)
        for (entity, key) in try found() {
            let object = needsObjects ? reading.object(with: store.id(key, entity)) : nil
            var values = entity.layout.defaults
            for assignment in assignments {
                values[assignment.slot] = try value(assignment, object, entity)
            }
            try write(Row(values: values, version: 0), slots, over: key, entity)
        }
    }

    private func value(
        _ assignment: BatchChange.Assignment, _ object: NSManagedObject?, _ entity: StoredEntity
    ) throws -> SlotValue {
        switch assignment.value {
        case .constant(let value): return value
        case .expression(let expression):
            let result = ValueConversion.unwrapped(expression.expressionValue(with: object, context: nil))
            guard let result else { return .null }
            let slot = entity.layout.slots[assignment.slot]
            if case .attribute(let type) = slot.kind, let value = ValueConversion.slotValue(result, type) {
                return value
            }
            if slot.kind == .toOne, let other = result as? NSManagedObject { return .reference(other.objectID) }
            throw CoreDataError.error(
                .persistentStoreSave, "“\(entity.layout.name).\(slot.name)” cannot have the value \(result)",
                [NSValidationKeyErrorKey: slot.name, NSValidationValueErrorKey: result])
        }
    }

    /// Writes some slots of a row, whatever version it has.
    private mutating func write(_ row: Row, _ slots: [Int], over key: Int64, _ entity: StoredEntity) throws {
        try store.dropFiles(key, entity, slots, connection)
        var writer = RowWriter(store, connection)
        let version = try connection.integer("SELECT ifnull(Z_OPT, 0) FROM \(entity.table) WHERE Z_PK = \(key)")
        guard let version, try writer.update(key, row, from: Int(version), slots, entity) else { return }
        try MemberWriter(store, connection).write(writer.orders)
        try store.history?.note(.update, key, entity, slots)
        note(key, entity)
    }

    // MARK: Deletion

    private mutating func delete(_ objects: [(StoredEntity, Int64)]) throws {
        var deletion = BatchDeletion(store, connection)
        for (entity, key) in try deletion.run(objects) { note(key, entity) }
    }
}

extension SQLiteStore {
    /// Carries a batch out.
    func carryOut(_ batch: BatchChange, for context: NSManagedObjectContext) throws -> BatchOutcome {
        guard let entity = entity(batch.layout) else { return BatchOutcome() }
        return try reporting(.persistentStoreSave, "the batch cannot be written to \(fileURL.path)") {
            let connection = try connection()
            var didCommit = false
            defer {
                external.finish(didCommit: didCommit)
                _ = triggerFunctions.take()
                // Objects may be in use: their next fetch finds what the batch has written.
                forgetRows()
            }
            let outcome = try connection.transaction {
                try notice(connection)
                try history?.begin(context)
                var writer = BatchWriter(self, connection, batch, entity, context)
                let outcome = try writer.run()
                try history?.end()
                try external.prepare()
                return outcome
            }
            didCommit = true
            postRemoteChange()
            return outcome
        }
    }
}
