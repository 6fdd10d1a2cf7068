internal import Diagnostics

/// The findings that commands other than `modelc lint` report. Settings and suppressions have no effect on them.
enum CommandFindings {
    static let descriptions: [RuleDescription] = generating + compiling + building + running

    private static let anyCommand = "any command that reads a model"

    private static func finding(
        _ id: RuleID, code: String, title: String, explanation: String, fix remedy: String,
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
            .invalidName, code: "MC0101", title: "a name cannot be used in generated code or as a file name",
            explanation: """
                Names of models, entities, classes and properties become Swift declarations and file names. One that is \
                not an identifier, or that could leave the output folder, stops the command before anything is written. \
                `compile` reports it for version names that cannot be file names.
                """,
            fix: "Use letters, digits and underscores, beginning with a letter.", in: generatorsAndCompile),
        finding(
            .keywordName, code: "MC0102", title: "a property has the name of a Swift keyword",
            explanation:
                "The property is declared in backticks, as Xcode does. Code that uses it may need the backticks too.",
            fix: "No action is needed. Rename the property to avoid the backticks.", .note, in: generators),
        finding(
            .invalidType, code: "MC0103", title: "the custom class of an attribute is not a Swift type",
            explanation: """
                The custom class of a transformable attribute is copied into the generated code verbatim, so it must be \
                the name of a type: `UIColor`, `[String: Any]`, `Module.Shape`. A leading dot (“current product module”) \
                is dropped.
                """,
            fix: "Correct the type (Attribute ▸ Data Model inspector ▸ Custom Class).", in: generators),
        finding(
            .sourceLanguage, code: "MC0104", title: "the model is set to Objective-C",
            explanation: """
                modelc generates Swift unless `--language objc` is given, regardless of the language that is set in the \
                model.
                """,
            fix: "Generate with `--language objc`, or choose Swift (File inspector ▸ Code Generation ▸ Language).",
            .note, in: generators),
        finding(
            .noClassName, code: "MC0105", title: "an entity has a codegen mode but no custom class",
            explanation: "Nothing is generated for the entity; its objects are plain `NSManagedObject` instances.",
            fix: "Give it a class (Entity ▸ Data Model inspector ▸ Class ▸ Name).", .warning, in: generators),
        finding(
            .brokenTemplate, code: "MC0106", title: "a template cannot be parsed",
            explanation:
                "A tag is not closed, a section does not match its end, a name is unknown, or the file is larger than 1 MiB.",
            fix: "Correct the template; `modelc templates context MODEL` prints the available names.",
            in: "commands with `--templates`"),
        finding(
            .noTemplates, code: "MC0107", title: "the template folder has no templates",
            explanation: "Templates are files that end in `.mustache`.",
            fix: "Copy the built-in templates to the folder with `modelc templates eject FOLDER`.",
            in: "commands with `--templates`"),
        finding(
            .invalidCodeOption, code: "MC0109",
            title: "an option or a userInfo key for generated code cannot be applied",
            explanation: """
                A key that changes generated code (Documentation/Guides/GeneratedSwift.md) is unknown, is set on an element that \
                it does not apply to, has an invalid value, contradicts another key, or names a type that the sources do \
                not declare or declare more than once. The keys are read only when a feature is requested with `--with` or \
                in `.modelc.yml`.
                """,
            fix: "Correct or remove the key.", in: generators),
        finding(
            .codeNameCollision, code: "MC0110",
            title: "an option for generated code gives two declarations the same name",
            explanation: """
                A declaration that a feature of `--with` adds would have the name of another one, so the code would not \
                compile.
                """,
            fix: "Rename the property, or generate without the feature.", in: generators),
        finding(
            .untypedVariable, code: "MC0111", title: "a variable of a fetch request template has no known type",
            explanation: """
                A parameter has the type of the attribute that its variable is compared with. If there is no such \
                attribute, or several of different types, the parameter has the type `Any`.
                """,
            fix: "No action is needed. Compare the variable with one attribute to give it a type.", .note,
            in: generators),
        finding(
            .noSuchEntity, code: "MC0108", title: "the model has no entity of the requested name",
            explanation: "Entity names are case-sensitive.", fix: "Correct the name; the message lists the entities.",
            in: "`generate`, `graph`, `store diff` and `store export`"),
    ]

    // MARK: Compiling

    private static let compilers = "`compile`, `build-target` and `momc`"
    private static let archiveReaders = "commands that read a compiled model or a store"

    private static let compiling = [
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
            .ambiguousKey, code: "MC0215", title: "two objects of a store have the same key",
            explanation:
                "Objects of two stores are matched by the values of an attribute, so each value may occur only once.",
            fix: "Choose an attribute with unique values.", in: "`store diff`"),
        finding(
            .invalidExport, code: "MC0217", title: "exported objects cannot be imported",
            explanation: """
                A line is not JSON, has a value that the type of its attribute does not have, names an entity or property \
                that the model does not have, or repeats the key or the unique values of another object.
                """,
            fix: "Correct the line that the message names, or choose another version of the model.",
            in: "`store import`"),
        finding(
            .migrationFailed, code: "MC0216", title: "a store cannot be migrated",
            explanation: """
                The migration was started and failed: values do not fit the new version or violate a uniqueness \
                constraint, or the file cannot be written. The store is unchanged. An app that opens the store fails in \
                the same way.
                """,
            fix: "Fix the cause that the message names, and migrate again.", in: "`store migrate`"),
        finding(
            .missingTool, code: "MC0214", title: "modelc-store or modelc-studio is not installed",
            explanation:
                "`modelc store` and `modelc studio` run separate executables, so that the tool of the build plugin stays small.",
            fix:
                "Build the executable, for example with `swift build --product modelc-store`, and put it beside `modelc` or in the "
                + "`PATH`.",
            in: "`store`, `studio`"),
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

    // MARK: Building targets

    private static let plugin = "`build-target`, which the build plugin runs"

    private static let building = [
        finding(
            .modelNotExcluded, code: "MC0301", title: "the target does not exclude its model",
            explanation: """
                Xcode would compile the model and generate its classes a second time, and SwiftPM would copy the source into the \
                bundle.
                """,
            fix: "Add the model to `exclude:` of the target in `Package.swift`.", in: plugin),
        finding(
            .duplicateModel, code: "MC0302", title: "the target has two models with the same name",
            explanation:
                "Both would be compiled to the same file. Names are compared case-insensitively, as Apple's file systems do.",
            fix: "Rename one of them.", in: plugin),
        finding(
            .duplicateSource, code: "MC0303", title: "the target excludes two sources with the same name",
            explanation: "The copies that modelc compiles instead would be the same file.",
            fix: "Rename one of them.", in: plugin),
        finding(
            .unknownManagedProperty, code: "MC0304", title: "an `@NSManaged` property is not in the model",
            explanation: "Using the property traps.", fix: "Add it to the model, or remove `@NSManaged`.", .warning,
            in: plugin),
        finding(
            .unknownManagedFunction, code: "MC0305", title: "an `@NSManaged` function is not an accessor of the model",
            explanation: "Only the to-many accessors of relationships, such as `addToBooks(_:)`, can be given a body.",
            fix: "Implement the function, or put it between `#if canImport(ObjectiveC)` and `#endif`.", in: plugin),
        finding(
            .unsupportedManagedProperty, code: "MC0306", title: "an `@NSManaged` property cannot be given accessors",
            explanation: "The symbol that the Swift compiler gives the property cannot be determined from the source.",
            fix: "Exclude the source from the target, or implement the accessors.", in: plugin),
        finding(
            .unsupportedManagedFunction, code: "MC0307", title: "an `@NSManaged` function cannot be given a body",
            explanation: "The symbol that the Swift compiler gives the function cannot be determined from the source.",
            fix: "Exclude the source from the target, or implement the function.", in: plugin),
        finding(
            .objectiveCAttribute, code: "MC0308", title: "a source uses an Objective-C attribute",
            explanation: "`@objc` and related attributes do not compile on Linux.",
            fix: "Exclude the source from the target; modelc compiles a copy without the attribute.", in: plugin),
        finding(
            .overrideInExtension, code: "MC0309",
            title: "a member in an extension overrides one of the class's superclass",
            explanation: """
                Without Objective-C, Swift cannot override members in extensions. In copies of excluded sources the \
                override moves into the class, if modelc generates the class or copies its source too.
                """,
            fix: "Exclude both sources from the target, or move the member into the class.", in: plugin),
        finding(
            .sourceStaysExcluded, code: "MC0310", title: "an excluded source is not copied",
            explanation: """
                The source needs a framework that is not available on Linux, or contains code that cannot be rewritten.
                """,
            fix: "Make the edit that the message names, or compile the source on Apple's platforms only.", .note,
            in: plugin),
        finding(
            .needsManualEdit, code: "MC0311",
            title: "a source that the model needs has code that cannot be rewritten for Linux",
            explanation:
                "Selectors of unknown classes, optional requirements with a result and Apple-only frameworks have no counterpart on Linux.",
            fix: "Edit the line, or put it between `#if canImport(ObjectiveC)` and `#endif`.", in: plugin),
        finding(
            .fetchRequestCast, code: "MC0312", title: "a fetch request is cast to one of another result type",
            explanation: """
                Swift's generic classes cannot be cast to each other without Objective-C: `as!` traps, and `as?` returns \
                `nil`.
                """,
            fix:
                "Exclude the source, so that a copy that converts the request is compiled on Linux. Or create the request with the type that is needed: `NSFetchRequest<Book>(entityName: \"Book\")`.",
            .warning,
            in: plugin),
        finding(
            .mainActorTest, code: "MC0318", title: "a synchronous test is isolated to the main actor",
            explanation: """
                On Linux, XCTest lists tests as functions without an actor. A class whose tests are synchronous methods of the main actor \
                ends the program, so that none of the target's tests runs.
                """,
            fix:
                "Exclude the source, so that a copy whose tests run on the main actor is compiled on Linux. Or declare the test `async`.",
            .warning, in: plugin),
        finding(
            .uncalledKeyMethod, code: "MC0313",
            title: "a `validate<Key>` or `keyPathsForValuesAffecting<Key>` member is not called",
            explanation: """
                The build plugin registers these members for the runtime, but cannot refer to private members, members of \
                local classes, or members with other parameters.
                """,
            fix: "Make the member internal, with the parameters that Core Data documents.", .warning, in: plugin),
        finding(
            .manifestNotEditable, code: "MC0314", title: "a package manifest cannot be edited safely",
            explanation: """
                `prepare-for-linux` modifies the `Package` that the manifest creates, and needs to find its constant and \
                its targets. Nothing was written.
                """,
            fix: "Add the printed lines to the manifest.", in: "`prepare-for-linux`"),
        finding(
            .packageSetup, code: "MC0316", title: "a package is not set up to use modelc",
            explanation: """
                A target with a model needs an `exclude:` entry for it, the build plugin and the product CoreData on \
                Linux; building needs a toolchain and system libraries that modelc supports.
                """,
            fix: "Make the change that the message names.", in: "`doctor`"),
        finding(
            .noSuchTarget, code: "MC0317", title: "the manifest or project does not declare the target",
            explanation: "Targets are read from the literals in Package.swift, and from project.pbxproj.",
            fix: "Correct the name, or specify a target with `--target`.",
            in: "`init` and commands that read Swift sources"),
        finding(
            .noSources, code: "MC0315", title: "there are no Swift files or models at the given path",
            explanation: "Hidden folders, Pods, Carthage and DerivedData are skipped.",
            fix: "Specify the folder of a package or an app.", in: "`port`"),
    ]

    // MARK: Running commands

    private static let running = [
        finding(
            .noSuchFile, code: "MC0401", title: "there is no such file or folder",
            explanation: "Nothing was read or written.",
            fix: "Check the path.", in: anyCommand),
        finding(
            .noModels, code: "MC0402", title: "there are no models at the given paths",
            explanation:
                "Folders are searched for `.xcdatamodeld` and `.xcdatamodel`; Pods, Carthage and DerivedData are skipped.",
            fix: "Specify a folder that contains a model, or the model itself.", in: "`lint` and `format`"),
        finding(
            .noSuchVersion, code: "MC0403", title: "the model has no version of the requested name",
            explanation: "Version names are case-sensitive and may be given with or without `.xcdatamodel`.",
            fix: "Correct the name; the message lists the versions.", in: "commands with `--version`"),
        finding(
            .fileExists, code: "MC0404", title: "a file that would be written already exists",
            explanation: "Nothing was written.", fix: "Choose another path, or move the file away.",
            in: "`decompile` and `templates eject`"),
        finding(
            .rewriteMismatch, code: "MC0410", title: "a rewritten file would not have the same content",
            explanation: """
                Every rewritten file is read back and compared with the original before it replaces it. This finding \
                indicates a bug in modelc; the file was not changed.
                """,
            fix: "Report it with the file.", in: "`format`, `lint --fix` and `merge-driver`"),
        finding(
            .cannotEncode, code: "MC0411", title: "the file's encoding lacks a character that would be written",
            explanation: "Files keep their encoding when they are rewritten. The file was not changed.",
            fix: "Convert the file to UTF-8.", in: "`format`, `lint --fix` and `merge-driver`"),
        finding(
            .sourceMismatch, code: "MC0412", title: "a source cannot express everything in the compiled model",
            explanation: """
                The reconstructed source is read back before it is written. It did not compile to the same model: a name \
                or string may contain characters that XML does not allow.
                """,
            fix: "Inspect the compiled model with `modelc inspect`.", in: "`decompile`"),
        finding(
            .configuration, code: "MC0405", title: "the settings file is invalid",
            explanation: """
                `.modelc.yml` is a mapping with the keys that `modelc lint --help` lists. It may use the YAML subset that \
                `Documentation/Guides/ContinuousIntegration.md` describes; anything else is an error.
                """,
            fix: "Correct the line that the message points to.", in: "`lint`, `format` and `build-target`"),
        finding(
            .unknownRule, code: "MC0406", title: "the rule does not exist",
            explanation: "Rules are named by identifier or code, case-insensitively.",
            fix: "`modelc rules` lists the rules.",
            in: "`lint` and `explain`"),
        finding(
            .malformedBaseline, code: "MC0407", title: "the baseline is invalid",
            explanation: "A baseline is written by `modelc lint --write-baseline` and merges line by line.",
            fix: "Rewrite it with `--write-baseline`.", in: "`lint`"),
        finding(
            .format, code: "MC0408", title: "a file is not laid out as Xcode saves it",
            explanation: "Xcode reformats the file with the next change, which produces unrelated differences.",
            fix: "Run `modelc format`; `--diff` shows the changes.", in: "`format --check` and `check`"),
        finding(
            .staleGeneratedCode, code: "MC0413", title: "a generated file does not match its model",
            explanation: """
                The file has the header of `modelc generate`, and generating the code of the model again gives another text, \
                whichever style and access level are used. Code that was generated with `--with` or `--templates` on the \
                command line is recognized only if `.modelc.yml` has the same settings.
                """,
            fix: "Run `modelc generate`, with the options that the code was generated with.", in: "`check`"),
        finding(
            .mergeConflict, code: "MC0409", title: "both sides of a merge changed the same part of a model",
            explanation: "The file contains both versions, between conflict markers.",
            fix: "Resolve the conflict in the file.",
            in: "`merge-driver`"),
    ]
}
