package import Diagnostics
package import ModelSchema
package import ModelSource
internal import SwiftDataModel

/// A model at a path, in any form: its versions, and which one is current.
package struct ModelSet {
    /// The form of a model.
    package enum Kind: String {
        /// An `.xcdatamodeld`, an `.xcdatamodel` or a `contents` file.
        case source
        /// A `.momd` or a `.mom`.
        case compiled
        /// A SQLite store.
        case store
        /// Swift sources with SwiftData models.
        case swift
    }

    /// One version.
    package struct Version {
        /// Its name without extension.
        package var name: String
        /// The model; `nil` for a store that does not hold its model.
        package var model: Model?
        /// The hashes that the file itself states; `nil` if they must be computed from the model.
        package var statedHashes: EntityVersionHashes?
        /// The findings from reading it.
        package var diagnostics: [Diagnostic]
        /// The source, if there is one.
        package var document: ModelDocument?
        /// The path that diagnostics of the version name.
        package var path: String
        /// The version with the locations of its parts, if it was read from Swift sources.
        var swiftData: SwiftDataVersion?
    }

    /// The model's name.
    package var name: String
    /// The form that it was read from.
    package var kind: Kind
    /// The path that it was read from.
    package var path: String
    /// The last component of the path.
    package var fileName: String { PathName.name(of: path) }
    /// The current version; `nil` if unknown.
    package var currentName: String?
    /// Whether the source states the current version, in an `.xccurrentversion`.
    var statesCurrent: Bool
    package var versions: [Version]
    /// The versions of SwiftData schemas that follow each other.
    var chains: [VersionChain] = []
    /// Findings that concern no particular version, such as those in `.xccurrentversion`.
    package var diagnostics: [Diagnostic] = []
    /// The names of versions that cannot be read and are left out of `versions`; `diagnostics` has a warning for each.
    var skippedVersionNames: [String] = []
    /// The lines of other files than the versions, by path.
    var otherLines: [String: LineIndex] = [:]

    /// The source that was read; `nil` if the model was not read from one.
    var source: LoadedModel?

    /// All findings from reading.
    package var allDiagnostics: [Diagnostic] { diagnostics + versions.flatMap(\.diagnostics) }

    /// The warnings for the versions that are left out.
    var skippedVersionWarnings: [Diagnostic] { diagnostics.filter(\.reportsSkippedVersion) }

    /// Leaves out a version that cannot be read.
    mutating func skip(_ name: String, because failure: InputFailure) {
        skippedVersionNames.append(name)
        otherLines.merge(failure.lines) { first, _ in first }
        guard let reason = failure.diagnostics.first(where: { $0.severity == .error }) else { return }
        diagnostics.append(
            Diagnostic(
                .warning, rule: .unreadableVersion,
                "the version “\(name)” cannot be read and is skipped: \(reason.message)", file: reason.file,
                range: reason.range, why: "Stores created with this version cannot be migrated.", help: reason.help))
    }

    /// Throws if the model was read from a store that does not hold its model.
    package func requireModels() throws(InputFailure) {
        guard let version = versions.first(where: { $0.model == nil }) else { return }
        throw InputFailure(
            diagnostics: allDiagnostics + [
                Diagnostic(
                    .error, rule: .noModelInStore, "the store does not contain the model it was written with",
                    file: version.path, range: .fileStart,
                    help:
                        "Stores of macOS 10.15, iOS 13 and later do. `modelc hash` shows the version hashes of this one."
                )
            ],
            exitCode: .couldNotRun)
    }

    /// Adds the lines of all files to a printer.
    package func addLines(to printer: inout DiagnosticPrinter) {
        for version in versions {
            if let document = version.document { printer.addLines(document.lines, of: document.path) }
        }
        for (path, lines) in otherLines { printer.addLines(lines, of: path) }
    }
}

extension Diagnostic {
    /// Whether this is the warning about a version that is left out because it cannot be read.
    var reportsSkippedVersion: Bool {
        severity == .warning && (rule == .legacyBinaryVersion || rule == .unreadableVersion)
    }
}

extension ModelSet.Version {
    /// Returns what is wrong with the model up to a level, besides the findings from reading it. None if there is no
    /// model.
    package func findings(at level: ModelLevel) -> [ModelFinding] {
        document?.findings(at: level) ?? model?.findings(at: level) ?? []
    }

    /// Returns the errors that keep the version from reaching a level, including those from reading it.
    package func errors(at level: ModelLevel) -> [Diagnostic] {
        (diagnostics + findings(at: level).map(diagnostic(for:))).filter { $0.severity == .error }
    }

    /// Returns a finding about the version as a diagnostic: at its location in a source, or else for the file as a
    /// whole.
    package func diagnostic(for finding: ModelFinding) -> Diagnostic {
        if let document { return document.diagnostic(for: finding) }
        let location = swiftData?.location(of: finding.origin)
        return Diagnostic(
            finding.severity, rule: finding.rule, finding.message, file: location?.file ?? path,
            range: location?.range ?? .fileStart, why: finding.why, help: finding.help)
    }
}
