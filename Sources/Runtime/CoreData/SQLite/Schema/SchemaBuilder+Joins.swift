internal import Foundation

/// The join tables of many-to-many relationships.
extension SchemaBuilder {
    /// A side of a join table: the relationship whose members the column contains.
    private struct Side {
        var relationship: NSRelationshipDescription
        var owner: Int
        var destination: Int
    }

    mutating func mapJoin(
        _ relationship: NSRelationshipDescription, _ inverse: NSRelationshipDescription, of index: Int,
        to destination: Int
    ) {
        guard let back = tree.index(ofDestination: inverse) else { return }
        if relationship === inverse {
            mapReflexive(index, relationship)
            return
        }
        let one = Side(relationship: relationship, owner: back, destination: destination)
        let other = Side(relationship: inverse, owner: destination, destination: back)
        let isFirst =
            entities[back].number == entities[destination].number
            ? namesTable(relationship, inverse)
            : entities[back].number < entities[destination].number
        map(first: isFirst ? one : other, second: isFirst ? other : one)
    }

    /// Returns whether the join table of an entity with itself is named after one of two relationships.
    ///
    /// Both names occur in Apple's files, the alphabetically later one more often. A file that is migrated keeps its
    /// own.
    private func namesTable(_ relationship: NSRelationshipDescription, _ inverse: NSRelationshipDescription) -> Bool {
        let names = [relationship.name, inverse.name].map { $0.uppercased() }
        if names[0] != names[1], let table = former?.joinTable(names[0], names[1], numbers: []),
            let name = NumberedName(table.name)
        {
            let isFirst = names.map { name.isName($0) }
            if isFirst[0] != isFirst[1] { return isFirst[0] }
        }
        return !EntityTree.precedes(relationship.name, inverse.name)
    }

    /// Assigns the slotColumns of both sides. The table is named after the first side, and the first column contains
    /// the keys of its owners.
    private mutating func map(first: Side, second: Side) {
        let numbers = (first: entities[first.destination].number, second: entities[second.destination].number)
        let names = (
            first: first.relationship.name.uppercased(), second: second.relationship.name.uppercased()
        )
        let found = file?.joinTable(names.first, names.second, numbers: [numbers.first, numbers.second])
        let table = tablePool.add(found?.name ?? "Z_\(numbers.second)\(names.first)")
        let owners =
            found.flatMap { Self.column(numbers.second, names.second, in: $0, but: nil) }
            ?? joinColumnPool.add("Z_\(numbers.second)\(names.second)")
        let members =
            found.flatMap { Self.column(numbers.first, names.first, in: $0, but: owners) }
            ?? joinColumnPool.add("Z_\(numbers.first)\(names.first)")
        let memberOrder = first.relationship.isOrdered ? Self.orderColumn(of: members, in: found) : nil
        let ownerOrder = second.relationship.isOrdered ? Self.orderColumn(of: owners, in: found) : nil
        let columns = [owners, members, memberOrder, ownerOrder].compactMap { $0 }
        joinTables.append(
            TableDefinition(
                name: table, columns: columns.map { .init(name: $0, type: .integer) }, key: [owners, members]))
        slotColumns[ObjectIdentifier(first.relationship)] = .join(
            JoinSide(
                table: table, own: owners, other: members, order: memberOrder, otherOrder: ownerOrder,
                destination: numbers.first, isReflexive: false))
        slotColumns[ObjectIdentifier(second.relationship)] = .join(
            JoinSide(
                table: table, own: members, other: owners, order: ownerOrder, otherOrder: memberOrder,
                destination: numbers.second, isReflexive: false))
    }

    private mutating func mapReflexive(_ index: Int, _ relationship: NSRelationshipDescription) {
        let number = entities[index].number
        let name = "Z_\(number)\(relationship.name.uppercased())"
        let found = file?.table(name)
        let table = tablePool.add(found?.name ?? name)
        let other = "REFLEXIVE"
        let own =
            found.flatMap { Self.column(number, relationship.name.uppercased(), in: $0, but: other) }
            ?? joinColumnPool.add(name)
        let order = relationship.isOrdered ? Self.orderColumn(of: own, in: found) : nil
        joinTables.append(
            TableDefinition(
                name: table, columns: [own, other, order].compactMap { $0 }.map { .init(name: $0, type: .integer) },
                key: [own, other]))
        slotColumns[ObjectIdentifier(relationship)] = .join(
            JoinSide(
                table: table, own: own, other: other, order: order, otherOrder: nil, destination: number,
                isReflexive: true))
    }

    private static func orderColumn(of column: String, in table: FileLayout.Table?) -> String {
        let name = "Z_FOK_" + column.dropFirst(column.hasPrefix("Z_") ? 2 : 1)
        return table?.column(name) ?? name
    }

    /// Returns the column in a file's join table that is named after a relationship.
    private static func column(
        _ number: Int, _ name: String, in table: FileLayout.Table, but taken: String?
    ) -> String? {
        if let exact = table.column("Z_\(number)\(name)"), exact != taken { return exact }
        let fitting = table.columns.filter { $0 != taken && NumberedName($0)?.isName(name) ?? false }
        return fitting.first { NumberedName($0)?.number == number } ?? fitting.first
    }
}
