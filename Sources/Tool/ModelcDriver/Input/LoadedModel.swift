internal import CodeGeneration
internal import Diagnostics
internal import ModelSchema
internal import ModelSource

/// The source of a model, read once: the versions that a command needs, each with its document or the reason why it
/// cannot be read.
///
/// Compiling, checking and generating start from this value: a build that does all three reads each file once.
struct LoadedModel {
    /// The versions that a command needs.
    enum Selection {
        case all
        /// The current version, or all of them if none is marked current.
        case current
        /// The version with a name.
        case named(String)
        /// The versions with names, and the current one.
        case only(Set<String>)
        /// All versions but those with names.
        case without(Set<String>)

        /// Returns the selection of the version with a name, or of all versions for `nil`.
        static func version(_ name: String?) -> Selection { name.map { .named($0) } ?? .all }
    }

    struct Version {
        let name: String
        let input: Result<ModelInput, InputFailure>
    }

    private enum Content {
        case bundle(ModelBundle, [Version])
        case single(ModelInput)
    }

    /// The path that it was read from, without trailing slashes.
    let path: String
    private let content: Content

    init(path: String, bundle: ModelBundle, versions: [Version]) {
        self.path = path
        content = .bundle(bundle, versions)
    }

    /// Creates the source from a single version.
    init(_ path: String, _ input: ModelInput) {
        self.path = path
        content = .single(input)
    }

    /// The bundle; `nil` for a single version.
    var bundle: ModelBundle? { if case .bundle(let bundle, _) = content { bundle } else { nil } }

    /// The versions that were read, in the bundle's order.
    var versions: [Version] {
        switch content {
        case .bundle(_, let versions): versions
        case .single(let input): [Version(name: input.document.model.name, input: .success(input))]
        }
    }

    /// Returns a version with the findings about the bundle.
    ///
    /// - Parameter name: The name of the version; `nil` for the current one.
    /// - Throws: If there is no such version, or if it cannot be read.
    func input(version name: String?) throws(InputFailure) -> ModelInput {
        switch content {
        case .single(let input): return input
        case .bundle(let bundle, let versions):
            let lines = bundle.currentVersionFile.map { [$0.path: $0.lines] } ?? [:]
            let chosen: String
            do throws(ModelBundle.NoVersion) {
                chosen = try bundle.version(requested: name)
            } catch {
                throw InputFailure(
                    diagnostics: error.diagnostics, lines: lines,
                    exitCode: error.reason == .wrongBundle ? .findings : .couldNotRun)
            }
            guard let version = versions.first(where: { $0.name == chosen }) else {
                throw InputFailure(diagnostics: [], lines: lines, exitCode: .couldNotRun)
            }
            var input = try version.input.get()
            input.source = GenerationSource(modelName: bundle.name, fileName: PathName.name(of: path))
            input.otherDiagnostics = (bundle.currentVersionFile?.problems ?? []) + bundle.skippedVersionWarnings
            input.otherLines = lines
            return input
        }
    }
}
