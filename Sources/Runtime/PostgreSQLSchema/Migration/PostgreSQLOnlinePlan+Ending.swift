internal import CoreData

/// The steps with which an online migration ends.
extension PostgreSQLOnlinePlan {
    var contraction: Statements {
        let indexes = addedIndexes.map(\.name) + addedUniques.map(\.unique.name)
        // An attempt to build an index that has failed leaves an invalid one.
        let missing = indexes.map { name in
            let index = PostgreSQLName.literal(destination.qualified(name))
            return "NOT EXISTS (SELECT 1 FROM pg_index WHERE indexrelid = to_regclass(\(index)) AND indisvalid)"
        }
        var result: Statements = []
        if !missing.isEmpty {
            result.append(
                (
                    "the step “fill” is done",
                    PostgreSQLPlanScript.check(
                        missing.joined(separator: " OR "), message: "the indexes of the new version are missing",
                        help: "Run the step “fill” first.")
                ))
        }
        // Deferred checks of updated rows would keep the server from altering their table.
        result.append(
            ("foreign keys and unique constraints are checked by each statement", "SET CONSTRAINTS ALL IMMEDIATE"))
        result += fills.map { ("what programs of the old version have left: \($0.comment)", $0.statement) }
        for (table, key) in addedForeignKeys where isAdded(key.column, to: table.name) && !isPartitioned(table.name) {
            result.append(("a foreign key that was checked is not checked again", validation(of: key, in: table.name)))
        }
        for table in retained {
            for column in addedColumns(table) where defaultValue(column.name, of: table.new.name) != nil {
                result.append(
                    (
                        "programs write “\(table.new.name).\(column.name)” themselves",
                        "ALTER TABLE \(destination.qualified(table.new.name)) ALTER COLUMN \(quoted(column.name)) DROP DEFAULT"
                    ))
            }
        }
        return result + triggerRemovals + constraintChanges + removals
            + [plan.historyStep].compactMap { $0.map { ($0.comment, $0.statement) } }
            + [("the online migration has ended", PostgreSQLVersionRecord.announcementEnd(namespace: source.name))]
            + plan.versionSteps.map { ($0.comment, $0.statement) } + [("", "COMMIT")]
    }

    /// Removes the triggers that make up for what one version does not know of the other.
    private var triggerRemovals: Statements {
        let functions =
            exclusiveReferences.indices.map(qualifiedClearing)
            + (plan.historyStep == nil ? [] : [destination.qualified(Self.historyTrigger)])
        return functions.map { ("only one version is left", "DROP FUNCTION IF EXISTS \($0)() CASCADE") }
    }

    var cancellation: Statements {
        var result = triggerRemovals
        for index in addedIndexes.map(\.name) + addedUniques.map(\.unique.name) {
            result.append(("drop index “\(index)”", "DROP INDEX IF EXISTS \(destination.qualified(index))"))
        }
        for index in source.indexes where keys.indexes[index.name] == nil && interimName(index.name) != index.name {
            result.append(
                ("rename", "ALTER INDEX \(source.qualified(interimName(index.name))) RENAME TO \(quoted(index.name))"))
        }
        for table in retained {
            for column in addedColumns(table) {
                result.append(
                    (
                        "drop the column “\(table.new.name).\(column.name)” with its values",
                        "ALTER TABLE \(destination.qualified(table.new.name)) DROP COLUMN \(quoted(column.name))"
                    ))
            }
        }
        if !created.isEmpty {
            let list = created.map { destination.qualified($0.name) }.joined(separator: ", ")
            result.append(("drop the tables that only the new version has, with their rows", "DROP TABLE \(list)"))
        }
        for former in formerDefaults {
            result.append(
                (
                    "programs write “\(former.property)” themselves",
                    "ALTER TABLE \(source.qualified(former.table)) ALTER COLUMN \(quoted(former.column)) DROP DEFAULT"
                ))
        }
        for (old, _) in retained {
            for unique in old.uniques where keys.uniques[unique.name] == nil {
                result.append(
                    (
                        "require unique values of \(unique.columns.joined(separator: ", ")) in “\(old.name)” again",
                        source.statement(adding: unique, to: old.name)
                    ))
            }
        }
        let numbers = source.entities.map { String($0.number) }.joined(separator: ", ")
        let changes = "DELETE FROM \(source.qualified("_changes")) WHERE \"entity\" NOT IN (\(numbers));"
        return result + [
            ("the history of objects that only the new version has", plan.ifHistoryExists(changes)),
            ("the online migration has ended", PostgreSQLVersionRecord.announcementEnd(namespace: source.name)),
            ("", "COMMIT"),
        ]
    }

    private var constraintChanges: Statements {
        var result: Statements = []
        for (table, unique) in addedUniques {
            let name = quoted(unique.name)
            result.append(
                (
                    "require unique values of \(unique.columns.joined(separator: ", ")) in “\(table.name)”",
                    "ALTER TABLE \(destination.qualified(table.name)) ADD CONSTRAINT \(name) UNIQUE USING INDEX \(name) "
                        + "DEFERRABLE INITIALLY DEFERRED"
                ))
        }
        for (old, _) in retained {
            for key in old.foreignKeys where keys.foreign[[old.name, key.name]] == nil {
                result.append(
                    (
                        "drop the foreign key of “\(old.name).\(key.column)”",
                        "ALTER TABLE \(source.qualified(old.name)) DROP CONSTRAINT IF EXISTS \(quoted(key.name))"
                    ))
            }
        }
        result += plan.clearedReferences(keys).map { ($0.comment, $0.statement) }
        for (table, key) in addedForeignKeys where !isAdded(key.column, to: table.name) {
            result.append(
                (
                    "add the foreign key of “\(table.name).\(key.column)”",
                    destination.statement(adding: key, to: table.name)
                ))
        }
        return result
    }

    private var removals: Statements {
        var result: Statements = []
        let tables = Set(retained.map(\.old.name))
        for index in source.indexes where tables.contains(index.table) {
            guard let name = keys.indexes[index.name] else {
                result.append(
                    ("drop index “\(index.name)”", "DROP INDEX IF EXISTS \(source.qualified(interimName(index.name)))"))
                continue
            }
            guard name != index.name else { continue }
            result.append(
                ("rename", "ALTER INDEX \(source.qualified(index.name)) RENAME TO \(quoted(name))"))
        }
        for (old, _) in retained {
            for unique in old.uniques {
                guard let name = keys.uniques[unique.name], name != unique.name else { continue }
                result.append(("rename", "ALTER INDEX \(source.qualified(unique.name)) RENAME TO \(quoted(name))"))
            }
        }
        return result + plan.formerRemovals().map { ($0.comment, $0.statement) }
    }
}
