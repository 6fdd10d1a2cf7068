internal import Foundation

/// Inserts rows into a SQLite store without objects of a context, for programs that write whole stores.
///
/// All rows of a call of `insertRows(into:_:)` are one transaction. Values are converted but not validated, and
/// references are not checked: both are up to the caller. Each side of a one-to-one relationship has its own column, so
/// both must be set.
///
/// ```swift
/// try coordinator.insertRows(into: store) { rows in
///     let authors = try rows.table("Author", properties: ["name"])
///     let books = try rows.table("Book", properties: ["title", "author"])
///     let author = try authors.insert(["Ursula K. Le Guin"])
///     _ = try books.insert(["The Dispossessed", author])
/// }
/// ```
package final class RowInsertion {
    private let store: SQLiteStore
    private let connection: SQLiteConnection
    private let history: HistoryWriter?
    private var writer: RowWriter
    /// The next key of each table, by the number of the root entity.
    private var nextKeys: [Int: Int64] = [:]
    /// Whether rows were restored, so that the order of members and derived attributes must be completed.
    private var hasRestoredRows = false
    /// The tables by whose relationships members are restored, by entity.
    private var restoredTables: [String: RestoredTable] = [:]

    fileprivate init(store: SQLiteStore, connection: SQLiteConnection, history: HistoryWriter?) {
        self.store = store
        self.connection = connection
        self.history = history
        writer = RowWriter(store, connection)
    }

    /// Returns the table for inserting an entity's rows.
    ///
    /// - Parameters:
    ///   - entity: The name of the entity, which must not be abstract.
    ///   - properties: The names of the attributes and to-one relationships to set, in the order of their values. All
    ///     other attributes get their default values.
    /// - Throws: A Cocoa error if the store does not have the entity, or the entity lacks one of the properties.
    package func table(_ entity: String, properties: [String]) throws -> Table {
        guard let stored = store.entity(named: entity), !stored.layout.isAbstract else {
            throw failure("the store does not hold objects of the entity “\(entity)”")
        }
        let slots = try properties.map { name in
            guard let slot = stored.layout.index(of: name), stored.layout.isInRow(slot) else {
                throw failure("“\(entity).\(name)” is not a stored attribute or to-one relationship")
            }
            return slot
        }
        return Table(rows: self, entity: stored, slots: slots)
    }

    /// Returns the table for restoring an entity's rows, with given keys and values as SQLite stores them.
    ///
    /// - Parameters:
    ///   - entity: The name of the entity, which must not be abstract.
    ///   - properties: The names of the attributes and to-one relationships to set, in the order of their cells. An
    ///     element of a composite attribute is named by its path. All other attributes get their default values.
    /// - Throws: A Cocoa error if the store does not have the entity, or the entity lacks one of the properties.
    package func restoredTable(_ entity: String, properties: [String]) throws -> RestoredTable {
        guard let stored = store.entity(named: entity), !stored.layout.isAbstract else {
            throw failure("the store does not hold objects of the entity “\(entity)”")
        }
        hasRestoredRows = true
        return try RestoredTable(rows: self, store: store, connection: connection, entity: stored, names: properties)
    }

    /// Records the key of a restored row, so that no other row gets it.
    func use(_ key: Int64, root: Int) {
        if key < Int64.max, key >= nextKeys[root] ?? 1 { nextKeys[root] = key + 1 }
    }

    /// Adds members to a many-to-many relationship, or to a to-many relationship without an inverse. Other to-many
    /// relationships follow from the to-one relationships of their members.
    ///
    /// - Throws: A Cocoa error if the entity of the row does not have such a relationship, or the store cannot be
    ///   written.
    package func add(_ members: [NSManagedObjectID], to relationship: String, of owner: NSManagedObjectID) throws {
        guard case .number(let key) = owner.reference, let entity = store.entity(of: owner),
            let slot = entity.layout.index(of: relationship)
        else { throw failure("“\(owner.layout.name)” has no relationship “\(relationship)”") }
        let isOrdered = entity.layout.slots[slot].kind == .toMany(isOrdered: true)
        let writer = MemberWriter(store, connection)
        try writer.write(
            ObjectChange.MemberChange(slot: slot, added: members, removed: [], order: isOrdered ? members : nil),
            of: key,
            entity)
        try writer.sortAll()
    }

    /// Returns IDs for rows to be inserted later: the next keys of the entity's table.
    fileprivate func reserve(_ count: Int, _ entity: StoredEntity) throws -> [NSManagedObjectID] {
        let root = entity.mapping.rootNumber
        let first = try nextKeys[root] ?? store.reserveKeys(0, root: root, connection: connection)
        guard count >= 0, first <= Int64.max - Int64(count) else {
            throw failure("the table \(entity.table) has no keys left")
        }
        let next = first + Int64(count)
        nextKeys[root] = next
        return (first..<next).map { store.id($0, entity) }
    }

    fileprivate func insert(_ values: [SlotValue], id: NSManagedObjectID, entity: StoredEntity) throws {
        guard case .number(let key) = id.reference, id.layout === entity.layout else {
            throw failure("\(id.uriRepresentation()) is not the ID of a row of “\(entity.layout.name)”")
        }
        try writer.insert(key, values: DerivedValues.plain(values, entity), entity: entity)
        try history?.insert(key, entity)
    }

    /// Writes the last keys, and the order of members, which depend on all rows.
    fileprivate func finish() throws {
        for (root, next) in nextKeys.sorted(by: { $0.key < $1.key }) {
            try store.setLastKey(next - 1, root: root, connection: connection)
        }
        let members = MemberWriter(store, connection)
        members.write(writer.orders)
        try members.sortAll()
        if hasRestoredRows { try RestoredTable.finish(store, connection) }
    }

    private func failure(_ message: String) -> NSError {
        CoreDataError.error(.persistentStoreSave, text: message, userInfo: [NSURLErrorKey: store.fileURL])
    }

    /// Inserts the rows of one entity.
    package final class Table {
        private let rows: RowInsertion
        private let entity: StoredEntity
        private let slots: [Int]

        fileprivate init(rows: RowInsertion, entity: StoredEntity, slots: [Int]) {
            self.rows = rows
            self.entity = entity
            self.slots = slots
        }

        /// Inserts a row.
        ///
        /// - Parameter values: A value for each property of the table: of the attribute's class, or the destination's
        ///   ID.
        /// - Returns: The ID of the row.
        /// - Throws: A Cocoa error for a value of another class or a wrong number of values, and errors of the store.
        @discardableResult
        package func insert(_ values: [Any?]) throws -> NSManagedObjectID {
            guard let id = try reserve(1).first else { throw rows.failure("no key was reserved") }
            try insert(values, as: id)
            return id
        }

        /// Returns IDs for rows to be inserted later, so that rows can refer to each other in any order.
        ///
        /// - Throws: A Cocoa error if the table has no keys left.
        package func reserve(_ count: Int) throws -> [NSManagedObjectID] { try rows.reserve(count, entity) }

        /// Inserts the row of a reserved ID.
        ///
        /// - Parameters:
        ///   - values: A value for each property of the table: of the attribute's class, or the destination's ID.
        ///   - id: An ID that this table's `reserve(_:)` returned.
        /// - Throws: A Cocoa error for a value of another class or a wrong number of values, and errors of the store.
        package func insert(_ values: [Any?], as id: NSManagedObjectID) throws {
            try insert(values, as: id) { _, _ in }
        }

        /// Inserts the row of a reserved ID after a function has checked its values.
        func insert(
            _ values: [Any?], as id: NSManagedObjectID, check: ([SlotValue], EntityLayout) throws -> Void
        ) throws {
            guard values.count == slots.count else {
                throw rows.failure("\(values.count) values are not one for each of \(slots.count) properties")
            }
            var row = entity.layout.defaults
            for (value, slot) in zip(values, slots) { row[slot] = try slotValue(value, slot) }
            try check(row, entity.layout)
            try rows.insert(row, id: id, entity: entity)
        }

        private func slotValue(_ value: Any?, _ slot: Int) throws -> SlotValue {
            guard let value else { return .null }
            switch entity.layout.slots[slot].kind {
            case .attribute(let type):
                if type == .compositeAttributeType {
                    let composite = entity.layout.slots[slot].property as? NSCompositeAttributeDescription
                    if let converted = composite.flatMap({ CompositeValue.converted(value, $0.elements) }) {
                        return .object(converted)
                    }
                } else if let converted = ValueConversion.slotValue(value, type) {
                    return converted
                }
            default:
                if let id = value as? NSManagedObjectID { return .reference(id) }
            }
            throw rows.failure(
                "a value of the type \(Swift.type(of: value)) cannot be one of “\(entity.layout.name)."
                    + "\(entity.layout.slots[slot].name)”")
        }
    }
}

