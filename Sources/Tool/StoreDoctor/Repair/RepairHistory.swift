internal import CSQLite3
internal import CoreData
internal import Foundation

/// Records repairs of objects in a store's persistent history, as a save would, so that readers in other processes see them.
///
/// All of them are one transaction with the author `modelc`. Changes that no property has, such as those of versions and of the
/// store's description of itself, are not part of a history, nor are the values of derived attributes.
struct RepairHistory {
    private struct Object: Hashable {
        /// The root entity's number.
        var root: Int
        var key: Int64
    }

    private static let author = "modelc"
    /// The largest number after which a history is continued.
    private static let largest: Int64 = 1 << 62

    private let examination: StoreExamination
    private let layout: StoreLayout
    private var database: DoctorDatabase { examination.database }
    /// The properties that the columns of an entity belong to, by the entity's number and the column's key.
    private let properties: [Int: [String: StoreLayout.Property]]
    /// The relationships of objects that the columns of a join table refer to, by the table's and the column's key.
    private let joins: [String: [String: [(owner: StoreLayout.Entity, name: String)]]]
    private let tombstoneColumns: [String]

    /// Creates the history of a repaired store.
    ///
    /// - Returns: `nil` if the store keeps no history, or if its model is not known.
    init?(_ examination: StoreExamination) {
        guard let layout = examination.layout, examination.hasEntityRows,
            examination.has("ACHANGE", "Z_PK", "Z_ENT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID"),
            examination.has("ACHANGE", "ZCOLUMNS"), examination.has("ATRANSACTION", "Z_PK", "Z_ENT", "ZTIMESTAMP")
        else { return nil }
        self.examination = examination
        self.layout = layout
        var properties: [Int: [String: StoreLayout.Property]] = [:]
        var joins: [String: [String: [(owner: StoreLayout.Entity, name: String)]]] = [:]
        for entity in layout.entities {
            var columns: [String: StoreLayout.Property] = [:]
            for property in entity.properties {
                switch property.position {
                case .attribute(let attribute):
                    if !attribute.isDerived { columns[SQLName.key(attribute.column)] = property }
                case .toOne(let toOne):
                    for column in [toOne.key, toOne.entity, toOne.order] {
                        if let column { columns[SQLName.key(column)] = property }
                    }
                case .members: continue
                case .join(let join):
                    guard property.isDeclared else { continue }
                    joins[SQLName.key(join.table), default: [:]][SQLName.key(join.own), default: []]
                        .append((entity, property.name))
                }
            }
            properties[entity.number] = columns
        }
        self.properties = properties
        self.joins = joins
        tombstoneColumns = Array((0..<100).lazy.map { "ZTOMBSTONE\($0)" }.prefix { examination.has("ACHANGE", $0) })
    }

    /// The attributes whose values the history has of deleted objects, by the key of the table's name.
    var keptAttributes: [String: [StoreLayout.Attribute]] {
        var result: [String: [String: StoreLayout.Attribute]] = [:]
        for entity in layout.entities {
            for case let attribute? in entity.tombstones.prefix(tombstoneColumns.count) {
                result[SQLName.key(entity.table), default: [:]][attribute.column] = attribute
            }
        }
        return result.mapValues { $0.values.sorted { $0.column < $1.column } }
    }

