internal import CoreData
internal import Foundation
internal import PostgreSQLClient
internal import PostgreSQLSchema

/// Batch requests, which change many rows without creating their objects in a context.
extension PostgreSQLStore {
    /// Executes a batch request in one transaction.
    func execute(_ batch: BatchChange, with evaluation: BatchEvaluation) throws -> BatchOutcome {
        guard !isReadOnly else {
            throw CoreDataError.error(.persistentStoreSave, text: "the PostgreSQL store is read-only")
        }
        guard let entity = entity(batch.layout) else {
            throw CoreDataError.error(
                .persistentStoreSave, text: "the store does not hold objects of the entity “\(batch.layout.name)”",
                userInfo: [NSAffectedStoresErrorKey: affectedStores])
        }
        return try readingNewest { try carryOut(batch, entity, evaluation) }
    }

    private func carryOut(
        _ batch: BatchChange, _ entity: PostgreSQLEntity, _ evaluation: BatchEvaluation
    ) throws -> BatchOutcome {
        try reporting(.persistentStoreSave, what: "the batch request failed") {
            defer { evictRows() }
            do {
                switch batch.kind {
                case .insert(let values):
                    return try insert(values, entity: entity, batch: batch, evaluation: evaluation)
                case .update(let assignments):
                    return try changing(batch) { record in
                        try PostgreSQLBatchUpdate(
                            store: self, entity: entity, rows: try found(batch.settings, entity, evaluation),
                            evaluation: evaluation
                        ).run(assignments, batch: batch, record: &record)
                    }
                case .delete(.found): return try delete(batch) { try found(batch.settings, entity, evaluation) }
                case .delete(.listed(let ids)): return try delete(batch) { try lock(PostgreSQLBatchRows(ids, self)) }
                }
            } catch let failure as PostgreSQLError where failure.isUniqueness {
                throw CoreDataError.error(
                    .managedObjectConstraintMerge,
                    text: "the batch request violates a uniqueness constraint: \(failure.report)",
                    userInfo: [NSAffectedStoresErrorKey: affectedStores])
            } catch let failure as PostgreSQLError where failure.hasUnknownOutcome {
                throw CoreDataError.error(
                    .persistentStoreSaveOutcomeUnknown,
                    text: "it is unknown whether the batch request was executed: the connection was lost while the "
                        + "server committed it; look at the rows before you repeat it",
                    userInfo: [
                        NSPersistentStoreSaveOutcomeUnknownKey: NSNumber(value: true),
                        NSUnderlyingErrorKey: failure.cocoaError(.persistentStoreSave, "the batch request failed"),
                    ])
            }
        }
    }

    private func delete(_ batch: BatchChange, _ find: () throws -> PostgreSQLBatchRows) throws -> BatchOutcome {
        try changing(batch) { record in
            let rows = try find()
            guard rows.count > 0 else { return BatchOutcome() }
            try PostgreSQLBatchDeletion(self, rows).run(&record)
            return BatchOutcome(
                count: rows.count, ids: batch.needsIDs ? rows.all(self).map { id($0.key, $0.entity) } : [])
        }
    }

    /// Runs a closure in a transaction, and writes the history of what it changes.
    ///
    /// - Parameter repeats: Whether the closure may run several times.
    func changing(
        _ batch: BatchChange, repeats: Bool = true, _ body: (inout PostgreSQLHistoryRecord) throws -> BatchOutcome
    ) throws -> BatchOutcome {
        let isDeletion = if case .delete = batch.kind { true } else { false }
        let root = entity(batch.layout)?.mapping.rootNumber ?? 0
        let locks = derivationLocks(root, isDeletion: isDeletion)
        let (result, last) = try transaction(locks, repeats: repeats) { _ -> (BatchOutcome, Rows?) in
            var record = PostgreSQLHistoryRecord(self)
            let result = try body(&record)
            guard result.count > 0 else { return (result, nil) }
            try refreshDerivations(root, isDeletion: isDeletion)
            let last = try run(
                [Statement("SET CONSTRAINTS ALL IMMEDIATE")]
                    + record.commands(author: batch.author, contextName: batch.contextName)
            ).last
            return (result, last)
        }
        if result.count > 0 { didWrite(last) }
        return result
    }

    // MARK: Rows

