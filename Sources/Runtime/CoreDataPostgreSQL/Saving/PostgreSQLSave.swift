internal import CoreData
internal import Foundation
internal import PostgreSQLClient
internal import PostgreSQLSchema

/// A save of a PostgreSQL store, in one transaction.
///
/// All rows of an entity go to the server in one statement, as arrays of columns, and all statements in one round trip;
/// a second one commits after the versions were compared.
struct PostgreSQLSave {
    private let store: PostgreSQLStore
    private let changes: [ObjectChange]
    private var commands = PostgreSQLCommandList()
    private var checks: [Check] = []
    /// The rows for the context and the cache after the save.
    private var written: [(index: Int, key: Int64, entity: PostgreSQLEntity, row: Row?, cached: Row?)] = []
    private var members: PostgreSQLMembers
    /// The statements whose results have values that the server computes.
    private var computedResults: [(command: Int, entity: PostgreSQLEntity)] = []
    /// The derived attributes that the server computes, and their first statement.
    private var derivations: [PostgreSQLDerivation] = []
    private var firstDerived = 0
    /// The rows of objects that the save does not write but whose derived attributes it has changed.
    private var derivedRows: [NSManagedObjectID: Row] = [:]

    /// The expected result of a statement.
    private struct Check {
        var command: Int
        /// The changes by the key of their row.
        var changes: [Int64: Int]
        /// Whether the result contains the keys of the conflicts, rather than those of all other rows.
        var givesConflicts: Bool
    }

    /// The maximum number of rows in a statement, and about the maximum of their bytes.
    private static let limit = (rows: 20_000, bytes: 16 << 20)

    init(_ store: PostgreSQLStore, _ changes: [ObjectChange]) {
        self.store = store
        self.changes = changes
        members = PostgreSQLMembers(store)
    }

    /// Writes all changes in a transaction, which the caller ends.
    ///
    /// - Throws: `SaveConflicts` if another program has saved the same objects, `PostgreSQLError`.
    mutating func begin(_ save: StoreSave) throws -> PostgreSQLStore.OpenTransaction<Written> {
        try addDeletions()
        try addUpdates()
        try addInsertions()
        commands.add(members.rowCommands(changes))
        commands.add(members.orderCommands())
        let derivedUpdates = PostgreSQLDerivedUpdates(store, changes)
        commands.add(derivedUpdates.locks())
        let derived = derivedUpdates.commands()
        firstDerived = commands.count
        derivations = derived.map(\.derivation)
        commands.add(derived.map(\.command))
        try addLocks(save.locked)
        let metadata = store.hasUnsavedMetadata ? commands.count : nil
        if metadata != nil { commands.add([store.metadataSelection]) }
        // Deferred constraints are checked along with the rest, before the second round trip.
        commands.add([Statement("SET CONSTRAINTS ALL IMMEDIATE")])
        if !changes.isEmpty {
            commands.add(try historyRecord().commands(author: save.author, contextName: save.contextName))
        }
        let (checks, witness, commands, store) = (checks, witness, commands, store)
        do {
            return try store.begin(try commands.firstPart()) { first in
                let results = try first + commands.run(after: first.count, store)
                store.connections.witness = witness
                let conflicts = Self.conflicts(checks, results)
                if !conflicts.isEmpty { throw VersionMismatch(changes: conflicts) }
                return Written(
                    results: results, metadata: try metadata.map { try store.writeMetadata(over: results[$0]) })
            }
        } catch let mismatch as VersionMismatch {
            throw try saveConflicts(mismatch.changes, save.locked)
        }
    }

    /// What a transaction has written.
    struct Written {
        fileprivate var results: [Rows]
        /// The metadata; `nil` if they were not written.
        fileprivate var metadata: [String: Any]?
    }

    /// Updates the caches and the metadata of the store after the transaction was committed. Returns what was written.
    mutating func finish(_ committed: Written) -> SaveResult {
        let results = committed.results
        if !changes.isEmpty { store.didWrite(results.last) }
        adoptResults(results)
        adoptComputed(
            store.derivedValues(derivations, Array(results[firstDerived..<(firstDerived + derivations.count)])))
        if let metadata = committed.metadata { store.recordSavedMetadata(metadata) }
        var rows = [Row?](repeating: nil, count: changes.count)
        for write in written {
            rows[write.index] = write.row
            write.entity.remember(write.cached, write.key)
        }
        return SaveResult(rows: rows, derived: derivedRows)
    }

    /// The row by which the save is recognized: an inserted one if there is one, because other programs are unlikely to
    /// have changed it.
    private var witness: PostgreSQLWitness? {
        let write =
            written.first { changes[$0.index].kind == .insert } ?? written.first { changes[$0.index].kind == .update }
            ?? written.first
        return write.map {
            PostgreSQLWitness(
                table: $0.entity.table, key: $0.key, isDeleted: changes[$0.index].kind == .delete)
        }
    }

