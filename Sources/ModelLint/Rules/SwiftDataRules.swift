internal import Diagnostics

/// The findings about SwiftData models: those that are read and those that are generated.
enum SwiftDataRules {
    /// The descriptions.
    static let descriptions = [
        rule(
            .swiftSourceUnreadable, "MC0701", "a Swift source cannot be read",
            "A model is never read from a part of a class: its version hashes would be wrong.",
            fix: "Fix the file so that it compiles, or leave it out."),
        rule(
            .swiftDataUnsupported, "MC0702", "a SwiftData model cannot be read from its source",
            """
            modelc reads models from the text of their sources, without a compiler. Where the text does not decide what \
            SwiftData stores, or where no store of SwiftData proves it, the model is rejected: a wrong version hash would be \
            worse than none.
            """,
            fix: "Follow the message: write the type or the inverse, or add the file that declares a type."),
        generating(
            .swiftDataLimit, "MC0703", "the model has something that SwiftData cannot express",
            """
            The generated `@Model` classes leave it out, or express it with another meaning. The message says which. The files \
            are written all the same.
            """,
            fix: "Follow the message. Keep such a model in Core Data if the app depends on what is lost."),
        generating(
            .swiftDataHash, "MC0704", "a generated SwiftData model has another version hash than the Core Data model",
            """
            SwiftData opens a store only if a version of its schema has the store's version hashes. Where the hash of one entity \
            differs, or cannot be told, stores that Core Data wrote with this version have to be copied into a new store.
            """,
            fix: "Add a version of the Core Data model without what differs, and let Core Data migrate to it first."),
    ]

    private static func generating(
        _ id: RuleID, _ code: String, _ title: String, _ explanation: String, fix remedy: String
    ) -> RuleDescription {
        RuleDescription(
            id: id, code: code, group: "swiftdata", title: title, explanation: explanation, remedy: remedy,
            defaultSeverity: .warning, commands: "`generate --language swiftdata`")
    }

    private static func rule(
        _ id: RuleID, _ code: String, _ title: String, _ explanation: String, fix remedy: String
    ) -> RuleDescription {
        RuleDescription(
            id: id, code: code, group: "swiftdata", title: title, explanation: explanation, remedy: remedy,
            defaultSeverity: .error, commands: "commands that read Swift sources")
    }
}
