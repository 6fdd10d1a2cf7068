internal import CodeGeneration
internal import Diagnostics
internal import SwiftSources

extension PortCommand {
    /// Runs the command, which writes nothing.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            let files = environment.files
            guard let kind = files.kind(of: path) else { throw files.missing(path) }
            guard kind == .directory else {
                throw Self.failure(
                    .noSuchFile, message: "it is not a folder", path: path,
                    help: "Specify the folder of a package or an app.")
            }
            let groups = try InputFailure.wrapping { () throws(FileSystemError) in
                try PackageFolder(files: files).groups(below: path)
            }
            guard groups.contains(where: { !$0.sources.isEmpty || !$0.models.isEmpty }) else {
                throw Self.failure(
                    .noSources, message: "there are no Swift files or models at or below \(path)", path: nil,
                    help: "Specify the folder of a package or an app.")
            }
            let names = Set(groups.filter(\.isTarget).map(\.name))
            let report = PortReport(groups: groups.map { Self.read($0, modules: names, files) })
            environment.output(format == .json ? report.json : report.text)
            return .success
        }
    }

    private static func failure(_ rule: RuleID, message: String, path: String?, help: String) -> InputFailure {
        InputFailure(
            diagnostics: [
                Diagnostic(.error, rule: rule, message, file: path, range: path.map { _ in .fileStart }, help: help)
            ],
            exitCode: .couldNotRun)
    }

    /// Reads the files of a group, on all cores.
    ///
    /// - Parameter modules: The names of the project's own modules.
    private static func read(_ group: SourceGroup, modules: Set<String>, _ files: any FileSystem) -> PortReport.Group {
        let read = PortedGroup(group, files)
        let types = Set(read.sources.flatMap { $0.file.types.compactMap(\.path.last) })
        let ported = ParallelMap.map(read.sources) { source in
            PortedFile(source, read.rewriter) { types.contains($0) || modules.contains($0) }
        }
        let unread = read.problems.map { PortedFile(path: $0.key, problem: $0.value) }
        // A file that needs another framework is left out.
        let usesSwiftData = zip(read.sources, ported).contains { source, file in
            source.file.importsSwiftData && file.missingImports.isEmpty
        }
        return PortReport.Group(
            name: group.name, isTarget: group.isTarget, lacksTraits: usesSwiftData && !group.supportsSwiftData,
            models: group.models.map { PathName.joined(group.folder, $0) },
            files: (ported + unread).sorted { $0.path < $1.path })
    }
}
