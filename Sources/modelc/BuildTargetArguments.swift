import ArgumentParser
import ModelcDriver

/// `modelc build-target`.
struct BuildTarget: ParsableCommand, DriverCommand {
    static let configuration = CommandConfiguration(
        commandName: "build-target",
        abstract: "Do what a build plugin has to do for a target.",
        discussion: """
            Checks and compiles the models, generates their code in the portable flavour, and gives @NSManaged \
            declarations in the sources their accessors. Written are, for each model M, M.momd (M.mom) and \
            M+CoreDataModel.swift, for each mapping model P P.cdm, for the module N+CoreDataManaged.swift, and for each excluded source S.swift \
            S+modelc.swift. Files are written only when their bytes change. See Documentation/Plugin.md.

            EXAMPLE
              modelc build-target --module App --output Out --model Books.xcdatamodeld --source Book.swift
            """,
        shouldDisplay: false)

    @Option(help: "The module that the target is compiled into.")
    var module: String

    @Option(name: .shortAndLong, help: "The folder of everything that is written.", completion: .directory)
    var output: String

    @Option(help: "A model. Can be given several times, as all that follows.", completion: .file())
    var model: [String] = []

    @Option(help: "A mapping model.", completion: .file())
    var mapping: [String] = []

    @Option(help: "A model that the manifest does not exclude, which is an error.", completion: .file())
    var sharedModel: [String] = []

    @Option(help: "A Swift source of the target.", completion: .file())
    var source: [String] = []

    @Option(help: "A Swift file in the target's folder that its manifest excludes.", completion: .file())
    var excludedSource: [String] = []

    @Option(
        help: "An excluded Swift file in an excluded folder with a model; a copy of it is always compiled.",
        completion: .file())
    var modelFolderSource: [String] = []

    @Option(help: "The folder of the target, for messages.", completion: .directory)
    var targetDirectory: String?

    @Option(
        help: "The modelc.lock whose released versions the target's SwiftData models must not change.",
        completion: .file())
    var lock: String?

    @Option(help: "The .modelc.yml with the settings of the checks.", completion: .file())
    var config: String?

    func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        var command = BuildCommand(moduleName: module, outputDirectory: output)
        command.modelPaths = model
        command.mappingPaths = mapping
        command.sharedModelPaths = sharedModel
        command.sourcePaths = source
        command.excludedSourcePaths = excludedSource + modelFolderSource
        command.modelFolderSourcePaths = modelFolderSource
        command.targetDirectory = targetDirectory
        command.configurationPath = config
        command.lockPath = lock
        return command.run(in: environment)
    }
}
