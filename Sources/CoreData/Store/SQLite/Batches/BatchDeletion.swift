/// Deletes rows with what their relationships ask for: members of cascading ones go too, references to rows that are gone
/// become null, and rows that need such a reference keep all from being deleted.
struct BatchDeletion {
    private let store: SQLiteStore
    private let connection: SQLiteConnection

    private struct Place: Hashable {
        var root: Int
        var key: Int64
    }

    init(_ store: SQLiteStore, _ connection: SQLiteConnection) {
        self.store = store
        self.connection = connection
    }

    /// Deletes objects.
    ///
    /// - Returns: those of the given ones that were there.
    mutating func run(_ objects: [(StoredEntity, Int64)]) throws -> [(StoredEntity, Int64)] {
        var doomed: [(entity: StoredEntity, key: Int64)] = []
        var known: Set<Place> = []
        for (entity, key) in objects {
            // An ID may name an entity that the row's inherits from.
            guard let actual = try rowEntity(key, entity) else { continue }
            if known.insert(Place(root: actual.mapping.rootNumber, key: key)).inserted { doomed.append((actual, key)) }
        }
        let wanted = doomed.map { ($0.entity, $0.key) }
        var next = 0
        while next < doomed.count {
            let (entity, key) = doomed[next]
            next += 1
            for slot in entity.layout.toOneSlots + entity.layout.toManySlots
            where entity.layout.slots[slot].deleteRule == .cascadeDeleteRule {
                for (other, member) in try members(key, slot, entity)
                where known.insert(Place(root: other.mapping.rootNumber, key: member)).inserted {
                    doomed.append((other, member))
                }
            }
        }
        let members = MemberWriter(store, connection)
        for (entity, key) in doomed {
            try store.dropFiles(key, entity, nil, connection)
            try store.history?.noteDeletion(key, entity)
            try members.remove(key, entity)
            let statement = try connection.statement("DELETE FROM \(entity.table) WHERE Z_PK = ?")
            statement.bind(key, at: 1)
            try statement.run()
        }
        for (entity, key) in doomed { try nullify(key, entity) }
        return wanted
    }

    /// The entity of a row; nil when there is no such row.
    private func rowEntity(_ key: Int64, _ entity: StoredEntity) throws -> StoredEntity? {
        let statement = try connection.statement("SELECT Z_ENT FROM \(entity.table) WHERE Z_PK = ?")
        defer { statement.reset() }
        statement.bind(key, at: 1)
        guard try statement.step() else { return nil }
        return store.entity(number: Int(truncatingIfNeeded: statement.integer(0)))
    }

    private func members(_ key: Int64, _ slot: Int, _ entity: StoredEntity) throws -> [(StoredEntity, Int64)] {
        let ids: [NSManagedObjectID]
        if case .toOne = entity.mapping.places[slot] {
            let row = try store.knownRow(of: store.id(key, entity), entity.layout)
            guard case .reference(let id)? = row?.values[slot] else { return [] }
            ids = [id]
        } else {
            ids = try store.storedMembers(of: store.id(key, entity), at: slot, entity.layout)
        }
        return try ids.compactMap { id in
            guard case .number(let key) = id.reference, let entity = store.entity(of: id) else { return nil }
            return try rowEntity(key, entity).map { ($0, key) }
        }
    }

    /// Takes references to a row that is gone out of the others.
    private func nullify(_ key: Int64, _ entity: StoredEntity) throws {
        for slot in entity.layout.toOneSlots + entity.layout.toManySlots {
            let property = entity.layout.slots[slot]
            guard property.deleteRule != .noActionDeleteRule,
                let relationship = property.property as? NSRelationshipDescription,
                let inverse = relationship.inverseRelationship, !inverse.isToMany, property.inverse >= 0,
                let name = relationship.destinationEntity?.name, let other = store.schema?.entity(named: name),
                let destination = store.entity(number: other.number), other.places.indices.contains(property.inverse),
                case .toOne(let columns) = other.places[property.inverse]
            else { continue }
            let column = SQLName.quoted(columns.key)
            let changed = [columns.key, columns.entity, columns.order].compactMap { $0 }
                .map { "\(SQLName.quoted($0)) = NULL" }.joined(separator: ", ")
            let statement = try connection.statement("UPDATE \(destination.table) SET \(changed) WHERE \(column) = ?")
            statement.bind(key, at: 1)
            guard try statement.run() > 0, !inverse.isOptional else { continue }
            throw CoreDataError.error(
                .persistentStoreSave,
                "Constraint trigger violation: Batch delete failed due to mandatory "
                    + "\(relationship.isToMany ? "OTM" : "OTO") nullify inverse on \(name)/\(inverse.name)")
        }
    }
}
