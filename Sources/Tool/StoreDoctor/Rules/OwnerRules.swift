internal import CoreData
internal import Diagnostics

/// Objects that nothing owns, and objects that are equal.
extension StoreExamination {
    /// Looks for entities most of whose objects have lost their only owner.
    ///
    /// Objects without an owner are legal in many models: root folders, shared objects, optional owners. So an entity is
    /// reported only if its objects are reached through one relationship, and most of them, but not all, are not in it.
    func checkOwners(_ layout: StoreLayout) throws(DoctorDatabase.Failure) {
        guard options.includes(.unownedRow) else { return }
        for entity in layout.entities where entity.isRoot && entity.numbers.count == 1 {
            let relationships = entity.properties.filter { property in
                if case .attribute = property.position { false } else { true }
            }
            guard relationships.count == 1, case .toOne(let owner) = relationships[0].position, owner.isCascadedTo,
                owner.destination != entity.number, has(entity.table, "Z_PK", "Z_ENT", owner.key),
                !layout.entities.contains(where: { other in
                    other.properties.contains { isIncoming($0, entity, inverseOf: relationships[0].name) }
                })
            else { continue }
            let key = "t.\(SQL.name(owner.key))"
            let sizes = entity.properties.compactMap { property -> String? in
                guard case .attribute(let attribute) = property.position, has(entity.table, attribute.column) else {
                    return nil
                }
                return "ifnull(length(t.\(SQL.name(attribute.column))), 0)"
            }.prefix(500)
            let query = try database.query(
                "SELECT count(*), count(\(key)), "
                    + "sum(CASE WHEN \(key) IS NULL THEN \((["0"] + sizes).joined(separator: " + ")) END) "
                    + "FROM \(SQL.name(entity.table)) AS t")
            guard try query.step(), let all = query.integer(0), let owned = query.integer(1) else { continue }
            let (unowned, bytes) = (all - owned, query.integer(2) ?? 0)
            guard owned > 0, unowned * 2 > all || bytes > 10_000_000 else { continue }
            let path = "“\(entity.name).\(relationships[0].name)”"
            try FaultQuery(
                rule: .unownedRow, entity: entity.name, property: relationships[0].name, table: entity.table,
                column: owner.key,
                sql: "SELECT t.Z_PK, t.Z_ENT FROM \(SQL.name(entity.table)) AS t WHERE \(key) IS NULL",
                message: {
                    "\($0) of \(all) objects of “\(entity.name)” have no \(path), and nothing else refers to them"
                }
            ).run(self)
        }
    }

    /// Returns whether a property leads to an entity, other than as the inverse of its only relationship.
    private func isIncoming(
        _ property: StoreLayout.Property, _ entity: StoreLayout.Entity, inverseOf name: String
    ) -> Bool {
        switch property.position {
        case .attribute: false
        case .toOne(let toOne): toOne.destination == entity.number && toOne.inverse != name
        case .members(let members): members.destination == entity.number && members.hasNoInverse
        case .join(let join): join.destination == entity.number
        }
    }

    // MARK: Equal objects

    /// Throws if the model has no such entity or property.
    func require(_ request: StoreDoctor.Duplicates) throws(StoreDoctor.Failure) {
        guard let layout else {
            throw StoreDoctor.Failure(
                kind: .unknownElement, message: "equal objects can only be found with the model: \(missingModel ?? "")")
        }
        guard let entity = layout.entity(named: request.entity) else {
            throw StoreDoctor.Failure(
                kind: .unknownElement, message: "the model has no entity “\(request.entity)”")
        }
        for name in request.properties where columns(entity, [name]).isEmpty {
            throw StoreDoctor.Failure(
                kind: .unknownElement,
                message: "“\(request.entity).\(name)” is not an attribute or to-one relationship in the store")
        }
    }

    func checkDuplicates(_ layout: StoreLayout) throws(DoctorDatabase.Failure) {
        for request in options.duplicates {
            guard let entity = layout.entity(named: request.entity), has(entity.table, "Z_PK", "Z_ENT") else {
                continue
            }
            let columns = columns(entity, request.properties)
            guard !columns.isEmpty else { continue }
            try FaultQuery(
                rule: .duplicateRows, entity: entity.name, table: entity.table,
                column: columns.count == 1 ? columns[0] : nil,
                sql: "SELECT min(Z_PK), Z_ENT, count(*) FROM \(SQL.name(entity.table)) "
                    + "WHERE \(SQL.isIn("Z_ENT", entity.numbers)) GROUP BY Z_ENT, \(columns.map(SQL.name).joined(separator: ", ")) "
                    + "HAVING count(*) > 1",
                message: {
                    "\(counted($0, "group")) of objects of “\(entity.name)” \($0 == 1 ? "has" : "have") equal values"
                }
            ).run(self)
        }
    }

    /// Returns the columns of attributes and to-one relationships; of all if there are no names.
    private func columns(_ entity: StoreLayout.Entity, _ names: [String]) -> [String] {
        entity.properties.compactMap { property in
            guard names.isEmpty || names.contains(property.name) else { return nil }
            switch property.position {
            case .attribute(let attribute): return has(entity.table, attribute.column) ? attribute.column : nil
            case .toOne(let toOne): return has(entity.table, toOne.key) ? toOne.key : nil
            default: return nil
            }
        }
    }
}