    /// Returns the rows that a request matches, locked until the transaction ends.
    ///
    /// Rows that another program has changed since they were found are compared with the predicate again, as a single
    /// statement would do.
    private func found(
        _ settings: FetchSettings, _ entity: PostgreSQLEntity, _ evaluation: BatchEvaluation
    ) throws -> PostgreSQLBatchRows {
        let candidates = try search(settings, evaluation)
        let locked = try lock(candidates)
        guard settings.predicate != nil, locked.count > 0 else { return locked }
        var again = settings
        if settings.fetchLimit > 0 || settings.fetchOffset > 0, let predicate = settings.predicate {
            // A range of the rows was chosen before; other rows may be in it by now.
            let range = NSPredicate(format: "SELF IN %@", locked.all(self).map { id($0.key, $0.entity) })
            again.predicate = NSCompoundPredicate(andPredicateWithSubpredicates: [range, predicate])
        }
        again.fetchLimit = 0
        again.fetchOffset = 0
        return locked.intersection(try search(again, evaluation), self)
    }

    /// Locks rows until the transaction ends, and returns the ones that still exist.
    func lock(_ rows: PostgreSQLBatchRows) throws -> PostgreSQLBatchRows {
        var result = PostgreSQLBatchRows()
        let roots = Set(rows.entities(self).map(\.mapping.rootNumber)).sorted()
        // In the order of the keys, so that two requests do not wait for each other.
        let commands = roots.compactMap { root in
            entity(number: root).map { entity in
                Statement(
                    "SELECT _pk, _entity FROM \(entity.table) WHERE _pk = ANY($1) ORDER BY _pk FOR UPDATE",
                    [PostgreSQLValue(rows.keys(root: root))])
            }
        }
        guard !commands.isEmpty else { return result }
        for found in try run(commands) {
            for row in 0..<found.count {
                guard let key = found.integer(row, 0),
                    let entity = found.integer(row, 1).flatMap({ entity(number: Int($0)) })
                else { continue }
                result.add(key, entity)
            }
        }
        evictRows()
        return result
    }

    /// Returns the rows that a request matches, found by the server if SQL can express all of it, otherwise in memory.
    private func search(_ settings: FetchSettings, _ evaluation: BatchEvaluation) throws -> PostgreSQLBatchRows {
        var settings = settings
        if settings.fetchLimit <= 0, settings.fetchOffset <= 0 { settings.sortDescriptors = nil }
        settings.resultType = .managedObjectIDResultType
        // Other programs may have written since rows were read.
        evictRows()
        var rows = PostgreSQLBatchRows()
        for id in try evaluation.matching(settings) { rows.add(id, self) }
        return rows
    }

    // MARK: Insertions

    /// The maximum number of rows that are inserted at once, and about the maximum of their bytes.
    private static let insertionLimit = (rows: 10_000, bytes: 16 << 20)

    private func insert(
        _ objects: () throws -> BatchChange.NewObject?, entity: PostgreSQLEntity, batch: BatchChange,
        evaluation: BatchEvaluation
    ) throws -> BatchOutcome {
        let root = entity.mapping.rootNumber
        let hasUniques = schema?.table(root: root)?.uniques.isEmpty == false
        let merge =
            batch.mergeType == .errorMergePolicyType || !hasUniques
            ? nil
            : PostgreSQLBatchMerge(
                store: self, entity: entity, policy: batch.mergeType, evaluation: evaluation)
        // The request provides the objects only once.
        return try changing(batch, repeats: false) { record in
            var outcome = BatchOutcome()
            var isAtEnd = false
            while !isAtEnd {
                var (part, bytes): ([BatchChange.NewObject], Int) = ([], 0)
                while part.count < Self.insertionLimit.rows, bytes < Self.insertionLimit.bytes, !isAtEnd {
                    guard let object = try objects() else {
                        isAtEnd = true
                        break
                    }
                    let size = object.values.reduce(0) { $0 + $1.sentSize }
                    if size > Self.insertionLimit.bytes {
                        try checkSize(of: Row.make(object.values, version: 1), entity.layout, nil)
                    }
                    bytes += size
                    part.append(object)
                }
                guard !part.isEmpty else { break }
                if let merge {
                    let (merged, keys) = try insert(part, entity, using: merge)
                    merge.record(merged, keys: keys, needsIDs: batch.needsIDs, outcome: &outcome, record: &record)
                } else {
                    let keys = try insert(part.map { ($0.values, 1) }, entity)
                    outcome.count += keys.count
                    if batch.needsIDs { outcome.ids += keys.map { id($0, entity) } }
                    for key in keys { record.insert(key, entity) }
                }
            }
            return outcome
        }
    }