    /// Completes the rows that were updated with the values that the server computes.
    private mutating func adoptResults(_ results: [Rows]) {
        var values = PostgreSQLComputedValues()
        for (command, entity) in computedResults {
            let result = results[command]
            for row in 0..<result.count {
                guard let key = result.integer(row, 0) else { continue }
                for (index, field) in entity.foreignFields.enumerated() {
                    guard case .attribute(_, let coding) = field.kind else { continue }
                    values.add(
                        result.bytes(row, index + 1).map(coding.value) ?? .null,
                        name: entity.layout.slots[field.slot].name, key: key, entity: entity)
                }
            }
        }
        adoptComputed(values)
    }

    /// Completes rows with values that the server has computed: those of the save, and other cached ones.
    private mutating func adoptComputed(_ values: PostgreSQLComputedValues) {
        guard !values.objects.isEmpty else { return }
        var rest = values.objects
        for index in written.indices {
            let write = written[index]
            guard let row = write.row,
                let found = rest[write.entity.mapping.rootNumber]?.removeValue(forKey: write.key)
            else { continue }
            written[index].row = row.replacing(found.values, write.entity.layout)
            written[index].cached = write.cached?.replacing(found.values, write.entity.layout)
        }
        for (key, object) in rest.values.joined() {
            guard let cached = object.entity.cache[key] else { continue }
            let row = cached.replacing(object.values, object.entity.layout)
            object.entity.remember(row, key)
            derivedRows[store.id(key, object.entity)] = row
        }
    }

    private func historyRecord() throws -> PostgreSQLHistoryRecord {
        var record = PostgreSQLHistoryRecord(store)
        guard record.needsChanges else { return record }
        _ = try store.rows(for: changes.filter { $0.kind == .delete }.map(\.id))
        for change in changes {
            guard case .number(let key) = change.id.reference, let entity = store.entity(change.layout) else {
                continue
            }
            switch change.kind {
            case .insert: record.insert(key, entity)
            case .update: record.update(key, entity, slots: change.changedSlots)
            case .delete:
                // A row that no longer exists was not deleted by this save.
                guard let row = try store.row(for: change.id, change.layout) else { continue }
                try record.delete(key, entity: entity, row: row)
            }
        }
        return record
    }

    /// The error for rows that another program has written, by the indices of their changes; indices beyond the changes
    /// stand for locked objects.
    private struct VersionMismatch: Error {
        var changes: [Int]
    }

    private static func conflicts(_ checks: [Check], _ results: [Rows]) -> [Int] {
        var conflicts: [Int] = []
        for check in checks {
            let result = results[check.command]
            let keys = Set((0..<result.count).compactMap { result.integer($0, 0) })
            for (key, change) in check.changes where keys.contains(key) == check.givesConflicts {
                conflicts.append(change)
            }
        }
        return conflicts.sorted()
    }

    // MARK: Rows

    /// Changes that one statement can write.
    private struct Group {
        var entity: PostgreSQLEntity
        var slots: [Int]
        /// The changes, with the rows to write; `nil` for deletions.
        var changes: [(index: Int, key: Int64, row: Row?)]
        /// About the number of bytes of the values.
        var bytes: Int
    }

    /// Returns the changes of a kind in groups.
    ///
    /// - Parameter row: Returns the row to write of a change, with values as they are stored.
    private func groups(
        _ kind: ObjectChange.Kind, _ slots: (ObjectChange, PostgreSQLEntity) -> [Int],
        row: (ObjectChange, PostgreSQLEntity) throws -> Row?
    ) throws -> [Group] {
        struct Name: Hashable {
            var entity: Int
            var slots: [Int]
        }
        var positions: [Name: Int] = [:]
        var groups: [Group] = []
        for (index, change) in changes.enumerated() where change.kind == kind && change.changesRow {
            guard case .number(let key) = change.id.reference else { continue }
            guard let entity = store.entity(change.layout) else {
                throw CoreDataError.error(
                    .persistentStoreSave, text: "the store does not hold objects of the entity “\(change.layout.name)”",
                    userInfo: [NSAffectedObjectsErrorKey: [change.reference]])
            }
            let slots = slots(change, entity)
            let name = Name(entity: entity.number, slots: slots)
            let row = try row(change, entity)
            let size = row?.size(of: kind == .insert ? nil : slots) ?? 0
            if size > Self.limit.bytes, let row { try store.checkSize(of: row, change.layout, change) }
            if let position = positions[name], groups[position].changes.count < Self.limit.rows,
                groups[position].bytes + size <= Self.limit.bytes
            {
                groups[position].changes.append((index, key, row))
                groups[position].bytes += size
            } else {
                positions[name] = groups.count
                groups.append(Group(entity: entity, slots: slots, changes: [(index, key, row)], bytes: size))
            }
        }
        return groups
    }

