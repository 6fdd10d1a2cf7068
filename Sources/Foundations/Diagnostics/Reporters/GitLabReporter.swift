/// GitLab's code quality report: the subset of Code Climate's format that GitLab reads.
struct GitLabReporter: Reporter {
    func text(for report: Report) -> String {
        let issues = zip(report.diagnostics, report.fingerprints).map { diagnostic, fingerprint in
            let range = diagnostic.location
            return JSONValue.object([
                ("description", .string(diagnostic.message)), ("check_name", .string(diagnostic.rule.rawValue)),
                // Findings in several files may be about one element.
                ("fingerprint", .string(fingerprint.hexString)),
                ("severity", .string(Self.severity(diagnostic.severity))),
                (
                    "location",
                    .object([
                        ("path", .string(diagnostic.file ?? "")),
                        ("lines", .object([("begin", .integer(range.start.line)), ("end", .integer(range.end.line))])),
                    ])
                ),
            ])
        }
        return JSONValue.array(issues).text + "\n"
    }

    private static func severity(_ severity: Severity) -> String {
        switch severity {
        case .note: "info"
        case .warning: "minor"
        case .error: "critical"
        }
    }
}