    /// Inserts a part of a batch, or merges it into the rows that have the same values. A part that another program has
    /// inserted at the same time is merged again. A transaction must be open.
    private func insert(
        _ part: [BatchChange.NewObject], _ entity: PostgreSQLEntity, using merge: PostgreSQLBatchMerge
    ) throws -> (part: PostgreSQLBatchMerge.Part, keys: [Int64]) {
        // The locks of earlier parts remain, and another program need not be the cause.
        var attempts = 0
        return try repeating(upon: { failure in
            attempts += 1
            return attempts < 3 && (failure.isUniqueness || failure.isRepeatable)
        }) {
            _ = try run([Statement("SAVEPOINT modelc_part")])
            do {
                let merged = try merge.part(part)
                try merge.writeChanges(merged)
                let keys = try insert(merged.new, entity)
                _ = try run(
                    ["SET CONSTRAINTS ALL IMMEDIATE", "SET CONSTRAINTS ALL DEFERRED", "RELEASE SAVEPOINT modelc_part"]
                        .map { Statement($0) })
                return (merged, keys)
            } catch let failure as PostgreSQLError where !failure.isLost {
                try connections.held?.rollBack(toSavepoint: "modelc_part")
                evictRows()
                throw failure
            }
        }
    }

    /// Inserts rows with their versions, and returns their keys. A transaction must be open.
    private func insert(_ objects: [(values: [SlotValue], version: Int)], _ entity: PostgreSQLEntity) throws -> [Int64]
    {
        guard !objects.isEmpty else { return [] }
        let rows = objects.map { Row.make(DerivedValues.plain($0.values, entity), version: $0.version) }
        let keys = try keys(rows.count, entity.mapping.rootNumber)
        connections.witness = PostgreSQLWitness(table: entity.table, key: keys[0])
        do {
            try copy(rows, keys: keys, entity: entity, columns: PostgreSQLEntity.columns(of: entity.fields).count)
        } catch let failure as PostgreSQLError where failure.isTooLarge {
            throw try PostgreSQLConstraintCheck(store: self).tooLarge(in: rows.map { (entity, $0, nil) }) ?? failure
        }
        return keys
    }

    /// The number of bytes of rows that are passed on at once.
    private static let copiedBytes = 256 * 1024

    /// Inserts rows with COPY. A transaction must be open.
    func copy(_ rows: [Row], keys: [Int64], entity: PostgreSQLEntity, columns: Int) throws {
        guard let session = connections.held else { return }
        var index = 0
        var buffer = PostgreSQLRowBuffer()
        try session.copyIn(PostgreSQLRowStatements.copy(entity)) {
            guard index < rows.count else { return nil }
            buffer.removeAll()
            while index < rows.count, buffer.bytes.count < Self.copiedBytes {
                try PostgreSQLRowStatements.add(
                    rows[index], key: keys[index], entity: entity, columns: columns, to: &buffer, store: self)
                index += 1
            }
            return buffer.bytes
        }
    }
}

/// The rows affected by a batch request, by entity.
struct PostgreSQLBatchRows {
    /// The keys by entity number.
    private(set) var keys: [Int: [Int64]] = [:]
    private var known: [Int: Set<Int64>] = [:]
    private(set) var count = 0

    init() {}

    /// Creates the rows of a store's objects among the given ones.
    init(_ ids: [NSManagedObjectID], _ store: PostgreSQLStore) {
        for id in ids where store.holds(id) { add(id, store) }
    }

    /// Returns the rows that are also among others.
    func intersection(_ other: PostgreSQLBatchRows, _ store: PostgreSQLStore) -> PostgreSQLBatchRows {
        var result = PostgreSQLBatchRows()
        for (key, entity) in all(store) where other.known[entity.mapping.rootNumber]?.contains(key) == true {
            result.add(key, entity)
        }
        return result
    }

    /// Adds a row, unless it was added before.
    ///
    /// - Returns: Whether the row was added.
    @discardableResult
    mutating func add(_ key: Int64, _ entity: PostgreSQLEntity) -> Bool {
        guard known[entity.mapping.rootNumber, default: []].insert(key).inserted else { return false }
        keys[entity.number, default: []].append(key)
        count += 1
        return true
    }

    mutating func add(_ id: NSManagedObjectID, _ store: PostgreSQLStore) {
        guard case .number(let key) = id.reference, let entity = store.entity(id.layout) else { return }
        add(key, entity)
    }

    /// Returns the entities that have rows.
    func entities(_ store: PostgreSQLStore) -> [PostgreSQLEntity] {
        keys.keys.sorted().compactMap { store.entity(number: $0) }
    }

    func keys(root: Int) -> [Int64] { (known[root] ?? []).sorted() }

    /// Returns all rows, by entity.
    func all(_ store: PostgreSQLStore) -> [(key: Int64, entity: PostgreSQLEntity)] {
        entities(store).flatMap { entity in (keys[entity.number] ?? []).map { ($0, entity) } }
    }
}
