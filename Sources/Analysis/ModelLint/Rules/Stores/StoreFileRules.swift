internal import Diagnostics

/// The findings about a store's file, its description of itself and its schema.
enum StoreFileRules {
    static let descriptions = file + selfDescription + schema

    private static func rule(
        _ id: RuleID, code: String, group: String = "store files", title: String, explanation: String, fix: String,
        _ severity: Severity
    ) -> RuleDescription {
        StoreRules.rule(id, code: code, group: group, title: title, explanation: explanation, fix: fix, severity)
    }

    // MARK: The file

    private static let file = [
        rule(
            .damagedPage, code: "MC0801", title: "SQLite finds damage in the database",
            explanation: """
                `PRAGMA integrity_check` reports a page, a cell or an index that is not as it should be. Fetches may fail \
                with SQLite's error 11, return wrong rows, or miss some. Interrupted writes on failing disks, copies of a \
                store in use without its log, and two programs that write without locks cause it.
                """,
            fix: """
                Restore a backup. If there is none, copy what is readable into a new store with `modelc store recover`.
                """, .error),
        rule(
            .truncatedFile, code: "MC0802", title: "the file is shorter than its header says",
            explanation: "The end of the file was cut off, as by a copy that was interrupted or a full disk.",
            fix: "Restore a backup, or copy the file again.", .error),
        rule(
            .hotJournal, code: "MC0803", title: "a save was interrupted, and its journal was not rolled back",
            explanation: """
                Beside the store is a journal of a transaction that did not end. SQLite undoes the transaction when the \
                store is next opened for writing. If the store is copied without the journal, it is damaged. The other \
                checks read the state after the rollback.
                """,
            fix: "Open the store once in the app, or copy the store together with its journal.", .warning),
        rule(
            .largeLog, code: "MC0804", title: "the write-ahead log is large",
            explanation: """
                SQLite normally moves the log into the database after 1000 pages. A log of more than 4000 pages and a \
                quarter of the file means that a connection has been reading an old state for a long time.
                """,
            fix: "Look for a query generation or an iteration that is never released.", .note),
        rule(
            .missingLog, code: "MC0805", title: "the store was copied without its write-ahead log",
            explanation: """
                The store uses a log, there is none beside it, and several of the largest keys in `Z_PRIMARYKEY` are behind \
                the rows. That happens if the file is copied alone, while the last saves are still in the log. Those \
                saves are not in this copy.
                """,
            fix: "Copy the store again with its `-wal` file, or with `NSPersistentStoreCoordinator`.", .warning),
        rule(
            .freePages, code: "MC0806", title: "much of the file is unused pages",
            explanation: """
                More than a quarter of the pages are free. SQLite uses them for new rows, but does not return them to the \
                system by itself.
                """,
            fix: "Run `modelc store compact`, or open the store once with `NSSQLiteManualVacuumOption`.", .note),
        rule(
            .sparsePages, code: "MC0807", title: "the pages of the file are mostly empty",
            explanation: "More than 40% of the space in used pages is empty, as after deleting many rows at random.",
            fix: """
                Run `modelc store compact --in-place --rebuild`, or open the store once with \
                `NSSQLiteManualVacuumOption`.
                """, .note),
        rule(
            .noAutoVacuum, code: "MC0808", title: "the store does not vacuum incrementally",
            explanation: """
                Core Data creates stores with `auto_vacuum` 2, so that free pages can be returned to the system without \
                rewriting the file. This store was created otherwise.
                """,
            fix: "Run `modelc store compact --in-place --rebuild`.", .note),
    ]

    // MARK: Its description of itself

    private static let descriptionGroup = "store descriptions"