    /// Adds a transaction with the changes of a log, if a history has such changes.
    func record() throws(DoctorDatabase.Failure) {
        var updates: [Object: Set<String>] = [:]
        var deletions: [(table: String, key: Int64, entity: Int)] = []
        let query = try database.query(
            "SELECT tbl, row, col, kind, old, new FROM temp.modelc_changes WHERE \(ChangeLog.isChange) ORDER BY tbl, row, col"
        )
        while try query.step() {
            let table = query.text(0)
            let (row, column) = (query.integer(1) ?? 0, SQLName.key(query.text(2)))
            switch query.text(3) {
            case "deleted" where column.isEmpty:
                if let number = query.integer(4).flatMap({ Int(exactly: $0) }), layout.entity(number: number) != nil {
                    deletions.append((table, row, number))
                }
            case "deleted":
                // A pair of a many-to-many relationship.
                for (owner, name) in joins[SQLName.key(table)]?[column] ?? [] {
                    if let key = query.integer(4) {
                        updates[Object(root: owner.rootNumber, key: key), default: []].insert(name)
                    }
                }
            case "changed":
                guard let entity = try entity(ofRow: row, in: table), let property = properties[entity.number]?[column]
                else { continue }
                let object = Object(root: entity.rootNumber, key: row)
                guard case .toOne(let toOne) = property.position else {
                    updates[object, default: []].insert(topName(property))
                    continue
                }
                let isOrder = toOne.order.map(SQLName.key) == column
                if !isOrder { updates[object, default: []].insert(property.name) }
                // The owners' relationships change, too.
                guard let inverse = toOne.inverse, !toOne.isOneToOne,
                    let destination = layout.entity(number: toOne.destination),
                    isOrder || column == SQLName.key(toOne.key)
                else { continue }
                let owners =
                    isOrder
                    ? [
                        try database.integer(
                            "SELECT \(SQL.name(toOne.key)) FROM \(SQL.name(entity.table)) WHERE Z_PK = \(row)")
                    ]
                    : [query.integer(4), query.integer(5)]
                for key in owners {
                    if let key { updates[Object(root: destination.rootNumber, key: key), default: []].insert(inverse) }
                }
            default: continue
            }
        }
        try write(updates: updates, deletions: deletions)
    }

    /// The name of an attribute, or of the composite attribute that it is an element of.
    private func topName(_ property: StoreLayout.Property) -> String {
        if case .attribute(let attribute) = property.position, attribute.isElement {
            return String(property.name.prefix { $0 != "." })
        }
        return property.name
    }

    private func entity(ofRow key: Int64, in table: String) throws(DoctorDatabase.Failure) -> StoreLayout.Entity? {
        guard examination.has(table, "Z_PK", "Z_ENT"), !table.hasPrefix("A") else { return nil }
        return try database.integer("SELECT Z_ENT FROM \(SQL.name(table)) WHERE Z_PK = \(key)")
            .flatMap { Int(exactly: $0) }.flatMap { layout.entity(number: $0) }
    }

    // MARK: Writing

    private func write(
        updates: [Object: Set<String>], deletions: [(table: String, key: Int64, entity: Int)]
    ) throws(DoctorDatabase.Failure) {
        var transaction: Int64?
        var change = try last(16001, "ACHANGE")
        // Invalid numbers can leave no room for others.
        for number in [change, try last(16002, "ATRANSACTION"), try last(16003, "ATRANSACTIONSTRING")]
        where number > Self.largest { return }
        let places = tombstoneColumns.map { ", \($0)" }.joined()
        let insertion = try database.query(
            "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS\(places)) "
                + "VALUES (?, 16001, ?, ?, ?, ?, ?\(tombstoneColumns.map { _ in ", ?" }.joined()))")
        func add(_ kind: Int64, key: Int64, entity: Int, columns: [UInt8]?) throws(DoctorDatabase.Failure) {
            if transaction == nil { transaction = try begin() }
            change += 1
            for (index, value) in [change, kind, Int64(entity), key, transaction ?? 0].enumerated() {
                sqlite3_bind_int64(insertion.statement, Int32(index + 1), value)
            }
            columns?.withUnsafeBytes { bytes in
                _ = sqlite3_bind_blob(
                    insertion.statement, 6, bytes.baseAddress, Int32(bytes.count),
                    unsafeBitCast(-1, to: sqlite3_destructor_type.self))
            }
            _ = try insertion.step()
            sqlite3_reset(insertion.statement)
            sqlite3_clear_bindings(insertion.statement)
        }
        for (object, names) in updates.sorted(by: { ($0.key.root, $0.key.key) < ($1.key.root, $1.key.key) }) {
            // Objects that were deleted, or never existed, have no row.
            guard let root = layout.entity(number: object.root),
                let entity = try entity(ofRow: object.key, in: root.table)
            else { continue }
            let changed = entity.properties.filter { names.contains(topName($0)) }
            guard !changed.isEmpty else { continue }
            try add(1, key: object.key, entity: entity.number, columns: StoreLayout.historyColumns(changed, of: entity))
        }
        for deletion in deletions {
            if let entity = layout.entity(number: deletion.entity) {
                try bindTombstones(of: entity, deletion.table, deletion.key, insertion)
            }
            try add(2, key: deletion.key, entity: deletion.entity, columns: nil)
        }
        guard let transaction else { return }
        try setLast(transaction, of: 16002, named: "TRANSACTION")
        try setLast(change, of: 16001, named: "CHANGE")
    }

