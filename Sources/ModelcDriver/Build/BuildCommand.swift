internal import CodeGeneration
internal import Diagnostics
internal import ModelSchema
internal import SwiftSources

extension BuildCommand {
    /// The Swift files in the target's folder that its manifest excludes.
    var excludedSourcePaths: [String] { excludedSource + modelFolderSourcePaths }

    /// Runs the command. When it does not succeed, nothing on disk has changed.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            var build = TargetBuild(self, environment.files)
            try build.readSources()
            build.readModels()
            build.readMappings()
            build.checkNames()
            try build.lint(environment)
            try build.generate(try TemplateLoader(files: environment.files).load(nil))
            for (path, lines) in build.lines { printer.addLines(lines, of: path) }
            printer.print(build.diagnostics)
            if let lines = build.linesToPaste { environment.errorOutput(lines) }
            guard !build.diagnostics.hasErrors else { return .findings }
            try build.write()
            return .success
        }
    }

    /// The name of the file with the accessors of `@NSManaged` declarations.
    static func accessorsFileName(ofModule name: String) -> String { "\(name)+CoreDataManaged.swift" }

    /// The name of the file with the code of a model.
    static func codeFileName(ofModel name: String) -> String { "\(name)+CoreDataModel.swift" }

    /// The name of the copy of an excluded source.
    static func copyName(ofSource path: String) -> String { "\(PathName.stem(of: path))+modelc.swift" }
}
