internal import CoreData
internal import Diagnostics
internal import StoreFile

/// Objects that nothing owns, and objects that are equal.
extension StoreExamination {
    /// Looks for entities most of whose objects have lost their only owner.
    ///
    /// Objects without an owner are legal in many models: root folders, shared objects, optional owners. So an entity
    /// is reported only if its objects are reached through one relationship, and most of them, but not all, are not in
    /// it.
    func checkOwners(_ layout: StoreLayout) throws(DoctorDatabase.Failure) {
        guard options.includes(.unownedRow) else { return }
        for entity in layout.entities {
            guard let rows = try unownedRows(of: entity, layout), rows.isFault else { continue }
            try FaultQuery(
                rule: .unownedRow, entity: entity.name, property: rows.property, table: entity.table,
                column: rows.column,
                sql: "SELECT t.Z_PK, t.Z_ENT FROM \(SQLName.inQuotes(entity.table)) AS t WHERE \(rows.condition("t"))",
                message: {
                    "\($0) of \(rows.all) objects of “\(entity.name)” have no “\(entity.name).\(rows.property)”, and nothing else "
                        + "refers to them"
                }
            ).run(self)
        }
    }

    /// Counts the objects of an entity without an owner.
    ///
    /// - Returns: `nil` if the objects are not reached through one relationship, whose inverse cascades.
    private func unownedRows(
        of entity: StoreLayout.Entity, _ layout: StoreLayout
    ) throws(DoctorDatabase.Failure) -> UnownedRows? {
        guard entity.isRoot, entity.numbers.count == 1 else { return nil }
        let relationships = entity.properties.filter { property in
            if case .attribute = property.position { false } else { true }
        }
        guard relationships.count == 1, case .toOne(let owner) = relationships[0].position, owner.isCascadedTo,
            // The column of the other side may still refer to the objects.
            !owner.isOneToOne, owner.destination != entity.number, has(entity.table, "Z_PK", "Z_ENT", owner.key),
            !layout.entities.contains(where: { other in
                other.properties.contains { isIncoming($0, entity, inverseOf: relationships[0].name) }
            })
        else { return nil }
        var rows = UnownedRows(entity: entity, property: relationships[0].name, column: owner.key)
        rows.sizes = entity.properties.compactMap { property -> String? in
            guard case .attribute(let attribute) = property.position, has(entity.table, attribute.column) else {
                return nil
            }
            return SQLName.inQuotes(attribute.column)
        }.prefix(500).map { $0 }
        let query = try database.query(
            "SELECT count(*), count(t.\(SQLName.inQuotes(owner.key))), "
                + "sum(CASE WHEN \(rows.condition("t")) THEN \(rows.size("t")) END), max(CASE WHEN \(rows.condition("t")) "
                + "THEN \(rows.size("t")) END), count(CASE WHEN \(rows.condition("t")) THEN 1 END) "
                + "FROM \(SQLName.inQuotes(entity.table)) AS t")
        guard try query.step(), let all = query.integer(0), let owned = query.integer(1) else { return nil }
        (rows.all, rows.owned) = (all, owned)
        (rows.bytes, rows.largest, rows.count) = (
            query.integer(2) ?? 0, query.integer(3) ?? 0, query.integer(4) ?? 0
        )
        return rows
    }

    /// Returns the objects without an owner of entities that a request names.
    ///
    /// - Throws: `StoreDoctor.Failure` if it is not certain that the objects are left over.
    func unownedRows(of names: [String]) throws -> [UnownedRows] {
        guard !names.isEmpty else { return [] }
        guard let layout else {
            throw StoreDoctor.Failure(
                kind: .noModel,
                message: "objects without an owner can only be found with the model: \(missingModel ?? "")")
        }
        var seen: Set<String> = []
        return try names.filter { seen.insert($0).inserted }.map { name in
            guard let entity = layout.entity(named: name) else {
                throw StoreDoctor.Failure(kind: .unknownElement, message: "the model has no entity “\(name)”")
            }
            guard let rows = try unownedRows(of: entity, layout), rows.count == 0 || rows.isFault else {
                throw StoreDoctor.Failure(
                    kind: .unchangeable,
                    message:
                        "objects of “\(name)” without an owner may be wanted: either other relationships lead to them, "
                        + "or most objects have an owner, or all have none")
            }
            return rows
        }
    }

