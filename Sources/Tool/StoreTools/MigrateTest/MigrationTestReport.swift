internal import Diagnostics
internal import Foundation

/// The results of all migrations.
struct MigrationTestReport {
    let model: String
    let target: String
    let results: [MigrationTestResult]

    /// The maximum number of reasons that are printed for a migration.
    private static let limit = 20

    /// Whether no migration failed, and each store has at least one route to the target.
    var isSuccess: Bool {
        let stores = Dictionary(grouping: results, by: \.store)
        return stores.values.allSatisfy { results in
            results.contains { $0.outcome.word == "passed" } && !results.contains { $0.outcome.word == "failed" }
        }
    }

    private func count(_ word: String) -> Int { results.count { $0.outcome.word == word } }

    /// The counts on one line.
    var summary: String {
        guard !results.isEmpty else { return "nothing to migrate" }
        return "\(counted(results.count, "migration")): \(count("passed")) passed, \(count("failed")) failed, "
            + "\(count("not possible")) not possible, \(count("not run")) not run"
    }

    /// The report as human-readable text.
    var text: String {
        var lines = ["\(model): migrations to “\(target)”"]
        let width = results.map { $0.store.count }.max() ?? 0
        for result in results {
            let name = "“\(result.store)”".padding(toLength: width + 2, withPad: " ", startingAt: 0)
            let word = result.outcome.word.padding(toLength: 12, withPad: " ", startingAt: 0)
            lines.append("  \(word)  \(name)  \(result.route.title)" + (result.outcome.note.map { ": \($0)" } ?? ""))
            lines += result.outcome.reasons.prefix(Self.limit).map { "      \($0)" }
            let more = result.outcome.reasons.count - Self.limit
            if more > 0 { lines.append("      … and \(more) more") }
        }
        if results.isEmpty { lines.append("  There is no earlier version.") }
        return lines.joined(separator: "\n") + "\n"
    }

    var json: JSONValue {
        .object([
            ("model", .string(model)), ("to", .string(target)), ("success", .bool(isSuccess)),
            (
                "migrations",
                .array(
                    results.map { result in
                        .compact([
                            ("store", .string(result.store)), ("route", .string(result.route.title)),
                            ("result", .string(result.outcome.word)),
                            ("note", .optional(result.outcome.note)),
                            ("reasons", .array(result.outcome.reasons.map { .string($0) })),
                            ("milliseconds", .integer(Int((result.seconds * 1000).rounded()))),
                        ])
                    })
            ),
        ])
    }

    /// The report as JUnit XML. An impossible route to the target is skipped if another route passes, and fails
    /// otherwise.
    var junit: String {
        let passing = Set(results.filter { $0.outcome.word == "passed" }.map(\.store))
        func fails(_ result: MigrationTestResult) -> Bool {
            result.outcome.word == "failed" || (result.outcome.word != "passed" && !passing.contains(result.store))
        }
        func time(_ seconds: Double) -> String { String(format: "%.3f", seconds) }
        let skipped = results.count { $0.outcome.word != "passed" && !fails($0) }
        let counts = "tests=\"\(results.count)\" failures=\"\(results.count(where: fails))\""
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"modelc migrate-test\" \(counts)>\n"
        text +=
            "  <testsuite name=\"\(XMLText.escapedForReport(model)) to \(XMLText.escapedForReport(target))\" \(counts) skipped=\"\(skipped)\" "
        text += "time=\"\(time(results.reduce(0) { $0 + $1.seconds }))\">\n"
        for result in results {
            text +=
                "    <testcase classname=\"\(XMLText.escapedForReport(result.store))\" name=\"\(result.route.title)\" "
            text += "time=\"\(time(result.seconds))\""
            let message = XMLText.escapedForReport(
                result.outcome.note ?? result.outcome.reasons.first ?? result.outcome.word)
            if result.outcome.word == "passed" {
                text += "/>\n"
            } else if fails(result) {
                text += ">\n      <failure message=\"\(message)\">"
                text +=
                    XMLText.escapedForReport(result.outcome.reasons.joined(separator: "\n"))
                    + "</failure>\n    </testcase>\n"
            } else {
                text += ">\n      <skipped message=\"\(message)\"/>\n    </testcase>\n"
            }
        }
        return text + "  </testsuite>\n</testsuites>\n"
    }
}

extension MigrationTestResult.Outcome {
    /// The outcome in one or two words.
    var word: String {
        switch self {
        case .passed: "passed"
        case .failed: "failed"
        case .impossible: "not possible"
        case .needsCode: "not run"
        }
    }

    /// A short note about the outcome.
    var note: String? {
        switch self {
        case .passed(let note): note
        case .impossible: "no mapping model leads there, and none can be inferred (134140)"
        case .needsCode(let reason): reason
        case .failed: nil
        }
    }

    /// The reasons, one sentence each.
    var reasons: [String] {
        switch self {
        case .failed(let reasons), .impossible(let reasons): reasons
        case .passed, .needsCode: []
        }
    }
}
