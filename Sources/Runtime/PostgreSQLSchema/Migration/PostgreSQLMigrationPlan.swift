internal import CompiledModel
package import CoreData
internal import Foundation
internal import ModelMigration

/// The statements that migrate a PostgreSQL store to another version of its model, as a value: creating it needs no
/// server.
///
/// Tables and columns that both versions have stay where they are, possibly under other names. All statements run in
/// one transaction, in which foreign keys and unique constraints are deferred until all rows are in place.
package struct PostgreSQLMigrationPlan {
    /// A statement, and its purpose.
    package struct Step: Equatable {
        var comment: String
        package var statement: String
    }

    /// The database's state other than the version, which does not follow from the model.
    package struct DatabaseState {
        /// The foreign keys that are not in the database: those of relationships whose delete rule was No Action.
        package var missingKeys: Set<PostgreSQLSchema.Reference> = []

        package init(missingKeys: Set<PostgreSQLSchema.Reference> = []) {
            self.missingKeys = missingKeys
        }
    }

    /// The state of the database that the plan starts from.
    let source: PostgreSQLSchema
    /// The state that it leads to.
    package private(set) var destination: PostgreSQLSchema
    private let inferred: InferredChanges
    /// The entities and properties of both versions.
    package let versions: VersionPairs<PostgreSQLSchema>
    /// The checks before anything is changed, and what is dropped.
    package let before: RowMigration<PostgreSQLSchema>
    package private(set) var steps: [Step] = []
    /// The derived attributes that the runtime has to compute, by their entity in the new version.
    package let computations: [(pair: EntityPair, slots: [Int])]

    let match: PostgreSQLTableMatch
    let circumstances: DatabaseState
    /// What the new version records about its model.
    let version: (stamp: String, properties: [UInt8], model: [UInt8]?)
    /// What happens to the rows; set by the initializer.
    private(set) var rows: RowMigration<PostgreSQLSchema>?

    package init(
        _ inferred: InferredChanges, source: PostgreSQLSchema, destination: PostgreSQLSchema,
        version: (stamp: String, properties: [UInt8], model: [UInt8]?), _ circumstances: DatabaseState = .init()
    ) throws {
        self.source = source
        self.destination = destination
        self.circumstances = circumstances
        self.version = version
        self.inferred = inferred
        let dialect = PostgreSQLMigrationDialect(namespace: source.name)
        versions = VersionPairs(inferred, source: source, destination: destination)
        match = PostgreSQLTableMatch(versions)
        let match = match
        for index in self.destination.tables.indices {
            guard let old = source.tables.first(where: { match.tables[$0.name] == destination.tables[index].name }),
                old.partitions != destination.tables[index].partitions
            else { continue }
            // A table that stays keeps its partitions.
            self.destination.tables[index].partitionNames = old.partitionNames.indices.map {
                PostgreSQLName.fitted("\(destination.tables[index].name)_p\($0)")
            }
        }
        before = try RowMigration(
            versions, tables: RowTables(retained: match.tables.keys, dialect: dialect) { $0 }, dialect: dialect)
        computations = versions.pairs.compactMap { pair in
            let slots = pair.destination.derived.filter { !$0.hasTriggers && pair.needsDerivation($0.slot) }.map(\.slot)
            return slots.isEmpty ? nil : (pair, slots)
        }
        try addSteps(inferred, dialect)
    }

    /// Infers the plan of a migration between two models, without the database.
    ///
    /// - Parameters:
    ///   - entityNumbers: The numbers of entities in the database, by name; empty for those of a new store.
    ///   - newEntityNumbers: The numbers after the migration, likewise.
    package init(
        from source: NSManagedObjectModel, to destination: NSManagedObjectModel, configuration: String? = nil,
        namespace: String, partitions: Int = 0, entityNumbers: [String: Int] = [:],
        newEntityNumbers: [String: Int] = [:]
    ) throws {
        source.makeImmutable()
        destination.makeImmutable()
        let request = MigrationRequest(
            url: URL(fileURLWithPath: "/"), storeType: PostgreSQLSchema.storeType, configuration: configuration,
            options: [:],
            metadata: StoreMetadata.metadata([:], noting: source, configuration), destination: destination)
        let inferred = try InferredChanges(request, from: source, cache: InferenceCache())
        try self.init(
            inferred,
            source: PostgreSQLSchemaBuilder.schema(
                of: inferred.sourceEntities, namespace: namespace, partitions: partitions, keeping: entityNumbers),
            destination: PostgreSQLSchemaBuilder.schema(
                of: inferred.destinationEntities, namespace: namespace, partitions: partitions,
                keeping: newEntityNumbers),
            version: PostgreSQLVersionRecord.version(of: destination, configuration))
    }

    /// Returns the plan after which entities of both versions have the same numbers as before, as long as their names
    /// are the same.
    func keepingNumbers() throws -> Self {
        let numbers = Dictionary(source.entities.map { ($0.name, $0.number) }) { first, _ in first }
        let partitions = destination.tables.map(\.partitions).max() ?? 0
        let kept = try PostgreSQLSchemaBuilder.schema(
            of: inferred.destinationEntities, namespace: destination.name, partitions: partitions, keeping: numbers)
        guard kept.entities != destination.entities else { return self }
        return try Self(inferred, source: source, destination: kept, version: version, circumstances)
    }

    /// The changes of the model.
    var changes: LightweightMigration { inferred.changes }

    private mutating func addSteps(_ inferred: InferredChanges, _ dialect: PostgreSQLMigrationDialect) throws {
        let keys = matchedKeys()
        dropObsolete(keys)
        let renamed = renameRelations(keys)
        let columns = changeColumns(renamed)
        // The old version, as it is now called.
        let current = PostgreSQLRenamedSchema(source, tables: renamed, columns: columns).schema
        createTables(renamed)
        var moving = dialect
        moving.converted = convertedColumns()
        let rows = try RowMigration(
            VersionPairs(inferred, source: current, destination: destination),
            tables: RowTables(retained: match.tables.values, dialect: moving) { $0 }, dialect: moving)
        self.rows = rows
        for statement in rows.statements {
            add("move and change rows", PostgreSQLLiterals.text(of: statement))
        }
        steps += clearedReferences(keys)
        add("check the foreign keys and unique constraints that stay", "SET CONSTRAINTS ALL IMMEDIATE")
        for index in destination.indexes where !keys.indexes.values.contains(index.name) {
            add("create index “\(index.name)”", index.statement(destination))
        }
        if !rows.statements.isEmpty || !destination.derivations.isEmpty { computeDerivations() }
        steps += formerRemovals(renamed, columns)
        addConstraints(keys)
        steps += [historyStep].compactMap(\.self) + versionSteps
    }

    mutating func add(_ comment: String, _ statement: String) {
        steps.append(Step(comment: comment, statement: statement))
    }

    func qualified(_ name: String) -> String { source.qualified(name) }

    func quoted(_ name: String) -> String { PostgreSQLName.quoted(name) }

    // MARK: Names

    /// Renames tables, sequences, indexes and constraints, and returns the current names of the tables and sequences of
    /// the old version.
    private mutating func renameRelations(_ keys: Keys) -> [String: String] {
        var names: [String: String] = [:]
        let needed = destination.relationNames
        let all = needed.union(source.relationNames)
        var given: Set<String> = []
        func former(_ name: String) -> String {
            guard needed.contains(name) else { return name }
            let result = PostgreSQLRenames.formerName(name) { all.contains($0) || given.contains($0) }
            given.insert(result)
            return result
        }
        var renames = PostgreSQLRenames()
        func rename(_ kind: String) -> (String, String) -> String {
            { [source] old, new in "ALTER \(kind) \(source.qualified(old)) RENAME TO \(PostgreSQLName.quoted(new))" }
        }
        let newTables = destination.tables + destination.joinTables
        for table in source.tables + source.joinTables {
            let heir = match.tables[table.name].flatMap { name in newTables.first { $0.name == name } }
            let name = heir?.name ?? former(table.name)
            names[table.name] = name
            renames.add(table.name, to: name, rename("TABLE"))
            renames.add(
                table.keyIndexName, to: heir?.keyIndexName ?? former(table.keyIndexName), rename("INDEX"))
            if let sequence = table.sequence {
                let name = heir?.sequence ?? former(sequence)
                names[sequence] = name
                renames.add(sequence, to: name, rename("SEQUENCE"))
            }
            for (number, partition) in table.partitionNames.enumerated() {
                let new = heir?.partitionNames ?? []
                renames.add(
                    partition, to: new.indices.contains(number) ? new[number] : former(partition), rename("TABLE"))
            }
            for unique in table.uniques {
                guard let new = keys.uniques[unique.name] else { continue }
                renames.add(unique.name, to: new, rename("INDEX"))
            }
        }
        for index in source.indexes {
            guard let new = keys.indexes[index.name] else { continue }
            renames.add(index.name, to: new, rename("INDEX"))
        }
        for statement in renames.statements() { add("rename", statement) }
        for table in source.tables + source.joinTables {
            var constraints = PostgreSQLRenames()
            let name = quoted(source.name) + "." + quoted(names[table.name] ?? table.name)
            for key in table.foreignKeys {
                guard let new = keys.foreign[[table.name, key.name]] else { continue }
                constraints.add(key.name, to: new) { old, new in
                    "ALTER TABLE \(name) RENAME CONSTRAINT \(PostgreSQLName.quoted(old)) TO \(PostgreSQLName.quoted(new))"
                }
            }
            for statement in constraints.statements() { add("rename a foreign key", statement) }
        }
        return names
    }

    /// Renames and converts columns, and adds those of the new version. Returns the current names of the columns, by
    /// the old names of table and column.
    private mutating func changeColumns(_ tables: [String: String]) -> [String: [String: String]] {
        var names: [String: [String: String]] = [:]
        for table in source.tables + source.joinTables {
            guard let heir = match.tables[table.name],
                let new = (destination.tables + destination.joinTables).first(where: { $0.name == heir })
            else { continue }
            let retained = match.columns[table.name] ?? []
            let needed = Set(new.columnNames)
            let all = needed.union(table.columnNames)
            var renames = PostgreSQLRenames()
            var comments: [String: String] = [:]
            for column in table.columnNames {
                let stays = retained.first { $0.old == column }
                let name =
                    stays?.new
                    ?? (needed.contains(column) ? PostgreSQLRenames.formerName(column, all.contains) : column)
                names[table.name, default: [:]][column] = name
                comments[name] = stays.map { "“\($0.property)”" } ?? "“\(table.name).\(column)”, which is dropped later"
                renames.add(column, to: name) { [destination] old, new in
                    "ALTER TABLE \(destination.qualified(heir)) RENAME COLUMN \(PostgreSQLName.quoted(old)) "
                        + "TO \(PostgreSQLName.quoted(new))"
                }
            }
            for statement in renames.statements() { add("rename a column of “\(heir)”", statement) }
            for column in retained {
                guard let conversion = column.conversion,
                    let type = new.columns.first(where: { $0.name == column.new })?.type
                else { continue }
                let expression = conversion.replacingOccurrences(of: quoted(column.old), with: quoted(column.new))
                add(
                    "convert “\(column.property)”",
                    "ALTER TABLE \(destination.qualified(heir)) ALTER COLUMN \(quoted(column.new)) "
                        + "TYPE \(type.declaration) USING \(expression)")
            }
            let present = Set(retained.map(\.new))
            for column in new.columns where !present.contains(column.name) {
                add(
                    "add the column “\(heir).\(column.name)”",
                    "ALTER TABLE \(destination.qualified(heir)) ADD COLUMN \(quoted(column.name)) "
                        + column.type.declaration)
                if let comment = destination.comment(on: column, of: heir) {
                    add("describe “\(heir).\(column.name)”", comment)
                }
            }
        }
        return names
    }

    private func convertedColumns() -> [String: Set<String>] {
        var result: [String: Set<String>] = [:]
        for (old, new) in match.tables {
            result[new] = Set((match.columns[old] ?? []).filter { $0.conversion != nil }.map(\.new))
        }
        return result
    }

    // MARK: Tables

    /// The names of the tables that the plan creates, as spelled in statements.
    var createdTables: [String] {
        let retained = Set(match.tables.values)
        return (destination.tables + destination.joinTables).map(\.name).filter { !retained.contains($0) }
            .map(destination.qualified)
    }

    /// Creates the tables that do not stay. Their sequences continue where those of the old tables are.
    private mutating func createTables(_ names: [String: String]) {
        let retained = Set(match.tables.values)
        for table in destination.tables + destination.joinTables where !retained.contains(table.name) {
            for statement in destination.statements(creating: table) {
                add("create the table “\(table.name)”", statement)
            }
            let sources = Set(versions.pairs(in: table.name).map(\.source.table)).sorted()
            guard let sequence = table.sequence, let origin = sources.first,
                let old = source.tables.first(where: { $0.name == origin })?.sequence
            else { continue }
            add(
                "go on with the keys of “\(origin)”",
                "SELECT setval(\(PostgreSQLName.literal(destination.qualified(sequence))), last_value, is_called) "
                    + "FROM \(destination.qualified(names[old] ?? old))")
        }
    }

    /// Returns the steps that drop columns and tables that the new version does not have.
    ///
    /// - Parameters:
    ///   - tables: The current names of tables that were renamed, by their old names.
    ///   - columns: The current names of columns that were renamed, by the old names of table and column.
    func formerRemovals(_ tables: [String: String] = [:], _ columns: [String: [String: String]] = [:]) -> [Step] {
        var result: [Step] = []
        for table in source.tables + source.joinTables {
            guard let heir = match.tables[table.name] else { continue }
            let retained = Set((match.columns[table.name] ?? []).map(\.old))
            for column in table.columnNames where !retained.contains(column) {
                let name = columns[table.name]?[column] ?? column
                result.append(
                    Step(
                        comment: "drop the column “\(table.name).\(column)”",
                        statement: "ALTER TABLE \(destination.qualified(heir)) DROP COLUMN \(quoted(name))"))
            }
        }
        let former = (source.joinTables + source.tables).filter { match.tables[$0.name] == nil }
        guard !former.isEmpty else { return result }
        let list = former.map { qualified(tables[$0.name] ?? $0.name) }.joined(separator: ", ")
        return result + [
            Step(comment: "drop the tables that the new version does not have", statement: "DROP TABLE \(list)")
        ]
    }

    /// Recomputes the derived attributes that the server computes: their value may follow from rows that have changed.
    private mutating func computeDerivations() {
        for derivation in destination.derivations {
            add("compute the derived attribute “\(derivation.name)”", derivation.update(.all))
        }
    }

    // MARK: The store's own tables

    /// Adapts the history, if there is one, to the entity numbers and properties of the new version; `nil` if they are
    /// the same.
    var historyStep: Step? {
        let statements = PostgreSQLMigratedHistory(versions).statements(destination.qualified("_changes"))
        guard !statements.isEmpty else { return nil }
        return Step(
            comment: "adapt the history",
            statement: ifHistoryExists(statements.map { $0 + ";" }.joined(separator: "\n  ")))
    }

    /// Returns a statement that runs others if the store keeps a history.
    func ifHistoryExists(_ statements: String) -> String {
        let table = PostgreSQLName.literal(destination.qualified("_changes"))
        return "DO "
            + PostgreSQLName.dollarQuoted(
                "BEGIN IF to_regclass(\(table)) IS NOT NULL THEN\n  \(statements)\nEND IF; END")
    }

    /// Records the version, and that the store was migrated to it.
    var versionSteps: [Step] {
        let log = destination.qualified("_migrations")
        let entities = ["DELETE FROM \(destination.qualified("_entities"))"] + destination.entityRows
        let record = PostgreSQLVersionRecord.statements(
            namespace: destination.name, stamp: version.stamp, properties: version.properties, model: version.model)
        return entities.map { Step(comment: "note the entities of the new version", statement: $0) }
            + record.map { Step(comment: "note the version of the model", statement: $0) }
            + [
                "CREATE TABLE IF NOT EXISTS \(log) (\n    \"number\" bigint PRIMARY KEY,\n    \"time\" timestamptz NOT NULL,\n"
                    + "    \"role\" text NOT NULL,\n    \"version\" text NOT NULL\n)",
                "INSERT INTO \(log) SELECT coalesce(max(\"number\"), 0) + 1, now(), current_user, "
                    + "\(PostgreSQLName.literal(version.stamp)) FROM \(log)",
            ].map { Step(comment: "record the migration", statement: $0) }
    }
}

extension PostgreSQLSchema {
    /// The names of tables, partitions, sequences and indexes, which share a name space.
    var relationNames: Set<String> {
        var result = Set(indexes.map(\.name))
        for table in tables + joinTables {
            result.formUnion([table.name, table.keyIndexName])
            result.formUnion(table.uniques.map(\.name))
            result.formUnion(table.partitionNames)
            if let sequence = table.sequence { result.insert(sequence) }
        }
        return result
    }
}
