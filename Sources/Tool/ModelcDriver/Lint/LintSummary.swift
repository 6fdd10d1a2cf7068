internal import Diagnostics

/// The last lines of `modelc lint`, for people.
struct LintSummary {
    let report: Report
    /// The number of findings in the baseline that no longer occur.
    let staleCount: Int
    /// The number of findings that were fixed, or would be.
    let fixCount: Int
    let fixing: LintCommand.Fixing
    let isDryRun: Bool

    /// The lines, each ending in a line feed.
    var text: String { lines.map { "modelc: \($0)\n" }.joined() }

    private var lines: [String] {
        var lines = [counts]
        if fixCount > 0 { lines.append("\(isDryRun ? "would fix" : "fixed") \(counted(fixCount, "finding"))") }
        if report.hiddenCount > 0 {
            lines.append("\(counted(report.hiddenCount, "more finding")) hidden by suppressions or the baseline")
        }
        if staleCount > 0 {
            lines.append(
                "the baseline has \(counted(staleCount, "finding")) that \(staleCount == 1 ? "is" : "are") gone; "
                    + "write it again with --write-baseline")
        }
        let safe = report.diagnostics.count { $0.fixes.first?.safety == .safe }
        let unsafe = report.diagnostics.count { $0.fixes.first?.safety == .unsafe }
        if safe > 0, fixing == .none { lines.append("\(counted(safe, "finding")) can be fixed with --fix") }
        if unsafe > 0, fixing != .all {
            lines.append(
                "\(counted(unsafe, "finding")) can be fixed with --unsafe-fixes, which may move version hashes or "
                    + "change what the app does")
        }
        return lines
    }

    private var counts: String {
        let checked = counted(report.checkedFiles.count, "file")
        guard !report.diagnostics.isEmpty else { return "no findings in \(checked)" }
        let files = counted(Set(report.diagnostics.compactMap(\.file)).count, "file")
        return "found \(report.diagnostics.severityCounts) in \(files) (checked \(checked))"
    }
}
