internal import CoreData
internal import PostgreSQLClient
internal import PostgreSQLSchema

/// Finds the values that made a save fail because of the server's unique constraints.
struct PostgreSQLConstraintCheck: ConstraintSearch {
    let store: PostgreSQLStore

    func values(
        _ constraint: UniqueProperties, row: Row, entity: PostgreSQLEntity
    ) throws -> [PostgreSQLValue]? {
        var result: [PostgreSQLValue] = []
        for field in fields(of: constraint, entity) {
            switch field.kind {
            case .attribute(let column, let coding):
                guard let bytes = try coding.bytes(row[field.slot], constraint.names.joined(separator: ", ")) else {
                    return nil
                }
                result.append(Self.compared(PostgreSQLValue(type: column.type, bytes: bytes)))
            case .toOne:
                guard case .reference(let id) = row[field.slot], case .number(let key) = id.reference else {
                    return nil
                }
                result.append(PostgreSQLValue(key))
            case .composite: return nil
            }
        }
        return result
    }

    func identity(_ values: [PostgreSQLValue]) -> [AnyHashable] { values.map { AnyHashable($0.bytes) } }

    /// Returns a value as the server's indexes compare it: they make no difference between 0 and −0.
    private static func compared(_ value: PostgreSQLValue) -> PostgreSQLValue {
        let isNumber = [PostgreSQLValue.TypeNumber.float4, PostgreSQLValue.TypeNumber.float8].contains(value.type)
        guard isNumber, let bytes = value.bytes, bytes.first == 0x80, bytes.dropFirst().allSatisfy({ $0 == 0 })
        else { return value }
        return PostgreSQLValue(type: value.type, bytes: [UInt8](repeating: 0, count: bytes.count))
    }

    func storedRows(
        _ constraint: UniqueProperties, values: [[PostgreSQLValue]], entity: PostgreSQLEntity
    ) throws -> [[(key: Int64, entity: PostgreSQLEntity)]] {
        let query = query(for: constraint, of: entity, values: values.map { $0.map { $0.bytes ?? [] } }, locks: false)
        let result = try store.run([query])[0]
        var rows = [[(key: Int64, entity: PostgreSQLEntity)]](repeating: [], count: values.count)
        for row in 0..<result.count {
            guard let position = result.integer(row, 0), let key = result.integer(row, 1) else { continue }
            let found = result.integer(row, 2).flatMap { store.entity(number: Int($0)) }
            rows[Int(position) - 1].append((key, found ?? entity))
        }
        return rows
    }

    /// Returns the query for the rows with combinations of values: the number of the combination from 1, key and
    /// entity.
    ///
    /// - Parameters:
    ///   - combinations: The combinations, each in the order of the constraint and in binary form.
    ///   - locks: Whether the rows are locked, so that other programs cannot change them.
    func query(
        for constraint: UniqueProperties, of entity: PostgreSQLEntity, values combinations: [[[UInt8]]], locks: Bool
    ) -> Statement {
        let columns = columns(of: constraint, entity)
        let arrays = columns.indices.map { index in
            var array = PostgreSQLArray(element: columns[index].type)
            for values in combinations { array.append(values[index]) }
            return array.parameter
        }
        let names = columns.indices.map { "c\($0)" }.joined(separator: ", ")
        let parameters = columns.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        let conditions = columns.enumerated().map { "t.\(PostgreSQLName.quoted($1.name)) = u.c\($0)" }
        return Statement(
            "SELECT u.n, t._pk, t._entity FROM ROWS FROM (unnest(\(parameters))) WITH ORDINALITY AS u(\(names), n) "
                + "JOIN \(entity.table) t ON \(conditions.joined(separator: " AND ")) ORDER BY t._pk"
                + (locks ? " FOR UPDATE OF t" : ""),
            arrays)
    }

    /// Returns the columns of a constraint: an attribute has one, and so has the key of a to-one relationship.
    func columns(of constraint: UniqueProperties, _ entity: PostgreSQLEntity) -> [PostgreSQLEntity.Column] {
        fields(of: constraint, entity).map { PostgreSQLEntity.columns(of: [$0])[0] }
    }

    /// The size of values above which an index of the server may reject them: a third of a page.
    private static let indexedSize = 2600

    /// Returns the error for the largest values of a uniqueness constraint, which its index did not accept; `nil` if no
    /// values are that large.
    func tooLarge(in changes: [ObjectChange]) throws -> NSError? {
        try tooLarge(
            in: changes.lazy.filter { $0.kind != .delete }.compactMap { change in
                store.entity(change.layout).map { ($0, change.row, change.handle) }
            })
    }

    /// Returns the error for the largest values of a uniqueness constraint among rows, with their objects if they have
    /// any.
    func tooLarge(
        in rows: some Sequence<(entity: PostgreSQLEntity, row: Row, object: ObjectHandle?)>
    ) throws -> NSError? {
        var largest: (size: Int, entity: String, object: ObjectHandle?, names: [String])?
        for (entity, row, object) in rows {
            for constraint in UniqueProperties.all(of: entity.layout, entity.mapping) {
                let size = try size(of: constraint, row: row, entity: entity)
                if size > largest?.size ?? Self.indexedSize {
                    largest = (size, entity.layout.name, object, constraint.names)
                }
            }
        }
        return largest.map { size, entity, object, names in
            var userInfo: [String: Any] = [NSValidationKeyErrorKey: names[0]]
            if let object { userInfo[NSAffectedObjectsErrorKey] = [object.reference] }
            let keys = names.map { "“\(entity).\($0)”" }.joined(separator: " and ")
            return CoreDataError.error(
                .persistentStoreSave,
                text:
                    "the value of \(keys), which must be unique, has \(size) bytes, and the index of a uniqueness constraint in a "
                    + "PostgreSQL database accepts about 2700; constrain an attribute with a hash of the value instead",
                userInfo: userInfo)
        }
    }

    /// Returns the number of bytes of a row in the index of a constraint. An index contains null values, too.
    private func size(of constraint: UniqueProperties, row: Row, entity: PostgreSQLEntity) throws -> Int {
        try fields(of: constraint, entity).reduce(0) { size, field in
            switch field.kind {
            case .attribute(let column, let coding):
                size + (try coding.bytes(row[field.slot], column.name)?.count ?? 0)
            case .toOne, .composite: size
            }
        }
    }

    private func fields(of constraint: UniqueProperties, _ entity: PostgreSQLEntity) -> [PostgreSQLEntity.Field] {
        constraint.slots.compactMap { slot in entity.fields.first { $0.slot == slot } }
    }
}