    private static let selfDescription = [
        rule(
            .metadataMissing, code: "MC0809", group: descriptionGroup, title: "the store has no metadata",
            explanation: """
                The table `Z_METADATA` is missing, or does not have exactly one row with a property list. Core Data cannot \
                open the store: it does not know the model's version.
                """,
            fix: "Restore a backup, or repair the store with its model, which loses what the app kept in the metadata.",
            .error),
        rule(
            .metadataUnreadable, code: "MC0810", group: descriptionGroup, title: "the store's metadata cannot be read",
            explanation: """
                The property list in `Z_METADATA` is damaged, or has no version hashes. Core Data cannot open the store.
                """,
            fix: "Restore a backup, or repair the store with its model, which loses what the app kept in the metadata.",
            .error),
        rule(
            .modelMismatch, code: "MC0811", group: descriptionGroup,
            title: "the cached model does not match the metadata",
            explanation: """
                The version hashes of the model in `Z_MODELCACHE` differ from those in the metadata. A lightweight \
                migration that relies on the cached model would start from the wrong version.
                """,
            fix: "Delete the row of `Z_MODELCACHE`; Core Data then looks for the model in the app.", .error),
        rule(
            .modelCacheUnreadable, code: "MC0812", group: descriptionGroup,
            title: "the cached model cannot be read",
            explanation: """
                The content of `Z_MODELCACHE` is not a compressed model. Core Data looks for the model in the app instead, \
                and cannot migrate stores of versions that the app no longer has. Checks that need the model do not run.
                """,
            fix: "Name the model with --model; with the hashes of the store, a repair keeps it there.", .warning),
        rule(
            .uuidInvalid, code: "MC0813", group: descriptionGroup, title: "the store's identifier is not a UUID",
            explanation: """
                The URIs of objects contain the store's identifier. Core Data writes it as a UUID in upper case.
                """,
            fix: "Change nothing if the app stores URIs of objects; they contain this identifier.", .warning),
        rule(
            .entityRowMissing, code: "MC0814", group: descriptionGroup, title: "an entity has no row in Z_PRIMARYKEY",
            explanation: """
                `Z_PRIMARYKEY` has the number of each entity and the last key that was used. Without a row, no object of \
                the entity can be inserted.
                """,
            fix: "Insert the row, with an unused number below 16000 and the largest key of the table.", .error),
        rule(
            .entityRowExtra, code: "MC0815", group: descriptionGroup,
            title: "Z_PRIMARYKEY has a row for an unknown entity, or two for one",
            explanation: """
                The model has no entity of this name; a migration normally removes the rows of old entities. A second \
                row with the name of an entity is an error: which number the entity has is then uncertain.
                """,
            fix: "Delete a second row, unless objects have its number. Otherwise no action is needed.", .note),
        rule(
            .entityParent, code: "MC0816", group: descriptionGroup,
            title: "an entity has the wrong parent in Z_PRIMARYKEY",
            explanation: "`Z_SUPER` is not the number of the parent entity; it is 0 for entities without a parent.",
            fix: "Set `Z_SUPER` to the number of the parent.", .warning),
        rule(
            .maxBehind, code: "MC0817", group: descriptionGroup, title: "the last key is smaller than a key in use",
            explanation: """
                `Z_MAX` is the key from which new objects get theirs. If it is behind, the next insertion fails or \
                takes the key of another object. Programs that write rows with SQL forget to raise it, and a copy without \
                the log is behind.
                """,
            fix: "Raise `Z_MAX` to the largest `Z_PK` of the table. Never lower it.", .error),
        rule(
            .maxInSubentity, code: "MC0818", group: descriptionGroup, title: "a subentity's row has a last key",
            explanation: "Keys are counted in the row of the root entity; Core Data ignores those of subentities.",
            fix: "No action is needed.", .note),
    ]

    // MARK: Its schema

    private static let schemaGroup = "store schemas"

    private static let schema = [
        rule(
            .tableMissing, code: "MC0819", group: schemaGroup, title: "the store lacks a table of the model",
            explanation: "Fetches of the entity or relationship fail with “no such table”.",
            fix: "Create the table with the statement that `modelc sql --dialect sqlite` prints.", .error),
        rule(
            .columnMissing, code: "MC0820", group: schemaGroup, title: "the store lacks a column of the model",
            explanation: "Fetches of the entity fail with “no such column”.",
            fix: "Add the column with `ALTER TABLE`, and fill it with the model's default value.", .error),
        rule(
            .columnType, code: "MC0821", group: schemaGroup, title: "a column is declared with another type",
            explanation: """
                The declared type decides how SQLite converts values that are written. The type of the attribute was \
                probably changed without a migration.
                """,
            fix: "No action is needed as long as the values have the right type.", .note),
        rule(
            .unknownTable, code: "MC0822", group: schemaGroup,
            title: "the store has a table that the model does not explain",
            explanation: "Core Data ignores tables of other programs and of features that are not known.",
            fix: "No action is needed.", .note),
        rule(
            .unknownColumn, code: "MC0823", group: schemaGroup,
            title: "a table has a column that the model does not explain",
            explanation: "Core Data ignores the column. A migration with other tools may have left it.",
            fix: "No action is needed.", .note),
        rule(
            .indexMissing, code: "MC0824", group: schemaGroup, title: "an index of the model is missing",
            explanation: "Fetches over the relationship or attribute read the whole table.",
            fix: "Create the index with the statement that `modelc sql --dialect sqlite` prints.", .warning),
        rule(
            .uniqueIndexMissing, code: "MC0825", group: schemaGroup, title: "a uniqueness constraint is not enforced",
            explanation: """
                The model has a uniqueness constraint, and the store has no unique index for it. Core Data relies on the \
                index: saves do not notice duplicates.
                """,
            fix: """
                Remove duplicates, then create the index with the statement that `modelc sql --dialect sqlite` prints.
                """, .error),
        rule(
            .derivedTriggerMissing, code: "MC0826", group: schemaGroup,
            title: "a trigger that maintains a derived attribute is missing",
            explanation: "The value of the attribute no longer follows the objects that it is derived from.",
            fix: "Create the trigger with the statement that `modelc sql --dialect sqlite` prints.", .warning),
        rule(
            .rtreeDrift, code: "MC0827", group: schemaGroup, title: "a spatial index disagrees with its table",
            explanation: "An R-tree index is damaged, or has entries for rows that do not exist.",
            fix: "Delete the entries without a row, and make a damaged index again of all rows of the table.", .warning),
    ]
}
