internal import Diagnostics

struct LaneReport {
    let project: LaneProject
    let selection: LaneSelection
    /// The number of builds until the package compiled; `nil` if it was not built.
    var rounds: Int?
    /// The result of the tests; `nil` if they did not run.
    var tests: LaneTestResult?

    /// The sources that import Core Data or SwiftData, and no framework for user interfaces.
    private var dataSources: [LaneSelection.File] {
        selection.files.filter { $0.importsPersistence && !$0.importsInterface }
    }

    private func location(of file: LaneSelection.File) -> String {
        DisplayText.line(file.path) + (file.omission?.line.map { ":\($0)" } ?? "")
    }

    /// The report as human-readable text.
    var text: String {
        let title = DisplayText.line(project.targetName)
        let models = project.targets.flatMap(\.group.bundles).count
        var text = """
            target \(title): \(selection.included.count) of \(counted(selection.files.count, "source")), \
            \(counted(models, "model"))

            """
        if !dataSources.isEmpty {
            text += """
                  \(dataSources.count { $0.omission == nil }) of \(counted(dataSources.count, "source")) that import \
                CoreData or SwiftData, and no user interface

                """
        }
        if !selection.omitted.isEmpty {
            text += "  left out:\n"
            for file in selection.omitted {
                text += "    \(location(of: file)): \(DisplayText.line(file.omission?.reason ?? ""))\n"
            }
        }
        if let rounds { text += "  builds after \(counted(rounds, "round"))\n" }
        if let tests { text += "  tests: \(DisplayText.line(tests.summary))\n" }
        return text
    }

    /// The report as JSON, without what differs between runs.
    var json: String {
        let omitted = selection.omitted.map { file in
            JSONValue.compact([
                ("path", .string(file.path)), ("target", .string(project.targets[file.target].name)),
                ("line", file.omission?.line.map { .integer($0) } ?? .null),
                ("reason", .string(file.omission?.reason ?? "")),
            ])
        }
        let included = selection.included.map { file in
            JSONValue.object([
                ("path", .string(file.path)), ("target", .string(project.targets[file.target].name)),
                ("file", .string(file.destination)),
            ])
        }
        let summary: [(key: String, value: JSONValue)] = [
            ("sources", .integer(selection.files.count)), ("included", .integer(included.count)),
            ("data_sources", .integer(dataSources.count)),
            ("data_sources_included", .integer(dataSources.count { $0.omission == nil })),
        ]
        return JSONValue.compact([
            ("version", .integer(1)), ("project", .string(project.title)), ("target", .string(project.targetName)),
            ("summary", .object(summary)),
            ("models", .array(project.targets.flatMap(\.group.bundles).map { .string($0) })),
            ("omitted", .array(omitted)), ("included", .array(included)),
            (
                "tests",
                tests.map { .object([("passed", .bool($0.passed)), ("summary", .string($0.summary))]) } ?? .null
            ),
        ]).text + "\n"
    }
}

/// The result of `swift test`.
struct LaneTestResult: Equatable {
    var passed: Bool
    /// The numbers of tests, in the words of the test libraries.
    var summary: String
    /// The lines about failures.
    var failures: [String] = []

    /// Reads the output of `swift test`.
    init(exitCode: Int32, output: String) {
        passed = exitCode == 0
        let lines = output.split(whereSeparator: \.isNewline)
        var parts: [String] = []
        // XCTest prints totals of every suite; the last ones are those of all.
        if let line = lines.last(where: { $0.contains("Executed ") && $0.contains(" test") }) {
            parts.append(Self.trimmed(line))
        }
        if let line = lines.last(where: { $0.contains("Test run with ") }),
            let range = line.firstRange(of: "Test run with ")
        {
            parts.append(String(line[range.lowerBound...]))
        }
        parts.removeAll { $0.contains("Executed 0 tests") || $0.contains("Test run with 0 tests") }
        summary =
            parts.isEmpty ? (exitCode == 0 ? "none" : "exited with code \(exitCode)") : parts.joined(separator: "; ")
        failures = lines.filter { $0.contains(": error: ") || $0.contains("recorded an issue at ") }.map(Self.trimmed)
    }

    private static func trimmed(_ line: Substring) -> String {
        let start = line.drop { $0 == " " || $0 == "\t" }
        return String(start)
    }
}
