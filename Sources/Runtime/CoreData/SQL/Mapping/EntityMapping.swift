/// The mapping of an entity to the tables of a store.
package struct EntityMapping: Sendable, Equatable {
    package var name: String
    /// `Z_ENT`.
    package var number: Int
    /// The number of the entity that it inherits from; 0 for none.
    package var superNumber: Int
    /// The number of the root entity, whose row in `Z_PRIMARYKEY` counts the keys.
    package var rootNumber: Int
    /// The table of the hierarchy.
    package var table: String
    /// The numbers of the entity and its descendants, ascending.
    package var numbers: [Int]
    /// Whether the table contains rows of other entities than `numbers`.
    var sharesTable: Bool
    /// The columns of values, by slot of the entity's `EntityLayout`.
    package var slotColumns: [SlotColumn]
    /// The derived attributes of the entity, including inherited ones.
    package var derived: [DerivedSlot] = []
    /// The slots of derived attributes that neither triggers nor the server maintain, in ascending order.
    package var callerDerivedSlots: [Int] { derived.filter { !$0.hasTriggers }.map(\.slot).sorted() }

    /// Returns the column that holds the value of a slot, or the key of a to-one relationship; `nil` for slots that are
    /// kept otherwise.
    package func column(at slot: Int) -> String? {
        guard slotColumns.indices.contains(slot) else { return nil }
        switch slotColumns[slot] {
        case .attribute(let column): return column
        case .toOne(let columns): return columns.key
        case .nowhere, .composite, .inverse, .join: return nil
        }
    }
}

extension [EntityMapping] {
    /// Returns the columns of to-one relationships to the tables of some root entities, each once: entities share those
    /// that they inherit.
    package func toOneColumns(to roots: some Sequence<Int>) -> [(
        mapping: EntityMapping, slot: Int, columns: ToOneColumns
    )] {
        let roots = Set(roots)
        let numbers = Set(lazy.filter { roots.contains($0.rootNumber) }.map(\.number))
        var done: Set<[String]> = []
        return flatMap { mapping in
            mapping.slotColumns.enumerated().compactMap { slot, position in
                guard case .toOne(let columns) = position, numbers.contains(columns.destination),
                    done.insert([mapping.table, columns.key]).inserted
                else { return nil }
                return (mapping, slot, columns)
            }
        }
    }
}
