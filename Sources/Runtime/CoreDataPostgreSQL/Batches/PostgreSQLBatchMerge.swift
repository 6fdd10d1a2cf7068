internal import CoreData
internal import Foundation
internal import PostgreSQLClient
internal import PostgreSQLSchema

/// Applies a merge policy to the objects of a batch insertion whose values must be unique: stored objects and earlier
/// ones of the batch are kept, or get the values of later ones.
struct PostgreSQLBatchMerge {
    /// An object that has the values which a new one needs.
    fileprivate enum ConflictingObject: Hashable {
        /// A row that was stored before the current part of the batch.
        case stored(key: Int64, entity: Int)
        /// A new row, by its position in the current part.
        case new(Int)
    }

    /// A combination of values that must be unique, in the constraint's order.
    private struct Combination: Hashable {
        var constraint: Int
        var values: [[UInt8]]
    }

    /// The new rows, and the changes of stored ones, of one part of a batch.
    struct Part {
        var new: [(values: [SlotValue], version: Int)] = []
        /// The values of stored rows, by key.
        fileprivate var stored: [Int64: [SlotValue]] = [:]
        /// The slots that change in stored rows, by key.
        fileprivate var changed: [Int64: Set<Int>] = [:]
        /// The rows that objects went into, in the order of the objects, and the slots that were set in rows that had
        /// been there.
        fileprivate var written: [(rival: ConflictingObject, slots: [Int]?)] = []
    }

    private let store: PostgreSQLStore
    private let entity: PostgreSQLEntity
    private let policy: NSMergePolicyType
    private let evaluation: BatchEvaluation
    private let check: PostgreSQLConstraintCheck
    private let constraints: [UniqueProperties]

    init(
        store: PostgreSQLStore, entity: PostgreSQLEntity, policy: NSMergePolicyType, evaluation: BatchEvaluation
    ) {
        self.store = store
        self.entity = entity
        self.policy = policy
        self.evaluation = evaluation
        check = PostgreSQLConstraintCheck(store: store)
        constraints = UniqueProperties.all(of: entity.layout, entity.mapping)
    }

    /// Sorts objects into new rows and changes of others.
    ///
    /// - Throws: An error with the code 133021 if the values of one object belong to several others, or to one of
    ///   another entity.
    func part(_ objects: [BatchChange.NewObject]) throws -> Part {
        var part = Part()
        let combinations = try objects.map { try self.combinations($0.values) }
        var existing = try stored(combinations)
        part.stored = try values(of: existing.values)
        for (object, combinations) in zip(objects, combinations) {
            let rivals = Set(combinations.compactMap { existing[$0] })
            guard let rival = rivals.first else {
                for combination in combinations { existing[combination] = .new(part.new.count) }
                part.written.append((.new(part.new.count), nil))
                part.new.append((object.values, 1))
                continue
            }
            let slots: [Int]
            switch UniquenessDecision(policy, of: object, entity, rivals: { rivals.map(number) }) {
            case .fail where rivals.count > 1: throw failure("the values of one object belong to several others")
            case .fail: throw failure("they belong to an object of another entity")
            case .skip: continue
            case .merge(let given): slots = given
            }
            let merged = try merge(object, into: rival, slots: slots, part: &part)
            part.written.append((rival, slots))
            // With a single constraint the row has kept the values by which it was found.
            guard constraints.count > 1 else { continue }
            existing = existing.filter { $0.value != rival }
            for combination in try self.combinations(merged) {
                guard existing[combination] == nil else { throw failure("an object and another one would share them") }
                existing[combination] = rival
            }
        }
        return part
    }

    /// Merges an object into a row, and returns the values of the row.
    private func merge(
        _ object: BatchChange.NewObject, into rival: ConflictingObject, slots: [Int], part: inout Part
    ) throws -> [SlotValue] {
        switch rival {
        case .new(let index):
            for slot in slots { part.new[index].values[slot] = object.values[slot] }
            part.new[index].version += 1
            return part.new[index].values
        case .stored(let key, _):
            guard var values = part.stored[key] else { throw failure("they belong to a deleted object") }
            for slot in slots { values[slot] = object.values[slot] }
            part.stored[key] = values
            part.changed[key, default: []].formUnion(slots)
            return values
        }
    }

