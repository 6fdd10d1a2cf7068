internal import Foundation

/// Inserts many rows of one entity.
struct BatchInsertion {
    private let store: SQLiteStore
    private let connection: SQLiteConnection
    private let entity: StoredEntity
    private let history: HistoryWriter?
    private let policy: NSMergePolicyType
    private let needsIDs: Bool
    private var writer: RowWriter
    private var outcome = BatchOutcome()

    init(
        store: SQLiteStore, connection: SQLiteConnection, entity: StoredEntity, history: HistoryWriter?,
        batch: BatchChange
    ) {
        self.store = store
        self.connection = connection
        self.entity = entity
        self.history = history
        needsIDs = batch.needsIDs
        policy = batch.mergeType
        writer = RowWriter(store, connection)
    }

    mutating func run(_ objects: () throws -> BatchChange.NewObject?) throws -> BatchOutcome {
        var key = try store.reserveKeys(0, root: entity.mapping.rootNumber, connection: connection)
        while let object = try objects() {
            let values = DerivedValues.plain(object.values, entity)
            let fileCount = store.external.writtenCount
            do {
                try writer.insert(key, values: values, entity: entity)
            } catch let error as SQLiteError where error.isUniqueness {
                store.external.dropWritten(from: fileCount)
                try resolve(object, row: Row.make(values, version: 1), error: error)
                continue
            }
            try history?.insert(key, entity)
            record(key)
            guard key < Int64.max else {
                throw CoreDataError.error(
                    .persistentStoreSave, text: "the table \(entity.table) has no keys left",
                    userInfo: [NSURLErrorKey: store.fileURL])
            }
            key += 1
        }
        try store.setLastKey(key - 1, root: entity.mapping.rootNumber, connection: connection)
        return outcome
    }

    private mutating func record(_ key: Int64) {
        outcome.count += 1
        if needsIDs { outcome.ids.append(store.id(key, entity)) }
    }

    // MARK: Uniqueness constraints

    /// Applies the merge policy to a violation of a uniqueness constraint: the stored object is kept, or gets the
    /// values of the new one.
    private mutating func resolve(_ object: BatchChange.NewObject, row: Row, error: SQLiteError) throws {
        var rivals: [(key: Int64, entity: StoredEntity)] = []
        let decision = try UniquenessDecision(policy, of: object, entity) {
            rivals = try ConstraintCheck(store, connection).storedKeys(row, entity)
            return rivals.map(\.entity.number)
        }
        let given: [Int]
        switch decision {
        case .fail: throw store.constraintFailure(error)
        case .skip: return
        case .merge(let slots): given = slots
        }
        guard let rival = rivals.first else { throw store.constraintFailure(error) }
        let slots = Set(given + entity.mapping.derived.filter { !$0.hasTriggers }.map(\.slot)).sorted()
        try store.dropFiles(rival.key, entity: entity, slots: slots, connection: connection)
        guard try writer.update(rival.key, row: row, from: version(of: rival.key), slots: slots, entity: entity) else {
            throw error
        }
        entity.cache[rival.key] = nil
        try history?.update(rival.key, entity, slots: slots)
        record(rival.key)
    }

    private func version(of key: Int64) throws -> Int {
        let statement = try connection.statement("SELECT ifnull(Z_OPT, 0) FROM \(entity.table) WHERE Z_PK = ?")
        defer { statement.reset() }
        statement.bind(key, at: 1)
        return try statement.step() ? Int(truncatingIfNeeded: statement.integer(0)) : 0
    }
}
