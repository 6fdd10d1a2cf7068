internal import RuntimeSupport

/// Finds references that a save would leave dangling. SQLite does not enforce foreign keys, because Apple's files
/// declare none.
struct DanglingReferenceCheck {
    private let store: SQLiteStore
    private let connection: SQLiteConnection
    private let changes: [ObjectChange]
    /// The keys of the objects that the save deletes, by the number of their root entity.
    private var deletedKeys: [Int: [Int64]] = [:]
    /// The IDs of these objects by key, built when a reference to one is found.
    private var knownDeleted: [Int: [Int64: NSManagedObjectID]]?
    /// The objects that the save inserts, built when one is referred to.
    private var inserted: Set<RowIdentity>?
    /// Rows that have already been looked up.
    private var cache: [RowIdentity: Bool] = [:]

    /// The number of keys that are looked up at once: each is part of the statement's text.
    private static let groupSize = 500

    init(store: SQLiteStore, connection: SQLiteConnection, changes: [ObjectChange]) {
        self.store = store
        self.connection = connection
        self.changes = changes
        var keys: [Int64] = []
        // Objects of the same entity are mostly adjacent.
        var (root, layout): (Int?, UnsafeMutableRawPointer?) = (nil, nil)
        changes.forEachUncounted { change in
            guard change.kind == .delete else { return }
            let ownLayout = Unmanaged.passUnretained(change.id.layout).toOpaque()
            if ownLayout != layout {
                layout = ownLayout
                let ownRoot = store.entity(of: change.id)?.mapping.rootNumber
                if ownRoot != root {
                    if let root, !keys.isEmpty { deletedKeys[root, default: []] += keys }
                    keys.removeAll(keepingCapacity: true)
                    root = ownRoot
                }
            }
            if root != nil, case .number(let key) = change.id.reference { keys.append(key) }
        }
        if let root, !keys.isEmpty { deletedKeys[root, default: []] += keys }
    }

    /// Returns the objects that the save deletes, by the number of their root entity and by key.
    private mutating func deleted() -> [Int: [Int64: NSManagedObjectID]] {
        if let knownDeleted { return knownDeleted }
        var made: [Int: [Int64: NSManagedObjectID]] = [:]
        for change in changes where change.kind == .delete {
            if let row = row(of: change.id) { made[row.root, default: [:]][row.key] = change.id }
        }
        knownDeleted = made
        return made
    }

    private func row(of id: NSManagedObjectID) -> RowIdentity? {
        guard case .number(let key) = id.reference, let entity = store.entity(of: id) else { return nil }
        return RowIdentity(root: entity.mapping.rootNumber, key: key)
    }

    /// Checks the references that the save writes. Called within the transaction, before anything is written.
    ///
    /// - Throws: `ReferenceConflicts` if some of them would dangle.
    mutating func checkWritten() throws {
        var conflicts = ReferenceConflicts()
        // Many objects often have the same reference.
        var last: NSManagedObjectID?
        try changes.forEachUncounted { change in
            guard change.kind != .delete, let entity = store.entity(change.layout) else { return }
            try change.forEachWrittenReference(
                holdsMembers: { entity.mapping.slotColumns[$0].holdsMembers }
            ) { slot, target in
                if target === last { return }
                last = target
                if try !exists(target) {
                    last = nil
                    conflicts.dangling.append(.init(source: change.id, slot: slot, target: target))
                }
            }
        }
        conflicts.unpaired = try ReferenceConflicts.unpaired(in: changes) { try store.rows(for: $0) }
        guard !conflicts.isEmpty else { return }
        conflicts.left = try referencesToDeleted()
        throw conflicts
    }

    /// Checks that nothing refers to objects that the save deletes. Called when their rows are deleted and nothing else
    /// is written yet: most rows that referred to them are then deleted as well.
    ///
    /// - Throws: `ReferenceConflicts` if there are such references.
    mutating func checkDeleted() throws {
        var conflicts = ReferenceConflicts()
        conflicts.left = try referencesToDeleted()
        if !conflicts.isEmpty { throw conflicts }
    }