    /// Returns the number of a rival's entity.
    private func number(of rival: ConflictingObject) -> Int {
        switch rival {
        case .stored(_, let number): number
        case .new: entity.number
        }
    }

    private func failure(_ reason: String) -> NSError {
        CoreDataError.error(
            .managedObjectConstraintMerge,
            text: "values of “\(entity.layout.name)” violate a uniqueness constraint: \(reason)",
            userInfo: [NSAffectedStoresErrorKey: store.affectedStores])
    }

    // MARK: Values

    private func combinations(_ values: [SlotValue]) throws -> [Combination] {
        let row = Row.make(values, version: 0)
        return try constraints.enumerated().compactMap { index, constraint in
            // Missing values count as distinct.
            try check.values(constraint, row: row, entity: entity).map {
                Combination(constraint: index, values: $0.compactMap(\.bytes))
            }
        }
    }

    /// Returns the values of stored rows of the entity, by key.
    private func values(of rivals: some Sequence<ConflictingObject>) throws -> [Int64: [SlotValue]] {
        let keys = Set(
            rivals.compactMap { rival -> Int64? in
                if case .stored(let key, entity.number) = rival { key } else { nil }
            }
        ).sorted()
        store.evictRows()
        let rows = try store.rows(for: keys.map { store.id($0, entity) })
        return Dictionary(zip(keys, rows).compactMap { key, row in row.map { (key, Array($0.values)) } }) { $1 }
    }

    /// Returns the stored rows with some of the values, found in one round trip.
    private func stored(_ combinations: [[Combination]]) throws -> [Combination: ConflictingObject] {
        var requested: [Int: [Combination]] = [:]
        for combination in Set(combinations.joined()) {
            requested[combination.constraint, default: []].append(combination)
        }
        let groups = requested.sorted { $0.key < $1.key }
        guard !groups.isEmpty else { return [:] }
        let results = try store.run(
            groups.map {
                check.query(for: constraints[$0.key], of: entity, values: $0.value.map(\.values), locks: true)
            })
        var existing: [Combination: ConflictingObject] = [:]
        for (group, result) in zip(groups, results) {
            for row in 0..<result.count {
                guard let position = result.integer(row, 0), let key = result.integer(row, 1),
                    let number = result.integer(row, 2)
                else { continue }
                existing[group.value[Int(position) - 1]] = .stored(key: key, entity: Int(number))
            }
        }
        return existing
    }

    // MARK: Writing

    /// Writes the changes of stored rows. A transaction must be open.
    func writeChanges(_ part: Part) throws {
        let groups = Dictionary(grouping: part.changed.keys.sorted()) { part.changed[$0]?.sorted() ?? [] }
        guard !groups.isEmpty else { return }
        let commands = try groups.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { slots, keys in
            let rows = keys.map { Row.make(part.stored[$0] ?? [], version: 0) }
            let fields = entity.fields.filter { slots.contains($0.slot) }
            return try PostgreSQLRowStatements.update(
                of: rows, keys: keys, versions: nil, fields: fields, entity: entity, store: store)
        }
        _ = try store.run(commands)
        var rows = PostgreSQLBatchRows()
        for key in part.changed.keys.sorted() { rows.add(key, entity) }
        try PostgreSQLBatchUpdate(store: store, entity: entity, rows: rows, evaluation: evaluation)
            .writeDerivedValues(rows.all(store))
    }

    /// Adds a part to the outcome and the history.
    ///
    /// - Parameter keys: The keys of the new rows.
    func record(
        _ part: Part, keys: [Int64], needsIDs: Bool, outcome: inout BatchOutcome,
        record: inout PostgreSQLHistoryRecord
    ) {
        for (rival, slots) in part.written {
            let key =
                switch rival {
                case .new(let index): keys[index]
                case .stored(let key, _): key
                }
            outcome.count += 1
            if needsIDs { outcome.ids.append(store.id(key, entity)) }
            if let slots {
                record.update(key, entity, slots: slots + entity.callerDerivedSlots)
            } else {
                record.insert(key, entity)
            }
        }
    }
}
