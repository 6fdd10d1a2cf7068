package import ArgumentParser
internal import CodeGeneration

extension CodeStyle: ExpressibleByArgument {
    /// Parses the name of a style, or of an Xcode that writes the same code as an older one.
    package init?(argument: String) {
        guard let style = CodeStyle(xcode: argument) else { return nil }
        self = style
    }
}
extension AccessLevel: ExpressibleByArgument {}
extension GenerationOptions.Flavor: ExpressibleByArgument {}
extension GenerationOptions.Mode: ExpressibleByArgument {}
extension CodeLanguage: ExpressibleByArgument {}
extension ObjectiveCStyle: ExpressibleByArgument {
    /// Parses the name of a style, or of an Xcode that writes the same code as an older one.
    package init?(argument: String) {
        guard let style = ObjectiveCStyle(xcode: argument) else { return nil }
        self = style
    }
}
extension ImportStyle: ExpressibleByArgument {}
extension IsolationStyle: ExpressibleByArgument {}
extension KeysStyle: ExpressibleByArgument {}

/// The options for the form of generated code.
struct CodeArguments: ParsableArguments {
    @Option(
        help: """
            xcode: the files that Xcode writes, for Apple's Core Data. portable: one file for the model, which also \
            works with modelc's own CoreData on Linux.
            """)
    var flavor = GenerationOptions.Flavor.xcode

    @Option(name: .customLong("flavour"), help: .hidden)
    var formerFlavor: GenerationOptions.Flavor?

    @Option(help: "The Xcode whose output is written. xcode10 is xcode9; xcode13 to xcode16 are xcode12.")
    var style = CodeStyle.newest

    @Option(help: "The access level of declarations.")
    var access = AccessLevel.public

    @Option(help: "The version of the model. (default: the current one)", completion: .versions)
    var version: String?

    var options: GenerationOptions { GenerationOptions(flavor: formerFlavor ?? flavor, style: style, access: access) }
}

