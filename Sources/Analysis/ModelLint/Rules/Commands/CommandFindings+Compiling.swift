internal import Diagnostics

/// The findings of commands that compile models, or read compiled models and stores.
extension CommandFindings {
    private static let compilers = "`compile`, `build-target` and `momc`"
    private static let archiveReaders = "commands that read a compiled model or a store"

    static let compiling = [
        finding(
            .lostWhenCompiled, code: "MC0203", title: "a part of the model is not compiled",
            explanation: """
                The archive format of a flag is unknown, or a default does not fit its attribute's type. The compiled \
                model works without it.
                """,
            fix: "Correct the default. Flags can be set in code when the model is loaded.", .warning, in: compilers),
        finding(
            .unprovenArchiveForm, code: "MC0204", title: "a part of the model is compiled to an unproven form",
            explanation: "No output of Apple's compiler with this part was available for comparison.",
            fix: "Load the result with Apple's Core Data before relying on it.", .warning, in: compilers),
        finding(
            .unsupportedFetchIndex, code: "MC0205", title: "a fetch index on an expression is left out",
            explanation: "Apple's encoding of expressions in indexes is unknown. Fetches work without the index.",
            fix: "Index a property instead.", .warning, in: compilers),
        finding(
            .malformedArchive, code: "MC0206", title: "a compiled model is damaged",
            explanation: """
                An object of the archive is missing, has an unexpected class, or refers to an object of the wrong kind.
                """,
            fix: "Compile the model again.", in: archiveReaders),
        finding(
            .unsupportedArchivePart, code: "MC0207",
            title: "a part of a compiled model cannot be represented in a source",
            explanation: "The part is known but has no equivalent in a `contents` file, so it is left out.",
            fix: "Set it in code when the model is loaded.", .warning, in: archiveReaders),
        finding(
            .unknownArchivePart, code: "MC0208", title: "a compiled model has a part that modelc does not know",
            explanation: "The part was probably written by a newer compiler. It is ignored.",
            fix: "Check for a newer version of modelc.", .note, in: archiveReaders),
        finding(
            .notAStore, code: "MC0209", title: "the file is not an intact SQLite store of Core Data",
            explanation: "The database cannot be opened, or has no Core Data metadata.",
            fix: "Specify a store that Core Data wrote.", in: archiveReaders),
        finding(
            .noModelInStore, code: "MC0210", title: "the store does not contain the model it was written with",
            explanation: """
                Stores of macOS 10.15, iOS 13 and later cache their model; older ones contain only the version hashes.
                """,
            fix: "Use `modelc hash` for the version hashes, or the `.xcdatamodeld` of the app.", in: archiveReaders),
        finding(
            .unreadableModelCache, code: "MC0211", title: "the model cached in a store cannot be read",
            explanation: "The version hashes of the store are still available.",
            fix: "Use the `.xcdatamodeld` of the app.", .warning, in: archiveReaders),
        finding(
            .unsatisfiableModel, code: "MC0212", title: "no valid store can be made for the model",
            explanation: """
                The rules of an entity contradict each other, or allow no value for a required property. An app cannot \
                save an object of that entity either.
                """,
            fix: "Make the property optional, or change its rules.", in: "`store make`"),
        finding(
            .missingExternalData, code: "MC0213", title: "a file with a store's external data is missing",
            explanation: """
                The row refers to a file in `.NAME_SUPPORT/_EXTERNAL_DATA` that does not exist. Core Data returns nil for \
                the value.
                """,
            fix: "Copy the support folder together with the store.", in: "`store diff`"),
        finding(
            .missingTool, code: "MC0214", title: "modelc-store or modelc-studio is not installed",
            explanation:
                "`modelc store` and `modelc studio` run separate executables, so that the tool of the build plugin stays small.",
            fix:
                "Build the executable, for example with `swift build --product modelc-store`, and put it beside `modelc` or in the "
                + "`PATH`.",
            in: "`store`, `studio`"),
        finding(
            .ambiguousKey, code: "MC0215", title: "two objects of a store have the same key",
            explanation:
                "Objects of two stores are matched by the values of an attribute, so each value may occur only once.",
            fix: "Choose an attribute with unique values.", in: "`store diff`"),
        finding(
            .migrationFailed, code: "MC0216", title: "a store cannot be migrated",
            explanation: """
                The migration was started and failed: values do not fit the new version or violate a uniqueness \
                constraint, or the file cannot be written. The store is unchanged. An app that opens the store fails in \
                the same way.
                """,
            fix: "Fix the cause that the message names, and migrate again.", in: "`store migrate`"),
        finding(
            .invalidExport, code: "MC0217", title: "exported objects cannot be imported",
            explanation: """
                A line is not JSON, has a value that the type of its attribute does not have, names an entity or property \
                that the model does not have, or repeats the key or the unique values of another object.
                """,
            fix: "Correct the line that the message names, or choose another version of the model.",
            in: "`store import`"),
        finding(
            .undistributableModel, code: "MC0218", title: "a model cannot be distributed by tenant",
            explanation: """
                On Citus and similar servers, each row of a tenant is on one node, which checks constraints by itself: rows \
                need a tenant, and foreign keys and uniqueness constraints work within one. A note or warning with this \
                name is about a uniqueness constraint, which the printed tables do not enforce across tenants.
                """,
            fix: "Change the property as the message says, or name another relationship with `--distribute`.",
            in: "`sql`"),
        finding(
            .incompleteMappingSource, code: "MC0345", title: "a reconstructed mapping model lacks a part",
            explanation: """
                A compiled mapping model contains the names of its entities but not the two models, which Xcode copies \
                into a source. These copies cannot represent some kinds of attributes.
                """,
            fix:
                "Specify the models with `--source-model` and `--destination-model`, or refresh the data models in Xcode.",
            .warning, in: "`decompile`"),
    ]
}
