internal import CSQLite3
internal import Foundation

/// Inserts rows of one entity with given keys and values as SQLite stores them, for programs that restore exported
/// stores.
///
/// Nothing is validated, and values may have storage classes that the attribute's type does not have. Rows may be
/// inserted in any order; to-many relationships are set after all rows.
package final class RestoredTable {
    /// The value of a property.
    package enum Cell: Sendable {
        /// The value of an attribute. The bytes of one that may be in a file are those of the file.
        case value(StoreContents.Value)
        /// The destination of a to-one relationship; `nil` for none.
        case reference(StoreContents.Reference?)
    }

    /// The reason why a row cannot be inserted.
    package struct Failure: Error {
        /// The problem, in one sentence.
        package var message: String
    }

    /// The way in which a column gets its value.
    private enum Source {
        case attribute(cell: Int, isExternal: Bool)
        case toOne(cell: Int, ToOneColumns)
        /// The default value of a field without a cell.
        case initial(StoredEntity.Field)
        case null(count: Int)
    }

    private let rows: RowInsertion
    private let store: SQLiteStore
    private let connection: SQLiteConnection
    private let entity: StoredEntity
    private let statement: SQLiteStatement
    private var sources: [Source] = []
    private let names: [String]
    /// The derived attributes that the store computes, and that have no cell.
    private let computed: [Int]

    init(
        rows: RowInsertion, store: SQLiteStore, connection: SQLiteConnection, entity: StoredEntity, names: [String]
    ) throws {
        self.rows = rows
        self.store = store
        self.connection = connection
        self.entity = entity
        self.names = names
        let cells = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
        var columns: [String] = []
        var used: Set<String> = []
        var sources: [Source] = []
        for field in entity.fields {
            let slot = entity.layout.slots[field.slot]
            let cell = cells[slot.name]
            switch field.kind {
            case .attribute(let column, _):
                columns.append(column)
                let isExternal = (slot.property as? NSAttributeDescription)?.allowsExternalBinaryDataStorage ?? false
                sources.append(cell.map { .attribute(cell: $0, isExternal: isExternal) } ?? .initial(field))
                if cell != nil { used.insert(slot.name) }
            case .composite(let coding):
                columns += coding.leaves.map(\.column)
                guard case .composite(let elements) = entity.mapping.slotColumns[field.slot] else { continue }
                let paths = elements.map { ([slot.name] + $0.path).joined(separator: ".") }
                guard paths.contains(where: { cells[$0] != nil }) else {
                    sources.append(.initial(field))
                    continue
                }
                for (path, leaf) in zip(paths, coding.leaves) {
                    sources.append(
                        cells[path].map { .attribute(cell: $0, isExternal: leaf.isExternal) } ?? .null(count: 1))
                    used.insert(path)
                }
            case .toOne(let toOne):
                columns += toOne.names
                sources.append(cell.map { .toOne(cell: $0, toOne) } ?? .null(count: toOne.names.count))
                if cell != nil { used.insert(slot.name) }
            }
        }
        if let unknown = names.first(where: { !used.contains($0) }) {
            throw Failure(
                message: "“\(entity.layout.name).\(unknown)” is not a stored attribute or to-one relationship")
        }
        self.sources = sources
        computed = entity.mapping.derived.filter { derived in
            !derived.hasTriggers && cells[entity.layout.slots[derived.slot].name] == nil
        }.map(\.slot)
        let list = (StoreSchema.reservedColumns + columns.map(SQLName.quoted)).joined(separator: ", ")
        let positions = ["?", "\(entity.number)", "1"] + columns.map { _ in "?" }
        statement = try SQLiteStatement(
            connection, "INSERT INTO \(entity.table)(\(list)) VALUES(\(positions.joined(separator: ", ")))")
    }

    /// Returns whether a row can have a primary key: one above 0, after which another follows.
    package static func isValidKey(_ key: Int64) -> Bool { key > 0 && key < Int64.max }

    /// Inserts a row.
    ///
    /// - Parameters:
    ///   - cells: A cell for each property of the table.
    ///   - key: The primary key.
    /// - Throws: `Failure` if the store refuses the row.
    package func insert(_ cells: [Cell], key: Int64) throws {
        guard Self.isValidKey(key) else { throw Failure(message: "\(key) is not a valid primary key") }
        guard cells.count == names.count else { throw Failure(message: "\(cells.count) values for \(names.count)") }
        statement.bind(key, at: 1)
        let derived = computed.isEmpty ? [] : DerivedValues.plain(plainValues(cells), entity)
        var position: Int32 = 2
        for source in sources {
            switch source {
            case .attribute(let cell, let isExternal):
                try bind(cells[cell], isExternal: isExternal, at: position)
                position += 1
            case .toOne(let cell, let columns):
                bind(cells[cell], columns, at: position)
                position += Int32(columns.names.count)
            case .initial(let field):
                let value =
                    computed.contains(field.slot) ? derived[field.slot] : entity.layout.defaults[field.slot]
                switch field.kind {
                case .attribute(_, let coding):
                    try coding.bind(value, to: statement, at: position)
                    position += 1
                case .composite(let coding): try coding.bind(value, to: statement, at: &position)
                case .toOne: continue
                }
            case .null(let count):
                for _ in 0..<count {
                    statement.bindNull(at: position)
                    position += 1
                }
            }
        }
        do {
            try statement.run()
        } catch {
            throw Self.failure(error)
        }
        rows.use(key, root: entity.mapping.rootNumber)
    }

    private static func failure(_ error: any Error) -> any Error {
        guard let error = error as? SQLiteError, error.primaryCode == SQLITE_CONSTRAINT else { return error }
        return Failure(message: "the store refuses the object: \(error.message)")
    }

    private func bind(_ cell: Cell, isExternal: Bool, at position: Int32) throws {
        guard case .value(let value) = cell else { return statement.bindNull(at: position) }
        switch value {
        case .null: statement.bindNull(at: position)
        case .integer(let number): statement.bind(number, at: position)
        case .real(let number): statement.bind(number, at: position)
        case .text(let bytes): statement.bindText(bytes, at: position)
        case .bytes(let bytes):
            guard isExternal else { return statement.bind(bytes, at: position) }
            try store.external.content(of: Data(bytes)).withUnsafeBytes { statement.bind($0, at: position) }
        }
    }

    private func bind(_ cell: Cell, _ columns: ToOneColumns, at position: Int32) {
        var position = position
        func next(_ value: Int64?) {
            if let value { statement.bind(value, at: position) } else { statement.bindNull(at: position) }
            position += 1
        }
        var reference: StoreContents.Reference?
        if case .reference(let destination) = cell { reference = destination }
        next(reference?.key)
        if columns.entity != nil {
            next(reference.map { Int64(store.entity(named: $0.entity)?.number ?? columns.destination) })
        }
        // The order follows from the members of the inverse.
        if columns.order != nil { next(nil) }
    }

    /// Returns the values of the attributes that derivations read.
    private func plainValues(_ cells: [Cell]) -> [SlotValue] {
        var result = entity.layout.defaults
        for (name, cell) in zip(names, cells) {
            guard let slot = entity.layout.index(of: name), case .value(let value) = cell,
                case .attribute(let type) = entity.layout.slots[slot].kind
            else { continue }
            result[slot] = Self.plainValue(value, type)
        }
        return result
    }

    private static func plainValue(_ value: StoreContents.Value, _ type: NSAttributeType) -> SlotValue {
        switch (value, type) {
        case (.text(let bytes), .stringAttributeType): return .string(String(decoding: bytes, as: UTF8.self))
        case (.integer(let number), .booleanAttributeType): return .boolean(number != 0)
        case (.integer(let number), .dateAttributeType):
            return .date(Date(timeIntervalSinceReferenceDate: Double(number)))
        case (.real(let number), .dateAttributeType): return .date(Date(timeIntervalSinceReferenceDate: number))
        case (.integer(let number), _): return ValueConversion.slotValue(number, type) ?? .null
        case (.real(let number), _): return ValueConversion.slotValue(number, type) ?? .null
        default: return .null
        }
    }

    // MARK: Members

    /// Sets the members of a to-many relationship. All rows must have been inserted.
    ///
    /// The members of a relationship with a to-one inverse are those of the inverse, and those that state no owner.
    ///
    /// - Throws: `Failure` if the entity has no such relationship.
    package func setMembers(
        _ members: [StoreContents.Reference], of relationship: String, owner: Int64
    ) throws {
        guard let slot = entity.layout.index(of: relationship) else {
            throw Failure(message: "“\(entity.layout.name)” has no relationship “\(relationship)”")
        }
        var order = OrderKeys.first
        switch entity.mapping.slotColumns[slot] {
        case .join(let side):
            let (table, own, other) = (SQLName.quoted(side.table), SQLName.quoted(side.own), SQLName.quoted(side.other))
            let insertion = SQLiteDialect().insertingNew(into: "\(table)(\(own), \(other))", "VALUES(?, ?)")
            for member in members {
                try run(insertion, owner, member.key)
                if let column = side.order.map(SQLName.quoted) {
                    try run(
                        "UPDATE \(table) SET \(column) = ? WHERE \(own) = ? AND \(other) = ?", order, owner, member.key)
                    order += OrderKeys.step
                }
            }
        case .inverse(let columns):
            let (table, key) = (SQLName.quoted(columns.table), SQLName.quoted(columns.key))
            let entityColumn = columns.entity.map { ", \(SQLName.quoted($0)) = \(entity.number)" } ?? ""
            // Where the member states another owner, that one counts.
            let condition = columns.isVirtual ? "" : " AND \(key) IS NULL"
            let link = "UPDATE \(table) SET \(key) = ?\(entityColumn) WHERE Z_PK = ?\(condition)"
            for member in members {
                try run(link, owner, member.key)
                if let column = columns.order.map(SQLName.quoted) {
                    try run(
                        "UPDATE \(table) SET \(column) = ? WHERE Z_PK = ? AND \(key) = ?", order, member.key, owner)
                    order += OrderKeys.step
                }
            }
        case .nowhere, .attribute, .composite, .toOne:
            throw Failure(message: "“\(entity.layout.name).\(relationship)” is not a stored to-many relationship")
        }
    }

    private func run(_ sql: String, _ values: Int64...) throws {
        let statement = try connection.statement(sql)
        for (index, value) in values.enumerated() { statement.bind(value, at: Int32(index + 1)) }
        do {
            try statement.run()
        } catch {
            throw Self.failure(error)
        }
    }

    /// Completes what depends on all rows: the order of members that no relationship listed, and derived attributes.
    static func finish(_ store: SQLiteStore, _ connection: SQLiteConnection) throws {
        guard let schema = store.schema else { return }
        var done: Set<[String]> = []
        for mapping in schema.entities {
            for position in mapping.slotColumns {
                switch position {
                case .inverse(let columns):
                    guard let order = columns.order, done.insert([columns.table, order]).inserted else { continue }
                    try append(columns.table, owner: columns.key, member: "Z_PK", order: order, connection)
                case .join(let side):
                    guard let order = side.order, done.insert([side.table, order]).inserted else { continue }
                    try append(side.table, owner: side.own, member: side.other, order: order, connection)
                case .nowhere, .attribute, .composite, .toOne: continue
                }
            }
        }
        // Triggers have counted the rows in the order in which they were inserted, not the members of each owner.
        for column in schema.derivedColumns { try connection.execute(column.statement) }
    }

    /// Assigns the next positions to members without one.
    private static func append(
        _ table: String, owner: String, member: String, order: String, _ connection: SQLiteConnection
    ) throws {
        let (table, owner, order) = (SQLName.quoted(table), SQLName.quoted(owner), SQLName.quoted(order))
        let member = SQLName.quoted(member)
        let read = try SQLiteStatement(
            connection,
            "SELECT \(owner), \(member) FROM \(table) WHERE \(owner) IS NOT NULL AND \(order) IS NULL "
                + "ORDER BY \(owner), \(member)")
        var waiting: [(owner: Int64, member: Int64)] = []
        while try read.step() { waiting.append((read.integer(0), read.integer(1))) }
        guard !waiting.isEmpty else { return }
        let last = try SQLiteStatement(connection, "SELECT max(\(order)) FROM \(table) WHERE \(owner) = ?")
        let write = try SQLiteStatement(
            connection, "UPDATE \(table) SET \(order) = ? WHERE \(owner) = ? AND \(member) = ?")
        var current: (owner: Int64, order: Int64)?
        for row in waiting {
            if current?.owner != row.owner {
                last.bind(row.owner, at: 1)
                let top = try last.step() && !last.isNull(0) ? last.integer(0) : OrderKeys.first - OrderKeys.step
                last.reset()
                current = (row.owner, top)
            }
            let next = min(current?.order ?? 0, Int64.max - OrderKeys.step) + OrderKeys.step
            current?.order = next
            write.bind(next, at: 1)
            write.bind(row.owner, at: 2)
            write.bind(row.member, at: 3)
            try write.run()
        }
    }
}
