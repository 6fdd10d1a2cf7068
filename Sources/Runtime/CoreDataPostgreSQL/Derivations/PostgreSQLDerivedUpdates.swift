internal import CoreData
internal import PostgreSQLClient
internal import PostgreSQLSchema

/// The derived attributes that a save changes in its own and other objects.
struct PostgreSQLDerivedUpdates {
    private let store: PostgreSQLStore
    private var keys: [Int: (own: Set<Int64>, others: Set<Int64>)] = [:]
    private let derivations: [PostgreSQLDerivation]

    init(_ store: PostgreSQLStore, _ changes: [ObjectChange]) {
        self.store = store
        derivations = store.schema?.derivations ?? []
        guard !derivations.isEmpty else { return }
        for change in changes {
            guard case .number(let key) = change.id.reference, let entity = store.entity(change.layout) else {
                continue
            }
            for (index, derivation) in derivations.enumerated() {
                record(change, key: key, entity: entity, derivation: derivation, index: index)
            }
        }
    }

    private mutating func record(
        _ change: ObjectChange, key: Int64, entity: PostgreSQLEntity, derivation: PostgreSQLDerivation,
        index: Int
    ) {
        if derivation.numbers.contains(entity.number), change.kind != .delete,
            let slot = change.layout.index(of: derivation.relationship),
            change.kind == .insert || change.changedSlots.contains(slot)
                || change.members.contains(where: { $0.slot == slot })
        {
            keys[index, default: ([], [])].own.insert(key)
        }
        guard let destination = store.entity(number: derivation.destination),
            destination.mapping.numbers.contains(entity.number)
        else { return }
        keys[index, default: ([], [])].others.insert(key)
        // The previous object at the other end is found from the row that the context knows.
        guard case .inverse(let columns) = derivation.position, !columns.isVirtual,
            let slot = entity.mapping.slotColumns.firstIndex(where: {
                if case .toOne(let own) = $0 { own.key == columns.key } else { false }
            })
        else { return }
        for row in [change.base, change.kind == .delete ? change.row : nil].compactMap({ $0 }) {
            guard slot < row.count, case .reference(let id) = row[slot], case .number(let owner) = id.reference else {
                continue
            }
            keys[index, default: ([], [])].own.insert(owner)
        }
    }

    /// Returns the statements that lock what ``commands()`` update, to run after all rows are written.
    func locks() -> [Statement] {
        keys.sorted { $0.key < $1.key }.flatMap { index, keys in
            derivations[index].locks(namespace: store.namespace).map { command($0, keys) }
        }
    }

    /// Returns the statements to run after all rows are written.
    func commands() -> [(derivation: PostgreSQLDerivation, command: Statement)] {
        keys.sorted { $0.key < $1.key }.map { index, keys in
            (
                derivations[index],
                command(derivations[index].update(.changed(namespace: store.namespace)), keys)
            )
        }
    }

    private func command(_ text: String, _ keys: (own: Set<Int64>, others: Set<Int64>)) -> Statement {
        Statement(
            text, [PostgreSQLValue(keys.own.sorted()), PostgreSQLValue(keys.others.sorted())])
    }
}

/// Values that the server has computed, by the number of the root entity and key.
struct PostgreSQLComputedValues {
    /// The values of one object, by the names of the attributes.
    struct Object {
        var entity: PostgreSQLEntity
        var values: [String: SlotValue] = [:]
    }

    var objects: [Int: [Int64: Object]] = [:]

    mutating func add(_ value: SlotValue, name: String, key: Int64, entity: PostgreSQLEntity) {
        objects[entity.mapping.rootNumber, default: [:]][key, default: Object(entity: entity)].values[name] = value
    }
}

extension PostgreSQLStore {
    /// Returns the values that the derivations' statements have changed.
    func derivedValues(
        _ derivations: [PostgreSQLDerivation], _ results: [Rows]
    ) -> PostgreSQLComputedValues {
        var values = PostgreSQLComputedValues()
        for (derivation, result) in zip(derivations, results) {
            for row in 0..<result.count {
                guard let key = result.integer(row, 0),
                    let entity = result.integer(row, 1).flatMap({ entity(number: Int($0)) }),
                    let slot = entity.layout.index(of: derivation.name),
                    let field = entity.fields.first(where: { $0.slot == slot }),
                    case .attribute(_, let coding) = field.kind
                else { continue }
                values.add(
                    result.bytes(row, 2).map(coding.value) ?? .null, name: derivation.name, key: key,
                    entity: entity)
            }
        }
        return values
    }

    /// Returns the derived attributes that a batch request may change.
    private func derivations(_ root: Int, isDeletion: Bool) -> [PostgreSQLDerivation] {
        (schema?.derivations ?? []).filter { derivation in
            isDeletion || entity(number: derivation.entity)?.mapping.rootNumber == root
                || entity(number: derivation.destination)?.mapping.rootNumber == root
        }
    }

    /// Returns the statements that keep other programs from changing what ``refreshDerivations(_:isDeletion:)``
    /// computes.
    ///
    /// They begin the transaction: two batch requests that had written rows before would wait for each other.
    func derivationLocks(_ root: Int, isDeletion: Bool) -> [Statement] {
        Set(derivations(root, isDeletion: isDeletion).map(\.table)).sorted().map { table in
            Statement("LOCK TABLE \(table) IN SHARE ROW EXCLUSIVE MODE")
        }
    }

    /// Recomputes the derived attributes that a batch request may have changed, for all objects. A transaction must be
    /// open.
    func refreshDerivations(_ root: Int, isDeletion: Bool) throws {
        let affected = derivations(root, isDeletion: isDeletion)
        guard !affected.isEmpty else { return }
        _ = try run(affected.map { Statement($0.update(.all)) })
    }
}

extension Row {
    /// Returns the row with the values of attributes replaced.
    func replacing(_ values: [String: SlotValue], _ layout: EntityLayout) -> Row {
        var all = Array(self.values)
        for (name, value) in values {
            if let slot = layout.index(of: name), slot < all.count { all[slot] = value }
        }
        return Row.make(all, version: version)
    }
}
