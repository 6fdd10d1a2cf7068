internal import Diagnostics
internal import Foundation
package import StoreFile

/// The rows of a SQLite store as plain values, read without objects and without changing the file.
///
/// For `modelc-store diff`. Without locks, the rows are of one state only if `isConsistent` is true afterwards.
package final class StoreContents {
    /// The error for a store that cannot be read.
    package struct Failure: Error {
        /// The problem, in one sentence.
        package var message: String
        /// The path of the store.
        package var path: String
        /// Whether a file of `_EXTERNAL_DATA` is missing.
        package var isMissingFile = false
    }

    /// A value of an attribute. Strings are UTF-8 bytes: SQLite distinguishes strings that Swift considers equal.
    package enum Value: Hashable, Sendable {
        case null
        case integer(Int64)
        case real(Double)
        case text([UInt8])
        case bytes([UInt8])
    }

    /// The destination row of a relationship.
    package struct Reference: Hashable, Sendable {
        /// The name of the row's entity.
        package var entity: String
        /// The primary key.
        package var key: Int64

        /// Creates a reference.
        package init(entity: String, key: Int64) {
            self.entity = entity
            self.key = key
        }
    }

    /// A row of an entity.
    package struct StoredRow: Sendable {
        /// The primary key.
        package var key: Int64
        /// The values of the requested attributes, in that order.
        package var values: [Value]
        /// The destinations of the requested to-one relationships, in that order; `nil` if there is none.
        package var references: [Reference?]
    }

    private let path: String
    private let connection: SQLiteConnection
    private let schema: StoreSchema
    private let external: ContentFiles
    private let entities: [String: NSEntityDescription]

    /// Opens a store for reading.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - model: The model that the store was written with.
    ///   - access: The locks that are taken.
    /// - Throws: `Failure` if the file is missing, locked or not a store, or lacks tables of the model.
    package init(
        path: String, model: NSManagedObjectModel, access: DatabaseInspection.Access
    ) throws(Failure) {
        do {
            guard FileStatus.size(path).map({ $0 > 0 || !FileStatus.isRegularFile(path) }) == true else {
                throw Failure(message: "the file is empty, or does not exist", path: path)
            }
            let connection = try SQLiteConnection(inspecting: path, SQLiteOptions([:]), access: access)
            try connection.execute("BEGIN DEFERRED")
            let file = try FileLayout(connection)
            let schema = try SchemaBuilder.schema(of: model.entities, in: file)
            if let missing = file.missingPart(of: schema) {
                throw Failure(message: "the store lacks \(missing)", path: path)
            }
            self.path = path
            self.connection = connection
            self.schema = schema
        } catch {
            throw Self.failure(error, path)
        }
        external = ContentFiles(
            store: path, folder: ExternalStorage.folder(of: StoreExternalFiles.location(ofStoreAt: path)))
        model.makeImmutable()
        entities = model.entitiesByName
    }

    /// Whether everything that was read belongs to one state of the store.
    package var isConsistent: Bool { connection.isConsistent }

    private static func failure(_ error: any Error, _ path: String) -> Failure {
        switch error {
        case let failure as Failure: failure
        case let error as SQLiteError where error.isTimeout:
            Failure(message: "the store is locked by another process", path: path)
        case let error as SQLiteError: Failure(message: "SQLite cannot read the file: \(error.message)", path: path)
        case let error as SchemaBuilder.Failure: Failure(message: error.description, path: path)
        default: Failure(message: error.localizedDescription, path: path)
        }
    }

    // MARK: Rows

    /// Returns the rows of one entity, without those of its subentities, by ascending primary key; `nil` if the model
    /// has no such entity.
    ///
    /// - Parameters:
    ///   - entity: The name of the entity.
    ///   - attributes: The stored attributes to read. The name of an element of a composite attribute is its path.
    ///   - relationships: The to-one relationships to read.
    ///   - isDirect: Whether rows are looked up by their primary keys instead.
    package func rows(
        of entity: String, attributes: [String], toOne relationships: [String], isDirect: Bool = false
    ) throws(Failure) -> Rows? {
        guard let mapping = schema.entity(named: entity), let description = entities[entity] else { return nil }
        let layout = description.objectLayout()
        var columns = ["Z_PK"]
        var readers: [Rows.Reader] = []
        for name in attributes {
            if let slot = layout.indexByName[name], case .composite(let elements) = mapping.slotColumns[slot] {
                readers.append(
                    Rows.Reader(
                        name: name, column: Int32(columns.count),
                        elements: elements.map { $0.path.joined(separator: ".") }))
                columns += elements.map { SQLName.quoted($0.column) }
                continue
            }
            if let column = Self.elementColumn(name, layout: layout, mapping: mapping) {
                readers.append(Rows.Reader(name: name, column: Int32(columns.count)))
                columns.append(SQLName.quoted(column))
                continue
            }
            guard let slot = layout.indexByName[name], case .attribute(let column) = mapping.slotColumns[slot] else {
                throw Failure(message: "the store does not keep “\(entity).\(name)”", path: path)
            }
            let attribute = description.attributesByName[name]
            readers.append(
                Rows.Reader(
                    name: name, column: Int32(columns.count),
                    isExternal: attribute?.allowsExternalBinaryDataStorage ?? false))
            columns.append(SQLName.quoted(column))
        }
        var positions: [Rows.Position] = []
        for name in relationships {
            guard let slot = layout.indexByName[name], case .toOne(let toOne) = mapping.slotColumns[slot] else {
                throw Failure(message: "the store does not keep “\(entity).\(name)”", path: path)
            }
            let key = Int32(columns.count)
            columns.append(SQLName.quoted(toOne.key))
            if let column = toOne.entity { columns.append(SQLName.quoted(column)) }
            positions.append(Rows.Position(key: key, entity: toOne.entity == nil ? nil : key + 1, toOne.destination))
        }
        do {
            let statement = try connection.statement(
                "SELECT \(columns.joined(separator: ", ")) FROM \(SQLName.quoted(mapping.table)) "
                    + "WHERE Z_ENT = \(mapping.number) " + (isDirect ? "AND Z_PK = ?" : "ORDER BY Z_PK"))
            return Rows(contents: self, statement: statement, entity: entity, readers: readers, positions: positions)
        } catch {
            throw Self.failure(error, path)
        }
    }

    /// Returns the column of an element of a composite attribute; `nil` if the name is not the path of one.
    private static func elementColumn(_ path: String, layout: EntityLayout, mapping: EntityMapping) -> String? {
        guard layout.indexByName[path] == nil, let end = path.firstIndex(of: "."),
            let slot = layout.indexByName[String(path[..<end])],
            case .composite(let elements) = mapping.slotColumns[slot]
        else { return nil }
        let rest = path[path.index(after: end)...]
        return elements.first { $0.path.joined(separator: ".") == rest }?.column
    }

    /// The rows of an entity, one of which is in memory at a time.
    package final class Rows {
        fileprivate struct Reader {
            var name: String
            var column: Int32
            var isExternal = false
            /// The names of the elements of a composite attribute.
            var elements: [String] = []
        }

        fileprivate struct Position {
            var key: Int32
            var entity: Int32?
            var destination: Int

            init(key: Int32, entity: Int32?, _ destination: Int) {
                self.key = key
                self.entity = entity
                self.destination = destination
            }
        }

        private let contents: StoreContents
        private let statement: SQLiteStatement
        private let entity: String
        private let readers: [Reader]
        private let positions: [Position]

        fileprivate init(
            contents: StoreContents, statement: SQLiteStatement, entity: String, readers: [Reader],
            positions: [Position]
        ) {
            self.contents = contents
            self.statement = statement
            self.entity = entity
            self.readers = readers
            self.positions = positions
        }

        deinit { statement.reset() }

        /// Returns the next row, or `nil` after the last one.
        package func next() throws(Failure) -> StoredRow? {
            do {
                return try statement.step() ? try row() : nil
            } catch {
                throw StoreContents.failure(error, contents.path)
            }
        }

        /// Returns the row with a primary key, or `nil` if there is none.
        package func row(at key: Int64) throws(Failure) -> StoredRow? {
            statement.reset()
            statement.bind(key, at: 1)
            return try next()
        }

        private func row() throws(Failure) -> StoredRow {
            let key = statement.integer(0)
            var row = StoredRow(key: key, values: [], references: [])
            for reader in readers {
                guard reader.elements.isEmpty else {
                    row.values.append(StoreContents.group(statement, column: reader.column, names: reader.elements))
                    continue
                }
                var value = StoreContents.value(statement, reader.column)
                if reader.isExternal, case .bytes(let content) = value {
                    value = .bytes(
                        try contents.external.data(in: content, "“\(entity).\(reader.name)” of row \(key)"))
                }
                row.values.append(value)
            }
            for position in positions {
                row.references.append(
                    contents.reference(statement, key: position.key, entity: position.entity, position.destination))
            }
            return row
        }
    }

    private func reference(
        _ statement: SQLiteStatement, key: Int32, entity: Int32?, _ destination: Int
    ) -> Reference? {
        guard !statement.isNull(key) else { return nil }
        let number = entity.flatMap { statement.isNull($0) ? nil : Int(statement.integer($0)) } ?? destination
        return Reference(entity: schema.entity(number: number)?.name ?? "\(number)", key: statement.integer(key))
    }

    private static func value(_ statement: SQLiteStatement, _ column: Int32) -> Value {
        switch statement.kind(column) {
        case .null: .null
        case .integer: .integer(statement.integer(column))
        case .real: .real(statement.double(column))
        // Also those of a text that is not valid UTF-8.
        case .text: .text([UInt8](statement.bytes(column)))
        case .bytes: .bytes([UInt8](statement.bytes(column)))
        }
    }

    /// Returns the elements of a composite attribute as one text, such as `city: 'Berlin', zip: 10115`; null if none
    /// has a value.
    private static func group(_ statement: SQLiteStatement, column: Int32, names: [String]) -> Value {
        var parts: [String] = []
        for (offset, name) in names.enumerated() {
            switch value(statement, column + Int32(offset)) {
            case .null: continue
            case .integer(let number): parts.append("\(name): \(number)")
            case .real(let number): parts.append("\(name): \(number)")
            case .text(let text):
                parts.append("\(name): \(SQLName.literal(String(decoding: text, as: UTF8.self)))")
            case .bytes(let bytes):
                parts.append("\(name): 0x\(bytes.hexadecimal)")
            }
        }
        return parts.isEmpty ? .null : .text(Array(parts.joined(separator: ", ").utf8))
    }

    // MARK: Members

    /// The members of a to-many relationship to return.
    package enum MemberScope: Sendable {
        /// Those that exist, of the objects of an entity.
        case existing
        /// Also those that a join table names and that do not exist.
        case stored
        /// Those that are stored for owners that do not exist.
        case withoutOwner
    }

    /// Returns the members of a to-many relationship of the objects of an entity, excluding subentities.
    ///
    /// A member that does not exist has the entity of the relationship's destination, and the key 0 if it is null.
    package func members(
        of relationship: String, _ entity: String, _ scope: MemberScope = .existing
    ) throws(Failure) -> Members {
        guard let mapping = schema.entity(named: entity), let description = entities[entity],
            let slot = description.objectLayout().indexByName[relationship]
        else { return Members(self, nil) }
        let query: String
        switch mapping.slotColumns[slot] {
        case .inverse(let columns):
            // The other owners that do not exist are values of the inverse relationship.
            let hasInverse = description.relationshipsByName[relationship]?.inverseRelationship != nil
            guard let destination = schema.entity(number: columns.destination), scope != .withoutOwner || !hasInverse
            else { return Members(self, nil) }
            query = Self.query(
                owner: "m.\(SQLName.quoted(columns.key))", member: ("m.Z_PK", "m.Z_ENT"),
                order: columns.order.map { "m.\(SQLName.quoted($0))" },
                from: "\(SQLName.quoted(destination.table)) m", owners: mapping, scope)
        case .join(let side):
            guard let destination = schema.entity(number: side.destination) else { return Members(self, nil) }
            let other = "j.\(SQLName.quoted(side.other))"
            query = Self.query(
                owner: "j.\(SQLName.quoted(side.own))", member: (other, "ifnull(m.Z_ENT, \(side.destination))"),
                order: side.order.map { "j.\(SQLName.quoted($0))" },
                from: "\(SQLName.quoted(side.table)) j \(scope == .existing ? "" : "LEFT ")JOIN "
                    + "\(SQLName.quoted(destination.table)) m ON m.Z_PK = \(other)", owners: mapping, scope)
        case .nowhere, .attribute, .composite, .toOne: return Members(self, nil)
        }
        do {
            return Members(self, try connection.statement(query))
        } catch {
            throw Self.failure(error, path)
        }
    }

    /// The members of a to-many relationship, of which those of one owner are in memory at a time.
    package final class Members {
        private let contents: StoreContents
        private let statement: SQLiteStatement?
        /// The member after those that were returned.
        private var pending: (owner: Int64, member: Reference)?
        private var isAtEnd = false

        fileprivate init(_ contents: StoreContents, _ statement: SQLiteStatement?) {
            self.contents = contents
            self.statement = statement
            isAtEnd = statement == nil
        }

        deinit { statement?.reset() }

        /// Returns the next owner that has members, by ascending primary key, with its members: in order, or by primary
        /// key for an unordered relationship. Returns `nil` after the last one.
        package func next() throws(Failure) -> (owner: Int64, members: [Reference])? {
            if pending == nil { try step() }
            guard let first = pending else { return nil }
            var members: [Reference] = []
            while let next = pending, next.owner == first.owner {
                members.append(next.member)
                try step()
            }
            return (first.owner, members)
        }

        private func step() throws(Failure) {
            pending = nil
            guard !isAtEnd, let statement else { return }
            do {
                guard try statement.step() else {
                    isAtEnd = true
                    return
                }
            } catch {
                throw StoreContents.failure(error, contents.path)
            }
            let number = Int(statement.integer(2))
            let name = contents.schema.entity(number: number)?.name ?? "\(number)"
            pending = (statement.integer(0), Reference(entity: name, key: statement.integer(1)))
        }
    }

    private static func query(
        owner: String, member: (key: String, entity: String), order: String?, from: String, owners: EntityMapping,
        _ scope: MemberScope
    ) -> String {
        let sorting = order.map { "\($0) IS NULL, \($0), " } ?? ""
        let table = SQLName.quoted(owners.table)
        let condition =
            scope == .withoutOwner
            ? "WHERE \(owner) NOT IN (SELECT Z_PK FROM \(table))"
            : "JOIN \(table) o ON o.Z_PK = \(owner) WHERE o.Z_ENT = \(owners.number)"
        return "SELECT \(owner), \(member.key), \(member.entity) FROM \(from) \(condition) "
            + "ORDER BY \(owner), \(sorting)\(member.key)"
    }
}
