internal import Diagnostics
internal import ModelLint
internal import ModelSchema
internal import ModelSource
internal import SwiftDataModel

/// A model to check, with the versions that could be read.
struct LintedModel {
    struct Version {
        var source: any LintedSource
        var isCurrent: Bool
        /// Whether users' stores may have the version, so that its hashes must not change: any version but the current
        /// one, and every version if the current one is unknown.
        var mayBeReleased = false

        /// The XML file, which can be fixed; `nil` for Swift sources.
        var document: ModelDocument? { source as? ModelDocument }
    }

    var name: String
    var versions: [Version] = []
    /// The names of all versions, including unreadable ones.
    var versionNames: [String] = []
    /// The findings from reading.
    var problems: [Diagnostic] = []
    /// The lines of files other than the versions, for excerpts.
    var lines: [String: LineIndex] = [:]
    /// The files that are checked.
    var files: [String] = []
    /// The classes in the sources that are compiled with the model; `nil` if they are not known.
    var sourceClasses: SourceClasses?
    /// The suppressions in Swift sources.
    var comments: SuppressionComments?

    /// Creates the target for a model. Unreadable versions become problems; the others are still checked.
    ///
    /// - Parameter onlyCurrent: Whether versions other than the current one are left out.
    init(_ path: String, _ source: Result<LoadedModel, InputFailure>, onlyCurrent: Bool) {
        name = PathName.name(of: path, withoutExtension: ModelInputReader.bundleExtension) ?? PathName.stem(of: path)
        switch source {
        case .success(let source):
            if let bundle = source.bundle {
                add(source.versions, of: bundle, onlyCurrent: onlyCurrent)
            } else {
                for version in source.versions { add(version, isCurrent: true) }
                versionNames = versions.map(\.source.model.name)
                return
            }
        case .failure(let failure):
            take(failure)
            guard path.hasSuffix(ModelInputReader.bundleExtension) else { return }
        }
        problems = problems.map { problem in
            var result = problem
            result.element = ElementPath(model: name, version: nil, components: [], kind: "model")
            return result
        }
    }

    private mutating func add(_ versions: [LoadedModel.Version], of bundle: ModelBundle, onlyCurrent: Bool) {
        versionNames = bundle.allVersionNames
        files += bundle.skippedVersionWarnings.compactMap(\.file)
        var current: String?
        do throws(ModelBundle.NoVersion) {
            current = try bundle.version(requested: nil)
        } catch {
            problems += error.diagnostics
        }
        problems += bundle.skippedVersionWarnings(besides: problems)
        if let file = bundle.currentVersionFile {
            lines[file.path] = file.lines
            files.append(file.path)
            problems += file.problems.filter { !problems.contains($0) }
        }
        // Without a current version, any of them may be the one under development.
        for version in versions {
            let isCurrent = current == nil || version.name == current
            if isCurrent || !onlyCurrent {
                add(version, isCurrent: isCurrent, mayBeReleased: version.name != current)
            }
        }
    }

    private mutating func add(_ version: LoadedModel.Version, isCurrent: Bool, mayBeReleased: Bool = false) {
        switch version.input {
        case .success(let input):
            versions.append(
                Version(source: input.document, isCurrent: isCurrent, mayBeReleased: mayBeReleased))
            files.append(input.document.path)
            lines[input.document.path] = input.document.lines
        case .failure(let failure): take(failure)
        }
    }

    /// Whether the current version has entities whose classes are written by hand.
    var hasHandwrittenClasses: Bool {
        versions.contains { version in
            version.isCurrent
                && version.source.model.entities.contains { $0.codeGeneration == .manual && $0.className.isCustom }
        }
    }

    /// Creates the target for the SwiftData models of sources. Unreadable versions become problems.
    init(
        swiftSources path: String, _ found: Result<[SwiftSourceFile], InputFailure>, _ reader: ModelSetReader,
        onlyCurrent: Bool
    ) {
        name = PathName.stem(of: path)
        do throws(InputFailure) {
            let sourceFiles = try found.get()
            let comments = SuppressionComments(sourceFiles)
            let read = try reader.swiftDataSources(sourceFiles, lints: true)
            guard !read.versions.isEmpty || !read.findings.isEmpty else {
                throw InputFailure(
                    path, rule: .noModels, message: "the Swift sources declare no class marked “@Model”",
                    help: "Specify the file or folder that declares the models.")
            }
            self.comments = comments
            problems += read.findings
            versionNames = read.versions.map(\.name)
            // The findings that matter for versions that are not current, as in `Linter`.
            let ofOldVersions: Set<RuleID> = [
                .swiftDataLiveDeclaration, .swiftDataEqualVersions, .swiftDataRepeatedIdentifier,
            ]
            for (index, version) in read.versions.enumerated() {
                let isCurrent = index == read.versions.count - 1
                let appliesToOldVersions = version.findings.contains { ofOldVersions.contains($0.rule) }
                guard !onlyCurrent || isCurrent || appliesToOldVersions else { continue }
                versions.append(
                    Version(
                        source: SwiftLintSource(version, path: path, comments: comments), isCurrent: isCurrent))
            }
            files += sourceFiles.map(\.path)
            let named = Set(read.findings.compactMap(\.file) + read.versions.flatMap { $0.locations.map(\.file) })
            for file in sourceFiles where named.contains(file.path) { lines[file.path] = LineIndex(file.bytes) }
        } catch {
            take(error)
        }
    }

    private mutating func take(_ failure: InputFailure) {
        problems += failure.diagnostics
        lines.merge(failure.lines) { first, _ in first }
        files += failure.diagnostics.compactMap(\.file)
    }
}
