internal import Foundation

/// Determines the schema of a model in a SQLite file.
///
/// The order is Apple's: entities are numbered in case-insensitive order of their names, each followed by its
/// subentities; a hierarchy has one table; columns are ordered by type, then by entity, then attributes before to-one
/// relationships.
struct SchemaBuilder: TableBuilder {
    /// The error for a model that a SQLite file cannot represent.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    var tree: EntityTree
    /// The table's name, by root.
    var tableNames: [Int: String] = [:]
    var columnPools: [Int: NamePool] = [:]
    var columns: [Int: [PlacedColumn]] = [:]
    /// The slotColumns of the properties that entities declare themselves.
    var slotColumns: [ObjectIdentifier: SlotColumn] = [:]
    var tablePool = NamePool(reserved: StoreSchema.reservedTables)
    var joinTables: [TableDefinition] = []
    var joinColumnPool = NamePool()
    let file: FileLayout?
    /// The layout of a file whose store is migrated to the schema.
    let former: FileLayout?

    /// A column, and the keys that determine its position in its table.
    struct PlacedColumn {
        var name: String
        var type: ColumnType
        var rank: Int
        var entity: Int
        var group: Int
    }

    private init(_ entities: [NSEntityDescription], file: FileLayout?, former: FileLayout?) {
        tree = EntityTree(entities)
        self.file = file
        self.former = former
    }

    /// Returns the schema of a model, or of the part of it that a store contains.
    ///
    /// - Parameters:
    ///   - entities: The store's entities; entities that they inherit from are added.
    ///   - file: The layout of an existing file; `nil` for a new one.
    ///   - former: The layout of a file whose store is migrated to the schema. Where Apple's files have two names for a
    ///     table, the schema has the one of this file.
    static func schema(
        of entities: [NSEntityDescription], in file: FileLayout? = nil, migratedFrom former: FileLayout? = nil
    ) throws -> StoreSchema {
        var builder = SchemaBuilder(entities, file: file, former: former)
        builder.nameTables()
        try builder.mapAttributes()
        builder.mapToOnes()
        builder.mapToManys()
        return builder.finished()
    }

    // MARK: Numbers

    /// Adopts the entity numbers in the file. In-place migration may have kept an entity's old name there, so the
    /// number in a new file is tried next. Numbers are unique in any case.
    private mutating func renumber() {
        guard let file else { return }
        var taken: Set<Int> = []
        var open: [Int] = []
        for index in entities.indices {
            let names = [entities[index].layout.name, entities[index].description.renamingIdentifier ?? ""]
            if let number = names.lazy.compactMap({ file.numbers[$0] }).first, taken.insert(number).inserted {
                tree.entities[index].number = number
            } else {
                open.append(index)
            }
        }
        var next = (file.numbers.values.filter { $0 < HistoryTables.changeEntity }.max() ?? 0) + 1
        for index in open where !taken.insert(entities[index].number).inserted {
            while !taken.insert(next).inserted { next += 1 }
            tree.entities[index].number = next
        }
    }

    func tableName(_ index: Int) -> String { tableNames[entities[index].root] ?? "" }

    private mutating func nameTables() {
        renumber()
        for index in entities.indices where entities[index].root == index {
            tableNames[index] = tablePool.add("Z" + entities[index].layout.name.uppercased())
            columnPools[index] = NamePool(reserved: StoreSchema.reservedColumns)
        }
    }

    // MARK: Columns of declared properties

    private mutating func mapAttributes() throws {
        for index in entities.indices {
            for attribute in tree.declared(index, NSAttributeDescription.self) {
                slotColumns[ObjectIdentifier(attribute)] = try mapColumn(of: attribute, index)
            }
            // Names of relationships are assigned with those of their entity, before those of its subentities.
            for relationship in tree.declared(index, NSRelationshipDescription.self) where !relationship.isToMany {
                guard let destination = tree.index(ofDestination: relationship) else { continue }
                let name = addColumn("Z" + relationship.name.uppercased(), to: index, .integer, rank: 0, group: 1)
                slotColumns[ObjectIdentifier(relationship)] = .toOne(
                    ToOneColumns(key: name, entity: nil, order: nil, destination: entities[destination].number))
            }
        }
    }

    mutating func addColumn(
        of attribute: NSAttributeDescription, named path: String, to index: Int
    ) throws -> String {
        guard let type = ColumnType(attribute.attributeType) else {
            throw Failure(
                description: "the attribute “\(entities[index].layout.name).\(path)” has a type that "
                    + "cannot be kept in a SQLite file; only a transient attribute may have it")
        }
        return addColumn("Z" + attribute.name.uppercased(), to: index, type, rank: rank(attribute), group: 0)
    }

    private func rank(_ attribute: NSAttributeDescription) -> Int {
        switch ColumnType(attribute.attributeType) {
        case .integer, nil: 0
        case .timestamp, .float: 1
        case .decimal: 2
        case .varchar: 3
        case .blob:
            switch attribute.attributeType {
            case .UUIDAttributeType: 4
            case .transformableAttributeType: 5
            default: 6
            }
        }
    }

    mutating func addColumn(_ name: String, to index: Int, _ type: ColumnType, rank: Int, group: Int) -> String {
        let root = entities[index].root
        let name = columnPools[root, default: NamePool()].add(name)
        columns[root, default: []].append(
            PlacedColumn(name: name, type: type, rank: rank, entity: index, group: group))
        return name
    }

    /// Adds the columns that accompany the keys of to-one relationships.
    private mutating func mapToOnes() {
        for index in entities.indices {
            for relationship in tree.declared(index, NSRelationshipDescription.self) {
                guard case .toOne(var position)? = slotColumns[ObjectIdentifier(relationship)],
                    let destination = tree.index(ofDestination: relationship)
                else { continue }
                if tree.hasSubentities(destination) {
                    position.entity = addEntityColumn(of: position.key, to: index, destination: destination)
                }
                if let inverse = relationship.inverseRelationship, inverse.isToMany, inverse.isOrdered {
                    position.order = addColumn(
                        "Z_FOK_" + position.key.dropFirst(), to: index, .integer, rank: 0, group: 3)
                }
                slotColumns[ObjectIdentifier(relationship)] = .toOne(position)
            }
        }
    }

    private mutating func addEntityColumn(of key: String, to index: Int, destination: Int) -> String {
        let table = tableName(index)
        let number = entities[destination].number
        let name =
            file?.entityColumn(of: key, number: number, in: table) ?? "Z\(number)_\(key.dropFirst())"
        return addColumn(name, to: index, .integer, rank: 0, group: 2)
    }

    // MARK: To-many relationships

    /// Adds the column of a relationship without an inverse to the rows of its members, named after the number of its
    /// entity.
    mutating func mapVirtual(_ relationship: NSRelationshipDescription, of index: Int, to destination: Int) {
        let name = "Z\(entities[index].number)\(relationship.name.uppercased())"
        let key = addColumn(name, to: destination, .integer, rank: 0, group: 1)
        var order: String?
        if relationship.isOrdered {
            order = addColumn("Z_FOK_" + key.dropFirst(), to: destination, .integer, rank: 0, group: 3)
        }
        slotColumns[ObjectIdentifier(relationship)] = .inverse(
            InverseColumns(
                table: tableName(destination), key: key, entity: nil, order: order,
                destination: entities[destination].number, isVirtual: true))
    }
}
