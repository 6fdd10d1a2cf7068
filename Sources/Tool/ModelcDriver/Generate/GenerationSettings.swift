package import CodeGeneration
internal import Diagnostics
internal import ModelLint
internal import ModelSchema
internal import SwiftSources

/// The settings for code beyond Xcode's, from `generate:` in `.modelc.yml` and from the arguments.
package struct GenerationSettings: Sendable {
    /// The features to write beyond Xcode's code.
    package var features: Set<CodeFeature>?
    /// The style of imports.
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
        let configuration = try LintSettings.read(path, files)
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
            result.sources = configuration.sources.map { LintSettings.path($0, from: root.isEmpty ? "." : root) }
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

    private static let keys = ["with", "imports", "isolation", "keys-style"]

    private mutating func read(_ entries: [LintConfiguration.GenerationEntry], path: String) -> [Diagnostic] {
        var problems: [Diagnostic] = []
        for entry in entries {
            switch entry.key {
            case "with":
                features = Set(entry.values.compactMap { choice($0, key: entry.key, path: path, problems: &problems) })
            case "imports": imports = single(entry, path: path, problems: &problems)
            case "isolation": isolation = single(entry, path: path, problems: &problems)
            case "keys-style": keysStyle = single(entry, path: path, problems: &problems)
            default:
                let guess = EditDistance.closest(to: entry.key, among: Self.keys, limit: 2)
                problems.append(
                    Diagnostic(
                        .error, rule: .configuration, "unknown key “\(entry.key)” in “generate”", file: path,
                        range: entry.range,
                        help: guess.map { "Did you mean “\($0)”?" }
                            ?? "The keys are \(Self.keys.joined(separator: ", "))."))
            }
        }
        return problems
    }

    private func single<Value: RawRepresentable & CaseIterable>(
        _ entry: LintConfiguration.GenerationEntry, path: String, problems: inout [Diagnostic]
    ) -> Value? where Value.RawValue == String {
        guard let value = entry.values.first, entry.values.count == 1 else {
            problems.append(
                Diagnostic(
                    .error, rule: .configuration, "expected a single value for “\(entry.key)”", file: path,
                    range: entry.range))
            return nil
        }
        return choice(value, key: entry.key, path: path, problems: &problems)
    }

    private func choice<Value: RawRepresentable & CaseIterable>(
        _ value: (text: String, range: SourceRange), key: String, path: String, problems: inout [Diagnostic]
    ) -> Value? where Value.RawValue == String {
        if let choice = Value(rawValue: value.text) { return choice }
        problems.append(
            Diagnostic(
                .error, rule: .configuration, "invalid value “\(value.text)” for “\(key)”", file: path,
                range: value.range, help: "The values are \(Value.allCases.map(\.rawValue).joined(separator: ", "))."))
        return nil
    }
}
