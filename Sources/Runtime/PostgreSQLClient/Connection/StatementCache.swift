/// The statements that a connection has prepared on the server, by their text and parameter types.
struct StatementCache {
    /// The identity of a prepared statement.
    struct Key: Hashable {
        let sql: String
        let types: [UInt32]
    }

    private struct Entry {
        let name: String
        var lastUse: Int
    }

    /// The maximum number of statements, or zero if statements are not prepared.
    private let limit: Int
    private var entries: [Key: Entry] = [:]
    private var uses = 0
    private var lastNumber = 0

    init(_ preparation: PostgreSQLConnection.Preparation) {
        switch preparation {
        case .cached(let limit): self.limit = max(0, limit)
        case .never: limit = 0
        }
    }

    /// Whether statements are prepared at all.
    var isEnabled: Bool { limit > 0 }

    /// Returns the name of a prepared statement, or `nil` if it is not prepared.
    mutating func name(of key: Key) -> String? {
        uses += 1
        entries[key]?.lastUse = uses
        return entries[key]?.name
    }

    /// Returns a name that was not used on the connection before.
    mutating func newName() -> String {
        lastNumber += 1
        return "coredata_\(lastNumber)"
    }

    /// Records a statement that the server has prepared.
    mutating func insert(_ key: Key, name: String) {
        uses += 1
        entries[key] = Entry(name: name, lastUse: uses)
    }

    /// Removes a statement that the server no longer has, or whose plan is no longer valid.
    mutating func remove(_ key: Key) { entries[key] = nil }

    /// Removes the least recently used statements beyond the limit, and returns the names to deallocate.
    mutating func evict() -> [String] {
        guard entries.count > limit else { return [] }
        let oldest = entries.sorted { $0.value.lastUse < $1.value.lastUse }.prefix(entries.count - limit)
        for (key, _) in oldest { entries[key] = nil }
        return oldest.map(\.value.name)
    }
}
