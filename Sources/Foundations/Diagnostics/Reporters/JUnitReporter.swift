/// JUnit XML: a test case for each checked file, so that clean files appear as passed.
struct JUnitReporter: Reporter {
    func text(for report: Report) -> String {
        var findings: [String: [Diagnostic]] = [:]
        for diagnostic in report.diagnostics { findings[diagnostic.file ?? "", default: []].append(diagnostic) }
        let files = Set(report.checkedFiles).union(findings.keys).sorted()
        // Notes are informative and do not fail a test.
        let failures = report.diagnostics.filter { $0.severity > .note }
        let failing = Set(failures.map { $0.file ?? "" })
        var result = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        result += "<testsuites name=\"modelc\" tests=\"\(files.count)\" failures=\"\(failing.count)\">\n"
        result += "  <testsuite name=\"modelc\" tests=\"\(files.count)\" failures=\"\(failing.count)\">\n"
        for file in files {
            let name = file.isEmpty ? "modelc" : file
            let all = (findings[file] ?? []).filter { $0.severity > .note }
            guard let first = all.first else {
                result += "    <testcase classname=\"modelc\" name=\"\(XMLText.escapedForReport(name))\"/>\n"
                continue
            }
            let lines = XcodeReporter().text(
                for: Report(
                    diagnostics: all, rules: [:], lines: [:], checkedFiles: [], hiddenCount: 0, toolVersion: ""))
            let message = all.count == 1 ? first.message : "\(all.count) findings"
            result += "    <testcase classname=\"modelc\" name=\"\(XMLText.escapedForReport(name))\">\n"
            result += "      <failure type=\"\(first.severity.word)\" message=\"\(XMLText.escapedForReport(message))\">"
            result += "\(XMLText.escapedForReport(lines))</failure>\n    </testcase>\n"
        }
        return result + "  </testsuite>\n</testsuites>\n"
    }
}