extension RowInsertion: RowRestoration {
    package func insert(_ rows: [(key: Int64, row: Row)], _ layout: EntityLayout) throws {
        guard let entity = store.entity(named: layout.name) else {
            throw failure("the store does not hold objects of the entity “\(layout.name)”")
        }
        hasRestoredRows = true
        // The order of members is restored, so the one that this writer collects is not used.
        var writer = RowWriter(store, connection)
        for (key, row) in rows {
            try writer.insert(key, row: try row.encoded(nil, entity.encodings), entity: entity)
            use(key, root: entity.mapping.rootNumber)
        }
    }

    package func needsMembers(at slot: Int, _ layout: EntityLayout) -> Bool {
        store.entity(named: layout.name)?.mapping.slotColumns[slot].needsMembers ?? false
    }

    package func link(
        _ owners: [(key: Int64, members: [NSManagedObjectID])], at slot: Int, _ layout: EntityLayout
    ) throws {
        let table = try restoredTables[layout.name] ?? restoredTable(layout.name, properties: [])
        restoredTables[layout.name] = table
        for owner in owners {
            let members = owner.members.compactMap { id -> StoreContents.Reference? in
                guard case .number(let key) = id.reference else { return nil }
                return StoreContents.Reference(entity: id.layout.name, key: key)
            }
            try table.setMembers(members, of: layout.slots[slot].name, owner: owner.key)
        }
    }

    package func recordLastKey(_ key: Int64, _ layout: EntityLayout) throws {
        guard let root = store.entity(named: layout.name)?.mapping.rootNumber else { return }
        use(key, root: root)
    }
}

extension SQLiteStore {
    /// Runs a function that inserts rows, in one transaction.
    func insert(_ body: (RowInsertion) throws -> Void) throws {
        guard !isReadOnly else {
            throw CoreDataError.error(
                .fileWriteNoPermission, text: "the store at \(fileURL.path) is read-only",
                userInfo: [NSURLErrorKey: fileURL])
        }
        try writing(author: nil, contextName: nil) { connection, history in
            let rows = RowInsertion(store: self, connection: connection, history: history)
            try body(rows)
            try rows.finish()
        }
    }
}