    /// Returns the deletion of the objects of an entity without an owner, if it was requested.
    func ownerRepair(
        _ finding: StoreFinding, _ layout: StoreLayout
    ) throws(DoctorDatabase.Failure) -> StoreRepair? {
        guard let name = finding.entity, options.unowned.contains(name), let entity = layout.entity(named: name),
            let rows = try unownedRows(of: entity, layout)
        else { return nil }
        var repair = StoreRepair(
            rule: finding.rule, safety: .safe, phase: .owners,
            statements: ["DELETE FROM \(SQLName.inQuotes(entity.table)) AS t WHERE \(rows.condition("t"))"],
            isMirrored: true)
        repair.deletes = [TableOrColumn(entity.table), TableOrColumn(entity.table, rows.column)]
        return repair
    }

    /// Returns whether a property leads to an entity, other than as the inverse of its only relationship.
    private func isIncoming(
        _ property: StoreLayout.Property, _ entity: StoreLayout.Entity, inverseOf name: String
    ) -> Bool {
        switch property.position {
        case .attribute: false
        case .toOne(let toOne): toOne.destination == entity.number && toOne.inverse != name
        case .members(let members): members.destination == entity.number && members.lacksInverse
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
                sql: duplicateQuery(entity, columns),
                message: {
                    "\(counted($0, "group")) of objects of “\(entity.name)” \($0 == 1 ? "has" : "have") equal values"
                }
            ).run(self)
        }
    }

    /// Returns the query for the groups of objects that are equal in columns.
    func duplicateQuery(_ entity: StoreLayout.Entity, _ columns: [String]) -> String {
        "SELECT min(Z_PK), Z_ENT, count(*) FROM \(SQLName.inQuotes(entity.table)) WHERE \(SQLName.isIn("Z_ENT", entity.numbers)) "
            + "GROUP BY Z_ENT, \(columns.map(SQLName.inQuotes).joined(separator: ", ")) HAVING count(*) > 1"
    }

    /// Returns the columns of attributes and to-one relationships; of all if there are no names.
    func columns(_ entity: StoreLayout.Entity, _ names: [String]) -> [String] {
        // Objects of a subentity are equal only if the values that it adds are, too.
        let entities =
            names.isEmpty ? layout?.entities.filter { entity.numbers.contains($0.number) } ?? [entity] : [entity]
        var seen: Set<String> = []
        return entities.flatMap(\.properties).compactMap { property -> String? in
            guard names.isEmpty || names.contains(property.name) else { return nil }
            switch property.position {
            case .attribute(let attribute): return has(entity.table, attribute.column) ? attribute.column : nil
            case .toOne(let toOne): return has(entity.table, toOne.key) ? toOne.key : nil
            default: return nil
            }
        }.filter { seen.insert($0).inserted }
    }
}

/// The objects of an entity that have lost their only owner.
struct UnownedRows: Sendable {
    var entity: StoreLayout.Entity
    /// The relationship to the owner.
    var property: String
    var column: String
    /// The columns whose values take space.
    var sizes: [String] = []
    /// The number of objects, and of those with an owner.
    var all: Int64 = 0
    var owned: Int64 = 0
    /// The number of objects without one, their size in bytes, and that of the largest.
    var count: Int64 = 0
    var bytes: Int64 = 0
    var largest: Int64 = 0

    /// Whether so many have no owner that this is not meant.
    var isFault: Bool { owned > 0 && (count * 2 > all || bytes > 10_000_000) }

    func condition(_ row: String) -> String {
        "\(row).\(SQLName.inQuotes(column)) IS NULL AND \(row).Z_ENT = \(entity.number)"
    }

    /// The size of a row in bytes, as an expression.
    func size(_ row: String) -> String {
        (["0"] + sizes.map { "ifnull(length(\(row).\($0)), 0)" }).joined(separator: " + ")
    }
}
