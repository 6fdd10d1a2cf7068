/// One line per finding: `path:line:column: severity: message [rule]`.
struct XcodeReporter: Reporter {
    func text(for report: Report) -> String {
        report.diagnostics.map { diagnostic in
            let start = diagnostic.location.start
            let file = DisplayText.line(diagnostic.file ?? "modelc")
            return "\(file):\(start.line):\(start.column): \(diagnostic.severity.word): "
                + "\(DisplayText.line(diagnostic.message)) [\(diagnostic.rule.rawValue)]\n"
        }.joined()
    }
}
