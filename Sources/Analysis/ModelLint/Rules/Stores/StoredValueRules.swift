internal import Diagnostics

/// The findings about values in a store.
enum StoredValueRules {
    static let descriptions = types + contents + files

    private static func rule(
        _ id: RuleID, code: String, title: String, explanation: String, fix: String, _ severity: Severity
    ) -> RuleDescription {
        StoreRules.rule(
            id, code: code, group: "stored values", title: title, explanation: explanation, fix: fix, severity)
    }

    private static let types = [
        rule(
            .requiredValueMissing, code: "MC0850", title: "a required attribute has no value",
            explanation: """
                The object cannot be saved after a change, and Swift code that declares the property as non-optional \
                crashes. A migration without a default value, or a batch insertion, leaves such rows.
                """,
            fix: "Give the attribute a value, or make it optional.", .warning),
        rule(
            .storageClass, code: "MC0851", title: "a value has another storage class than its type",
            explanation: """
                SQLite stores any value in any column. Core Data reads the value as the attribute's type, so that text in \
                an integer column becomes 0, and text in a Binary column may be lost.
                """,
            fix: "Convert the values with an `UPDATE` and a `CAST` in a copy of the store.", .warning),
        rule(
            .booleanRange, code: "MC0852", title: "a Boolean is neither 0 nor 1",
            explanation: "Core Data reads it as true, but predicates that compare it with true do not find it.",
            fix: "Set it to 1.", .warning),
        rule(
            .integerRange, code: "MC0853", title: "an integer does not fit the attribute's type",
            explanation:
                "An Integer 16 or Integer 32 attribute has a value outside of its range, which is cut off when read.",
            fix: "Change the attribute's type, or the value.", .warning),
        rule(
            .uuidLength, code: "MC0854", title: "a UUID does not have 16 bytes",
            explanation: "Core Data raises an exception, or returns nil, when it reads the value.",
            fix: "Replace the value by the 16 bytes of the UUID.", .error),
        rule(
            .decimalText, code: "MC0855", title: "a Decimal is stored as text",
            explanation:
                "Core Data stores numbers, and only `NaN` as text. Predicates compare text with numbers wrongly.",
            fix: "Convert the value to a number.", .warning),
        rule(
            .dateRange, code: "MC0856", title: "a date is before distantPast or after distantFuture",
            explanation: "The date is probably a placeholder, or the result of a wrong computation.",
            fix: "No action is needed if the app expects it.", .note),
        rule(
            .dateEpoch, code: "MC0857", title: "dates were probably counted from 1970",
            explanation: """
                Core Data stores seconds since 2001. More than 80% of the attribute's values are after 2039, which is \
                typical of values counted from 1970.
                """,
            fix: "Subtract 978307200 from the values that other programs wrote.", .note),
    ]

    private static let contents = [
        rule(
            .textEncoding, code: "MC0858", title: "a string is not valid UTF-8, or contains U+0000",
            explanation: """
                Core Data replaces invalid bytes when it reads them, and SQLite's functions end at U+0000, so that \
                predicates do not find the value.
                """,
            fix: "Assign the string again.", .warning),
        rule(
            .uriInvalid, code: "MC0859", title: "a URI cannot be parsed",
            explanation: "The attribute is nil when it is read.",
            fix: "Assign a valid URL.", .warning),
        rule(
            .validation, code: "MC0860", title: "a value breaks a validation rule of the model",
            explanation: """
                The minimum, the maximum, the length or the regular expression of the attribute does not allow the value. \
                The object cannot be saved after a change. Batch requests and versions of the app with other rules write \
                such values.
                """,
            fix: "Change the value, or relax the rule.", .warning),
        rule(
            .uniqueViolated, code: "MC0861", title: "objects have the same values in a uniqueness constraint",
            explanation: """
                The unique index is missing or damaged, and duplicates were saved. The index cannot be created again, and \
                a migration fails.
                """,
            fix:
                "Delete all but one of the objects in the app, or repair the store, which also moves references to the object that stays.",
            .error),
        rule(
            .archiveUnreadable, code: "MC0862", title: "a transformable value cannot be decoded",
            explanation: """
                The attribute uses secure unarchiving, and the bytes are not a keyed archive. Core Data raises an \
                exception, or returns nil, when it reads the value.
                """,
            fix: "Set the value to nil, or assign it again.", .warning),
        rule(
            .derivedDrift, code: "MC0863", title: "a derived attribute differs from what it is derived from",
            explanation: """
                The trigger that maintains the value was missing for a while, or a program wrote rows without it. Saves \
                correct the value of a count only relative to the wrong one.
                """,
            fix: "Compute the value again, as with the statement in the JSON report.", .warning),
    ]

    private static let files = [
        rule(
            .externalMark, code: "MC0864", title: "a value with external storage has no valid mark",
            explanation: """
                Values of an attribute that allows external storage begin with a byte: 1 for a value in the row, 2 for \
                the name of a file. Core Data drops the first byte of a value without a mark, or looks for a file that \
                does not exist.
                """,
            fix: "If the flag was set without a migration, put the byte 1 before each value.", .error),
        rule(
            .externalFileMissing, code: "MC0865", title: "the file of an external value is missing",
            explanation: """
                Large values are in files in the folder `.NAME_SUPPORT/_EXTERNAL_DATA` beside the store. Without its file, \
                the value is lost; Core Data raises an exception when it is read.
                """,
            fix: "Copy the folder together with the store. If the file is gone, set the attribute to nil.", .error),
        rule(
            .externalFileOrphaned, code: "MC0866", title: "an external file belongs to no row",
            explanation: """
                Batch deletes and programs that write with SQL leave the files of the rows that they delete. The files \
                only take up space. Files younger than a day are not reported: their rows may not be saved yet.
                """,
            fix: """
                Run `modelc store repair` or `modelc store compact`, which move the files to a folder beside the store. \
                Delete it once the app works without them.
                """, .note),
    ]
}