    private mutating func addInsertions() throws {
        let groups = try groups(.insert, { _, _ in [] }) { change, entity in
            try change.row.encoded(nil, entity.encodings)
        }
        for group in groups {
            let entity = group.entity
            var rows: [Row] = []
            for case (let index, let key, let encoded?) in group.changes {
                let change = changes[index]
                let row = DerivedValues.row(encoded, of: change)
                rows.append(row)
                members.record(row, key: key, fields: entity.fields)
                written.append((index, key, entity, row, row))
            }
            let (keys, store) = (group.changes.map(\.key), store)
            commands.add(bytes: group.bytes) {
                try PostgreSQLRowStatements.insertion(of: rows, keys: keys, entity: entity, store: store)
            }
        }
    }

    private mutating func addUpdates() throws {
        let groups = try groups(.update) { change, entity in
            guard !entity.derivedSlots.isEmpty else { return change.changedSlots }
            return change.changedSlots.filter { !entity.derivedSlots.contains($0) } + entity.callerDerivedSlots
        } row: { change, entity in
            try change.row.encoded(change.changedSlots, entity.encodings)
        }
        for group in groups {
            let entity = group.entity
            let slots = Set(group.slots)
            let fields = entity.fields.filter { slots.contains($0.slot) }
            var rows: [Row] = []
            for case (let index, let key, let own?) in group.changes {
                let change = changes[index]
                let row = DerivedValues.row(own, of: change)
                rows.append(row)
                members.record(row, key: key, fields: fields)
                let version = change.oldVersion + 1
                let isNext = row.version == version
                let saved = isNext ? row : Row.make(row.values, version: version)
                written.append((index, key, entity, saved, isNext ? row : nil))
            }
            checks.append(
                Check(
                    command: commands.count,
                    changes: Dictionary(group.changes.map { ($0.key, $0.index) }) { first, _ in first },
                    givesConflicts: false))
            if !entity.foreignFields.isEmpty { computedResults.append((commands.count, entity)) }
            let (keys, store) = (group.changes.map(\.key), store)
            let versions = group.changes.map { Int64(changes[$0.index].oldVersion) }
            commands.add(bytes: group.bytes) {
                try PostgreSQLRowStatements.update(
                    of: rows, keys: keys, versions: versions, fields: fields, entity: entity, store: store)
            }
        }
    }

    /// Adds the deletions. They come first, because unique values may move from a deleted object to another.
    private mutating func addDeletions() throws {
        for group in try groups(.delete, { _, _ in [] }, row: { _, _ in nil }) {
            let entity = group.entity
            let keys = PostgreSQLValue(group.changes.map(\.key))
            let versions = PostgreSQLValue(group.changes.map { Int64(changes[$0.index].oldVersion) })
            commands.add([
                Statement(
                    "DELETE FROM \(entity.table) AS t USING "
                        + "\(PostgreSQLRowStatements.table(columns: 0, rows: group.changes.count)) "
                        + "WHERE t._pk = u.pk AND t._version = u.version", [keys, versions])
            ])
            // A row that no longer exists needs no deletion; one that still exists was saved by another program.
            checks.append(
                Check(
                    command: commands.count,
                    changes: Dictionary(group.changes.map { ($0.key, $0.index) }) { first, _ in first },
                    givesConflicts: true))
            commands.add([Statement("SELECT _pk FROM \(entity.table) WHERE _pk = ANY($1)", [keys])])
            for (index, key, _) in group.changes { written.append((index, key, entity, nil, nil)) }
        }
    }

    /// Adds checks that objects without changes were not saved by another program either.
    private mutating func addLocks(_ locked: [ObjectChange]) throws {
        var groups: [Int: (entity: PostgreSQLEntity, keys: [Int64], versions: [Int64], positions: [Int64: Int])] = [:]
        for (index, change) in locked.enumerated() {
            guard case .number(let key) = change.id.reference, let entity = store.entity(change.layout) else {
                continue
            }
            var group = groups[entity.mapping.rootNumber] ?? (entity, [], [], [:])
            group.keys.append(key)
            group.versions.append(Int64(change.oldVersion))
            group.positions[key] = changes.count + index
            groups[entity.mapping.rootNumber] = group
        }
        for (_, group) in groups.sorted(by: { $0.key < $1.key }) {
            checks.append(Check(command: commands.count, changes: group.positions, givesConflicts: false))
            commands.add([
                Statement(
                    "SELECT t._pk FROM \(group.entity.table) t JOIN "
                        + "\(PostgreSQLRowStatements.table(columns: 0, rows: group.keys.count)) "
                        + "ON t._pk = u.pk AND t._version = u.version FOR SHARE OF t",
                    [PostgreSQLValue(group.keys), PostgreSQLValue(group.versions)])
            ])
        }
    }

    // MARK: Conflicts

    /// Returns the conflicts of all objects in the save that another program has also saved.
    private func saveConflicts(_ numbers: [Int], _ locked: [ObjectChange]) throws -> SaveConflicts {
        let found = numbers.map { $0 < changes.count ? changes[$0] : locked[$0 - changes.count] }
        return SaveConflicts(conflicts: try store.conflicts(of: found))
    }
}
