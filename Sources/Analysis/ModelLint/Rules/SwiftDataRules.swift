internal import Diagnostics

/// The findings about SwiftData models, from reading and from generating them.
enum SwiftDataRules {
    static let descriptions = [
        reading(
            .swiftSourceUnreadable, code: "MC0701", title: "a Swift source cannot be read",
            explanation: "modelc never reads a model from part of a class, because its version hashes would be wrong.",
            fix: "Fix the file so that it compiles, or leave it out."),
        reading(
            .swiftDataUnsupported, code: "MC0702", title: "a SwiftData model cannot be read from its source",
            explanation: """
                modelc reads models from the text of their sources, without a compiler. If the text does not determine \
                what SwiftData stores, or no SwiftData store confirms it, the model is rejected: a wrong version hash \
                would be worse than none.
                """,
            fix: """
                Correct the source as the message recommends: specify the type or the inverse, or add the file that declares \
                a type.
                """),
        generating(
            .swiftDataLimit, code: "MC0703", title: "the model has something that SwiftData cannot express",
            explanation: """
                The generated `@Model` classes omit it, or express it with another meaning, as the message states. The \
                files are still written.
                """,
            fix: """
                Check each construct that the messages name. Keep such a model in Core Data if the app depends on what would \
                be lost.
                """),
        generating(
            .swiftDataHash, code: "MC0704",
            title: "a generated SwiftData model has another version hash than the Core Data model",
            explanation: """
                SwiftData opens a store only if a version of its schema has the store's version hashes. If the hash of an \
                entity differs, or cannot be determined, stores that Core Data wrote with this version have to be copied \
                into a new store.
                """,
            fix: """
                Add a version of the Core Data model without the differences, and let Core Data migrate to it first.
                """),
        linting(
            .swiftDataRequiredInverse, code: "MC0705",
            title: "a required to-one relationship of a SwiftData model gets no inverse",
            explanation: """
                SwiftData infers the inverse of a relationship only if the to-one side is optional. With `var game: Game` \
                neither side has an inverse: changing one does not change the other, and a deleted object leaves \
                references behind.
                """,
            fix:
                """
                Make the property optional, or name the inverse in `@Relationship(inverse:)`. Either change affects \
                version hashes.
                """
        ),
        linting(
            .swiftDataAmbiguousInverse, code: "MC0706",
            title: "several relationships of a SwiftData model could be the inverse",
            explanation: """
                If two relationships of a model have the same destination, SwiftData chooses neither as the inverse of the \
                relationship in the opposite direction: none of them has an inverse.
                """,
            fix: "Name the inverse in `@Relationship(inverse:)`. This changes the version hashes of both models."),
        linting(
            .swiftDataUnnamedInverse, code: "MC0707", title: "two relationships with `@Relationship` name no inverse",
            explanation: """
                SwiftData does not infer an inverse if both sides have the macro `@Relationship` and neither has the \
                argument `inverse:`.
                """,
            fix: "Name the inverse on one side. This changes the version hashes of both models."),
        linting(
            .swiftDataLiveDeclaration, code: "MC0708",
            title: "an old version of a SwiftData schema has a declaration outside of it",
            explanation: """
                A released version of a schema must not change. The next edit of a model or value that it shares with the \
                current code changes its version hashes, and a staged migration fails with error 134504 for its stores.
                """,
            fix:
                "Freeze the version with `modelc swiftdata freeze`, and check them with `modelc lock check`."
        ),
        linting(
            .swiftDataSharedValue, code: "MC0709", title: "a Codable structure is stored by several properties",
            explanation: """
                SwiftData stores a Codable structure as a composite attribute, whose elements contribute to the version \
                hash of the model. A new property of the structure changes the hash of every model that stores it.
                """,
            fix: "No action is needed as long as the structure changes only with a new version of the schema.",
            severity: .note),
        linting(
            .swiftDataUnlistedModel, code: "MC0710", title: "a SwiftData model belongs to no version of the schema",
            explanation: """
                A `ModelContainer` of a `VersionedSchema` stores only the models in its list and those that are reachable \
                through their relationships.
                """,
            fix: "Add the class to `models`, or remove it."),
        linting(
            .swiftDataDuplicateModel, code: "MC0711", title: "a SwiftData model of a schema has an unused namesake",
            explanation: """
                An entity has the name of its class without the enclosing types. Two `@Model` classes with the same name \
                are the same entity, which a version of the schema can contain only once.
                """,
            fix: "Remove the class that no version lists."),
        linting(
            .swiftDataEqualVersions, code: "MC0712",
            title: "two versions of a SwiftData schema have the same version hashes",
            explanation: """
                SwiftData tells versions apart by their hashes. A container whose migration plan has two versions with the same \
                hashes stops the app: “Duplicate version checksums across stages detected”. Default values, delete rules, \
                computed properties and identifiers do not affect hashes.
                """,
            fix: "Remove one of the versions from the sources and the plan.", severity: .error),
        linting(
            .swiftDataRepeatedIdentifier, code: "MC0713",
            title: "two versions of a SwiftData schema have the same version identifier",
            explanation: """
                modelc orders the versions of a schema by their identifiers. A new version that starts as a copy of the last one \
                needs a new identifier.
                """,
            fix: "Change the `versionIdentifier` of the later version."),
    ]

    private static func generating(
        _ id: RuleID, code: String, title: String, explanation: String, fix remedy: String
    ) -> RuleDescription {
        RuleDescription(
            id: id, code: code, group: "swiftdata", title: title, explanation: explanation, remedy: remedy,
            defaultSeverity: .warning, commands: "`generate --language swiftdata`")
    }

    /// Returns the description of a finding that keeps a model from being read, by `modelc lint` and all commands that
    /// read models.
    private static func reading(
        _ id: RuleID, code: String, title: String, explanation: String, fix remedy: String
    ) -> RuleDescription {
        linting(id, code: code, title: title, explanation: explanation, fix: remedy, severity: .error)
    }

    private static func linting(
        _ id: RuleID, code: String, title: String, explanation: String, fix remedy: String,
        severity: Severity = .warning
    ) -> RuleDescription {
        RuleDescription(
            id: id, code: code, group: "swiftdata", title: title, explanation: explanation, remedy: remedy,
            defaultSeverity: severity)
    }
}
