internal import Foundation

/// The indexes and triggers of a store that is being migrated.
struct MigrationObjects {
    private let request: MigrationRequest
    private let destination: StoreSchema
    private let connection: SQLiteConnection

    init(request: MigrationRequest, destination: StoreSchema, connection: SQLiteConnection) {
        self.request = request
        self.destination = destination
        self.connection = connection
    }

    /// An index or trigger of the file.
    private struct Object {
        var name: String
        var table: String
        var sql: String
    }

    private func objects(_ type: String) throws(SQLiteError) -> [Object] {
        let statement = try connection.statement(
            "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = ? AND sql NOT NULL")
        defer { statement.reset() }
        statement.bind(type, at: 1)
        var result: [Object] = []
        while try statement.step() {
            result.append(Object(name: statement.text(0), table: statement.text(1), sql: statement.text(2)))
        }
        return result
    }

    /// Drops the triggers of derived attributes, which would run for each moved row, and the unique indexes of removed
    /// constraints and of tables whose values change: two rows may exchange theirs. Other indexes are kept while they
    /// are useful.
    ///
    /// - Parameter updated: The tables whose values change.
    func dropFormer(updated: Set<String>) throws(SQLiteError) {
        for trigger in try objects("trigger") where trigger.name.hasPrefix("Z_DA_") {
            try connection.execute("DROP TRIGGER \(SQLName.quoted(trigger.name))")
        }
        try dropIndexes { $0.sql.hasPrefix("CREATE UNIQUE INDEX Z") }
        let keys = Set(updated.map(SQLName.key))
        for index in try objects("index")
        where index.sql.hasPrefix("CREATE UNIQUE INDEX Z") && keys.contains(SQLName.key(index.table)) {
            try connection.execute("DROP INDEX \(SQLName.quoted(index.name))")
        }
    }

    /// Drops indexes with Core Data's names that are on the store's tables but not part of its schema.
    private func dropIndexes(_ isIncluded: (Object) -> Bool) throws(SQLiteError) {
        let requested = Set(destination.indexes.map(\.statement))
        let history = Set(HistoryTables.names.map(SQLName.key))
        for index in try objects("index") {
            guard index.name.hasPrefix("Z"), !requested.contains(index.sql), isIncluded(index),
                index.table.hasPrefix("Z"), !history.contains(SQLName.key(index.table))
            else { continue }
            try connection.execute("DROP INDEX \(SQLName.quoted(index.name))")
        }
    }

    /// Creates the indexes of the new version by which rows are found, for example the pages of a book whose number is
    /// computed.
    func createIndexes() throws {
        try dropIndexes { _ in true }
        try createIndexes { !$0.isUnique }
    }

    /// Creates the unique indexes and the triggers of the new version.
    ///
    /// - Throws: An error with the code 134111 if rows violate a uniqueness constraint.
    func createConstraints() throws {
        try createIndexes { $0.isUnique }
        for trigger in destination.triggers { try connection.execute(trigger.statement) }
    }

    private func createIndexes(_ isIncluded: (IndexDefinition) -> Bool) throws {
        let known = Set(try objects("index").map(\.sql))
        for index in destination.indexes where isIncluded(index) && !known.contains(index.statement) {
            try make(index)
        }
    }

    private func make(_ index: IndexDefinition) throws {
        do throws(SQLiteError) {
            try connection.execute(index.statement)
        } catch {
            if error.isUniqueness { throw violation(index, error) }
            throw error
        }
    }

    /// Returns the constraint that an index is for. Its name is `Z_<Entity>_UNIQUE_<properties>`, and names may
    /// themselves contain underscores.
    private func constraint(of index: IndexDefinition) -> (entity: String, properties: String)? {
        for entity in request.destination.entities {
            guard let name = entity.name, index.name.hasPrefix("Z_\(name)_UNIQUE_") else { continue }
            for constraint in entity.uniquenessConstraints {
                let properties = UniqueProperties.names(in: constraint)
                guard index.name == "Z_\(name)_UNIQUE_\(properties.joined(separator: "_"))" else { continue }
                return (name, properties.joined(separator: ", "))
            }
        }
        return nil
    }

    private func violation(_ index: IndexDefinition, _ error: SQLiteError) -> NSError {
        let constraint = constraint(of: index)
        let entity = constraint?.entity ?? index.table
        let properties = constraint?.properties ?? index.columns.map(\.name).joined(separator: ", ")
        return request.failure(
            .migrationConstraintViolation,
            reason: "rows of “\(entity)” have equal values of “\(properties)”, which must be unique",
            help: "Make the values unique before the migration, or remove the constraint.",
            userInfo: [
                "entity": entity, "property": properties,
                NSUnderlyingErrorKey: error.cocoaError(
                    .sqlite, "the constraint cannot be made", at: URL(fileURLWithPath: connection.path)),
            ])
    }
}
