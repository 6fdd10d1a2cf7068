internal import CoreData
internal import PostgreSQLClient
internal import PostgreSQLSchema

/// The statements of a save, which are made and sent in parts, so that the memory they need does not grow with the
/// data.
struct PostgreSQLCommandList {
    private var entries: [(bytes: Int, make: () throws -> Statement)] = []

    /// About the number of bytes that are sent in one round trip. A small save needs only one.
    private static let partSize = 16 << 20

    var count: Int { entries.count }

    /// Adds small statements.
    mutating func add(_ commands: [Statement]) {
        for command in commands { entries.append((0, { command })) }
    }

    /// Adds a statement that is made when it is sent.
    ///
    /// - Parameter bytes: About the number of bytes of its parameters.
    mutating func add(bytes: Int, _ make: @escaping () throws -> Statement) { entries.append((bytes, make)) }

    /// Returns the statements of the first part.
    func firstPart() throws -> [Statement] { try part(from: 0) }

    private func part(from start: Int) throws -> [Statement] {
        var (end, bytes) = (start, 0)
        while end < entries.count, end == start || bytes + entries[end].bytes <= Self.partSize {
            bytes += entries[end].bytes
            end += 1
        }
        return try entries[start..<end].map { try $0.make() }
    }

    /// Sends the other parts on the connection of the open transaction.
    ///
    /// - Parameter start: The number of statements of the parts before.
    func run(after start: Int, _ store: PostgreSQLStore) throws -> [Rows] {
        var results: [Rows] = []
        while start + results.count < entries.count {
            results += try store.run(try part(from: start + results.count))
        }
        return results
    }
}

extension SlotValue {
    /// About the number of bytes of the value in a statement.
    var sentSize: Int { 16 + size }
}

extension Row {
    /// Returns about the number of bytes of values in a statement.
    ///
    /// - Parameter slots: The slots of the values; `nil` for all.
    func size(of slots: [Int]?) -> Int {
        if let slots { return slots.reduce(0) { $0 + ($1 < count ? self[$1].sentSize : 0) } }
        return (0..<count).reduce(0) { $0 + self[$1].sentSize }
    }
}

extension PostgreSQLStore {
    /// The maximum number of bytes of a row. The server sends rows in messages of at most 1 GB.
    private static let rowLimit = 1_000_000_000

    /// Checks that a row is not too large to be stored or read.
    ///
    /// - Throws: An error of Cocoa's domain with the code 134030 that names the largest attribute.
    func checkSize(of row: Row, _ layout: EntityLayout, _ change: ObjectChange?) throws {
        guard row.size(of: nil) > Self.rowLimit,
            let largest = (0..<row.count).max(by: { row[$0].size < row[$1].size })
        else { return }
        let name = layout.slots[largest].name
        throw CoreDataError.error(
            .persistentStoreSave,
            text:
                "the value of “\(layout.name).\(name)” has \(row[largest].size) bytes, and an object in a PostgreSQL database at "
                + "most \(Self.rowLimit); keep large values in files, or divide them among objects",
            userInfo: [NSValidationKeyErrorKey: name, NSAffectedObjectsErrorKey: change.map { [$0.reference] } ?? []])
    }
}
