import CSQLiteReference
import CoreData
import Foundation

/// The least work that a runtime with unique objects and notifications can do for the cases of `StoreBenchmarks`: the
/// difference between these rows and those of the same name is the runtime's own overhead.
enum FloorBenchmarks {
    static func all(_ stack: StoreStack, rounds: Int) -> [Benchmark] {
        let few = max(3, rounds / 6)
        let thousands = Amount.rows(100_000)
        return [
            Benchmark(
                name: "floor/fetch-read", size: "\(thousands) unique objects with their rows, 3 attributes read",
                rounds: few, ours: { try stack.fetchFloor(thousands) },
                reference: { try stack.fetchAllReference(thousands) }, referenceName: "sqlite3"),
            Benchmark(
                name: "floor/delete", size: "10000 of \(thousands) unique objects deleted, and told in sets",
                rounds: few, ours: { try stack.deleteFloor(thousands, 10_000) },
                reference: { try stack.deleteReference(thousands, 10_000) }, referenceName: "sqlite3"),
            Benchmark(
                name: "floor/fetch-indexed", size: "100 unique objects of 1000000 by a to-one, rows known",
                rounds: rounds, ours: { try stack.fetchIndexedFloor(Amount.rows(1_000_000)) },
                reference: { try stack.fetchIndexedReference(Amount.rows(1_000_000)) }, referenceName: "sqlite3"),
            Benchmark(
                name: "floor/delete-cascade",
                size: "100 owners and 10000 of \(thousands) unique objects deleted, and told",
                rounds: few, ours: { try stack.cascadeFloor(thousands, 100) },
                reference: { try stack.deleteOwnersReference(thousands, 100) }, referenceName: "sqlite3"),
        ]
    }
}

/// A value of any type.
private enum FloorValue {
    case null
    case integer(Int64)
    case double(Double)
    case string(String)
}

/// The values of a row, contiguous in memory.
private final class FloorRow: ManagedBuffer<Int, FloorValue> {
    static func make(_ statement: OpaquePointer?, _ count: Int) -> FloorRow {
        let row = unsafeDowncast(create(minimumCapacity: count) { _ in count }, to: FloorRow.self)
        row.withUnsafeMutablePointerToElements { values in
            for place in 0..<count {
                let column = Int32(place + 1)
                switch sqlite3_column_type(statement, column) {
                case SQLITE_INTEGER: (values + place).initialize(to: .integer(sqlite3_column_int64(statement, column)))
                case SQLITE_FLOAT: (values + place).initialize(to: .double(sqlite3_column_double(statement, column)))
                case SQLITE_TEXT:
                    (values + place).initialize(to: .string(ReferenceDatabase.text(statement, column)))
                default: (values + place).initialize(to: .null)
                }
            }
        }
        return row
    }

    deinit {
        _ = withUnsafeMutablePointers { count, values in values.deinitialize(count: count.pointee) }
    }

    subscript(place: Int) -> FloorValue { withUnsafeMutablePointerToElements { $0[place] } }
}

/// An object of a row.
private final class FloorObject: NSObject {
    let key: Int64
    let row: FloorRow

    init(_ key: Int64, _ row: FloorRow) {
        self.key = key
        self.row = row
    }
}

/// The ID of an object.
private final class FloorID: NSObject {
    let key: Int64

    init(_ key: Int64) { self.key = key }

    override var hash: Int { Int(truncatingIfNeeded: key) }

    override func isEqual(_ object: Any?) -> Bool { (object as? FloorID)?.key == key }
}

extension StoreStack {
    private static let columns = ["Z_OPT", "ZISNEW", "ZPAGES", "ZAUTHOR", "ZPRICE", "ZPUBLISHED", "ZISBN", "ZTITLE"]

