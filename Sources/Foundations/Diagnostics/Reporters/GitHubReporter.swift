/// Annotations for GitHub Actions: ten of each severity, the number that GitHub shows for a step
/// (Documentation/Formats/ReportFormats.md, 2).
struct GitHubReporter: Reporter {
    private static let limit = 10

    func text(for report: Report) -> String {
        var result = ""
        for severity in Severity.allCases.reversed() {
            let findings = report.diagnostics.filter { $0.severity == severity }
            for diagnostic in findings.prefix(Self.limit) { result += Self.command(diagnostic) }
            if findings.count > Self.limit {
                result +=
                    "::notice::\(findings.count - Self.limit) more \(severity.word)s are not annotated: "
                    + "GitHub shows \(Self.limit) of a step. The log has them all.\n"
            }
        }
        return result
    }

    private static func command(_ diagnostic: Diagnostic) -> String {
        let word = diagnostic.severity == .note ? "notice" : diagnostic.severity.word
        var properties: [String] = []
        if let file = diagnostic.file {
            let range = diagnostic.location
            properties = [
                "file=\(property(file))", "line=\(range.start.line)", "col=\(range.start.column)",
                "endLine=\(range.end.line)",
            ]
            if range.end.line == range.start.line { properties.append("endColumn=\(range.end.column)") }
        }
        properties.append("title=\(property(diagnostic.rule.rawValue))")
        let message = [diagnostic.message, diagnostic.why, diagnostic.help].compactMap { $0.map(DisplayText.line) }
            .joined(separator: "\n")
        return "::\(word) \(properties.joined(separator: ","))::\(escaped(message))\n"
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "%": result += "%25"
            case "\r": result += "%0D"
            case "\n": result += "%0A"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func property(_ text: String) -> String {
        var result = ""
        for scalar in escaped(DisplayText.line(text)).unicodeScalars {
            switch scalar {
            case ":": result += "%3A"
            case ",": result += "%2C"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
