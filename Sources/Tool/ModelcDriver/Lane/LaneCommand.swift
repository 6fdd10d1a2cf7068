internal import Diagnostics

extension LaneCommand {
    /// Runs the command. If it fails, the folder of the package is as it was, apart from the build folder.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        run(in: environment) { arguments throws(ChildProcess.Failure) in try ChildProcess.run(arguments) }
    }

    /// Runs the command.
    ///
    /// - Parameter runner: Runs `swift`.
    func run(in environment: DriverEnvironment, runner: @escaping LaneBuild.Runner) -> ExitCode {
        environment.run { _ throws(InputFailure) in
            let files = environment.files
            let project = try LaneProject(path, target: targetName, files)
            for note in project.notes { environment.errorLine("modelc: \(note)") }
            let folder = PathName.withoutTrailingSlashes(outputPath ?? PathName.joined(project.root, "Lane"))
            try requireFolderOutsideProject(folder, of: project, files)
            let package = try LanePackage(project, modelc: try location(files), files)
            try package.check(folder)
            var selection = LaneSelection(project.targets, files)
            guard !selection.included.isEmpty || !project.targets[0].group.models.isEmpty else {
                throw InputFailure(
                    diagnostics: [
                        Diagnostic(
                            .error, rule: .noSources,
                            "“\(project.targetName)” has no model, and no source that could compile on Linux",
                            file: path, help: "Specify another target with --target.")
                    ],
                    exitCode: .couldNotRun)
            }
            let build = LaneBuild(
                package: package, scratch: scratchPath ?? PathName.joined(folder, ".build"), environment: environment,
                run: runner)
            var rounds: Int?
            if !skipsBuild {
                rounds = try build.reduce(&selection, name: PathName.name(of: files.fullPath(folder) ?? folder))
            }
            var report = LaneReport(project: project, selection: selection, rounds: rounds)
            try write(package, selection, report, to: folder)
            environment.errorLine("modelc: wrote \(folder)")
            if !skipsBuild, !skipsTests, selection.included.contains(where: { project.targets[$0.target].isTest }) {
                report.tests = try build.test(folder)
                for line in report.tests?.failures.prefix(20) ?? [] { environment.errorLine(line) }
            }
            environment.output(format == .json ? report.json : report.text)
            return report.tests?.passed == false ? .findings : .success
        }
    }

    /// Writes the package with its manifest and report.
    private func write(
        _ package: LanePackage, _ selection: LaneSelection, _ report: LaneReport, to folder: String
    ) throws(InputFailure) {
        var contents = try package.files(selection, findsAllErrors: false)
        contents[LanePackage.reportName] = Array(report.json.utf8)
        try package.write(contents, to: folder)
    }

    /// Returns the location of modelc.
    private func location(_ files: any FileSystem) throws(InputFailure) -> String {
        if let modelcLocation {
            guard files.kind(of: modelcLocation) == .directory else { return modelcLocation }
            // The manifest's folder is another than the working directory.
            return files.fullPath(modelcLocation) ?? modelcLocation
        }
        if let own = SiblingProgram.ownPackage(files) { return own }
        throw InputFailure(
            diagnostics: [
                Diagnostic(
                    .error, rule: .packageSetup, "the location of the modelc package is not known",
                    why: "The package depends on modelc, and this program was not built in a folder of it.",
                    help: "Specify its URL or folder with --modelc.")
            ],
            exitCode: .couldNotRun)
    }

    /// Throws if the package would become a part of the project.
    private func requireFolderOutsideProject(
        _ folder: String, of project: LaneProject, _ files: any FileSystem
    ) throws(InputFailure) {
        guard let full = files.fullPath(folder) else { return }
        let parts = full.split(separator: "/")
        let owners = project.synchronizedFolders.compactMap(files.fullPath)
        let isInBundle = parts.contains { part in
            [ProjectMembers.projectExtension, ModelInputReader.bundleExtension, ModelInputReader.modelExtension]
                .contains(where: part.hasSuffix)
        }
        guard isInBundle || owners.contains(where: { full == $0 || full.hasPrefix($0 + "/") }) else { return }
        throw InputFailure(
            diagnostics: [
                Diagnostic(
                    .error, rule: .fileSystem, "the package would become part of the project", file: folder,
                    help: "Specify a folder that the project does not compile, with --output.")
            ],
            exitCode: .couldNotRun)
    }
}

extension SiblingProgram {
    /// Returns the folder of the modelc package that the running program was built in, if it is in the build folder of
    /// one.
    static func ownPackage(_ files: any FileSystem) -> String? {
        guard var folder = ownPath.map(PathName.parent) else { return nil }
        while folder.count > 1 {
            if PathName.name(of: folder) == ".build" {
                let package = PathName.parent(of: folder)
                let manifest = PathName.joined(package, PackageFolder.manifestName)
                guard let bytes = try? files.read(manifest),
                    String(decoding: bytes, as: UTF8.self).contains("name: \"ModelcBuildPlugin\"")
                else { return nil }
                return package
            }
            folder = PathName.parent(of: folder)
        }
        return nil
    }
}
