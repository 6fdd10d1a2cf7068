package import ArgumentParser

/// `modelc build-target`: everything that SwiftPM's build plugin needs for a target, in one process.
///
/// Models are checked, compiled and turned into code; `@NSManaged` declarations in the sources get their accessors. The
/// names of the output files follow from those of the inputs, since a build system must know them in advance. Only
/// errors in models are printed: warnings would be lost with the next build.
package struct BuildCommand: DriverCommand {
    package static let configuration = CommandConfiguration(
        commandName: "build-target",
        abstract: "Do what a build plugin has to do for a target.",
        discussion: """
            Checks and compiles the models, generates their code in the portable flavor, and gives @NSManaged \
            declarations in the sources their accessors. Written are, for each model M, M.momd (M.mom) and \
            M+CoreDataModel.swift, for each mapping model P P.cdm, for the module N+CoreDataManaged.swift, and for each excluded source S.swift \
            S+modelc.swift. Files are written only when their bytes change. See Documentation/Guides/Plugin.md.

            EXAMPLE
              modelc build-target --module App --output Out --model Books.xcdatamodeld --source Book.swift
            """,
        shouldDisplay: false)

    @Option(name: .customLong("module"), help: "The module that the target is compiled into. (required)")
    var moduleName: String

    @Option(
        name: [.customLong("output"), .customShort("o")], help: "The folder of everything that is written. (required)",
        completion: .directory)
    var outputDirectory: String

    @Option(
        name: .customLong("model"), help: "A model. This option and the following ones can be repeated.",
        completion: .file())
    var modelPaths: [String] = []

    @Option(name: .customLong("mapping"), help: "A mapping model.", completion: .file())
    var mappingPaths: [String] = []

    @Option(
        name: .customLong("shared-model"), help: "A model that the manifest does not exclude, which is an error.",
        completion: .file())
    var sharedModelPaths: [String] = []

    @Option(name: .customLong("source"), help: "A Swift source of the target.", completion: .file())
    var sourcePaths: [String] = []

    @Option(help: "A Swift file in the target's folder that its manifest excludes.", completion: .file())
    var excludedSource: [String] = []

    @Option(
        name: .customLong("model-folder-source"),
        help: "An excluded Swift file in an excluded folder with a model; a copy of it is always compiled.",
        completion: .file())
    var modelFolderSourcePaths: [String] = []

    @Option(
        name: .customLong("available-module"),
        help:
            "A module of another package that the target can import and that replaces Apple's, such as OpenCombineShim."
    )
    var availableModules: [String] = []

    @Option(help: "The folder of the target, for messages.", completion: .directory)
    var targetDirectory: String?

    @Option(name: .customLong("config"), help: "The .modelc.yml with the settings of the checks.", completion: .file())
    var configurationPath: String?

    @Option(
        name: .customLong("lock"),
        help: "The modelc.lock whose released versions the target's SwiftData models must not change.",
        completion: .file())
    var lockPath: String?

    package init() {}
}
