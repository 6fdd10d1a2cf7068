internal import ModelEvolution
internal import ModelMigration

/// A difference as Markdown, for a comment on a pull request.
struct DiffMarkdown {
    private let report: DiffReport

    init(_ report: DiffReport) {
        self.report = report
    }

    /// The text, ending in a line feed.
    var text: String {
        let difference = report.difference
        var lines = [
            "### Core Data model changes", "", "\(Self.code(report.oldTitle)) → \(Self.code(report.newTitle))", "",
        ]
        if difference.isEmpty { return (lines + ["The models are equal."]).joined(separator: "\n") + "\n" }
        lines += ["**\(report.verdict)**", ""]
        for obstacle in report.migration.obstacles {
            lines.append(
                "- :x: \(Self.code(obstacle.element)) \(Self.escaped(obstacle.reason))" + DiffText.certainty(obstacle))
        }
        for risk in report.migration.risks {
            lines.append("- :warning: \(Self.code(risk.element)) \(Self.escaped(risk.reason))")
        }
        if !report.migration.obstacles.isEmpty || !report.migration.risks.isEmpty { lines.append("") }
        var rows = difference.entities.flatMap(Self.rows)
        for (title, changes) in [
            ("fetch request", difference.fetchRequests), ("configuration", difference.configurations),
            ("composite type", difference.composites),
        ] {
            rows += changes.map { change in
                Self.row(
                    change.kind, element: Self.code(change.name) + " (\(title))",
                    details: Self.details(change, phrase: ""))
            }
        }
        rows += difference.settings.map {
            Self.row(.changed, element: "model", details: Self.escaped(DiffPhrases.text($0)))
        }
        if !rows.isEmpty { lines += ["| | element | change |", "| --- | --- | --- |"] + rows + [""] }
        let hashes = difference.entities.filter { !$0.hashTerms.isEmpty }
        if !hashes.isEmpty {
            lines += [
                "<details><summary>Version hashes that change</summary>", "", "| entity | because of |",
                "| --- | --- |",
            ]
            for entity in hashes {
                let terms = entity.hashTerms.map(DiffPhrases.text).joined(separator: ", ")
                lines.append("| \(Self.code(entity.change.name)) | \(Self.escaped(terms)) |")
            }
            lines += ["", "</details>", ""]
        }
        while lines.last == "" { lines.removeLast() }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func rows(_ entity: EntityChange) -> [String] {
        var rows: [String] = []
        let details = details(entity.change, phrase: DiffPhrases.phrase(entity))
        if !details.isEmpty {
            rows.append(row(entity.change.kind, element: code(entity.change.name), details: details))
        }
        for property in entity.properties {
            rows.append(
                row(
                    property.change.kind, element: code("\(entity.change.name).\(property.change.name)"),
                    details: Self.details(property.change, phrase: DiffPhrases.phrase(property))))
        }
        return rows
    }

    private static func details(_ change: ElementChange, phrase: String) -> String {
        ([phrase].filter { !$0.isEmpty } + DiffPhrases.shownFields(change).map(DiffPhrases.text)).map(escaped)
            .joined(separator: "<br>")
    }

    private static func row(_ kind: ChangeKind, element: String, details: String) -> String {
        "| `\(DiffPhrases.mark(kind))` | \(element) | \(details) |"
    }

    /// Returns a name as a code span. Names may contain anything, so the fence is longer than any run of backquotes in
    /// them.
    private static func code(_ name: String) -> String {
        var longest = 0
        var run = 0
        for character in name {
            run = character == "`" ? run + 1 : 0
            longest = max(longest, run)
        }
        let fence = String(repeating: "`", count: longest + 1)
        let text = oneLine(name).replacing("|", with: "\\|")
        return longest == 0 ? fence + text + fence : "\(fence) \(text) \(fence)"
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in oneLine(text) {
            if "\\`*_{}[]<>#+!|~@&".contains(character) { result.append("\\") }
            result.append(character)
        }
        return result
    }

    private static func oneLine(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }
}
