extension RowMigration {
    /// A table of both versions whose rows stay.
    struct RemainingTable {
        var name: String
        /// The entities of the old version whose rows are in the table.
        var sources: [EntityMapping]
        var pairs: [EntityPair]
        /// The columns whose values change.
        var changed: [RowExpressions<Schema>.Value]
        /// Whether one of them is a column of the old version.
        var changesOldColumns: Bool

        /// The entities whose rows do not stay.
        var removed: [EntityMapping] {
            let kept = Set(pairs.map(\.source.number))
            return sources.filter { !kept.contains($0.number) }
        }
    }
}
