package import CoreData
internal import Foundation

/// Columns, join tables and foreign keys of relationships.
extension PostgreSQLSchemaBuilder {
    // MARK: To-one relationships

    mutating func mapToOnes() {
        for index in entities.indices {
            for relationship in tree.declared(index, NSRelationshipDescription.self) where !relationship.isToMany {
                guard let destination = tree.index(ofDestination: relationship) else { continue }
                let key = addColumn(relationship.name, .bigint, to: index)
                var columns = ToOneColumns(
                    key: key, entity: nil, order: nil, destination: entities[destination].number)
                if tree.hasSubentities(destination) {
                    columns.entity = addColumn("\(relationship.name)_entity", .integer, to: index)
                }
                let inverse = relationship.inverseRelationship
                if let inverse, inverse.isToMany, inverse.isOrdered {
                    columns.order = addColumn("\(relationship.name)_order", .bigint, to: index)
                }
                slotColumns[ObjectIdentifier(relationship)] = .toOne(columns)
                // With No Action, references to deleted objects are kept.
                let isKept = inverse?.deleteRule == .noActionDeleteRule
                if isKept { freeReferences.append(.init(table: tableName(index), column: key)) }
                addReference(from: key, of: index, to: destination, isEnforced: !isKept, onDelete: nil)
            }
        }
    }

    /// Adds the foreign key of a column, and an index, without which a deletion would read the whole table.
    private mutating func addReference(
        from column: String, of index: Int, to destination: Int, isEnforced: Bool,
        onDelete: PostgreSQLTable.ForeignKey.Action?
    ) {
        let root = entities[index].root
        let table = tableName(index)
        if isEnforced {
            let key = PostgreSQLTable.ForeignKey(
                name: constraintNames.add("\(table)_\(column)_fkey"), column: column, table: tableName(destination),
                onDelete: onDelete)
            tables[root]?.foreignKeys.append(key)
        }
        keyIndexes.append(
            PostgreSQLIndex(
                name: names.add("\(table)_\(column)_idx"), table: table, method: .ordered([.init(name: column)])))
    }

    // MARK: To-many relationships

    /// Adds the column of a relationship without an inverse to the rows of its members, named after its entity and
    /// itself.
    package mutating func mapVirtual(_ relationship: NSRelationshipDescription, of index: Int, to destination: Int) {
        let name = "\(entities[index].layout.name)_\(relationship.name)"
        let key = addColumn(name, .bigint, to: destination)
        let order = relationship.isOrdered ? addColumn("\(name)_order", .bigint, to: destination) : nil
        addReference(from: key, of: destination, to: index, isEnforced: true, onDelete: .setNull)
        slotColumns[ObjectIdentifier(relationship)] = .inverse(
            InverseColumns(
                table: tableName(destination), key: key, entity: nil, order: order,
                destination: entities[destination].number, isVirtual: true))
    }

    package mutating func mapJoin(
        _ relationship: NSRelationshipDescription, _ inverse: NSRelationshipDescription, of index: Int,
        to destination: Int
    ) {
        let table = names.add("\(entities[index].layout.name)_\(relationship.name)")
        let isReflexive = relationship === inverse
        var columns = [
            PostgreSQLTable.Column(name: "_owner", type: .bigint, isRequired: true),
            PostgreSQLTable.Column(name: "_member", type: .bigint, isRequired: true),
        ]
        let order = relationship.isOrdered ? "_order" : nil
        let otherOrder = inverse.isOrdered && !isReflexive ? "_owner_order" : nil
        for name in [order, otherOrder].compactMap({ $0 }) { columns.append(.init(name: name, type: .bigint)) }
        let back = tree.index(ofDestination: inverse) ?? index
        joinTables.append(
            PostgreSQLTable(
                name: table, columns: columns, key: ["_owner", "_member"],
                foreignKeys: [
                    .init(
                        name: constraintNames.add("\(table)_owner_fkey"), column: "_owner", table: tableName(back),
                        onDelete: .cascade),
                    .init(
                        name: constraintNames.add("\(table)_member_fkey"), column: "_member",
                        table: tableName(destination), onDelete: .cascade),
                ]))
        keyIndexes.append(
            PostgreSQLIndex(
                name: names.add("\(table)_member_idx"), table: table,
                method: .ordered([.init(name: "_member"), .init(name: "_owner")])))
        slotColumns[ObjectIdentifier(relationship)] = .join(
            JoinSide(
                table: table, own: "_owner", other: "_member", order: order, otherOrder: otherOrder,
                destination: entities[destination].number, isReflexive: isReflexive))
        if isReflexive { return }
        slotColumns[ObjectIdentifier(inverse)] = .join(
            JoinSide(
                table: table, own: "_member", other: "_owner", order: otherOrder, otherOrder: order,
                destination: entities[back].number, isReflexive: false))
    }
}
