internal import CLibrary
internal import Diagnostics
internal import ModelLint
internal import ProjectConfiguration

/// The settings of a command that reports findings or generates code: from its arguments, or else from `.modelc.yml`.
struct RunSettings {
    var selection: RuleSelection
    var configuration: ProjectSettings
    var versions: ProjectSettings.Versions
    var isForCloudKit: Bool
    var failLevel: Severity
    var baselinePath: String?
    /// The place in the configuration that names the baseline; `nil` if the command line does.
    let baselineLocation: (file: String, range: SourceRange)?
    var sources: [String]
    /// The path of the configuration; `nil` without one.
    let path: String?
    /// The folder of the configuration, which its paths are relative to; `.` without a configuration.
    var root: String
    private let files: any FileSystem
    private let folders = CanonicalFolders()
    /// The canonical path of `root`, and that of the working directory.
    private let (canonicalRoot, workingDirectory): (String?, String?)

    /// The maximum size of a settings file, in bytes.
    private static let sizeLimit = 1 << 20

    static let fileName = ".modelc.yml"

    /// Creates the settings of a command that reports findings, from its file or the nearest one.
    init(
        _ configuration: ConfigurationArguments, rules: RuleArguments? = nil, failing: FailureArguments,
        sources: [String] = [], _ files: any FileSystem
    ) throws(InputFailure) {
        try self.init(
            configurationPath: configuration.configurationPath ?? Self.nearestConfiguration(files), rules: rules,
            failing: failing, sources: sources, files)
    }

    /// Creates settings from a file and arguments.
    ///
    /// - Parameters:
    ///   - path: The path of the file; `nil` for the rules' defaults.
    ///   - sources: The folders of the target's Swift sources; empty for those that the file names.
    init(
        configurationPath path: String?, rules: RuleArguments? = nil, failing: FailureArguments? = nil,
        sources: [String] = [], _ files: any FileSystem
    ) throws(InputFailure) {
        self.files = files
        self.path = path
        configuration = try path.map { path throws(InputFailure) in try Self.read(path, files) } ?? ProjectSettings()
        let folder = path.map(PathName.parent) ?? ""
        root = folder.isEmpty ? "." : folder
        canonicalRoot = files.canonicalPath(root)
        workingDirectory = files.canonicalPath(".")
        selection = RuleSelection(severities: configuration.severities)
        for rule in configuration.enabled { selection.enable(rule) }
        for name in rules?.enable ?? [] { selection.enable(try Self.rule(name)) }
        for name in rules?.disable ?? [] { selection.disable(try Self.rule(name)) }
        if let names = rules?.only, !names.isEmpty {
            var only: Set<RuleID> = []
            for name in names { only.insert(try Self.rule(name).id) }
            selection.only = only
        }
        versions = rules?.versions?.setting ?? configuration.versions ?? .standard
        selection.checksOldVersionsFully = versions == .all
        isForCloudKit = (rules?.profile ?? configuration.profile) == .cloudkit
        failLevel = failing?.minimumSeverity ?? configuration.failLevel ?? .error
        baselinePath = failing?.baselinePath ?? configuration.baseline.map { [root] in Self.path($0, from: root) }
        baselineLocation =
            if failing?.baselinePath == nil, let path, let range = configuration.baselineRange { (path, range) } else {
                nil
            }
        self.sources =
            sources.isEmpty ? configuration.sources.map { [root] in Self.path($0, from: root) } : sources
    }

    /// Throws if a path of the settings is outside their folder: those of an untrusted repository must not have lines
    /// of other files printed.
    func requireOwn(_ path: String, key: String) throws(InputFailure) {
        if let canonicalRoot, let full = files.fullPath(path), PathName.relative(full, to: canonicalRoot) != nil {
            return
        }
        throw InputFailure(
            diagnostics: [
                Diagnostic(
                    .error, rule: .configuration, "“\(key)” is outside the folder of the settings", file: self.path,
                    range: .fileStart, help: "Name the file on the command line, or put it below that folder.")
            ],
            exitCode: .couldNotRun)
    }

    /// Returns whether a path is searched.
    func isIncluded(_ path: String) -> Bool { !matches(path, configuration.excluded) }

    /// Returns whether a model that was found in a folder is checked.
    func isIncluded(model path: String) -> Bool {
        let included = configuration.included
        guard !included.isEmpty else { return true }
        let names = names(of: path)
        return names.isEmpty || Self.matches(names, included)
    }

    /// Returns whether a finding is ignored because its rule is off for its path.
    func isIgnored(_ diagnostic: Diagnostic) -> Bool {
        guard let patterns = configuration.ignored[diagnostic.rule], let file = diagnostic.file else { return false }
        return matches(file, patterns)
    }

    private func matches(_ path: String, _ patterns: [PathPattern]) -> Bool {
        !patterns.isEmpty && Self.matches(names(of: path), patterns)
    }

    private static func matches(_ names: Set<String>, _ patterns: [PathPattern]) -> Bool {
        names.contains { name in patterns.contains { $0.matches(name) } }
    }

