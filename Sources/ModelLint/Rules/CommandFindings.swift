internal import Diagnostics

/// The findings that commands other than `modelc lint` report. Settings and suppressions have no effect on them.
enum CommandFindings {
    /// The descriptions.
    static let descriptions: [RuleDescription] = generating + compiling + building + running

    private static let anyCommand = "any command that reads a model"

    private static func finding(
        _ id: RuleID, _ code: String, _ title: String, _ explanation: String, fix remedy: String,
        _ severity: Severity = .error, in commands: String
    ) -> RuleDescription {
        RuleDescription(
            id: id, code: code, group: "commands", title: title, explanation: explanation, remedy: remedy,
            defaultSeverity: severity, commands: commands)
    }

    // MARK: Generating code

    private static let generators = "`generate`, `build-target` and `momc --action generate`"
    private static let generatorsAndCompile = "`generate`, `build-target`, `momc` and `compile`"

    private static let generating = [
        finding(
            .invalidName, "MC0101", "a name cannot be used in generated code or as a file name",
            """
            Names of models, entities, classes and properties become Swift declarations and file names. One that is \
            not an identifier, or that could leave the output folder, stops the command before anything is written. \
            `compile` reports it for version names that cannot be file names.
            """,
            fix: "Use letters, digits and underscores, beginning with a letter.", in: generatorsAndCompile),
        finding(
            .keywordName, "MC0102", "a property has the name of a Swift keyword",
            "The property is declared in backticks, as Xcode does. Code that uses it may need the backticks too.",
            fix: "No action is needed. Rename the property to avoid the backticks.", .note, in: generators),
        finding(
            .invalidType, "MC0103", "the custom class of an attribute is not a Swift type",
            """
            The custom class of a transformable attribute is copied into the generated code verbatim, so it must be \
            the name of a type: `UIColor`, `[String: Any]`, `Module.Shape`. A leading dot (“current product module”) \
            is dropped.
            """,
            fix: "Correct the type (Attribute ▸ Data Model inspector ▸ Custom Class).", in: generators),
        finding(
            .sourceLanguage, "MC0104", "the model is set to Objective-C",
            """
            modelc generates Swift unless `--language objc` is given, regardless of the language that is set in the \
            model.
            """,
            fix: "Generate with `--language objc`, or choose Swift (File inspector ▸ Code Generation ▸ Language).",
            .note, in: generators),
        finding(
            .noClassName, "MC0105", "an entity has a codegen mode but no custom class",
            "Nothing is generated for the entity; its objects are plain `NSManagedObject` instances.",
            fix: "Give it a class (Entity ▸ Data Model inspector ▸ Class ▸ Name).", .warning, in: generators),
        finding(
            .brokenTemplate, "MC0106", "a template cannot be parsed",
            "A tag is not closed, a section does not match its end, a name is unknown, or the file is larger than 1 MiB.",
            fix: "Correct the template; `modelc templates context MODEL` prints the available names.",
            in: "commands with `--templates`"),
        finding(
            .noTemplates, "MC0107", "the template folder has no templates",
            "Templates are files that end in `.mustache`.",
            fix: "Copy the built-in templates to the folder with `modelc templates eject FOLDER`.",
            in: "commands with `--templates`"),
        finding(
            .invalidCodeOption, "MC0109", "an option or a userInfo key for generated code cannot be applied",
            """
            A key that changes generated code (Documentation/GeneratedSwift.md) is unknown, is set on an element that \
            it does not apply to, has an invalid value, contradicts another key, or names a type that the sources do \
            not declare or declare more than once. The keys are read only when a feature is requested with `--with` or \
            in `.modelc.yml`.
            """,
            fix: "Correct or remove the key.", in: generators),
        finding(
            .codeNameCollision, "MC0110", "an option for generated code gives two declarations the same name",
            """
            A declaration that a feature of `--with` adds would have the name of another one, so the code would not \
            compile.
            """,
            fix: "Rename the property, or generate without the feature.", in: generators),
        finding(
            .untypedVariable, "MC0111", "a variable of a fetch request template has no known type",
            """
            A parameter has the type of the attribute that its variable is compared with. If there is no such \
            attribute, or several of different types, the parameter has the type `Any`.
            """,
            fix: "No action is needed. Compare the variable with one attribute to give it a type.", .note,
            in: generators),
        finding(
            .noSuchEntity, "MC0108", "the model has no entity of the requested name",
            "Entity names are case-sensitive.", fix: "Correct the name; the message lists the entities.",
            in: "`generate`, `graph` and `store diff`"),
    ]

