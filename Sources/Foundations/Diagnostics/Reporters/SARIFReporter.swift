/// SARIF 2.1.0 as GitHub code scanning reads it (Documentation/Formats/ReportFormats.md, 1).
struct SARIFReporter: Reporter {
    /// The maximum number of results that GitHub accepts for a run.
    private static let resultLimit = 25_000
    /// The maximum length of a description that GitHub accepts.
    private static let descriptionLimit = 1024

    func text(for report: Report) -> String {
        let rules = Set(report.diagnostics.map(\.rule)).union(report.rules.keys).sorted { $0.rawValue < $1.rawValue }
        let indices = Dictionary(uniqueKeysWithValues: rules.enumerated().map { ($1, $0) })
        let ranked = zip(report.diagnostics, report.fingerprints).map { ($0, $1) }
        // Beyond the limit, the least severe results are left out.
        let kept =
            ranked.count <= Self.resultLimit
            ? ranked
            : Array(ranked.sorted { $0.0.severity > $1.0.severity }.prefix(Self.resultLimit))
        // A result must have a location.
        let defaultFile = report.checkedFiles.first ?? ".modelc.yml"
        let driver = JSONValue.object([
            ("name", .string("modelc")), ("semanticVersion", .string(report.toolVersion)),
            ("rules", .array(rules.map { Self.rule($0, report.rules[$0]) })),
        ])
        let run = JSONValue.object([
            ("tool", .object([("driver", driver)])), ("columnKind", .string("unicodeCodePoints")),
            (
                "results",
                .array(
                    kept.map {
                        Self.result($0.0, fingerprint: $0.1, index: indices[$0.0.rule] ?? 0, defaultFile: defaultFile)
                    })
            ),
        ])
        return JSONValue.object([
            ("$schema", .string("https://json.schemastore.org/sarif-2.1.0.json")), ("version", .string("2.1.0")),
            ("runs", .array([run])),
        ]).text + "\n"
    }

    private static func rule(_ rule: RuleID, _ description: RuleDescription?) -> JSONValue {
        let title = filled(description?.title, rule.rawValue)
        let explanation = filled(description?.explanation, title)
        let remedy = filled(description?.remedy, "See the message.")
        return .compact([
            ("id", .string(rule.rawValue)), ("name", .optional(description?.code)),
            ("shortDescription", .object([("text", .string(cut(title)))])),
            ("fullDescription", .object([("text", .string(cut(explanation)))])),
            (
                "help",
                .object([
                    ("text", .string("\(explanation)\n\n\(remedy)")),
                    ("markdown", .string("\(explanation)\n\n**What to do:** \(remedy)")),
                ])
            ),
            (
                "defaultConfiguration",
                .object([("level", .string(level(description?.defaultSeverity ?? .warning)))])
            ),
            (
                "properties",
                .object([
                    ("tags", .array(["core-data", description?.group ?? "model"].map { .string($0) })),
                    ("precision", .string("high")),
                    ("problem.severity", .string(problemSeverity(description?.defaultSeverity ?? .warning))),
                ])
            ),
        ])
    }

    private static func result(
        _ diagnostic: Diagnostic, fingerprint: Fingerprint, index: Int, defaultFile: String
    ) -> JSONValue {
        let message = Diagnostic.paragraph(diagnostic.message, diagnostic.why, diagnostic.help)
        return .compact([
            ("ruleId", .string(diagnostic.rule.rawValue)), ("ruleIndex", .integer(index)),
            ("level", .string(level(diagnostic.severity))),
            ("message", .object([("text", .string(filled(message, diagnostic.rule.rawValue)))])),
            ("locations", .array([location(diagnostic.file ?? defaultFile, diagnostic.location)])),
            (
                "relatedLocations",
                diagnostic.related.isEmpty
                    ? .null
                    : .array(
                        diagnostic.related.enumerated().map { number, related in
                            location(
                                related.file, related.range ?? .fileStart, message: related.message, id: number + 1)
                        })
            ),
            ("partialFingerprints", .object([("primaryLocationLineHash", .string(fingerprint.hexString))])),
            (
                "fixes",
                diagnostic.fixes.isEmpty ? .null : .array(diagnostic.fixes.map { fix($0, diagnostic.file ?? "") })
            ),
        ])
    }

    private static func location(
        _ file: String, _ range: SourceRange, message: String? = nil, id: Int? = nil
    ) -> JSONValue {
        .compact([
            ("id", id.map { .integer($0) } ?? .null),
            (
                "physicalLocation",
                .object([
                    ("artifactLocation", .object([("uri", .string(uri(file)))])), ("region", region(range)),
                ])
            ),
            ("message", message.map { .object([("text", .string($0))]) } ?? .null),
        ])
    }

    /// Returns a region of one line: GitHub shows an alert in a pull request only if all its lines are in the diff.
    private static func region(_ range: SourceRange) -> JSONValue {
        let isOneLine = range.end.line == range.start.line
        var members: [(key: String, value: JSONValue)] = [
            ("startLine", .integer(range.start.line)), ("startColumn", .integer(range.start.column)),
            ("endLine", .integer(range.start.line)),
        ]
        if isOneLine {
            // The end is exclusive; an empty region is extended to one character.
            members.append(("endColumn", .integer(max(range.end.column, range.start.column + 1))))
        }
        return .object(members)
    }

    private static func fix(_ fix: FixIt, _ file: String) -> JSONValue {
        let replacements = fix.edits.map { edit in
            JSONValue.object([
                (
                    "deletedRegion",
                    .object([
                        ("startLine", .integer(edit.range.start.line)),
                        ("startColumn", .integer(edit.range.start.column)),
                        ("endLine", .integer(edit.range.end.line)), ("endColumn", .integer(edit.range.end.column)),
                    ])
                ),
                ("insertedContent", .object([("text", .string(edit.replacement))])),
            ])
        }
        return .object([
            ("description", .object([("text", .string(filled(fix.title, "Fix")))])),
            (
                "artifactChanges",
                .array([
                    .object([
                        ("artifactLocation", .object([("uri", .string(uri(file)))])),
                        ("replacements", .array(replacements)),
                    ])
                ])
            ),
        ])
    }

    /// Returns a path as a relative reference (RFC 3986).
    static func uri(_ path: String) -> String {
        (path.hasPrefix("./") ? path.dropFirst(2) : path[...]).utf8.percentEncodedPath
    }

    private static func level(_ severity: Severity) -> String { severity.word }

    private static func problemSeverity(_ severity: Severity) -> String {
        severity == .note ? "recommendation" : severity.word
    }

    /// Returns a string, or a replacement if it is empty: required strings must not be empty.
    private static func filled(_ text: String?, _ replacement: String) -> String {
        text.flatMap { $0.isEmpty ? nil : $0 } ?? replacement
    }

    private static func cut(_ text: String) -> String {
        text.count <= descriptionLimit ? text : text.prefix(descriptionLimit - 1) + "…"
    }
}
