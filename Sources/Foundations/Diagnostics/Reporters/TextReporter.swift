/// Prints findings for a person: `file:line:column: severity: text [rule]`, the line with a caret below it, the cause
/// and the fix.
///
/// The first line of a finding has the format that Xcode, Emacs, Vim and SwiftPM parse.
package struct TextReporter: Reporter {
    /// Whether to use ANSI colors.
    package var usesColor: Bool

    /// Creates a reporter.
    package init(usesColor: Bool) {
        self.usesColor = usesColor
    }

    /// Returns the text of a finding, ending in a line feed.
    ///
    /// - Parameters:
    ///   - diagnostic: The finding.
    ///   - lines: The lines of the finding's file; `nil` to print no excerpt.
    package func text(for diagnostic: Diagnostic, lines: LineIndex?) -> String {
        var result = ""
        if let file = diagnostic.file {
            let start = diagnostic.concernsPath ? nil : diagnostic.range?.start ?? .start
            let position = start.map { "\($0.line):\($0.column): " } ?? " "
            result += style(.bold, "\(DisplayText.line(file)):\(position)")
        } else {
            result += style(.bold, "modelc: ")
        }
        result += style(color(of: diagnostic.severity), "\(diagnostic.severity.word): ")
        result += style(.bold, DisplayText.line(diagnostic.message)) + " [\(diagnostic.rule.rawValue)]\n"
        if let range = diagnostic.range, let excerpt = excerpt(range, lines) { result += excerpt }
        if let rows = diagnostic.rows, !rows.examples.isEmpty {
            let rest = rows.count > rows.examples.count ? " and \(rows.count - rows.examples.count) more" : ""
            result += "  rows: \(rows.examples.map { DisplayText.line($0) }.joined(separator: ", "))\(rest)\n"
        }
        if let why = diagnostic.why { result += "  why: \(DisplayText.line(why))\n" }
        if let help = diagnostic.help { result += "  help: \(DisplayText.line(help))\n" }
        if let inXcode = diagnostic.inXcode { result += "  in Xcode: \(DisplayText.line(inXcode))\n" }
        if let fix = diagnostic.fixes.first {
            let option = fix.safety == .safe ? "--fix" : "--unsafe-fixes"
            result += "  fix: \(DisplayText.line(fix.title)) (\(option))\n"
        }
        for location in diagnostic.related {
            let start = location.range?.start ?? .start
            result += "  \(DisplayText.line(location.file)):\(start.line):\(start.column): "
            result += "\(DisplayText.line(location.message))\n"
        }
        return result
    }

    /// Returns the text of all findings.
    package func text(for report: Report) -> String {
        report.headlines.flatMap(\.lines).map { style(.bold, DisplayText.line($0)) + "\n" }.joined()
            + report.diagnostics.map { text(for: $0, lines: $0.file.flatMap { report.lines[$0] }) }.joined()
    }

    private func excerpt(_ range: SourceRange, _ lines: LineIndex?) -> String? {
        guard let lines, range.start.line <= lines.lineCount else { return nil }
        let lineLength = lines.length(ofLine: range.start.line)
        let startColumn = min(range.start.column, lineLength + 1)
        let endColumn = range.end.line == range.start.line ? min(range.end.column, lineLength + 1) : lineLength + 1
        // A window around the location, so that a file without line breaks does not fill the screen.
        let width = 120
        let first = startColumn > width ? startColumn - width / 2 : 1
        let last = min(lineLength, max(first + width, min(endColumn, first + 2 * width)))
        guard let window = lines.text(ofLine: range.start.line, columns: first..<last + 1) else { return nil }
        var shown = ""
        var padding = ""
        for (index, scalar) in window.unicodeScalars.enumerated() {
            // Tabs are kept in both lines, so that the caret is below its character at every tab width.
            let printable = scalar == "\t" ? "\t" : DisplayText.line(String(scalar))
            shown += printable
            if first + index < startColumn {
                padding += scalar == "\t" ? "\t" : String(repeating: " ", count: printable.count)
            }
        }
        let length = max(1, min(endColumn, last + 1) - startColumn)
        let caret = "^" + String(repeating: "~", count: length - 1)
        let number = String(range.start.line)
        let margin = String(repeating: " ", count: number.count)
        let prefix = first > 1 ? "…" : ""
        let suffix = last < lineLength ? "…" : ""
        return "  \(number) | \(prefix)\(shown)\(suffix)\n"
            + "  \(margin) | \(prefix.isEmpty ? "" : " ")\(padding)\(style(.green, caret))\n"
    }

    /// The escape sequences that this reporter writes to a terminal.
    static let styleSequences = Style.allCases.map(\.sequence)

    enum Style: String, CaseIterable {
        case none = "0"
        case bold = "1"
        case red = "1;31"
        case yellow = "1;33"
        case cyan = "1;36"
        case green = "1;32"

        var sequence: String { "\u{1B}[\(rawValue)m" }
    }

    private func color(of severity: Severity) -> Style {
        switch severity {
        case .note: .cyan
        case .warning: .yellow
        case .error: .red
        }
    }

    private func style(_ style: Style, _ text: String) -> String {
        usesColor ? style.sequence + text + Style.none.sequence : text
    }
}
