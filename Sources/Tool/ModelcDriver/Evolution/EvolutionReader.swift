internal import Diagnostics
package import ModelMigration
internal import ModelSchema
internal import ModelSource

/// Reads the models that the commands about changes compare: from paths, git revisions and stores.
package struct EvolutionReader {
    let files: any FileSystem
    private let swift: SwiftReading

    /// Creates a reader.
    ///
    /// - Parameter swift: How Swift sources are read.
    package init(files: any FileSystem, swift: SwiftReading = SwiftReading()) {
        self.files = files
        self.swift = swift
    }

    /// Reads a model with all its versions.
    ///
    /// - Parameter name: A path, or `REVISION:PATH` if there is no such path.
    package func modelSet(_ name: String) throws(InputFailure) -> ModelSet {
        if files.kind(of: PathName.withoutTrailingSlashes(name)) == nil, let location = GitReader.Location(name) {
            return try modelSet(location)
        }
        return try ModelSetReader(files: files, swift: swift).read(name)
    }

    /// Reads one version of a model, and prints the errors and warnings in it.
    ///
    /// - Parameters:
    ///   - path: The path of the model, or `REVISION:PATH`.
    ///   - name: The name of the version; `nil` for the current one.
    package func version(
        of path: String, named name: String?, printer: inout DiagnosticPrinter
    ) throws(InputFailure) -> (version: ModelSet.Version, model: IndexedModel) {
        let set = try modelSet(path)
        set.addLines(to: &printer)
        let version = try set.version(named: name, option: "--version")
        let model = try version.indexedModel()
        printer.print(version.diagnostics.filter { $0.severity > .note })
        return (version, model)
    }

    func modelSet(_ location: GitReader.Location) throws(InputFailure) -> ModelSet {
        let snapshot = try GitReader(files: files).read(location)
        return try ModelSetReader(files: snapshot, swift: swift).read(location.shown)
    }
}

extension ModelSet {
    /// Returns the version with a name, or the current one if the name is `nil`.
    ///
    /// - Parameter option: The option that names a version, for messages.
    package func version(named name: String?, option: String) throws(InputFailure) -> Version {
        if let name {
            let plain = PathName.name(of: name, withoutExtension: ModelInputReader.modelExtension) ?? name
            if let version = versions.first(where: { $0.name == name || $0.name == plain }) { return version }
            if skippedVersionNames.contains(where: { $0 == name || $0 == plain }) {
                var failure = noVersion(
                    "the version “\(plain)” of the model “\(self.name)” cannot be read",
                    help: "Restore it from version control, or specify another one.")
                failure.diagnostics += skippedVersionWarnings
                failure.lines = otherLines
                throw failure
            }
            throw noVersion("the model “\(self.name)” has no version “\(name)”", help: "It has \(listOfVersions).")
        }
        if let currentName, let version = versions.first(where: { $0.name == currentName }) { return version }
        if versions.count == 1, let version = versions.first { return version }
        let errors = diagnostics.filter { $0.severity == .error }
        if !errors.isEmpty { throw InputFailure(diagnostics: errors, lines: otherLines, exitCode: .couldNotRun) }
        throw noVersion(
            "cannot tell which of the \(versions.count) versions is current",
            help: "Specify one with \(option). There is \(listOfVersions).")
    }

    /// Returns the version that comes before the current one.
    func previousVersion() throws(InputFailure) -> Version {
        let current = try version(named: nil, option: "--to")
        guard let index = versions.firstIndex(where: { $0.name == current.name }), index > 0 else {
            throw noVersion(
                "the model “\(name)” has no version before “\(current.name)”",
                help: "Specify two models, or the version with --from.")
        }
        return versions[index - 1]
    }

    private var listOfVersions: String {
        let shown = versions.prefix(10).map { "“\($0.name)”" }.joined(separator: ", ")
        return versions.count > 10 ? "\(shown) and \(versions.count - 10) more" : shown
    }

    private func noVersion(_ message: String, help: String) -> InputFailure {
        InputFailure(
            diagnostics: [Diagnostic(.error, rule: .noSuchVersion, message, file: path, range: .fileStart, help: help)],
            exitCode: .couldNotRun)
    }
}

extension ModelSet.Version {
    /// The model, indexed for comparisons.
    ///
    /// - Throws: If it is a store that does not hold its model, or if the model has errors.
    package func indexedModel() throws(InputFailure) -> IndexedModel {
        guard let model else {
            throw InputFailure(
                diagnostics: diagnostics + [
                    Diagnostic(
                        .error, rule: .noModelInStore, "the store does not contain the model it was written with",
                        file: path, range: .fileStart,
                        help: "Compare with the model that the store was written with.")
                ],
                exitCode: .couldNotRun)
        }
        let errors = errors(at: .loadable)
        guard errors.isEmpty else {
            throw InputFailure(
                diagnostics: errors, lines: document.map { [$0.path: $0.lines] } ?? [:], exitCode: .findings)
        }
        return IndexedModel(model)
    }
}
