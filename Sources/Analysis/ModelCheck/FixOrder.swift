package import Diagnostics
internal import ModelLint

/// The findings of several checks as one list: each once, in the order in which a person would fix them.
package enum FixOrder {
    /// A step of fixing a model. Earlier steps affect later ones.
    private enum Stage: Int {
        /// Files that cannot be read, and structures that are invalid.
        case unreadable
        /// Released versions that have changed.
        case released
        /// Migrations that fail.
        case migration
        /// Other errors in the model.
        case error
        /// The lock, once the model is as it should be.
        case lock
        /// Generated code, which follows the model.
        case code
        /// Values that a migration loses.
        case lostValues
        case warning
        case note
        /// The layout, which every edit may change.
        case layout
    }

    /// Returns findings without repetitions, in order.
    package static func list(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
        let sorted = withoutRepetitions(diagnostics).sortedByLocation()
        return sorted.map { (stage: stage(of: $0).rawValue, diagnostic: $0) }.enumerated()
            .sorted { ($0.element.stage, $0.offset) < ($1.element.stage, $1.offset) }.map(\.element.diagnostic)
    }

    private static func stage(of diagnostic: Diagnostic) -> Stage {
        switch (diagnostic.rule, diagnostic.severity) {
        case (.format, _): .layout
        case (.staleGeneratedCode, _): .code
        case (.lockOutOfDate, _), (.malformedLock, _): .lock
        case (.releasedVersionEdited, _), (.releasedVersionDeleted, _), (.releasedVersionRolledBack, _),
            (.currentVersionWentBack, _):
            .released
        case (.notLightweight, _), (.renamingIdentifierCollision, _): .migration
        case (.renameWithoutIdentifier, _), (.droppedValues, _): .lostValues
        case (let rule, .error):
            RuleRegistry.description(of: rule)?.group == "structure" ? .unreadable : .error
        case (_, .warning): .warning
        case (_, .note): .note
        }
    }

    /// What makes two findings the same: a location and a message.
    private struct Identity: Hashable {
        var rule: RuleID
        var message: String
        var file: String?
        var range: SourceRange?

        init(_ diagnostic: Diagnostic) {
            (rule, message) = (diagnostic.rule, diagnostic.message)
            (file, range) = (diagnostic.file, diagnostic.range)
        }
    }

    private struct Version: Hashable {
        var path: String?
        var model: String?
        var name: String?
    }

    private static func withoutRepetitions(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
        // An edited version is found by the comparison with the released state, and for each entity by that with the
        // lock.
        func edited(_ diagnostic: Diagnostic) -> Version? {
            guard diagnostic.rule == .releasedVersionEdited, let element = diagnostic.element else { return nil }
            return Version(path: element.modelPath, model: element.model, name: element.version)
        }
        let whole = Set(diagnostics.filter { $0.element?.components.isEmpty == true }.compactMap(edited))
        var seen: [Identity: Int] = [:]
        var result: [Diagnostic] = []
        for diagnostic in diagnostics {
            if let version = edited(diagnostic), diagnostic.element?.components.isEmpty == false,
                whole.contains(version)
            {
                continue
            }
            guard let index = seen[Identity(diagnostic)] else {
                seen[Identity(diagnostic)] = result.count
                result.append(diagnostic)
                continue
            }
            result[index].severity = max(result[index].severity, diagnostic.severity)
            if result[index].fixes.isEmpty { result[index].fixes = diagnostic.fixes }
            result[index].command = result[index].command ?? diagnostic.command
        }
        return result
    }
}
