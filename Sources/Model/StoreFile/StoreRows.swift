/// The number of rows of each entity in a store.
package struct StoreRows: Sendable {
    /// The number of rows by entity name, including rows of subentities.
    package let counts: [String: Int]
    /// The number of rows by entity name, without rows of subentities.
    package let ownCounts: [String: Int]

    /// Counts the rows of a store, without changing it.
    ///
    /// - Parameter path: The path of the file, absolute or relative to the process's working directory.
    /// - Throws: `StoreFileError` if it is not a store.
    package init(path: String) throws(StoreFileError) {
        self = try ReadOnlyDatabase.readOneState(of: path) { database throws(StoreFileError) in
            try StoreRows(database)
        }
    }

    private init(_ database: ReadOnlyDatabase) throws(StoreFileError) {
        guard try database.hasTable("Z_PRIMARYKEY") else {
            throw StoreFileError(.notAStore, "the database has no table Z_PRIMARYKEY: Core Data did not make it")
        }
        var entities: [Int64: (name: String, parent: Int64)] = [:]
        for row in try database.rows("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY") {
            guard row.count == 3, case .integer(let number) = row[0], case .text(let name) = row[1] else { continue }
            let parent: Int64 = if case .integer(let value) = row[2] { value } else { 0 }
            entities[number] = (name, parent)
        }
        func root(of number: Int64) -> String {
            var (current, steps) = (number, 0)
            while let parent = entities[current]?.parent, parent != 0, entities[parent] != nil, steps < entities.count {
                current = parent
                steps += 1
            }
            return entities[current]?.name ?? ""
        }
        var counts: [String: Int] = [:]
        var ownCounts: [String: Int] = [:]
        for table in Set(entities.keys.map(root)).sorted() {
            let name = "Z" + table.uppercased()
            guard try database.hasTable(name) else { continue }
            for row in try database.rows("SELECT Z_ENT, count(*) FROM \(SQLSpelling.name(name)) GROUP BY Z_ENT") {
                guard row.count == 2, case .integer(let number) = row[0], case .integer(let count) = row[1] else {
                    continue
                }
                if let entity = entities[number] { ownCounts[entity.name, default: 0] += Int(count) }
                var (current, steps) = (number, 0)
                while let entity = entities[current], steps <= entities.count {
                    counts[entity.name, default: 0] += Int(count)
                    current = entity.parent
                    steps += 1
                }
            }
        }
        for entity in entities.values {
            counts[entity.name, default: 0] += 0
            ownCounts[entity.name, default: 0] += 0
        }
        self.counts = counts
        self.ownCounts = ownCounts
    }
}
