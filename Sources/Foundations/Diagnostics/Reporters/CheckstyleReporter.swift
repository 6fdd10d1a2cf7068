/// Checkstyle XML.
struct CheckstyleReporter: Reporter {
    func text(for report: Report) -> String {
        var findings: [String: [Diagnostic]] = [:]
        for diagnostic in report.diagnostics { findings[diagnostic.file ?? "", default: []].append(diagnostic) }
        var result = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<checkstyle version=\"4.3\">\n"
        for (file, diagnostics) in findings.sorted(by: { $0.key < $1.key }) {
            result += "  <file name=\"\(XMLText.escapedForReport(file))\">\n"
            for diagnostic in diagnostics {
                let start = diagnostic.location.start
                let severity = diagnostic.severity == .note ? "info" : diagnostic.severity.word
                result += "    <error line=\"\(start.line)\" column=\"\(start.column)\" severity=\"\(severity)\" "
                result +=
                    "message=\"\(XMLText.escapedForReport(diagnostic.message))\" source=\"modelc.\(diagnostic.rule.rawValue)\"/>\n"
            }
            result += "  </file>\n"
        }
        return result + "</checkstyle>\n"
    }
}
