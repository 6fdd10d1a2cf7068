internal import Diagnostics

/// The findings about a store's persistent history and its mirroring to CloudKit.
enum StoreHistoryRules {
    private static func rule(
        _ id: RuleID, code: String, title: String, explanation: String, fix: String, _ severity: Severity
    ) -> RuleDescription {
        StoreRules.rule(
            id, code: code, group: "store history", title: title, explanation: explanation, fix: fix, severity)
    }

    static let descriptions = [
        rule(
            .historyBloat, code: "MC0867", title: "the store keeps much history",
            explanation: """
                Persistent history takes more than 30% of the file, or goes back further than `--history-days` with more \
                than 10,000 transactions. Core Data never removes history by itself.
                """,
            fix: """
                Run `NSPersistentHistoryChangeRequest.deleteHistory(before:)` regularly, with the oldest token that a \
                reader still needs.
                """, .note),
        rule(
            .historyOrphan, code: "MC0868", title: "a change in the history has no transaction",
            explanation: "Fetches of history skip the change.",
            fix: "Delete the rows of `ACHANGE`.", .warning),
        rule(
            .historyEntity, code: "MC0869", title: "a change in the history is of an unknown entity",
            explanation:
                "`Z_PRIMARYKEY` has no row with the number in `ZENTITY`. Readers of the history cannot name the object.",
            fix: "Delete the rows of `ACHANGE`.", .warning),
        rule(
            .historyString, code: "MC0870", title: "a transaction refers to a missing string",
            explanation: """
                The author, the bundle or the context name of a transaction is in `ATRANSACTIONSTRING`, where the row is \
                missing. Readers that filter by author do not find the transaction.
                """,
            fix: "Set the column to NULL.", .warning),
        rule(
            .historyMax, code: "MC0871", title: "the last key of a history table is smaller than a key in use",
            explanation: "The next save fails, because it takes a key that is in use.",
            fix: "Raise `Z_MAX` to the largest `Z_PK` of the table. Never lower it.", .error),
        rule(
            .historyUndead, code: "MC0872", title: "an object exists whose last change is its deletion",
            explanation: """
                A key was reused after its object was deleted. Readers of the history remove the new object from their \
                copies.
                """,
            fix: "Save a change of the object, so that the history has an update after the deletion.", .error),
        rule(
            .historyTombstone, code: "MC0873", title: "a change other than a deletion has tombstone values",
            explanation: "Core Data writes the values of preserved attributes only for deletions.",
            fix: "No action is needed.", .note),
        rule(
            .historyPartial, code: "MC0874", title: "the store has only some of the history tables",
            explanation: "Core Data creates the three tables together. Without one of them, saves with tracking fail.",
            fix: "Create the missing tables as in a new store with history.", .warning),
        rule(
            .cloudkitRecord, code: "MC0875", title: "a CloudKit record belongs to no object",
            explanation: """
                `ANSCKRECORDMETADATA` has a row for an object that does not exist. The record stays in the cloud if its \
                deletion was not exported.
                """,
            fix: "No action is needed if the mirroring is up to date.", .note),
    ]
}