    // MARK: Compiling

    private static let compilers = "`compile`, `build-target` and `momc`"
    private static let archiveReaders = "commands that read a compiled model or a store"

    private static let compiling = [
        finding(
            .unknownComposite, "MC0201", "the type of a composite attribute does not exist or contains itself",
            "A composite attribute cannot be expanded into its elements.",
            fix: "Choose an existing composite type, and remove the cycle.", in: compilers),
        finding(
            .unsupportedPredicate, "MC0202", "a predicate has a part that a compiled model cannot express",
            "The archive format of the part is unknown, and a guess could fail when the app loads the model.",
            fix: "Rewrite the predicate, or set it in code.", in: compilers),
        finding(
            .lostWhenCompiled, "MC0203", "a part of the model is not compiled",
            """
            The archive format of a flag is unknown, or a default does not fit its attribute's type. The compiled \
            model works without it.
            """,
            fix: "Correct the default. Flags can be set in code when the model is loaded.", .warning, in: compilers),
        finding(
            .unprovenArchiveForm, "MC0204", "a part of the model is compiled to an unproven form",
            "No output of Apple's compiler with this part was available for comparison.",
            fix: "Load the result with Apple's Core Data before relying on it.", .warning, in: compilers),
        finding(
            .unsupportedFetchIndex, "MC0205", "a fetch index on an expression is left out",
            "Apple's encoding of expressions in indexes is unknown. Fetches work without the index.",
            fix: "Index a property instead.", .warning, in: compilers),
        finding(
            .malformedArchive, "MC0206", "a compiled model is damaged",
            """
            An object of the archive is missing, has an unexpected class, or refers to an object of the wrong kind.
            """,
            fix: "Compile the model again.", in: archiveReaders),
        finding(
            .unsupportedArchivePart, "MC0207", "a part of a compiled model cannot be represented in a source",
            "The part is known but has no equivalent in a `contents` file, so it is left out.",
            fix: "Set it in code when the model is loaded.", .warning, in: archiveReaders),
        finding(
            .unknownArchivePart, "MC0208", "a compiled model has a part that modelc does not know",
            "The part was probably written by a newer compiler. It is ignored.",
            fix: "Check for a newer version of modelc.", .note, in: archiveReaders),
        finding(
            .notAStore, "MC0209", "the file is not an intact SQLite store of Core Data",
            "The database cannot be opened, or has no Core Data metadata.",
            fix: "Specify a store that Core Data wrote.", in: archiveReaders),
        finding(
            .noModelInStore, "MC0210", "the store does not contain the model it was written with",
            """
            Stores of macOS 10.15, iOS 13 and later cache their model; older ones contain only the version hashes.
            """,
            fix: "Use `modelc hash` for the version hashes, or the `.xcdatamodeld` of the app.", in: archiveReaders),
        finding(
            .unreadableModelCache, "MC0211", "the model cached in a store cannot be read",
            "The version hashes of the store are still available.",
            fix: "Use the `.xcdatamodeld` of the app.", .warning, in: archiveReaders),
        finding(
            .unsatisfiableModel, "MC0212", "no valid store can be made for the model",
            """
            The rules of an entity contradict each other, or allow no value for a required property. An app cannot \
            save an object of that entity either.
            """,
            fix: "Make the property optional, or change its rules.", in: "`store make`"),
        finding(
            .missingExternalData, "MC0213", "a file with a store's external data is missing",
            """
            The row refers to a file in `.NAME_SUPPORT/_EXTERNAL_DATA` that does not exist. Core Data returns nil for \
            the value.
            """,
            fix: "Copy the support folder together with the store.", in: "`store diff`"),
        finding(
            .ambiguousKey, "MC0215", "two objects of a store have the same key",
            "Objects of two stores are matched by the values of an attribute, so each value may occur only once.",
            fix: "Choose an attribute with unique values.", in: "`store diff`"),
        finding(
            .migrationFailed, "MC0216", "a store cannot be migrated",
            """
            The migration was started and failed: values do not fit the new version or violate a uniqueness \
            constraint, or the file cannot be written. The store is unchanged. An app that opens the store fails in \
            the same way.
            """,
            fix: "Fix the cause that the message names, and migrate again.", in: "`store migrate`"),
        finding(
            .missingTool, "MC0214", "modelc-store or modelc-studio is not installed",
            "`modelc store` and `modelc studio` run separate executables, so that the tool of the build plugin stays small.",
            fix:
                "Build the executable, for example with `swift build --product modelc-store`, and put it beside `modelc` or in the "
                + "`PATH`.",
            in: "`store`, `studio`"),
        finding(
            .incompleteMappingSource, "MC0345", "a reconstructed mapping model lacks a part",
            """
            A compiled mapping model contains the names of its entities but not the two models, which Xcode copies \
            into a source. These copies cannot represent some kinds of attributes.
            """,
            fix:
                "Specify the models with `--source-model` and `--destination-model`, or refresh the data models in Xcode.",
            .warning, in: "`decompile`"),
    ]