/// The options for code that Xcode does not write.
struct FeatureArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            What to write beyond Xcode's code: \(CodeFeature.allCases.map(\.rawValue).joined(separator: ", ")), or none. \
            Documentation/Guides/GeneratedSwift.md describes them. (default: as set in .modelc.yml)
            """, valueName: "list"),
        transform: Self.features)
    var with: Set<CodeFeature>?

    @Option(help: "The access of imports. (default: that of the style)")
    var imports: ImportStyle?

    @Option(help: "Whether declarations are nonisolated. (default: as in the style)")
    var isolation: IsolationStyle?

    @Option(
        help: "What the enumerations of --with keys are called: Book.Attributes or BookAttributes. (default: nested)")
    var keysStyle: KeysStyle?

    /// The settings that the arguments make.
    var settings: GenerationSettings {
        var settings = GenerationSettings()
        settings.features = with
        settings.imports = imports
        settings.isolation = isolation
        settings.keysStyle = keysStyle
        return settings
    }

    private static func features(_ text: String) throws -> Set<CodeFeature> {
        if text == "none" { return [] }
        return Set(
            try text.split { $0 == "," || $0 == " " }.map { word in
                if let feature = CodeFeature(rawValue: String(word)) { return feature }
                let all = CodeFeature.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("“\(word)” is not a feature of generated code. The features are \(all).")
            })
    }
}

/// `modelc generate`: writes the source files of a model.
package struct GenerateCommand: DriverCommand {
    package static let configuration = CommandConfiguration(
        commandName: "generate", abstract: "Write the source files that Xcode generates for a model.",
        discussion: """
            What is written for an entity depends on its codegen mode:
              Class Definition    <Class>+CoreDataClass.swift,
                                  <Class>+CoreDataProperties.swift
              Category/Extension  <Class>+CoreDataProperties.swift
              Manual/None         nothing; both files with --mode manual
            and <Model>+CoreDataModel.swift once for the model.

            Files are written only when their bytes change. Files that modelc generated earlier and that are no longer \
            needed are removed. A file of the same name that modelc did not generate from this model is an error, unless \
            you replace it with --force; other files are never touched. After an error, no file has changed.

            EXAMPLES
              modelc generate Books.xcdatamodeld --output Generated
              modelc generate Books.xcdatamodeld --output Generated --check
              modelc generate Books.xcdatamodeld -o App --mode manual --entity Author
              modelc generate Books.xcdatamodeld -o App --style xcode12 --access internal
              modelc generate Books.xcdatamodeld -o App --with raw,sets,init
              modelc generate Books.xcdatamodeld -o App --language objc
              modelc generate Books.xcdatamodeld -o App/Schema --language swiftdata
            """
    )

    @Argument(
        help: ArgumentHelp("An .xcdatamodeld, an .xcdatamodel or a contents file.", valueName: "model"),
        completion: .file())
    var modelPath: String

    @Option(
        name: [.customLong("output"), .customShort("o")], help: "The folder of the files; created if needed.",
        completion: .directory)
    var outputDirectory: String?

    @OptionGroup var code: CodeArguments

    @OptionGroup var features: FeatureArguments

    @Option(
        help: """
            build: what Xcode generates when it builds. manual: what its menu “Create NSManagedObject Subclass…” \
            writes, for Manual/None entities and those named by --entity; an existing class file is never touched.
            """)
    var mode = GenerationOptions.Mode.build

    @Option(
        help: ArgumentHelp("Generate only this entity. Can be given several times.", valueName: "name"),
        completion: .entities)
    var entity: [String] = []

    @Option(
        help: """
            The language of the files. objc is Objective-C, for which the codegen modes are the same; swiftdata writes \
            @Model classes for all versions up to the current one, and their migration plan.
            """)
    var language = CodeLanguage.swift

    @Option(
        help: "The Xcode whose Objective-C is written. xcode10 to xcode12 are xcode9.3; xcode14 and later are xcode13.")
    var objcStyle = ObjectiveCStyle.xcode13

    @Option(
        name: .customLong("templates"),
        help: """
            A folder with templates that replace built-in ones. The first comment of what a template writes must name the \
            model's file, or the next run treats the file as yours and does not replace it.
            """,
        completion: .directory)
    var templateDirectory: String?

    @Option(
        help: """
            A folder or file with the target's sources, in which types that the model names are looked up. Can be \
            given several times.
            """,
        completion: .file())
    var source: [String] = []

    @OptionGroup var configuration: ConfigurationArguments

    @Flag(help: "Write nothing; show the difference and exit with 1 when a file is stale or missing.")
    var check = false

    @Flag(help: "Write nothing; print what would be done to each file.")
    var dryRun = false

    @Flag(help: "Write nothing; print the path of each file, one a line.")
    var listOutputs = false

    @Flag(
        name: .customLong("force"),
        help: "Replace files of the same names that modelc did not generate from this model, too.")
    var isForced = false

    @Flag(name: [.customLong("quiet"), .customShort("q")], help: "Print no notes and no summary.")
    var isQuiet = false

    package init() {}

    package func validate() throws {
        guard [check, dryRun, listOutputs].count(where: { $0 }) <= 1 else {
            throw ValidationError("Only one of --check, --dry-run and --list-outputs can be given.")
        }
        if outputDirectory == nil, !dryRun, !listOutputs {
            throw ValidationError("Specify the folder of the files with --output.")
        }
        if language != .swift, code.options.flavor == .portable {
            throw ValidationError(
                "--flavor portable is for Swift with Core Data, not for --language \(language.rawValue).")
        }
        let available =
            language == .swift ? Set(CodeFeature.allCases) : language == .objectiveC ? CodeFeature.objectiveC : []
        let missing = (features.with ?? []).subtracting(available).map(\.rawValue).sorted()
        if !missing.isEmpty {
            let names = available.map(\.rawValue).sorted().joined(separator: " and ")
            throw ValidationError(
                "--with \(missing.joined(separator: ",")) is not available for --language \(language.rawValue)"
                    + (names.isEmpty ? "." : "; \(names) are."))
        }
        if language == .swiftData, mode == .manual || !entity.isEmpty {
            throw ValidationError(
                "--language swiftdata has neither --mode manual nor --entity: a schema needs all entities.")
        }
        if outputDirectory?.isEmpty == true { throw ValidationError("--output needs a folder; . is the current one.") }
    }

    var options: GenerationOptions {
        var options = code.options
        options.mode = mode
        options.entityNames = entity
        options.language = language
        options.objectiveCStyle = objcStyle
        return options
    }

    /// The settings for code beyond Xcode's; `.modelc.yml` has the rest.
    var settings: GenerationSettings {
        var settings = features.settings
        settings.sources = source
        return settings
    }

    /// The action for the files.
    var action: Action {
        if check { return .check }
        if dryRun { return .dryRun }
        return listOutputs ? .listOutputs : .write
    }
}
