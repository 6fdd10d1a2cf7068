/// How much a finding matters.
package enum Severity: Int, Comparable, Sendable, CaseIterable {
    /// Worth knowing; nothing needs to be done.
    case note
    /// Probably wrong; the result can still be used.
    case warning
    /// Wrong; nothing is written.
    case error

    /// Orders severities from the least to the most serious.
    package static func < (lhs: Severity, rhs: Severity) -> Bool { lhs.rawValue < rhs.rawValue }

    /// The word that stands in a message: `note`, `warning` or `error`.
    package var word: String {
        switch self {
        case .note: "note"
        case .warning: "warning"
        case .error: "error"
        }
    }
}

/// One finding: what is wrong, where, why it matters and what to do.
package struct Diagnostic: Hashable, Sendable {
    /// How much it matters.
    package var severity: Severity
    /// What kind of finding it is, for example `duplicate-name`.
    package var rule: RuleID
    /// What is wrong, in one sentence without a full stop.
    package var message: String
    /// The path of the file, as the user named it, or nil when no file is concerned.
    package var file: String?
    /// The place in the file, or nil when the file as a whole is meant.
    package var range: SourceRange?
    /// Why it matters.
    package var why: String?
    /// What to do about it.
    package var help: String?
    /// The part of a model that is concerned, for tools that follow a finding from run to run.
    package var element: ElementPath?
    /// What to do in Xcode's own words, for example `Book ▸ Relationships ▸ author ▸ Inverse`.
    package var inXcode: String?
    /// Changes of the file that answer the finding. The first is the one to apply.
    package var fixes: [FixIt] = []
    /// Other places that explain the finding.
    package var related: [RelatedPlace] = []

    /// Creates a finding.
    package init(
        _ severity: Severity, rule: RuleID, _ message: String, file: String? = nil, range: SourceRange? = nil,
        why: String? = nil, help: String? = nil
    ) {
        self.severity = severity
        self.rule = rule
        self.message = message
        self.file = file
        self.range = range
        self.why = why
        self.help = help
    }
}

extension Diagnostic {
    /// Whether the finding is about a path and not about what a file holds, so that a line and column would mean nothing: nothing
    /// is there, or it cannot be read or written.
    package var concernsPath: Bool {
        guard range == nil || range == .fileStart else { return false }
        switch rule {
        case .noSuchFile, .fileSystem, .fileExists, .packageSetup, .noSuchTarget: return true
        default: return false
        }
    }
}

extension Sequence where Element == Diagnostic {
    /// Whether one of the findings is an error.
    package var hasErrors: Bool { contains { $0.severity == .error } }

    /// The findings in the order of a reader: by file, then place, then the more serious first.
    package func sortedByPlace() -> [Diagnostic] {
        sorted { first, second in
            if first.file != second.file { return (first.file ?? "") < (second.file ?? "") }
            let firstStart = first.range?.start ?? .start
            let secondStart = second.range?.start ?? .start
            if firstStart != secondStart { return firstStart < secondStart }
            if first.severity != second.severity { return first.severity > second.severity }
            return (first.rule.rawValue, first.message) < (second.rule.rawValue, second.message)
        }
    }
}

extension Diagnostic {
    /// Parts of a finding as sentences of one paragraph. Messages have no full stop, explanations have one.
    static func paragraph(_ parts: String?...) -> String {
        var text = ""
        for part in parts.compactMap({ $0 }) where !part.isEmpty {
            if let last = text.last { text += ".!?".contains(last) ? " " : ". " }
            text += part
        }
        return text
    }
}