    /// Returns the names of a path below the configuration's folder: without links, and as it was reached. None for a
    /// path outside of the folder.
    private func names(of path: String) -> Set<String> {
        // The files of a revision have no canonical paths.
        guard let canonicalRoot, let full = folders.fullPath(path, files) else { return [path] }
        var result: Set<String> = []
        if let name = PathName.relative(full, to: canonicalRoot) { result.insert(name) }
        if let workingDirectory {
            let absolute = path.hasPrefix("/") ? path : "\(workingDirectory)/\(path)"
            let plain = "/" + PathName.normalizedComponents(absolute).joined(separator: "/")
            if let name = PathName.relative(plain, to: canonicalRoot) { result.insert(name) }
        }
        return result
    }

    static func path(_ path: String, from root: String) -> String {
        path.hasPrefix("/") || root == "." ? path : PathName.joined(root, path)
    }

    /// Returns the path of the nearest configuration: in the working directory, or above it up to the root of the
    /// repository.
    static func nearestConfiguration(_ files: any FileSystem) -> String? {
        var folder = ""
        for _ in 0..<32 {
            let path = folder + fileName
            if case .file? = files.kind(of: path) { return path }
            if files.kind(of: folder + ".git") != nil { return nil }
            folder += "../"
        }
        return nil
    }

    /// Throws if the nearest settings require another version of modelc. Other mistakes in them are not reported.
    static func requireVersion(_ files: any FileSystem) throws(InputFailure) {
        if let path = nearestConfiguration(files) { _ = try parse(path, files) }
    }

    static func read(_ path: String, _ files: any FileSystem) throws(InputFailure) -> ProjectSettings {
        let (configuration, problems, lines) = try parse(path, files)
        guard problems.isEmpty else {
            var excerpts = ExcerptRule(files: files)
            throw InputFailure(
                diagnostics: excerpts.withoutForeignText(problems), lines: [path: lines], exitCode: .couldNotRun)
        }
        return configuration
    }

    /// Returns settings with their mistakes. Throws if this is not the version that they require.
    private static func parse(
        _ path: String, _ files: any FileSystem
    ) throws(InputFailure) -> (settings: ProjectSettings, problems: [Diagnostic], lines: LineIndex) {
        if case .file(let size)? = files.kind(of: path), size > sizeLimit {
            throw InputFailure(
                diagnostics: [
                    Diagnostic(
                        .error, rule: .fileTooLarge,
                        "the settings file has \(size >> 10) KiB; modelc reads no more than \(sizeLimit >> 10) KiB",
                        file: path, range: .fileStart, help: "Specify a `.modelc.yml` file.")
                ],
                exitCode: .couldNotRun)
        }
        let bytes = try files.readInput(path)
        let (configuration, problems) = ProjectSettings.read(bytes, path: path, rules: RuleRegistry.catalog)
        // Another version may know other keys.
        if let required = configuration.requiredVersion, required.text != ToolVersion.number {
            throw InputFailure(
                diagnostics: [
                    Diagnostic(
                        .error, rule: .configuration,
                        "the settings need modelc \(required.text), and this is modelc \(ToolVersion.number)",
                        file: path,
                        range: required.range,
                        why: "Another version may have other rules and write other code.",
                        help: "Install modelc \(required.text), or change “required-version”.")
                ],
                lines: [path: LineIndex(bytes)], exitCode: .couldNotRun)
        }
        return (configuration, problems, LineIndex(bytes))
    }

    /// Returns the lint rule with a name or code.
    static func rule(_ name: String) throws(InputFailure) -> RuleDescription {
        guard let rule = RuleRegistry.description(named: name) else { throw unknownRule(name) }
        if let commands = rule.commands, !rule.isConfigurable {
            throw InputFailure(
                diagnostics: [
                    Diagnostic(
                        .error, rule: .unknownRule, "“\(name)” is not a lint rule",
                        why: "It is reported by \(commands).",
                        help: "“modelc rules” lists the rules.")
                ],
                exitCode: .couldNotRun)
        }
        return rule
    }

    static func unknownRule(_ name: String) -> InputFailure {
        let hint = RuleRegistry.suggestion(for: name).map { "Did you mean “\($0)”?" }
        return InputFailure(
            diagnostics: [
                Diagnostic(
                    .error, rule: .unknownRule, "unknown rule “\(name)”",
                    help: hint ?? "“modelc rules” lists the rules.")
            ],
            exitCode: .couldNotRun)
    }
}

/// The canonical paths of folders, so that only those are resolved whose entries are visited, and links.
private final class CanonicalFolders: Sendable {
    /// By the path as it was reached.
    private let canonicalFolders = Locked<[String: String]>([:])

    /// Returns `FileSystem.fullPath` of an entry of a folder.
    func fullPath(_ path: String, _ files: any FileSystem) -> String? {
        let name = PathName.name(of: path)
        guard !name.isEmpty, name != ".", name != "..", !path.hasSuffix("/"), files.kind(of: path) != nil,
            files.linkTarget(of: path) == nil
        else { return files.fullPath(path) }
        let parent = PathName.parent(of: path)
        let folder = parent.isEmpty ? "." : parent
        if let canonical = canonicalFolders.withLock({ $0[folder] }) { return PathName.joined(canonical, name) }
        guard let canonical = files.canonicalPath(folder) else { return files.fullPath(path) }
        canonicalFolders.withLock { $0[folder] = canonical }
        return PathName.joined(canonical, name)
    }
}
