/// One line of JSON for a coding agent, of limited size: the verdict, and the first findings with their edits.
///
/// An edit that stays on one line holds the line before and after it, as tools that replace text expect; others hold
/// ranges.
package struct AgentReporter: Reporter {
    /// The maximum size, in bytes, with the line feed.
    package static let sizeLimit = 8192
    /// The maximum number of findings.
    package static let findingLimit = 20

    /// The space that is kept for the number of findings that are left out.
    private static let reserve = 160

    package init() {}

    package func text(for report: Report) -> String {
        let counts = Severity.allCases.reversed().map { severity in
            (key: severity.word + "s", value: JSONValue.integer(report.diagnostics.count { $0.severity == severity }))
        }
        let head = report.headlines.map { headline in
            var short = headline
            short.values = headline.values.prefix(3).map { Self.fitted($0, 500) }
            return short.member
        }
        var findings: [JSONValue] = []
        // The space for the findings, which may themselves be shorter without their explanation.
        var rest =
            Self.sizeLimit - Self.reserve - JSONValue.object(head + counts + [("findings", .array([]))]).line.utf8.count
        for diagnostic in report.diagnostics.prefix(Self.findingLimit) {
            let lines = diagnostic.file.flatMap { report.lines[$0] }
            guard
                let object = [true, false].lazy.map({ Self.object(diagnostic, lines, isComplete: $0) })
                    .first(where: { $0.line.utf8.count < rest })
            else { break }
            rest -= object.line.utf8.count + 1
            findings.append(object)
        }
        let missing = report.diagnostics.count - findings.count
        var members = head + counts + [("findings", JSONValue.array(findings))]
        if missing > 0 {
            members.append(
                (
                    "more",
                    .object([
                        ("count", .integer(missing)),
                        ("get", .string("run the same command with --reporter json")),
                    ])
                ))
        }
        return JSONValue.object(members).line + "\n"
    }

    private static func object(_ diagnostic: Diagnostic, _ lines: LineIndex?, isComplete: Bool) -> JSONValue {
        let length = isComplete ? 600 : 120
        let fix = isComplete ? diagnostic.fixes.first : nil
        let reason = diagnostic.why.map { Diagnostic.paragraph(diagnostic.message, $0) } ?? diagnostic.message
        return .compact([
            ("rule", .string(diagnostic.rule.rawValue)), ("severity", .string(diagnostic.severity.word)),
            // A path is never cut, since it would name another file.
            ("file", .optional(diagnostic.file)),
            (
                "line",
                diagnostic.file == nil || diagnostic.concernsPath ? .null : .integer(diagnostic.location.start.line)
            ),
            ("element", .optional(diagnostic.element.flatMap(Self.element).map { fitted($0, length) })),
            ("reason", .string(fitted(reason, length))),
            ("help", .optional(diagnostic.help.map { fitted($0, length) })),
            ("command", .optional(isComplete ? diagnostic.command : nil)),
            ("fix", fix.map { Self.fix($0, lines) } ?? .null),
        ])
    }

    /// Returns the path of an element with the names of its model and version: `Books/Books 2/Book.title`.
    private static func element(_ element: ElementPath) -> String? {
        let parts = [element.model, element.version, element.components.isEmpty ? nil : element.dotted]
            .compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: "/")
    }

    private static func fix(_ fix: FixIt, _ lines: LineIndex?) -> JSONValue {
        let change: (key: String, value: JSONValue) =
            lines.flatMap { changedLine(fix, $0) }
            ?? (
                "edits",
                .array(
                    fix.edits.map { edit in
                        .object([
                            ("start", JSONReporter.position(edit.range.start)),
                            ("end", JSONReporter.position(edit.range.end)),
                            ("replacement", .string(edit.replacement)),
                        ])
                    })
            )
        return .object([
            ("title", .string(fix.title)), ("safety", .string(fix.safety == .safe ? "safe" : "unsafe")), change,
        ])
    }

    /// Returns a line before and after its edits, or `nil` if an edit concerns another line.
    private static func changedLine(_ fix: FixIt, _ lines: LineIndex) -> (key: String, value: JSONValue)? {
        guard let line = fix.edits.first?.range.start.line, let old = lines.text(ofLine: line),
            fix.edits.allSatisfy({ $0.range.start.line == line && $0.range.end.line == line })
        else { return nil }
        var scalars = Array(old.unicodeScalars)
        for edit in fix.edits.reversed() {
            let (start, end) = (edit.range.start.column - 1, edit.range.end.column - 1)
            guard start >= 0, start <= end, end <= scalars.count else { return nil }
            scalars.replaceSubrange(start..<end, with: edit.replacement.unicodeScalars)
        }
        var new = ""
        new.unicodeScalars.append(contentsOf: scalars)
        return ("edit", .object([("line", .integer(line)), ("old", .string(old)), ("new", .string(new))]))
    }

    /// Returns the beginning of a text that needs at most a number of bytes in JSON.
    private static func fitted(_ text: String, _ limit: Int) -> String {
        // A scalar needs at most twelve bytes: a pair of surrogates, both escaped.
        guard text.utf8.count * 12 > limit, JSONValue.string(text).text.utf8.count > limit + 2 else { return text }
        var result = ""
        var size = 3
        for scalar in text.unicodeScalars {
            size += JSONValue.string(String(scalar)).text.utf8.count - 2
            // `##` is escaped, although `#` is not.
            if scalar == "#" { size += 5 }
            guard size <= limit else { break }
            result.unicodeScalars.append(scalar)
        }
        return result + "…"
    }
}
