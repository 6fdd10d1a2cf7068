internal import Diagnostics

/// The findings about Swift sources with SwiftData models.
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
    ]

    private static func rule(
        _ id: RuleID, _ code: String, _ title: String, _ explanation: String, fix remedy: String
    ) -> RuleDescription {
        RuleDescription(
            id: id, code: code, group: "swiftdata", title: title, explanation: explanation, remedy: remedy,
            defaultSeverity: .error, commands: "commands that read Swift sources")
    }
}