    private func bindTombstones(
        of entity: StoreLayout.Entity, _ table: String, _ key: Int64, _ insertion: DoctorDatabase.Query
    ) throws(DoctorDatabase.Failure) {
        for (index, attribute) in entity.tombstones.prefix(tombstoneColumns.count).enumerated() {
            guard let attribute else { continue }
            let query = try database.query(
                "SELECT old FROM temp.modelc_changes WHERE tbl = \(SQLName.literal(table)) AND row = \(key) "
                    + "AND kind = 'kept' AND col = \(SQLName.literal(attribute.column))")
            guard try query.step() else { continue }
            sqlite3_bind_value(insertion.statement, Int32(7 + index), sqlite3_column_value(query.statement, 0))
        }
    }

    private func begin() throws(DoctorDatabase.Failure) -> Int64 {
        let transaction = try last(16002, "ATRANSACTION") + 1
        var columns = [
            ("Z_PK", "\(transaction)"), ("Z_ENT", "16002"), ("ZTIMESTAMP", "\(Date().timeIntervalSinceReferenceDate)"),
        ]
        if examination.has("ATRANSACTION", "ZAUTHORTS", "ZPROCESSIDTS"),
            examination.has("ATRANSACTIONSTRING", "Z_PK", "Z_ENT", "ZNAME")
        {
            let string = try string(Self.author)
            columns += [("ZAUTHORTS", "\(string)"), ("ZPROCESSIDTS", "\(string)")]
        } else if examination.has("ATRANSACTION", "ZAUTHOR") {
            // Framework 851 keeps the strings in the transactions.
            columns.append(("ZAUTHOR", SQLName.literal(Self.author)))
        }
        try database.execute(
            "INSERT INTO ATRANSACTION (\(columns.map(\.0).joined(separator: ", "))) "
                + "VALUES (\(columns.map(\.1).joined(separator: ", ")))")
        return transaction
    }

    /// Returns the number of a string in the table of strings, which contains each string once.
    private func string(_ text: String) throws(DoctorDatabase.Failure) -> Int64 {
        if let known = try database.integer(
            "SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = \(SQLName.literal(text))")
        {
            return known
        }
        let number = try last(16003, "ATRANSACTIONSTRING") + 1
        try database.execute(
            "INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (\(number), 16003, \(SQLName.literal(text)))")
        try setLast(number, of: 16003, named: "TRANSACTIONSTRING")
        return number
    }

    /// Returns the largest key that a table of the history has or had.
    private func last(_ entity: Int, _ table: String) throws(DoctorDatabase.Failure) -> Int64 {
        guard examination.has(table, "Z_PK") else { return 0 }
        return try database.integer(
            "SELECT max(ifnull((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(entity) AND typeof(Z_MAX) = 'integer'), 0), "
                + "ifnull((SELECT max(Z_PK) FROM \(table)), 0))") ?? 0
    }

    private func setLast(_ number: Int64, of entity: Int, named name: String) throws(DoctorDatabase.Failure) {
        // The rows come with the first change.
        try database.execute(
            """
            INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) SELECT \(entity), '\(name)', 0, 0 \
            WHERE NOT EXISTS (SELECT 1 FROM Z_PRIMARYKEY WHERE Z_ENT = \(entity)); \
            UPDATE Z_PRIMARYKEY SET Z_MAX = \(number) WHERE Z_ENT = \(entity)
            """)
    }
}
