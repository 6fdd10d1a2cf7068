internal import Foundation

/// Finds the values that made a save fail because of the server's unique constraints.
struct PostgreSQLConstraintCheck {
    private let store: PostgreSQLStore
    private let changes: [ObjectChange]
    /// The rows that the save writes or removes, whose stored values are ignored.
    private var touched: Set<Place> = []

    private struct Place: Hashable {
        var root: Int
        var key: Int64
    }

    /// A combination of values that must be unique, in the constraint's order.
    private struct Combination: Hashable {
        var root: Int
        var names: [String]
        var values: [[UInt8]]
    }

    /// A unique constraint of an entity.
    struct Constraint {
        var names: [String]
        var fields: [PostgreSQLEntity.Field]
    }

    init(_ store: PostgreSQLStore, _ changes: [ObjectChange]) {
        self.store = store
        self.changes = changes
        for change in changes where change.kind == .delete || change.changesRow {
            guard case .number(let key) = change.id.reference, let entity = store.entity(change.layout) else {
                continue
            }
            touched.insert(Place(root: entity.mapping.rootNumber, key: key))
        }
    }

    /// Returns the conflicts of a save.
    func conflicts() throws -> [ConstraintConflicts.Conflict] {
        var found: [ConstraintConflicts.Conflict] = []
        var places: [Combination: Int] = [:]
        for change in changes where change.kind != .delete && change.changesRow {
            guard let entity = store.entity(change.layout) else { continue }
            for constraint in constraints(of: entity) {
                // Missing values count as distinct.
                guard let values = try values(constraint, change.row, entity) else { continue }
                let combination = Combination(
                    root: entity.mapping.rootNumber, names: constraint.names, values: values.compactMap(\.bytes))
                if let place = places[combination] {
                    found[place].objects.append(change.object)
                } else {
                    places[combination] = found.count
                    found.append(
                        .init(
                            constraint: constraint.names, objects: [change.object],
                            stored: try storedObject(constraint, values, entity)))
                }
            }
        }
        return found.filter { $0.objects.count > 1 || $0.stored != nil }
    }

    /// Returns the values of a constraint, or `nil` if one is missing.
    func values(
        _ constraint: Constraint, _ row: Row, _ entity: PostgreSQLEntity
    ) throws -> [PostgreSQLParameter]? {
        var result: [PostgreSQLParameter] = []
        for field in constraint.fields {
            switch field.kind {
            case .attribute(let column, let coding):
                guard let bytes = try coding.bytes(row[field.slot], constraint.names.joined(separator: ", ")) else {
                    return nil
                }
                result.append(PostgreSQLParameter(type: column.type, bytes: bytes))
            case .toOne:
                guard case .reference(let id) = row[field.slot], case .number(let key) = id.reference else {
                    return nil
                }
                result.append(PostgreSQLParameter(key))
            case .composite: return nil
            }
        }
        return result
    }

    /// Returns the constraints that an entity has or inherits.
    func constraints(of entity: PostgreSQLEntity) -> [Constraint] {
        var result: [Constraint] = []
        var next: NSEntityDescription? = entity.layout.entity
        while let current = next {
            next = current.superentity
            for constraint in current.uniquenessConstraints {
                let names = constraint.map(SchemaConverter.propertyName)
                let fields = names.compactMap { name in
                    entity.layout.index(of: name).flatMap { slot in entity.fields.first { $0.slot == slot } }
                }
                guard !fields.isEmpty, fields.count == names.count else { continue }
                result.append(Constraint(names: names, fields: fields))
            }
        }
        return result
    }

    /// Returns a stored object with given values that the save does not touch.
    private func storedObject(
        _ constraint: Constraint, _ values: [PostgreSQLParameter], _ entity: PostgreSQLEntity
    ) throws -> NSManagedObjectID? {
        let columns = constraint.fields.map { PostgreSQLEntity.columns(of: [$0])[0].name }
        let conditions = columns.enumerated().map { "\(PostgreSQLName.quoted($1)) = $\($0 + 1)" }
        let result = try store.run([
            PostgreSQLCommand(
                "SELECT _pk, _entity FROM \(entity.table) WHERE \(conditions.joined(separator: " AND "))", values)
        ])[0]
        for row in 0..<result.rowCount {
            guard let key = result.integer(row, 0),
                !touched.contains(Place(root: entity.mapping.rootNumber, key: key))
            else { continue }
            let found = result.integer(row, 1).flatMap { store.entity(number: Int($0)) } ?? entity
            return store.id(key, found)
        }
        return nil
    }
}
