package import CoreData
internal import Foundation

/// Determines the schema of a model in a PostgreSQL database.
///
/// Entities are numbered by name, each followed by its subentities, in a new store; an online migration keeps their
/// numbers. A hierarchy has one table. Tables and columns have the model's names.
package struct PostgreSQLSchemaBuilder: TableBuilder {
    /// The error for a model that a PostgreSQL schema cannot represent.
    package struct Failure: Error, CustomStringConvertible {
        package var description: String
    }

    package let tree: EntityTree
    /// The tables of rows, by the index of the root.
    var tables: [Int: PostgreSQLTable] = [:]
    var columnNames: [Int: PostgreSQLNames] = [:]
    /// The slotColumns of the properties that entities declare themselves.
    package var slotColumns: [ObjectIdentifier: SlotColumn] = [:]
    /// The names of tables, sequences and indexes, which share a name space.
    var names = PostgreSQLNames(reserved: PostgreSQLSchema.reservedTables)
    var constraintNames = PostgreSQLNames()
    var joinTables: [PostgreSQLTable] = []
    /// The indexes of foreign keys.
    var keyIndexes: [PostgreSQLIndex] = []
    /// The columns of references without foreign keys.
    var freeReferences: [PostgreSQLSchema.Reference] = []
    let namespace: String
    let partitions: Int

    private init(_ tree: EntityTree, namespace: String, partitions: Int) {
        self.tree = tree
        self.namespace = namespace
        self.partitions = partitions
    }

    /// Returns the default namespace of a store.
    package static func defaultNamespace(_ configuration: String?) -> String {
        guard let configuration, configuration != "PF_DEFAULT_CONFIGURATION_NAME", !configuration.isEmpty else {
            return "coredata"
        }
        return PostgreSQLName.fitted(configuration)
    }

    /// Returns the schema of a model, or of the part of it that a store contains.
    ///
    /// - Parameters:
    ///   - entities: The store's entities; entities that they inherit from are added.
    ///   - namespace: The name of the schema in the database.
    ///   - partitions: The number of partitions of each table of rows; 0 for plain tables. A table with unique
    ///     constraints is not partitioned: servers only support them on partitioned tables if they contain the key.
    ///   - numbers: The numbers of entities in the database, by name; empty for a new store.
    package static func schema(
        of entities: [NSEntityDescription], namespace: String, partitions: Int = 0,
        keeping numbers: [String: Int] = [:]
    ) throws -> PostgreSQLSchema {
        var builder = PostgreSQLSchemaBuilder(
            EntityTree(entities, keeping: numbers), namespace: namespace, partitions: partitions)
        builder.nameTables()
        try builder.mapAttributes()
        builder.mapToOnes()
        builder.mapToManys()
        return builder.finished()
    }

    // MARK: Entities

    private mutating func nameTables() {
        for index in entities.indices where entities[index].root == index {
            let name = names.add(entities[index].layout.name)
            tables[index] = PostgreSQLTable(
                name: name, root: entities[index].number,
                columns: [
                    .init(name: "_pk", type: .bigint, isRequired: true),
                    .init(name: "_entity", type: .integer, isRequired: true),
                    .init(name: "_version", type: .bigint, isRequired: true),
                ], key: ["_pk"])
            columnNames[index] = PostgreSQLNames(
                reserved: PostgreSQLSchema.reservedColumns + PostgreSQLSchema.systemColumns)
        }
        for index in entities.indices where entities[index].root == index {
            let sequence = names.add("\(entities[index].layout.name)_keys")
            tables[index]?.sequence = sequence
        }
    }

    // MARK: Columns of declared properties

    private mutating func mapAttributes() throws {
        for index in entities.indices {
            for attribute in tree.declared(index, NSAttributeDescription.self) {
                slotColumns[ObjectIdentifier(attribute)] = try mapColumn(of: attribute, index)
            }
        }
    }

    package mutating func addColumn(
        of attribute: NSAttributeDescription, named path: String, to index: Int
    ) throws -> String {
        guard let type = PostgreSQLColumnType(attribute.attributeType) else {
            throw Failure(
                description: "the attribute “\(entities[index].layout.name).\(path)” has a type that "
                    + "cannot be kept in a database; only a transient attribute may have it")
        }
        return addColumn(path, type, to: index)
    }

    mutating func addColumn(_ name: String, _ type: PostgreSQLColumnType, to index: Int) -> String {
        let root = entities[index].root
        let name = columnNames[root, default: PostgreSQLNames()].add(name)
        tables[root]?.columns.append(.init(name: name, type: type))
        return name
    }

    package func tableName(_ index: Int) -> String { tables[entities[index].root]?.name ?? "" }
}
