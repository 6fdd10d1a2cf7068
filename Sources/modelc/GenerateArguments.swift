import ArgumentParser
import CodeGeneration
import ModelcDriver

extension CodeStyle: ExpressibleByArgument {}
extension AccessLevel: ExpressibleByArgument {}
extension GenerationOptions.Flavour: ExpressibleByArgument {}
extension GenerationOptions.Mode: ExpressibleByArgument {}

/// The options that say what generated code looks like.
struct CodeArguments: ParsableArguments {
    @Option(
        help: """
            xcode: the files that Xcode writes, for Apple's Core Data. portable: one file for the model, which also works \
            with modelc's own CoreData on Linux.
            """)
    var flavour = GenerationOptions.Flavour.xcode

    @Option(help: "The Xcode whose output is written.")
    var style = CodeStyle.newest

    @Option(help: "The access level of declarations.")
    var access = AccessLevel.public

    @Option(help: "The version of the model. (default: the current one)")
    var version: String?
}

/// `modelc generate`.
struct Generate: ParsableCommand, DriverCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write the Swift files that Xcode generates for a model.",
        discussion: """
            What is written for an entity depends on its codegen mode:
              Class Definition    <Class>+CoreDataClass.swift,
                                  <Class>+CoreDataProperties.swift
              Category/Extension  <Class>+CoreDataProperties.swift
              Manual/None         nothing; both files with --mode manual
            and <Model>+CoreDataModel.swift once for the model.

            Files are written only when their bytes change. Files that modelc wrote and that no entity needs any more \
            are removed; nothing else ever is. When the model has errors, no file changes.

            EXAMPLES
              modelc generate Books.xcdatamodeld --output Generated
              modelc generate Books.xcdatamodeld --output Generated --check
              modelc generate Books.xcdatamodeld -o App --mode manual --entity Author
              modelc generate Books.xcdatamodeld -o App --style xcode12 --access internal
            """
    )

    @Argument(
        help: "An .xcdatamodeld, an .xcdatamodel or a contents file.", completion: .file())
    var model: String

    @Option(name: .shortAndLong, help: "The folder of the files; it is made if needed.", completion: .directory)
    var output: String?

    @OptionGroup var code: CodeArguments

    @Option(
        help: """
            build: what Xcode generates when it builds. manual: what its menu “Create NSManagedObject Subclass…” \
            writes, for Manual/None entities and those named by --entity; an existing class file is never touched.
            """)
    var mode = GenerationOptions.Mode.build

    @Option(help: ArgumentHelp("Generate only this entity. Can be given several times.", valueName: "name"))
    var entity: [String] = []

    @Option(help: "A folder with templates that replace built-in ones.", completion: .directory)
    var templates: String?

    @Flag(help: "Write nothing; show the difference and exit with 1 when a file is stale or missing.")
    var check = false

    @Flag(help: "Write nothing; print what would be done to each file.")
    var dryRun = false

    @Flag(help: "Write nothing; print the path of each file, one a line.")
    var listOutputs = false

    @Flag(name: .shortAndLong, help: "Print no notes and no summary.")
    var quiet = false

    func validate() throws {
        guard [check, dryRun, listOutputs].count(where: { $0 }) <= 1 else {
            throw ValidationError("Only one of --check, --dry-run and --list-outputs can be given.")
        }
        if output == nil, !dryRun, !listOutputs {
            throw ValidationError("Name the folder of the files with --output.")
        }
        if output?.isEmpty == true { throw ValidationError("--output needs a folder; . is the current one.") }
    }

    func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        GenerateCommand(
            modelPath: model, version: code.version, outputDirectory: output, action: action,
            options: GenerationOptions(
                flavour: code.flavour, style: code.style, access: code.access, mode: mode, entityNames: entity),
            templateDirectory: templates, isQuiet: quiet
        ).run(in: environment)
    }

    private var action: GenerateCommand.Action {
        if check { return .check }
        if dryRun { return .dryRun }
        return listOutputs ? .listOutputs : .write
    }
}
