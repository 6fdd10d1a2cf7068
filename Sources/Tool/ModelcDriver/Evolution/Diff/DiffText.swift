internal import ModelEvolution
internal import ModelMigration

/// A difference as human-readable text.
struct DiffText {
    private let report: DiffReport
    private var lines: [String] = []

    init(_ report: DiffReport) {
        self.report = report
        lines = ["--- \(report.oldTitle)", "+++ \(report.newTitle)", ""]
        let difference = report.difference
        if difference.isEmpty {
            lines.append("The models are equal.")
            return
        }
        for entity in difference.entities { add(entity) }
        for (title, changes) in [
            ("fetch request", difference.fetchRequests), ("configuration", difference.configurations),
            ("composite type", difference.composites),
        ] {
            for change in changes {
                lines.append("\(DiffPhrases.mark(change.kind)) \(title) \(change.name)")
                add(change, indentation: "    ")
            }
        }
        for field in difference.settings { lines.append("~ model \(DiffPhrases.text(field))") }
        if lines.last != "" { lines.append("") }
        lines.append(report.verdict)
        for obstacle in report.migration.obstacles {
            lines.append("  “\(obstacle.element)” \(obstacle.reason)" + Self.certainty(obstacle))
        }
        for risk in report.migration.risks { lines.append("  note: “\(risk.element)” \(risk.reason)") }
    }

    /// The text, ending in a line feed.
    var text: String { lines.joined(separator: "\n") + "\n" }

    static func certainty(_ obstacle: MigrationObstacle) -> String {
        switch obstacle.certainty {
        case .known: obstacle.errorCode.map { " (\($0))" } ?? ""
        case .likely: ""
        case .unknown: " (undocumented; assumed to fail)"
        }
    }

    private mutating func add(_ entity: EntityChange) {
        let phrase = DiffPhrases.phrase(entity)
        lines.append(
            "\(DiffPhrases.mark(entity.change.kind)) \(entity.change.name)" + (phrase.isEmpty ? "" : "  \(phrase)"))
        add(entity.change, indentation: "    ")
        for property in entity.properties {
            let phrase = DiffPhrases.phrase(property)
            lines.append(
                "  \(DiffPhrases.mark(property.change.kind)) \(property.change.name)"
                    + (phrase.isEmpty ? "" : "  \(phrase)"))
            add(property.change, indentation: "      ")
        }
        if !entity.hashTerms.isEmpty {
            lines.append(
                "    version hash \(DiffPhrases.short(entity.oldHash)) → \(DiffPhrases.short(entity.newHash)): "
                    + entity.hashTerms.map(DiffPhrases.text).joined(separator: ", "))
        }
        lines.append("")
    }

    private mutating func add(_ change: ElementChange, indentation: String) {
        for field in DiffPhrases.shownFields(change) { lines.append(indentation + DiffPhrases.text(field)) }
    }
}
