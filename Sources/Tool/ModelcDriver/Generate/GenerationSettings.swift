package import CodeGeneration
internal import Diagnostics
internal import ProjectConfiguration
internal import SwiftSources

/// The settings for code beyond Xcode's, from `generate:` in `.modelc.yml` and from the arguments.
package struct GenerationSettings: Sendable {
    /// The features to write beyond Xcode's code.
    package var features: Set<CodeFeature>?
    package var imports: ImportStyle?
    /// The isolation of declarations.
    package var isolation: IsolationStyle?
    /// The naming of the enumerations of property names.
    package var keysStyle: KeysStyle?
    /// The folders or files with the sources of the target.
    package var sources: [String] = []

    /// Creates settings without values.
    package init() {}

    /// Returns the settings, with missing ones taken from a file.
    ///
    /// - Throws: The problems of the file, each at its location.
    func completed(by path: String?, _ files: any FileSystem) throws(InputFailure) -> GenerationSettings {
        guard let path else { return self }
        let configuration = try RunSettings.read(path, files)
        var file = GenerationSettings()
        let problems = file.read(configuration.generation, path: path)
        guard problems.isEmpty else {
            var excerpts = ExcerptRule(files: files)
            throw InputFailure(
                diagnostics: excerpts.withoutForeignText(problems),
                lines: [path: LineIndex((try? files.read(path)) ?? [])], exitCode: .couldNotRun)
        }
        var result = self
        result.features = features ?? file.features
        result.imports = imports ?? file.imports
        result.isolation = isolation ?? file.isolation
        result.keysStyle = keysStyle ?? file.keysStyle
        if sources.isEmpty {
            let root = PathName.parent(of: path)
            result.sources = configuration.sources.map { RunSettings.path($0, from: root.isEmpty ? "." : root) }
        }
        return result
    }

    /// Applies the settings to options.
    func apply(to options: inout GenerationOptions) {
        options.features = features ?? []
        options.imports = imports
        options.isolation = isolation
        options.keysStyle = keysStyle ?? .nested
    }

    /// Returns the types that the sources declare; `nil` if no sources are known, or if no feature needs types.
    func types(_ files: any FileSystem) throws(InputFailure) -> SourceTypes? {
        guard !sources.isEmpty, !(features ?? []).isEmpty else { return nil }
        return SourceTypes(try SourceReader(files: files).files(in: sources))
    }

    /// A key of `generate:`, and what reads its value.
    private typealias Declaration = (
        key: SettingsKey,
        read: @Sendable (inout GenerationSettings, ProjectSettings.GenerationEntry, inout GenerationProblems) -> Void
    )

    private static let declarations: [Declaration] = [
        (
            .choices("with", of: CodeFeature.self, summary: "The code to write", example: [.raw, .sets]),
            { settings, entry, problems in
                settings.features = Set(entry.values.compactMap { problems.choice($0, key: entry.key) })
            }
        ),
        (
            .choice("imports", of: ImportStyle.self, summary: "How modules are imported", example: .access),
            { $0.imports = $2.single($1) }
        ),
        (
            .choice(
                "isolation", of: IsolationStyle.self, summary: "The isolation of declarations", example: .nonisolated),
            { $0.isolation = $2.single($1) }
        ),
        (
            .choice(
                "keys-style", of: KeysStyle.self, summary: "The names of the enumerations of property names",
                example: .mogenerator), { $0.keysStyle = $2.single($1) }
        ),
    ]

    /// The declarations of the keys of `generate:`.
    static let keys: [SettingsKey] = declarations.map(\.key)

    private mutating func read(_ entries: [ProjectSettings.GenerationEntry], path: String) -> [Diagnostic] {
        var problems = GenerationProblems(path: path)
        for entry in entries {
            if let declaration = Self.declarations.first(where: { $0.key.name == entry.key }) {
                declaration.read(&self, entry, &problems)
                continue
            }
            let names = Self.keys.map(\.name)
            let guess = EditDistance.closest(to: entry.key, among: names, limit: 2)
            problems.report(
                "unknown key “\(entry.key)” in “generate”", at: entry.range,
                help: guess.map { "Did you mean “\($0)”?" } ?? "The keys are \(names.joined(separator: ", ")).")
        }
        return problems.list
    }
}

/// The problems in the values of `generate:`.
private struct GenerationProblems {
    let path: String
    private(set) var list: [Diagnostic] = []

    init(path: String) { self.path = path }

    mutating func report(_ message: String, at range: SourceRange, help: String? = nil) {
        list.append(Diagnostic(.error, rule: .configuration, message, file: path, range: range, help: help))
    }

    /// Returns the only value of a key.
    mutating func single<Value: RawRepresentable & CaseIterable>(
        _ entry: ProjectSettings.GenerationEntry
    ) -> Value? where Value.RawValue == String {
        guard let value = entry.values.first, entry.values.count == 1 else {
            report("expected a single value for “\(entry.key)”", at: entry.range)
            return nil
        }
        return choice(value, key: entry.key)
    }

    /// Returns the choice that a text names.
    mutating func choice<Value: RawRepresentable & CaseIterable>(
        _ value: (text: String, range: SourceRange), key: String
    ) -> Value? where Value.RawValue == String {
        if let choice = Value(rawValue: value.text) { return choice }
        report(
            "invalid value “\(value.text)” for “\(key)”", at: value.range,
            help: "The values are \(Value.allCases.map(\.rawValue).joined(separator: ", ")).")
        return nil
    }
}
