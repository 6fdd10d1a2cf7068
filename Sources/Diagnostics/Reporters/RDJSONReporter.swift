/// Reviewdog's diagnostic format, in which fixes become suggestions that a reviewer can accept with a click.
struct RDJSONReporter: Reporter {
    func text(for report: Report) -> String {
        let diagnostics = report.diagnostics.map { diagnostic in
            JSONValue.compact([
                (
                    "message",
                    .string([diagnostic.message, diagnostic.help].compactMap { $0 }.joined(separator: "\n"))
                ),
                ("location", Self.location(diagnostic.file ?? "", diagnostic.place)),
                ("severity", .string(Self.severity(diagnostic.severity))),
                ("code", .object([("value", .string(diagnostic.rule.rawValue))])),
                (
                    "suggestions",
                    diagnostic.fixes.isEmpty
                        ? .null
                        : .array(
                            diagnostic.fixes.flatMap(\.edits).map { edit in
                                .object([("range", Self.range(edit.range)), ("text", .string(edit.replacement))])
                            })
                ),
                (
                    "relatedLocations",
                    diagnostic.related.isEmpty
                        ? .null
                        : .array(
                            diagnostic.related.map { place in
                                .object([
                                    ("message", .string(place.message)),
                                    ("location", Self.location(place.file, place.range ?? .fileStart)),
                                ])
                            })
                ),
            ])
        }
        return JSONValue.object([
            ("source", .object([("name", .string("modelc"))])), ("diagnostics", .array(diagnostics)),
        ]).text + "\n"
    }

    private static func location(_ file: String, _ range: SourceRange) -> JSONValue {
        .object([("path", .string(file)), ("range", self.range(range))])
    }

    private static func range(_ range: SourceRange) -> JSONValue {
        .object([("start", position(range.start)), ("end", position(range.end))])
    }

    private static func position(_ position: SourcePosition) -> JSONValue {
        .object([("line", .integer(position.line)), ("column", .integer(position.column))])
    }

    private static func severity(_ severity: Severity) -> String {
        switch severity {
        case .note: "INFO"
        case .warning: "WARNING"
        case .error: "ERROR"
        }
    }
}
