internal import Diagnostics
internal import ModelLint
internal import ModelSchema
internal import ModelSource
internal import SwiftDataModel

/// A model that is looked at: its versions, as far as they could be read.
struct LintTarget {
    /// A version.
    struct Version {
        var source: any LintedSource
        var isCurrent: Bool

        /// The XML file, which can be fixed; `nil` for Swift sources.
        var document: ModelDocument? { source as? ModelDocument }
    }

    /// The name of the model.
    var name: String
    var versions: [Version] = []
    /// The names of all versions, also of those that could not be read.
    var versionNames: [String] = []
    /// What was found before a version could be looked at.
    var problems: [Diagnostic] = []
    /// The lines of other files than the versions, for excerpts.
    var lines: [String: LineIndex] = [:]
    /// The files that were looked at.
    var files: [String] = []
    /// The suppressions in Swift sources.
    var comments: SuppressionComments?

    /// Reads a model. What cannot be read is a problem; the rest is read all the same.
    ///
    /// - Parameters:
    ///   - onlyCurrent: Whether other versions than the current one are left out.
    ///   - definitions: Conditions of `#if` in Swift sources that hold.
    init(_ path: String, reader: ModelInputReader, onlyCurrent: Bool, definitions: [String] = []) {
        name = PathName.name(of: path, withoutExtension: ModelInputReader.bundleExtension) ?? PathName.stem(of: path)
        let setReader = ModelSetReader(files: reader.files, definitions: definitions)
        if setReader.namesSwiftSources(path) {
            readSwiftSources(path, setReader, onlyCurrent: onlyCurrent)
            return
        }
        guard path.hasSuffix(ModelInputReader.bundleExtension), reader.files.kind(of: path) == .directory else {
            add(isCurrent: true) { () throws(InputFailure) in
                let input = try reader.read(path, version: nil)
                return input
            }
            versionNames = versions.map(\.source.model.name)
            return
        }
        do throws(InputFailure) {
            let bundle = try reader.openBundle(path)
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
            // Without a current version any of them may be the one that is worked on.
            for name in bundle.versionNames where !onlyCurrent || current == nil || name == current {
                let folder = PathName.joined(path, name + ModelInputReader.modelExtension)
                add(isCurrent: current == nil || name == current) { () throws(InputFailure) in
                    try reader.readModelFolder(folder)
                }
            }
        } catch {
            take(error)
        }
        problems = problems.map { problem in
            var result = problem
            result.element = ElementPath(model: name, version: nil, components: [], kind: "model")
            return result
        }
    }

    private mutating func add(isCurrent: Bool, _ read: () throws(InputFailure) -> ModelInput) {
        do throws(InputFailure) {
            let input = try read()
            versions.append(Version(source: input.document, isCurrent: isCurrent))
            files.append(input.document.path)
            lines[input.document.path] = input.document.lines
        } catch {
            take(error)
        }
    }

    /// Reads the SwiftData models of sources. Those that cannot be read are problems.
    private mutating func readSwiftSources(_ path: String, _ reader: ModelSetReader, onlyCurrent: Bool) {
        do throws(InputFailure) {
            let sourceFiles = try reader.swiftSourceFiles(at: path)
            let comments = SuppressionComments(sourceFiles)
            let read = try reader.swiftDataSources(sourceFiles, lints: true)
            guard !read.versions.isEmpty || !read.findings.isEmpty else {
                throw reader.sources.failure(
                    path, .noModels, "the Swift sources declare no class marked “@Model”",
                    help: "Name the file or folder that declares the models.")
            }
            self.comments = comments
            problems += read.findings
            versionNames = read.versions.map(\.name)
            for (index, version) in read.versions.enumerated() {
                let isCurrent = index == read.versions.count - 1
                let isAsked = version.findings.contains { $0.rule == .swiftDataLiveDeclaration }
                guard !onlyCurrent || isCurrent || isAsked else { continue }
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
