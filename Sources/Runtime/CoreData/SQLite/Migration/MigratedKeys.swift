/// The entities of a store with their last assigned keys: `Z_PRIMARYKEY`.
struct MigratedKeys {
    private let versions: VersionPairs<StoreSchema>

    init(_ versions: VersionPairs<StoreSchema>) {
        self.versions = versions
    }

    /// Rewrites the table in the order of the new numbers. Entities keep their last keys, matched by name.
    func write(to connection: SQLiteConnection) throws(SQLiteError) {
        let last = try lastKeys(connection)
        try connection.execute("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT < \(HistoryTables.changeEntity)")
        for entity in versions.destination.entities {
            var key = key(entity, last)
            // The file may have rows above the last key, if a tool that does not know the table wrote them.
            if entity.rootNumber == entity.number {
                key = max(key, try connection.lastKey(entity: entity.number, table: entity.table))
            }
            try connection.execute(entity.primaryKeyRow(last: key))
        }
    }

    private func lastKeys(_ connection: SQLiteConnection) throws(SQLiteError) -> [Int: Int64] {
        let statement = try connection.statement(
            "SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY WHERE typeof(Z_MAX) = 'integer'")
        defer { statement.reset() }
        var result: [Int: Int64] = [:]
        while try statement.step() { result[Int(truncatingIfNeeded: statement.integer(0))] = statement.integer(1) }
        return result
    }

    /// Returns the last key of an entity. For a root entity, this is the maximum over all rows in the table, wherever
    /// they come from.
    private func key(_ entity: EntityMapping, _ last: [Int: Int64]) -> Int64 {
        let own = versions.pair(destination: entity.number).flatMap { last[$0.source.number] } ?? 0
        guard entity.rootNumber == entity.number else { return own }
        let rows = versions.pairs(in: entity.table).map { last[$0.source.rootNumber] ?? 0 }
        return max(own, rows.max() ?? 0)
    }
}
