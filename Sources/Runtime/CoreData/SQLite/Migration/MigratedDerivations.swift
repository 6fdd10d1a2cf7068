internal import Foundation

/// The values of derived attributes after a migration.
struct MigratedDerivations {
    private let versions: VersionPairs<StoreSchema>
    private let external: ExternalStorage

    init(_ versions: VersionPairs<StoreSchema>, _ external: ExternalStorage) {
        self.versions = versions
        self.external = external
    }

    /// Computes the values that the migration has changed.
    ///
    /// - Parameter isAdditive: Whether rows and links are unchanged, so that only new attributes lack values.
    func write(to connection: SQLiteConnection, isAdditive: Bool) throws {
        for column in versions.destination.derivedColumns where !isAdditive || isNew(column) {
            try connection.execute(column.statement)
        }
        for pair in versions.pairs {
            let slots = pair.destination.derived.filter { !$0.hasTriggers && pair.needsDerivation($0.slot) }.map(\.slot)
            if !slots.isEmpty { try compute(slots, pair: pair, connection: connection) }
        }
    }

    private func isNew(_ column: DerivedColumn) -> Bool {
        guard let entity = versions.destination.entity(named: column.entity) else { return true }
        let pairs = versions.pairs(below: entity.number)
        return pairs.contains { pair in
            pair.destinationLayout.index(of: column.attribute).map(pair.needsDerivation) ?? true
        }
    }

    /// Computes attributes that are derived from the row itself, as a save does.
    private func compute(_ slots: [Int], pair: EntityPair, connection: SQLiteConnection) throws {
        let entity = StoredEntity(
            mapping: pair.destination, layout: pair.destinationLayout, cache: RowCache(), external: external)
        let attributes = pair.destinationLayout.attributeSlots.compactMap { slot -> (Int, String, ValueCoding)? in
            guard case .attribute(let column) = pair.destination.slotColumns[slot],
                let attribute = pair.destinationLayout.slots[slot].property as? NSAttributeDescription,
                let coding = ValueCoding(attribute, external: external)
            else { return nil }
            return (slot, column, coding)
        }
        let columns = attributes.map { SQLName.quoted($0.1) }
        let table = SQLName.quoted(pair.destination.table)
        let found = try connection.statement(
            "SELECT Z_PK, \(columns.joined(separator: ", ")) FROM \(table) WHERE Z_ENT = \(pair.destination.number)")
        defer { found.reset() }
        let changed = attributes.filter { slots.contains($0.0) }
        let sets = changed.map { "\(SQLName.quoted($0.1)) = ?" }.joined(separator: ", ")
        let update = try connection.statement("UPDATE \(table) SET \(sets) WHERE Z_PK = ?")
        defer { update.clear() }
        while try found.step() {
            var values = [SlotValue](repeating: .null, count: pair.destinationLayout.slots.count)
            for (index, attribute) in attributes.enumerated() {
                values[attribute.0] = attribute.2.value(found, Int32(index + 1))
            }
            let derived = DerivedValues.plain(values, entity)
            for (index, attribute) in changed.enumerated() {
                try attribute.2.bind(derived[attribute.0], to: update, at: Int32(index + 1))
            }
            update.bind(found.integer(0), at: Int32(changed.count + 1))
            try update.run()
        }
    }
}
