internal import Diagnostics
internal import ModelSchema
internal import ModelSource

/// A model that is looked at: its versions, as far as they could be read.
struct LintTarget {
    /// A version.
    struct Version {
        var document: ModelDocument
        var isCurrent: Bool
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

    /// Reads a model. What cannot be read is a problem; the rest is read all the same.
    ///
    /// - Parameter onlyCurrent: whether other versions than the current one are left out.
    init(_ path: String, reader: ModelInputReader, onlyCurrent: Bool) {
        name = PathName.name(of: path, withoutExtension: ModelInputReader.bundleExtension) ?? PathName.stem(of: path)
        guard path.hasSuffix(ModelInputReader.bundleExtension), reader.files.kind(of: path) == .directory else {
            add(isCurrent: true) { () throws(InputFailure) in
                let input = try reader.read(path, version: nil)
                return input
            }
            versionNames = versions.map(\.document.model.name)
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
            versions.append(Version(document: input.document, isCurrent: isCurrent))
            files.append(input.document.path)
            lines[input.document.path] = input.document.lines
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