    /// Reads the objects of books, one unique object for each.
    private func floorObjects(
        _ database: ReferenceDatabase, _ condition: String, _ known: inout [Int64: Unmanaged<FloorObject>]
    ) throws -> [FloorObject] {
        let statement = try database.prepare(
            "SELECT Z_PK, \(Self.columns.joined(separator: ", ")) FROM ZBOOK \(condition)")
        defer { sqlite3_finalize(statement) }
        var objects: [FloorObject] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            let key = sqlite3_column_int64(statement, 0)
            if let object = known[key] {
                objects.append(object.takeUnretainedValue())
                continue
            }
            let object = FloorObject(key, FloorRow.make(statement, Self.columns.count))
            known[key] = .passUnretained(object)
            objects.append(object)
        }
        return objects
    }

    fileprivate func fetchFloor(_ count: Int) throws -> Double {
        let database = try filledDatabase(count)
        return try ObjectBenchmarks.seconds {
            var known: [Int64: Unmanaged<FloorObject>] = [:]
            var sum = 0.0
            for object in try floorObjects(database, "", &known) {
                guard case .integer(let pages) = object.row[2], case .double(let price) = object.row[4],
                    case .string(let title) = object.row[7]
                else { continue }
                sum += Double(pages) + price + Double(title.utf8.count)
            }
            guard sum > 0 else { throw CommandFailure(description: "nothing was fetched") }
        }
    }

    /// Deletes with one statement for each run of contiguous keys, of which there is one.
    fileprivate func deleteFloor(_ count: Int, _ changes: Int) throws -> Double {
        let url = newURL()
        defer { remove(url) }
        _ = try context(url)
        let database = try ReferenceDatabase(url)
        try fill(database, count)
        return try ObjectBenchmarks.seconds {
            var known: [Int64: Unmanaged<FloorObject>] = [:]
            let objects = try floorObjects(database, "LIMIT \(changes)", &known)
            let changed = Set(objects)
            try database.run("BEGIN IMMEDIATE")
            try database.run("DELETE FROM ZBOOK WHERE Z_PK BETWEEN 1 AND \(changes) AND Z_OPT = 1")
            try database.run("COMMIT")
            let (saved, ids) = (Set(objects), Set(objects.map { FloorID($0.key) }))
            for object in objects { known[object.key] = nil }
            guard changed.count == saved.count, ids.count == changes else {
                throw CommandFailure(description: "not \(changes) objects")
            }
        }
    }

    /// A hundred fetches of a hundred books whose rows are known, as in `store/fetch-indexed` after its first round: an
    /// object for each, which is registered, and gone before the next fetch.
    fileprivate func fetchIndexedFloor(_ count: Int) throws -> Double {
        let database = try filledDatabase(count)
        var known: [Int64: Unmanaged<FloorObject>] = [:]
        var rows: [Int64: FloorRow] = [:]
        for object in try floorObjects(database, "WHERE ZAUTHOR <= 100", &known) { rows[object.key] = object.row }
        known = [:]
        return try ObjectBenchmarks.seconds {
            let statement = try database.prepare("SELECT Z_PK, Z_ENT, Z_OPT FROM ZBOOK WHERE ZAUTHOR = ?")
            defer { sqlite3_finalize(statement) }
            for author in 1...100 {
                sqlite3_bind_int64(statement, 1, Int64(author))
                var objects: [FloorObject] = []
                while sqlite3_step(statement) == SQLITE_ROW {
                    let key = sqlite3_column_int64(statement, 0)
                    guard let row = rows[key] else { throw CommandFailure(description: "unknown row") }
                    let object = FloorObject(key, row)
                    known[key] = .passUnretained(object)
                    objects.append(object)
                }
                sqlite3_reset(statement)
                guard objects.count == 100 else { throw CommandFailure(description: "\(objects.count) books") }
                for object in objects { known[object.key] = nil }
            }
        }
    }

    /// Deletes the books of some authors with the authors, and makes what `floor/delete` makes.
    fileprivate func cascadeFloor(_ count: Int, _ owners: Int) throws -> Double {
        let url = newURL()
        defer { remove(url) }
        _ = try context(url)
        let database = try ReferenceDatabase(url)
        try fill(database, count)
        return try ObjectBenchmarks.seconds {
            var known: [Int64: Unmanaged<FloorObject>] = [:]
            let objects = try floorObjects(database, "WHERE ZAUTHOR <= \(owners)", &known)
            let changed = Set(objects)
            try database.run("BEGIN IMMEDIATE")
            try database.run("DELETE FROM ZBOOK WHERE Z_PK BETWEEN 1 AND \(objects.count) AND Z_OPT = 1")
            try database.run("DELETE FROM ZAUTHOR WHERE Z_PK BETWEEN 1 AND \(owners) AND Z_OPT = 1")
            try database.run("COMMIT")
            let (saved, ids) = (Set(objects), Set(objects.map { FloorID($0.key) }))
            for object in objects { known[object.key] = nil }
            guard changed.count == saved.count, ids.count == owners * 100 else {
                throw CommandFailure(description: "not \(owners * 100) objects")
            }
        }
    }
}
