/// A Markdown table, for comments on pull requests and for the summary of a step in GitHub Actions, which is limited to
/// 1 MiB.
struct MarkdownReporter: Reporter {
    private static let sizeLimit = 900_000

    func text(for report: Report) -> String {
        let headlines = report.headlines.flatMap { headline in
            headline.values.map { "**\(headline.name)**: \(Self.escaped($0))\n\n" }
        }
        return headlines.joined() + table(of: report)
    }

    private func table(of report: Report) -> String {
        guard !report.diagnostics.isEmpty else {
            return "No findings in \(report.checkedFiles.count) \(report.checkedFiles.count == 1 ? "file" : "files").\n"
        }
        var result = "| | Element | Finding | Rule |\n| --- | --- | --- | --- |\n"
        for (index, diagnostic) in report.diagnostics.enumerated() {
            if result.utf8.count > Self.sizeLimit {
                result += "\n… and \(report.diagnostics.count - index) more findings.\n"
                break
            }
            let location =
                diagnostic.file.map { "\($0):\(diagnostic.location.start.line)" } ?? ""
            let element = diagnostic.element.flatMap { $0.components.isEmpty ? nil : $0.dotted } ?? location
            let message = Diagnostic.paragraph(diagnostic.message, diagnostic.help)
            result += "| \(diagnostic.severity.word) | \(Self.escaped(element)) | \(Self.escaped(message)) | "
            result += "`\(diagnostic.rule.rawValue)` |\n"
        }
        return result
    }

    /// Returns a text in which Markdown, HTML and the separators of cells are escaped.
    private static func escaped(_ text: String) -> String {
        XMLText.escaped(DisplayText.line(text), quotes: false) { scalar in
            switch scalar {
            case "\\", "|", "`", "*", "_", "[", "]", "#", "~": "\\" + String(scalar)
            // A name in a model must not mention a user or link an issue.
            case "@": "&#64;"
            default: nil
            }
        }
    }
}
