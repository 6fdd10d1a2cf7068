package import Diagnostics

/// The contents of `.modelc.yml`. Documentation/Guides/Settings.md lists its keys.
package struct ProjectSettings: Sendable {
    /// The versions of a model to check.
    package enum Versions: String, CaseIterable, Sendable {
        /// Errors in all versions, all findings in the current one.
        case standard = "default"
        /// All findings in all versions.
        case all
        /// Only the current version.
        case current
    }

    /// How the app migrates stores of old versions.
    package enum Strategy: String, CaseIterable, Sendable {
        /// From every version to the current one in one step, as Core Data does automatically.
        case direct
        /// From each version to the next one, as apps do in code.
        case stepwise
    }

    /// A part of `modelc check`.
    package enum Check: String, CaseIterable, Sendable {
        /// The rules of `modelc lint`.
        case lint
        /// The layout of files, which `modelc format --check` compares.
        case format
        /// The comparison with the released state, by `modelc breaking`.
        case breaking
        /// The comparison with `modelc.lock`, by `modelc lock check`.
        case lock
        /// The comparison with CloudKit's production schema, by `modelc cloudkit check`.
        case cloudkit
        /// The comparison of committed code with what `modelc generate` writes.
        case generate
    }

    /// A use of models with additional rules.
    package enum Profile: String, CaseIterable, Sendable {
        /// The model is synchronized with CloudKit.
        case cloudkit
    }

    /// The severity of each rule's findings; `nil` turns a rule off.
    package var severities: [RuleID: Severity?] = [:]
    /// Rules that are turned on.
    package var enabled: [RuleDescription] = []
    /// Paths that are not checked.
    package var excluded: [PathPattern] = []
    /// The only paths that are checked; empty for all.
    package var included: [PathPattern] = []
    /// Paths at which a rule is off.
    package var ignored: [RuleID: [PathPattern]] = [:]
    /// The use of the model.
    package var profile: Profile?
    /// The versions to check.
    package var versions: Versions?
    /// The lowest severity that fails.
    package var failLevel: Severity?
    /// The path of the baseline, relative to the folder of the configuration.
    package var baseline: String?
    /// The range of that path.
    package var baselineRange: SourceRange?
    /// The folders of the target's sources, relative to the folder of the configuration.
    package var sources: [String] = []
    /// Conditions of `#if` in Swift sources that are true, or false if they end in `=false`.
    package var definitions: [String] = []
    /// How the app migrates, for `modelc breaking`.
    package var strategy: Strategy?
    /// The parts of `modelc check` that are left out.
    package var omittedChecks: Set<Check> = []
    /// What `modelc check` compares with, as written.
    package var reference: String?
    /// The path of the schema of CloudKit's production environment, relative to the folder of the configuration.
    package var productionSchema: String?
    /// The version of modelc that the file is for, with its range.
    package var requiredVersion: (text: String, range: SourceRange)?
    /// The entries of `generate:`, which the generator reads.
    package var generation: [GenerationEntry] = []

    /// A key of `generate:` with its strings, as written.
    package struct GenerationEntry: Sendable {
        package var key: String
        /// The range of the key.
        package var range: SourceRange
        /// The strings, with their ranges.
        package var values: [(text: String, range: SourceRange)]
    }

    /// The declarations of all keys. Those of `generate:` are the generator's.
    package static let keys: [SettingsKey] = ConfigurationReader.declarations.map(\.key)

    /// Creates an empty configuration.
    package init() {}

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - path: Its path, for findings.
    ///   - rules: The rules that it can name.
    /// - Returns: The configuration, and the errors in the file with their locations. If there are errors, the
    ///   configuration should not be used.
    package static func read(_ bytes: [UInt8], path: String, rules: RuleCatalog) -> (
        configuration: ProjectSettings, problems: [Diagnostic]
    ) {
        var reader = ConfigurationReader(path: path, lines: LineIndex(bytes), rules: rules)
        do throws(YAMLSubset.Failure) {
            reader.read(try YAMLSubset.parse(bytes))
        } catch {
            reader.report(error.message, at: error.offset, help: "See “modelc config reference” for the keys.")
        }
        return (reader.configuration, reader.problems)
    }
}
