import CSQLite3
import CoreData
import Diagnostics
import Foundation
import TestSupport

/// A fault to plant in a store.
struct SeededFault: CustomStringConvertible {
    /// The rule that must find it.
    var rule: RuleID
    /// The statements that plant it.
    var statements: [String]
    /// The rules that may find consequences.
    var consequences: Set<RuleID>
    /// Changes the files of a store that is not open; `nil` for none.
    var changesFiles: ((_ store: URL) throws -> Void)?

    var description: String { "\(rule.rawValue) by \(statements)" }

    /// Plants the fault.
    ///
    /// - Returns: Whether the store allows it: a constraint may not, such as a unique index.
    func plant(in store: URL) throws -> Bool {
        do {
            let database = try SeedDatabase(store.path)
            for statement in statements { try database.execute(statement) }
        } catch {
            return false
        }
        try changesFiles?(store)
        return true
    }
}

/// Plants faults of the catalog in a store.
///
/// The statements are chosen by looking at the store's rows, so that a fault is only planted where the model allows it.
final class FaultSeeder {
    let layout: StoreLayout
    let database: SeedDatabase
    var generator: SeededGenerator
    var faults: [SeededFault] = []

    init(_ layout: StoreLayout, _ database: SeedDatabase, _ generator: SeededGenerator) {
        self.layout = layout
        self.database = database
        self.generator = generator
    }

    /// Returns a fault of each kind that is possible in the store, at a random place.
    func allFaults() throws -> [SeededFault] {
        faults = []
        try addFileFaults()
        try addExternalFileFaults()
        try addModelFaults()
        try addSpatialFaults()
        try addHistoryFaults()
        try addDescriptionFaults()
        try addSchemaFaults()
        for entity in layout.entities where !entity.isAbstract {
            try addRowFaults(entity)
            try addOwnerFault(entity)
        }
        for entity in layout.entities {
            for property in entity.properties where property.isDeclared {
                switch property.position {
                case .attribute(let attribute): try addValueFaults(entity, property, attribute)
                case .toOne(let toOne): try addReferenceFaults(entity, property, toOne)
                case .members(let members): try addMemberFaults(entity, property, members)
                case .join(let join): try addJoinFaults(entity, property, join)
                }
            }
        }
        return faults
    }

    func add(_ rule: RuleID, _ statements: [String], _ consequences: Set<RuleID> = []) {
        faults.append(SeededFault(rule: rule, statements: statements, consequences: consequences))
    }

    func add(_ rule: RuleID, _ statement: String, _ consequences: Set<RuleID> = []) {
        add(rule, [statement], consequences)
    }

    func add(_ rule: RuleID, _ consequences: Set<RuleID> = [], changesFiles: @escaping (_ store: URL) throws -> Void) {
        faults.append(
            SeededFault(rule: rule, statements: [], consequences: consequences, changesFiles: changesFiles))
    }

    /// Returns the key of a random row that meets a condition.
    func key(_ table: String, _ condition: String = "1") throws -> Int64? {
        let count = try database.integer("SELECT count(*) FROM \"\(table)\" AS t WHERE \(condition)") ?? 0
        guard count > 0 else { return nil }
        let offset = Int64.random(in: 0..<count, using: &generator)
        return try database.integer(
            "SELECT Z_PK FROM \"\(table)\" AS t WHERE \(condition) ORDER BY Z_PK LIMIT 1 OFFSET \(offset)")
    }

    /// Returns the numbers of faults by rule, for the reports of long forms.
    static func counts(_ counts: [RuleID: Int]) -> String {
        let rules = counts.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.key.rawValue) \($0.value)" }
        return "\(counts.values.reduce(0, +)): " + rules.joined(separator: ", ")
    }

    static func list(_ numbers: [Int]) -> String { "(" + numbers.map(String.init).joined(separator: ", ") + ")" }
}

/// A connection that changes a store as other programs do.
final class SeedDatabase {
    private var handle: OpaquePointer?

    struct Failure: Error {
        var message: String
    }

    init(_ path: String) throws {
        guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else { throw failure }
        // The triggers of derived attributes call Core Data's functions.
        for name in [
            "NSCoreDataDATriggerUpdatedAffectedObjectValue", "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
            "NSCoreDataTriggerUpdateAffectedObjectValue",
        ] {
            sqlite3_create_function_v2(
                handle, name, 5, SQLITE_UTF8, nil, { context, _, _ in sqlite3_result_null(context) }, nil, nil, nil)
        }
    }

    deinit { sqlite3_close_v2(handle) }

    private var failure: Failure { Failure(message: String(cString: sqlite3_errmsg(handle))) }

    func execute(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
    }

    func integer(_ sql: String) throws -> Int64? {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw failure }
        defer { sqlite3_finalize(statement) }
        guard sqlite3_step(statement) == SQLITE_ROW, sqlite3_column_type(statement, 0) != SQLITE_NULL else {
            return nil
        }
        return sqlite3_column_int64(statement, 0)
    }

    func texts(_ sql: String) throws -> [String] {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw failure }
        defer { sqlite3_finalize(statement) }
        var result: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            result.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "")
        }
        return result
    }

    /// Returns the tables with their columns, and the entity numbers by name.
    func content() throws -> (tables: [StoreLayout.Table], numbers: [String: Int]) {
        let tables = try texts("SELECT name FROM sqlite_master WHERE type = 'table'").map { name in
            StoreLayout.Table(name: name, columns: try texts("SELECT name FROM pragma_table_info('\(name)')"))
        }
        var numbers: [String: Int] = [:]
        for name in try texts("SELECT Z_NAME FROM Z_PRIMARYKEY") {
            numbers[name] = Int(try integer("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = '\(name)'") ?? 0)
        }
        return (tables, numbers)
    }
}