    /// Returns whether an object is in the store after the save.
    private mutating func exists(_ id: NSManagedObjectID) throws -> Bool {
        guard let row = row(of: id), let entity = store.entity(of: id) else { return true }
        if !deletedKeys.isEmpty, deleted()[row.root]?[row.key] != nil { return false }
        // Writes by other connections were detected when the transaction began.
        if entity.cache[row.key] != nil { return true }
        if let cached = cache[row] { return cached }
        let exists = try insertedRows().contains(row) || isStored(row.key, entity)
        cache[row] = exists
        return exists
    }

    private mutating func insertedRows() -> Set<RowIdentity> {
        if let inserted { return inserted }
        let made = Set(changes.lazy.filter { $0.kind == .insert }.compactMap { [self] in row(of: $0.id) })
        inserted = made
        return made
    }

    private func isStored(_ key: Int64, _ entity: StoredEntity) throws -> Bool {
        let statement = try connection.statement("SELECT 1 FROM \(entity.table) WHERE Z_PK = ?")
        defer { statement.reset() }
        statement.bind(key, at: 1)
        return try statement.step()
    }

    // MARK: Deleted objects

    /// Returns the references in the file to objects that the save deletes, except for those that it replaces.
    private mutating func referencesToDeleted() throws -> [ReferenceConflicts.Reference] {
        guard !deletedKeys.isEmpty, let schema = store.schema else { return [] }
        var replaced: [RowIdentity: [Int]] = [:]
        changes.forEachUncounted { change in
            guard change.kind == .update, let row = row(of: change.id) else { return }
            replaced[row] = change.changedSlots
        }
        var result: [ReferenceConflicts.Reference] = []
        for (mapping, _, columns) in schema.entities.toOneColumns(to: deletedKeys.keys) {
            guard let source = store.entity(number: mapping.number),
                let root = store.entity(number: columns.destination)?.mapping.rootNumber,
                let targets = deletedKeys[root]
            else { continue }
            result += try references(columns, in: source, to: targets, root).filter { reference in
                guard let row = self.row(of: reference.source) else { return false }
                return replaced[row]?.contains(reference.slot) != true
            }
        }
        return result
    }

    /// Returns the references of a column to keys of a table, except for those of objects that the save also deletes.
    private mutating func references(
        _ columns: ToOneColumns, in source: StoredEntity, to targets: [Int64], _ root: Int
    ) throws -> [ReferenceConflicts.Reference] {
        var result: [ReferenceConflicts.Reference] = []
        let column = SQLName.quoted(columns.key)
        let keys = targets.sorted()
        for condition in Self.conditions(on: column, keys) {
            let statement = try SQLiteStatement(
                connection, "SELECT Z_PK, \(source.numberColumn()), \(column) FROM \(source.table) WHERE \(condition)")
            while try statement.step() {
                let key = statement.integer(0)
                guard deleted()[source.mapping.rootNumber]?[key] == nil,
                    let target = deleted()[root]?[statement.integer(2)],
                    let entity = store.entity(number: Int(truncatingIfNeeded: statement.integer(1))),
                    let slot = entity.mapping.slotColumns.firstIndex(where: { $0.isToOne(key: columns.key) }),
                    !ReferenceConflicts.isKept(entity.layout.slots[slot], target)
                else { continue }
                result.append(.init(source: store.id(key, entity), slot: slot, target: target))
            }
        }
        return result
    }

    /// Returns conditions that together match the rows whose column contains one of the sorted keys.
    private static func conditions(on column: String, _ keys: [Int64]) -> [String] {
        guard let first = keys.first, let last = keys.last else { return [] }
        if last.subtractingReportingOverflow(first) == (Int64(keys.count - 1), false) {
            return [SQLName.isIn(column, keys)]
        }
        return stride(from: 0, to: keys.count, by: groupSize).map {
            SQLName.isIn(column, keys[$0..<min($0 + groupSize, keys.count)])
        }
    }
}
