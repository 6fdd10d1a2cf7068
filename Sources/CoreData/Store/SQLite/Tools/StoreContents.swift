internal import Foundation

/// The rows of a SQLite store as plain values, read without objects and without changing the file.
///
/// For `modelc-store diff`. All rows come from one snapshot, regardless of concurrent writes.
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

    /// A value of an attribute.
    package enum Value: Hashable, Sendable {
        case null
        case integer(Int64)
        case real(Double)
        case text(String)
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
    private let external: ExternalFiles
    private let entities: [String: NSEntityDescription]

    /// Opens a store for reading.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - model: the model that the store was written with.
    /// - Throws: `Failure` if the file is missing, locked or not a store, or lacks tables of the model.
    package init(path: String, model: NSManagedObjectModel) throws(Failure) {
        let url = URL(fileURLWithPath: path)
        do {
            guard let connection = try SQLiteFile(url).inspect(SQLiteOptions([:])) else {
                throw Failure(message: "the file is empty, or does not exist", path: path)
            }
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
        external = ExternalFiles(
            store: path, folder: ExternalStorage.supportFolder(of: url).appendingPathComponent("_EXTERNAL_DATA"))
        model.putToUse()
        entities = model.entitiesByName
    }

    private static func failure(_ error: any Error, _ path: String) -> Failure {
        switch error {
        case let failure as Failure: failure
        case let error as SQLiteError where error.isTimeout:
            Failure(message: "the store is locked by another process", path: path)
        case let error as SQLiteError:
            Failure(message: "SQLite cannot read the file: \(error.message)", path: path)
        case let error as SchemaBuilder.Failure: Failure(message: error.description, path: path)
        default: Failure(message: error.localizedDescription, path: path)
        }
    }

    // MARK: Rows

    /// Reads the rows of one entity, without those of its subentities, by ascending primary key.
    ///
    /// - Parameters:
    ///   - entity: the name of the entity.
    ///   - attributes: the stored attributes to read.
    ///   - relationships: the to-one relationships to read.
    package func forEachRow(
        of entity: String, attributes: [String], toOne relationships: [String], _ body: (StoredRow) -> Void
    ) throws(Failure) {
        guard let mapping = schema.entity(named: entity), let description = entities[entity] else { return }
        let layout = description.objectLayout()
        var columns = ["Z_PK"]
        var readers: [(name: String, isExternal: Bool, column: Int32)] = []
        var groups: [Int: [String]] = [:]
        for name in attributes {
            if let slot = layout.indexByName[name], case .composite(let elements) = mapping.places[slot] {
                groups[readers.count] = elements.map { $0.path.joined(separator: ".") }
                readers.append((name, false, Int32(columns.count)))
                columns += elements.map { SQLName.quoted($0.column) }
                continue
            }
            guard let slot = layout.indexByName[name], case .attribute(let column) = mapping.places[slot] else {
                throw Failure(message: "the store does not keep “\(entity).\(name)”", path: path)
            }
            let attribute = description.attributesByName[name]
            readers.append((name, attribute?.allowsExternalBinaryDataStorage ?? false, Int32(columns.count)))
            columns.append(SQLName.quoted(column))
        }
        var places: [(key: Int32, entity: Int32?, destination: Int)] = []
        for name in relationships {
            guard let slot = layout.indexByName[name], case .toOne(let toOne) = mapping.places[slot] else {
                throw Failure(message: "the store does not keep “\(entity).\(name)”", path: path)
            }
            let key = Int32(columns.count)
            columns.append(SQLName.quoted(toOne.key))
            if let column = toOne.entity { columns.append(SQLName.quoted(column)) }
            places.append((key, toOne.entity == nil ? nil : key + 1, toOne.destination))
        }
        do {
            let statement = try connection.statement(
                "SELECT \(columns.joined(separator: ", ")) FROM \(SQLName.quoted(mapping.table)) "
                    + "WHERE Z_ENT = \(mapping.number) ORDER BY Z_PK")
            defer { statement.reset() }
            while try statement.step() {
                let key = statement.integer(0)
                var row = StoredRow(key: key, values: [], references: [])
                for (index, reader) in readers.enumerated() {
                    if let names = groups[index] {
                        row.values.append(Self.group(statement, reader.column, names))
                        continue
                    }
                    var value = Self.value(statement, reader.column)
                    if reader.isExternal, case .bytes(let content) = value {
                        value = .bytes(try external.data(in: content, "“\(entity).\(reader.name)” of row \(key)"))
                    }
                    row.values.append(value)
                }
                for place in places {
                    row.references.append(
                        reference(statement, key: place.key, entity: place.entity, place.destination))
                }
                body(row)
            }
        } catch {
            throw Self.failure(error, path)
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
        case .text: .text(statement.text(column))
        case .bytes: .bytes([UInt8](statement.bytes(column)))
        }
    }

    /// Returns the elements of a composite attribute as one text, such as `city: 'Berlin', zip: 10115`; null if none
    /// has a value.
    private static func group(_ statement: SQLiteStatement, _ column: Int32, _ names: [String]) -> Value {
        var parts: [String] = []
        for (offset, name) in names.enumerated() {
            switch value(statement, column + Int32(offset)) {
            case .null: continue
            case .integer(let number): parts.append("\(name): \(number)")
            case .real(let number): parts.append("\(name): \(number)")
            case .text(let text): parts.append("\(name): \(SQLName.literal(text))")
            case .bytes(let bytes):
                parts.append(
                    "\(name): 0x" + bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())
            }
        }
        return parts.isEmpty ? .null : .text(parts.joined(separator: ", "))
    }

    // MARK: Members

    /// Returns the members of a to-many relationship: for each object of the entity, excluding subentities, the members
    /// in order, or by primary key for an unordered relationship.
    package func members(
        of relationship: String, _ entity: String
    ) throws(Failure) -> [Int64: [Reference]] {
        guard let mapping = schema.entity(named: entity), let description = entities[entity],
            let slot = description.objectLayout().indexByName[relationship]
        else { return [:] }
        let query: String
        switch mapping.places[slot] {
        case .inverse(let columns):
            guard let destination = schema.entity(number: columns.destination) else { return [:] }
            query = Self.query(
                owner: "m.\(SQLName.quoted(columns.key))", order: columns.order.map { "m.\(SQLName.quoted($0))" },
                from: "\(SQLName.quoted(destination.table)) m", owners: mapping)
        case .join(let side):
            guard let destination = schema.entity(number: side.destination) else { return [:] }
            query = Self.query(
                owner: "j.\(SQLName.quoted(side.own))", order: side.order.map { "j.\(SQLName.quoted($0))" },
                from: "\(SQLName.quoted(side.table)) j JOIN \(SQLName.quoted(destination.table)) m "
                    + "ON m.Z_PK = j.\(SQLName.quoted(side.other))", owners: mapping)
        case .nowhere, .attribute, .composite, .toOne: return [:]
        }
        do {
            let statement = try connection.statement(query)
            defer { statement.reset() }
            var result: [Int64: [Reference]] = [:]
            while try statement.step() {
                let name = schema.entity(number: Int(statement.integer(2)))?.name ?? "\(statement.integer(2))"
                result[statement.integer(0), default: []].append(Reference(entity: name, key: statement.integer(1)))
            }
            return result
        } catch {
            throw Self.failure(error, path)
        }
    }

    private static func query(owner: String, order: String?, from: String, owners: EntityMapping) -> String {
        let sorting = order.map { "\($0) IS NULL, \($0), " } ?? ""
        return "SELECT \(owner), m.Z_PK, m.Z_ENT FROM \(from) JOIN \(SQLName.quoted(owners.table)) o "
            + "ON o.Z_PK = \(owner) WHERE o.Z_ENT = \(owners.number) ORDER BY \(owner), \(sorting)m.Z_PK"
    }
}

/// The files of a store's external data, for reading only.
private struct ExternalFiles {
    let store: String
    let folder: URL

    /// Returns the value that a column contains or refers to.
    ///
    /// - Throws: `StoreContents.Failure` if it is in a missing file.
    func data(in content: [UInt8], _ what: String) throws(StoreContents.Failure) -> [UInt8] {
        let name = content.withUnsafeBytes { ExternalStorage.fileName(in: $0) }
        guard let name else { return content.first == 1 ? Array(content.dropFirst()) : content }
        let url = folder.appendingPathComponent(name)
        do {
            return [UInt8](try Data(contentsOf: url))
        } catch {
            throw StoreContents.Failure(
                message: "the external data of \(what) cannot be read: \(url.lastPathComponent)", path: store,
                isMissingFile: true)
        }
    }
}