    // MARK: Building targets

    private static let plugin = "`build-target`, which the build plugin runs"

    private static let building = [
        finding(
            .modelNotExcluded, "MC0301", "the target does not exclude its model",
            """
            Xcode would compile the model and generate its classes a second time, and SwiftPM would copy the source into the \
            bundle.
            """,
            fix: "Add the model to `exclude:` of the target in `Package.swift`.", in: plugin),
        finding(
            .duplicateModel, "MC0302", "the target has two models with the same name",
            "Both would be compiled to the same file. Names are compared case-insensitively, as Apple's file systems do.",
            fix: "Rename one of them.", in: plugin),
        finding(
            .duplicateSource, "MC0303", "the target excludes two sources with the same name",
            "The copies that modelc compiles instead would be the same file.",
            fix: "Rename one of them.", in: plugin),
        finding(
            .unknownManagedProperty, "MC0304", "an `@NSManaged` property is not in the model",
            "Using the property traps.", fix: "Add it to the model, or remove `@NSManaged`.", .warning, in: plugin),
        finding(
            .unknownManagedFunction, "MC0305", "an `@NSManaged` function is not an accessor of the model",
            "Only the to-many accessors of relationships, such as `addToBooks(_:)`, can be given a body.",
            fix: "Implement the function, or put it between `#if canImport(ObjectiveC)` and `#endif`.", in: plugin),
        finding(
            .unsupportedManagedProperty, "MC0306", "an `@NSManaged` property cannot be given accessors",
            "The symbol that the Swift compiler gives the property cannot be determined from the source.",
            fix: "Exclude the source from the target, or implement the accessors.", in: plugin),
        finding(
            .unsupportedManagedFunction, "MC0307", "an `@NSManaged` function cannot be given a body",
            "The symbol that the Swift compiler gives the function cannot be determined from the source.",
            fix: "Exclude the source from the target, or implement the function.", in: plugin),
        finding(
            .objectiveCAttribute, "MC0308", "a source uses an Objective-C attribute",
            "`@objc` and related attributes do not compile on Linux.",
            fix: "Exclude the source from the target; modelc compiles a copy without the attribute.", in: plugin),
        finding(
            .overrideInExtension, "MC0309", "a member in an extension overrides one of the class's superclass",
            """
            Without Objective-C, Swift cannot override members in extensions. In copies of excluded sources the \
            override moves into the class, if modelc generates the class or copies its source too.
            """,
            fix: "Exclude both sources from the target, or move the member into the class.", in: plugin),
        finding(
            .sourceStaysExcluded, "MC0310", "an excluded source is not copied",
            """
            The source needs a framework that is not available on Linux, or contains code that cannot be rewritten.
            """,
            fix: "Make the edit that the message names, or compile the source on Apple's platforms only.", .note,
            in: plugin),
        finding(
            .needsManualEdit, "MC0311", "a source that the model needs has code that cannot be rewritten for Linux",
            "Target/action selectors, optional protocol requirements and Apple-only frameworks have no counterpart on Linux.",
            fix: "Edit the line, or put it between `#if canImport(ObjectiveC)` and `#endif`.", in: plugin),
        finding(
            .fetchRequestCast, "MC0312", "a fetch request is cast to one of another result type",
            """
            Swift's generic classes cannot be cast to each other without Objective-C: `as!` traps, and `as?` returns \
            `nil`.
            """,
            fix: "Create the request with the type that is needed: `NSFetchRequest<Book>(entityName: \"Book\")`.",
            .warning,
            in: plugin),
        finding(
            .uncalledKeyMethod, "MC0313", "a `validate<Key>` or `keyPathsForValuesAffecting<Key>` member is not called",
            """
            The build plugin registers these members for the runtime, but cannot refer to private members, members of \
            local classes, or members with other parameters.
            """,
            fix: "Make the member internal, with the parameters that Core Data documents.", .warning, in: plugin),
        finding(
            .manifestNotEditable, "MC0314", "a package manifest cannot be edited safely",
            """
            `prepare-for-linux` modifies the `Package` that the manifest creates, and needs to find its constant and \
            its targets. Nothing was written.
            """,
            fix: "Add the printed lines to the manifest.", in: "`prepare-for-linux`"),
        finding(
            .packageSetup, "MC0316", "a package is not set up to use modelc",
            """
            A target with a model needs an `exclude:` entry for it, the build plugin and the product CoreData on \
            Linux; building needs a toolchain and system libraries that modelc supports.
            """,
            fix: "Make the change that the message names.", in: "`doctor`"),
        finding(
            .noSuchTarget, "MC0317", "the manifest does not declare the target",
            "Targets are read from the literals in Package.swift.",
            fix: "Correct the name, or specify a target with `--target`.", in: "`init`"),
        finding(
            .noSources, "MC0315", "there are no Swift files or models at the given path",
            "Hidden folders, Pods, Carthage and DerivedData are skipped.",
            fix: "Specify the folder of a package or an app.", in: "`port`"),
    ]

