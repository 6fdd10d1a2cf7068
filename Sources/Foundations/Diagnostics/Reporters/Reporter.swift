/// Converts a report to text for a person, a CI system or an editor.
package protocol Reporter: Sendable {
    /// Returns the report as text, ending in a line feed unless it is empty.
    func text(for report: Report) -> String
}

/// The formats in which findings can be printed.
package enum ReporterKind: String, CaseIterable, Sendable {
    /// Human-readable text: the line with a caret, the cause and the fix.
    case text
    /// One line per finding, as Xcode and editors read it.
    case xcode
    /// One JSON object with all findings.
    case json
    /// A JSON object per line, one for each finding.
    case jsonl
    /// SARIF 2.1.0, for GitHub code scanning.
    case sarif
    /// Annotations for GitHub Actions.
    case github
    /// GitLab's code quality report.
    case gitlab
    /// JUnit XML: a test case for each file.
    case junit
    /// Checkstyle XML.
    case checkstyle
    /// Reviewdog's JSON, with fixes as suggestions.
    case rdjson
    /// A Markdown table, for comments on pull requests.
    case markdown
    /// At most 8 KB of JSON, for coding agents.
    case agent

    /// A one-line description.
    package var summary: String {
        switch self {
        case .text: "human-readable: the line with a caret, the cause and the fix"
        case .xcode: "one line a finding, as Xcode and editors read it"
        case .json: "one JSON object with everything"
        case .jsonl: "a JSON object a line, one for each finding"
        case .sarif: "SARIF 2.1.0, for GitHub code scanning"
        case .github: "annotations of GitHub Actions"
        case .gitlab: "GitLab's code quality report"
        case .junit: "JUnit XML, a test case for each file"
        case .checkstyle: "Checkstyle XML"
        case .rdjson: "reviewdog's JSON, with fixes as suggestions"
        case .markdown: "a Markdown table, for comments on pull requests"
        case .agent: "at most 8 KB of JSON with at most 20 findings and their edits, for coding agents"
        }
    }

    /// Returns a reporter of this kind.
    package func reporter(usesColor: Bool) -> any Reporter {
        switch self {
        case .text: TextReporter(usesColor: usesColor)
        case .xcode: XcodeReporter()
        case .json: JSONReporter()
        case .jsonl: JSONLinesReporter()
        case .sarif: SARIFReporter()
        case .github: GitHubReporter()
        case .gitlab: GitLabReporter()
        case .junit: JUnitReporter()
        case .checkstyle: CheckstyleReporter()
        case .rdjson: RDJSONReporter()
        case .markdown: MarkdownReporter()
        case .agent: AgentReporter()
        }
    }

    /// Whether the format has the lines above the findings.
    package var showsHeadlines: Bool {
        switch self {
        case .text, .json, .markdown, .agent: true
        case .xcode, .jsonl, .sarif, .github, .gitlab, .junit, .checkstyle, .rdjson: false
        }
    }
}

extension Diagnostic {
    /// The range, or the start of the file for a finding about the file as a whole.
    var location: SourceRange { range ?? .fileStart }
}
