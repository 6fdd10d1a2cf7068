/// Reviewdog's diagnostic format, in which fixes become suggestions that a reviewer can accept with a click
/// (Documentation/Formats/ReportFormats.md, 4).
struct RDJSONReporter: Reporter {
    func text(for report: Report) -> String {
        let diagnostics = report.diagnostics.map { diagnostic in
            JSONValue.compact([
                (
                    "message",
                    .string([diagnostic.message, diagnostic.help].compactMap { $0 }.joined(separator: "\n"))
                ),
                ("location", Self.location(diagnostic.file ?? "", range: diagnostic.location, report: report)),
                ("severity", .string(Self.severity(diagnostic.severity))),
                ("code", .object([("value", .string(diagnostic.rule.rawValue))])),
                (
                    "suggestions",
                    Self.suggestions(diagnostic, diagnostic.file.flatMap { report.lines[$0] })
                ),
                (
                    "relatedLocations",
                    diagnostic.related.isEmpty
                        ? .null
                        : .array(
                            diagnostic.related.map { location in
                                .object([
                                    ("message", .string(location.message)),
                                    (
                                        "location",
                                        Self.location(
                                            location.file, range: location.range ?? .fileStart, report: report)
                                    ),
                                ])
                            })
                ),
            ])
        }
        return JSONValue.object([
            ("source", .object([("name", .string("modelc"))])), ("diagnostics", .array(diagnostics)),
        ]).text + "\n"
    }

    private static func location(_ file: String, range: SourceRange, report: Report) -> JSONValue {
        .object([("path", .string(file)), ("range", self.range(range, report.lines[file]))])
    }

    /// A suggestion has one range, so the edits of a fix become one from the first to the last. Without the text of the
    /// file, neither its columns nor what stands between the edits is known.
    private static func suggestions(_ diagnostic: Diagnostic, _ lines: LineIndex?) -> JSONValue {
        guard let lines else { return .null }
        let suggestions = diagnostic.fixes.compactMap { fix -> JSONValue? in
            guard let first = fix.edits.first, let last = fix.edits.last else { return nil }
            var text = first.replacement
            for (edit, next) in zip(fix.edits, fix.edits.dropFirst()) {
                text += lines.text(of: edit.bytes.upperBound..<max(edit.bytes.upperBound, next.bytes.lowerBound))
                text += next.replacement
            }
            let range = SourceRange(start: first.range.start, end: last.range.end)
            return .object([("range", self.range(range, lines)), ("text", .string(text))])
        }
        return suggestions.isEmpty ? .null : .array(suggestions)
    }

    private static func range(_ range: SourceRange, _ lines: LineIndex?) -> JSONValue {
        .object([("start", position(range.start, lines)), ("end", position(range.end, lines))])
    }

    /// Returns a position, whose column counts the bytes of UTF-8. It is left out if the text of the file is not known.
    private static func position(_ position: SourcePosition, _ lines: LineIndex?) -> JSONValue {
        let column = lines?.byteColumn(of: position) ?? (position.column == 1 ? 1 : nil)
        return .compact([("line", .integer(position.line)), ("column", column.map { .integer($0) } ?? .null)])
    }

    private static func severity(_ severity: Severity) -> String {
        switch severity {
        case .note: "INFO"
        case .warning: "WARNING"
        case .error: "ERROR"
        }
    }
}