    // MARK: Running commands

    private static let running = [
        finding(
            .noSuchFile, "MC0401", "there is no such file or folder", "Nothing was read or written.",
            fix: "Check the path.", in: anyCommand),
        finding(
            .noModels, "MC0402", "there are no models at the given paths",
            "Folders are searched for `.xcdatamodeld` and `.xcdatamodel`; Pods, Carthage and DerivedData are skipped.",
            fix: "Specify a folder that contains a model, or the model itself.", in: "`lint` and `format`"),
        finding(
            .noSuchVersion, "MC0403", "the model has no version of the requested name",
            "Version names are case-sensitive and may be given with or without `.xcdatamodel`.",
            fix: "Correct the name; the message lists the versions.", in: "commands with `--version`"),
        finding(
            .fileExists, "MC0404", "a file that would be written already exists",
            "Nothing was written.", fix: "Choose another path, or move the file away.",
            in: "`decompile` and `templates eject`"),
        finding(
            .rewriteMismatch, "MC0410", "a rewritten file would not have the same content",
            """
            Every rewritten file is read back and compared with the original before it replaces it. This finding \
            indicates a bug in modelc; the file was not changed.
            """,
            fix: "Report it with the file.", in: "`format`, `lint --fix` and `merge-driver`"),
        finding(
            .cannotEncode, "MC0411", "the file's encoding lacks a character that would be written",
            "Files keep their encoding when they are rewritten. The file was not changed.",
            fix: "Convert the file to UTF-8.", in: "`format`, `lint --fix` and `merge-driver`"),
        finding(
            .sourceMismatch, "MC0412", "a source cannot express everything in the compiled model",
            """
            The reconstructed source is read back before it is written. It did not compile to the same model: a name \
            or string may contain characters that XML does not allow.
            """,
            fix: "Inspect the compiled model with `modelc inspect`.", in: "`decompile`"),
        finding(
            .configuration, "MC0405", "the settings file is invalid",
            """
            `.modelc.yml` is a mapping with the keys that `modelc lint --help` lists. It may use the YAML subset that \
            `Documentation/ContinuousIntegration.md` describes; anything else is an error.
            """,
            fix: "Correct the line that the message points to.", in: "`lint`, `format` and `build-target`"),
        finding(
            .unknownRule, "MC0406", "the rule does not exist",
            "Rules are named by identifier or code, case-insensitively.", fix: "`modelc rules` lists the rules.",
            in: "`lint` and `explain`"),
        finding(
            .malformedBaseline, "MC0407", "the baseline is invalid",
            "A baseline is written by `modelc lint --write-baseline` and merges line by line.",
            fix: "Rewrite it with `--write-baseline`.", in: "`lint`"),
        finding(
            .format, "MC0408", "a file is not laid out as Xcode saves it",
            "Xcode reformats the file with the next change, which produces unrelated differences.",
            fix: "Run `modelc format`; `--diff` shows the changes.", in: "`format --check`"),
        finding(
            .mergeConflict, "MC0409", "both sides of a merge changed the same part of a model",
            "The file contains both versions, between conflict markers.", fix: "Resolve the conflict in the file.",
            in: "`merge-driver`"),
    ]
}
