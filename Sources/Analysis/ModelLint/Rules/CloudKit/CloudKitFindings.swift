internal import Diagnostics

/// The findings of `modelc cloudkit`.
///
/// Settings and suppressions apply to the findings from comparing a model with a schema, as to those of `modelc lint`.
enum CloudKitFindings {
    /// The name of the group whose rules are configurable although `modelc lint` does not report them.
    static let group = "deployment"

    static let descriptions: [RuleDescription] = deployment + files

    private static func rule(
        _ id: RuleID, code: String, title: String, explanation: String, fix remedy: String,
        _ severity: Severity = .error, group: String = group, in commands: String = "`cloudkit check`"
    ) -> RuleDescription {
        RuleDescription(
            id: id, code: code, group: group, title: title, explanation: explanation, remedy: remedy,
            defaultSeverity: severity, commands: commands)
    }

    private static let deployment = [
        rule(
            .cloudkitNotDeployed, code: "MC0611", title: "production lacks a record type or field of the model",
            explanation: """
                CloudKit's production environment never creates record types and fields automatically. Until they are \
                deployed, saving an object fails on users' devices (“Cannot create or modify field”), and synchronization \
                stops.
                """,
            fix: """
                Import the schema of `modelc cloudkit export --merge` into the development environment with `cktool \
                import-schema`, then deploy it in the CloudKit console.
                """),
        rule(
            .cloudkitTypeChanged, code: "MC0612", title: "a field has another type in production",
            explanation: """
                The type of a field in production never changes, and a field can become neither encrypted nor unencrypted. \
                The schema of the model can never be deployed.
                """,
            fix: "Restore the type of the attribute, and add an attribute with another name for the new type."),
        rule(
            .cloudkitRenamed, code: "MC0613", title: "an element of production was renamed in the model",
            explanation: """
                A renaming identifier refers to a record type or field that exists in production but no longer in the \
                model. CloudKit never renames elements: the records keep their data under the old name.
                """,
            fix: "Keep the old name, or keep the old property beside the new one and copy the values in code."),
        rule(
            .cloudkitOrphan, code: "MC0614", title: "production has a record type or field that the model lacks",
            explanation: """
                Deployed record types and fields are permanent, and older versions of the app continue to use them. A \
                property that is added later under the same name must have the same type.
                """,
            fix: "No action is needed.", .note),
        rule(
            .cloudkitLargeValue, code: "MC0615", title: "production lacks the asset for large values of an attribute",
            explanation: """
                A record holds at most 1 MB, not counting its assets. Core Data moves large values of String, Binary and \
                Transformable attributes into the field `CD_…_ckAsset`. Without it, a value that makes its record larger \
                cannot be saved.
                """,
            fix: "Deploy the field.", .warning),
        rule(
            .cloudkitIncomplete, code: "MC0616", title: "production lacks a part that some features of Core Data need",
            explanation: """
                `CD_moveReceipt` is needed when objects move between zones, as in sharing; `CDMR` holds many-to-many \
                relationships; `cloudkit.share` holds shares. A schema that was created by saving objects in the \
                development environment has them only if the objects needed them.
                """,
            fix: "Initialize the schema with `initializeCloudKitSchema(options:)`, or import it, and deploy it.",
            .warning),
        rule(
            .cloudkitIndexMissing, code: "MC0617", title: "production lacks an index",
            explanation: """
                A public database is polled with queries, which need indexes on the record name and the modification time \
                (`--database public`). Core Data does not query a private database; `--strict-indexes` compares all indexes.
                """,
            fix: "Add the index, and deploy the schema.", .warning),
    ]

    private static func file(
        _ id: RuleID, code: String, title: String, explanation: String, fix remedy: String,
        _ severity: Severity = .error, in commands: String = "commands that read a `.ckdb` file"
    ) -> RuleDescription {
        rule(
            id, code: code, title: title, explanation: explanation, fix: remedy, severity, group: "commands",
            in: commands)
    }

    private static let files = [
        file(
            .cloudkitSyntax, code: "MC0601", title: "a CloudKit schema cannot be parsed",
            explanation: "The file is truncated, is in another language, or breaks the grammar of the schema language.",
            fix: """
                Correct the line that the message points to, or export the schema again with `cktool export-schema`.
                """),
        file(
            .cloudkitUnknownElement, code: "MC0602",
            title: "a CloudKit schema has an element that modelc does not know",
            explanation: """
                An unknown statement, option or permission is kept unchanged, with a warning. An unknown type, or a role \
                that the schema does not create, is an error.
                """,
            fix: "Check the spelling."),
        file(
            .cloudkitDuplicate, code: "MC0603", title: "a CloudKit schema defines something twice",
            explanation: "Record types and roles are unique in a schema, fields in a record type.",
            fix: "Remove one of the definitions."),
        file(
            .cloudkitInvalidField, code: "MC0604", title: "a field of a CloudKit schema is invalid",
            explanation: """
                A system field does not have the type that CloudKit defines for it, or ENCRYPTED is used with a type that \
                CloudKit cannot encrypt. An index on an encrypted field is a warning.
                """,
            fix: "Correct the type of the field."),
        file(
            .cloudkitUnproven, code: "MC0605", title: "the CloudKit field of an attribute is unknown",
            explanation: """
                No schema of a Core Data model with a derived or composite attribute is known. Derived attributes get a field of \
                their type, and composite attributes the fields that they have in SwiftData. A compiled model does not record which attributes are encrypted or \
                which configurations are used with CloudKit.
                """,
            fix:
                """
                Compare with a schema that was initialized on a Mac, and specify the source instead of a compiled model.
                """,
            .warning,
            in: "`cloudkit export` and `cloudkit check`"),
        file(
            .noSuchConfiguration, code: "MC0606", title: "the model has no configuration of the requested name",
            explanation: "Configuration names are case-sensitive.",
            fix: "Correct the name; the message lists the configurations.",
            in: "`cloudkit export` and `cloudkit check`"),
    ]
}
