/// All findings as one JSON object. Columns count Unicode scalars from 1; ends are exclusive.
struct JSONReporter: Reporter {
    func text(for report: Report) -> String {
        let counts = Severity.allCases.reversed().map { severity in
            (key: severity.word + "s", value: JSONValue.integer(report.diagnostics.count { $0.severity == severity }))
        }
        let findings = zip(report.diagnostics, report.fingerprints).map { diagnostic, fingerprint in
            Self.object(diagnostic, fingerprint: fingerprint, report: report)
        }
        let stores: [(key: String, value: JSONValue)] =
            report.stores.isEmpty ? [] : [("stores", .array(report.stores))]
        let summary = JSONValue.object(
            counts + [("hidden", .integer(report.hiddenCount)), ("files", .integer(report.checkedFiles.count))])
        return JSONValue.object(
            [("version", .integer(1)), ("tool", .string("modelc \(report.toolVersion)"))]
                + report.headlines.map(\.member) + [("findings", .array(findings))] + stores
                + [("summary", summary)]
        ).text + "\n"
    }

    /// Returns a finding with all of its fields. Fields without a value are omitted.
    static func object(_ diagnostic: Diagnostic, fingerprint: Fingerprint, report: Report) -> JSONValue {
        .compact([
            ("rule", .string(diagnostic.rule.rawValue)), ("code", .optional(report.rules[diagnostic.rule]?.code)),
            ("severity", .string(diagnostic.severity.word)), ("message", .string(diagnostic.message)),
            ("file", .optional(diagnostic.file)), ("range", diagnostic.range.map { Self.range($0) } ?? .null),
            ("why", .optional(diagnostic.why)), ("help", .optional(diagnostic.help)),
            ("command", .optional(diagnostic.command)), ("inXcode", .optional(diagnostic.inXcode)),
            ("element", diagnostic.element.map { Self.element($0) } ?? .null),
            ("rows", diagnostic.rows.map { Self.rows($0) } ?? .null),
            ("fixes", diagnostic.fixes.isEmpty ? .null : .array(diagnostic.fixes.map { Self.fix($0) })),
            ("related", diagnostic.related.isEmpty ? .null : .array(diagnostic.related.map { Self.related($0) })),
            ("fingerprint", .string(fingerprint.hexString)),
        ])
    }

    private static func range(_ range: SourceRange) -> JSONValue {
        .object([("start", position(range.start)), ("end", position(range.end))])
    }

    static func position(_ position: SourcePosition) -> JSONValue {
        .object([("line", .integer(position.line)), ("column", .integer(position.column))])
    }

    private static func element(_ element: ElementPath) -> JSONValue {
        .compact([
            ("model", .optional(element.model)), ("version", .optional(element.version)),
            ("path", .array(element.components.map { .string($0) })), ("kind", .string(element.kind)),
        ])
    }

    private static func rows(_ rows: AffectedRows) -> JSONValue {
        .compact([
            ("table", .optional(rows.table)), ("column", .optional(rows.column)), ("count", .integer(rows.count)),
            ("examples", .array(rows.examples.map { .string($0) })), ("sql", .optional(rows.sql)),
            ("repair", .optional(rows.repair.map { $0 == .safe ? "safe" : "unsafe" })),
        ])
    }

    private static func fix(_ fix: FixIt) -> JSONValue {
        .object([
            ("title", .string(fix.title)), ("safety", .string(fix.safety == .safe ? "safe" : "unsafe")),
            (
                "edits",
                .array(
                    fix.edits.map { .object([("range", range($0.range)), ("replacement", .string($0.replacement))]) })
            ),
        ])
    }

    private static func related(_ location: RelatedLocation) -> JSONValue {
        .compact([
            ("message", .string(location.message)), ("file", .string(location.file)),
            ("range", location.range.map { range($0) } ?? .null),
        ])
    }
}

/// A JSON object per line, one for each finding.
struct JSONLinesReporter: Reporter {
    func text(for report: Report) -> String {
        zip(report.diagnostics, report.fingerprints).map { diagnostic, fingerprint in
            JSONReporter.object(diagnostic, fingerprint: fingerprint, report: report).line + "\n"
        }.joined()
    }
}
