internal import Foundation

/// The history of a store that is being migrated: entity numbers, bits of changed properties, and tombstones.
struct MigratedHistory {
    private let versions: VersionPairs<StoreSchema>

    init(_ versions: VersionPairs<StoreSchema>) {
        self.versions = versions
    }

    /// Rewrites the parts that depend on the model. Deletes changes of objects whose entity was removed.
    func write(to connection: SQLiteConnection) throws {
        guard try connection.hasTable("ACHANGE") else { return }
        let kept = versions.pairs.map { String($0.source.number) }.joined(separator: ", ")
        try connection.execute("DELETE FROM ACHANGE WHERE ZENTITY NOT IN (\(kept))")
        for pair in versions.pairs {
            try moveTombstones(pair, connection)
            try moveBits(pair, connection)
        }
        let changed = versions.pairs.filter { $0.source.number != $0.destination.number }
        guard !changed.isEmpty else { return }
        let cases = changed.map { "WHEN \($0.source.number) THEN \($0.destination.number)" }.joined(separator: " ")
        try connection.execute("UPDATE ACHANGE SET ZENTITY = CASE ZENTITY \(cases) ELSE ZENTITY END")
    }

    /// Rearranges the bits of changed properties for the new slots.
    private func moveBits(_ pair: EntityPair, _ connection: SQLiteConnection) throws {
        guard pair.slots != Array(pair.sourceLayout.slots.indices) else { return }
        let found = try connection.statement(
            "SELECT Z_PK, ZCOLUMNS FROM ACHANGE WHERE ZENTITY = ? AND ZCOLUMNS NOT NULL")
        defer { found.clear() }
        found.bind(Int64(pair.source.number), at: 1)
        let update = try connection.statement("UPDATE ACHANGE SET ZCOLUMNS = ? WHERE Z_PK = ?")
        defer { update.clear() }
        var changes: [(key: Int64, bytes: [UInt8])] = []
        while try found.step() {
            let old = Set(ColumnBits.slots(found.bytes(1), count: pair.sourceLayout.slots.count))
            let new = pair.slots.indices.filter { pair.slots[$0].map(old.contains) ?? false }
            changes.append((found.integer(0), ColumnBits.bytes(new, count: pair.slots.count)))
        }
        for change in changes {
            update.bind(change.bytes, at: 1)
            update.bind(change.key, at: 2)
            try update.run()
        }
    }

    /// Moves the values in tombstones to the columns of the new version.
    private func moveTombstones(_ pair: EntityPair, _ connection: SQLiteConnection) throws {
        let old = StoreHistory.tombstones(of: pair.sourceLayout).map(\.slot)
        let new = StoreHistory.tombstones(of: pair.destinationLayout).map { tombstone in
            pair.slots[tombstone.slot].flatMap(old.firstIndex)
        }
        guard !old.isEmpty, new != old.indices.map({ $0 }) else { return }
        let file = try FileLayout(connection)
        func column(_ index: Int) -> String? { file.table("ACHANGE")?.column(StoreHistory.tombstoneColumn(index)) }
        for index in new.indices where column(index) == nil {
            try connection.execute("ALTER TABLE ACHANGE ADD COLUMN \(StoreHistory.tombstoneColumn(index)) BLOB")
        }
        let sets = (0..<max(old.count, new.count)).map { index in
            let value = index < new.count ? new[index].flatMap { column($0) } : nil
            return "\(StoreHistory.tombstoneColumn(index)) = \(value ?? "NULL")"
        }
        try connection.execute(
            "UPDATE ACHANGE SET \(sets.joined(separator: ", ")) WHERE ZENTITY = \(pair.source.number)")
    }
}
