/// The severity of a finding.
package enum Severity: Int, Comparable, Sendable, CaseIterable {
    /// Informative; no action is needed.
    case note
    /// Probably wrong; the result can still be used.
    case warning
    /// Wrong; nothing is written.
    case error

    /// Orders severities from the least to the most severe.
    package static func < (lhs: Severity, rhs: Severity) -> Bool { lhs.rawValue < rhs.rawValue }

    /// The word in messages: `note`, `warning` or `error`.
    package var word: String {
        switch self {
        case .note: "note"
        case .warning: "warning"
        case .error: "error"
        }
    }
}

/// A finding: the problem, its location, why it matters and what to do about it.
package struct Diagnostic: Hashable, Sendable {
    package var severity: Severity
    /// The rule of the finding, for example `duplicate-name`.
    package var rule: RuleID
    /// The problem, in one sentence without a period.
    package var message: String
    /// The path of the file as the user named it, or `nil` if no file is affected.
    package var file: String?
    /// The range in the file, or `nil` for the file as a whole.
    package var range: SourceRange?
    /// Why it matters.
    package var why: String?
    /// What to do about it.
    package var help: String?
    /// The affected element of a model, for tools that track a finding across runs.
    package var element: ElementPath?
    /// Where to fix it in Xcode's editor, for example `Book ▸ Relationships ▸ author ▸ Inverse`.
    package var inXcode: String?
    /// The shell command that fixes the finding, or that takes the next step; `nil` if only an edit does.
    package var command: String?
    /// The fixes for the finding. The first is the one to apply.
    package var fixes: [FixIt] = []
    /// Other locations that explain the finding.
    package var related: [RelatedLocation] = []
    /// The affected rows, for a finding about a store.
    package var rows: AffectedRows?

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
    /// Whether the finding is about a path instead of the contents of a file, so that a line and column would have no
    /// meaning: the file does not exist, or cannot be read or written.
    package var concernsPath: Bool {
        guard range == nil || range == .fileStart else { return false }
        if rows != nil { return true }
        switch rule {
        case .noSuchFile, .fileSystem, .fileExists, .packageSetup, .noSuchTarget: return true
        default: return false
        }
    }
}

extension Sequence where Element == Diagnostic {
    /// Whether one of the findings is an error.
    package var hasErrors: Bool { contains { $0.severity == .error } }

    /// The number of findings of each severity that occurs, such as `1 error, 2 warnings`.
    package var severityCounts: String {
        Severity.allCases.reversed().compactMap { severity in
            let count = count { $0.severity == severity }
            return count == 0 ? nil : counted(count, severity.word)
        }.joined(separator: ", ")
    }

    /// Returns the findings sorted by file, then by location, then by severity, most severe first.
    package func sortedByLocation() -> [Diagnostic] {
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
    /// Returns parts of a finding as sentences of one paragraph. Messages have no period, explanations have one.
    static func paragraph(_ parts: String?...) -> String {
        var text = ""
        for part in parts.compactMap({ $0 }) where !part.isEmpty {
            if let last = text.last { text += ".!?".contains(last) ? " " : ". " }
            text += part
        }
        return text
    }
}
