internal import CodeGeneration
internal import Diagnostics

/// The report of `modelc port`.
struct PortReport {
    /// The files of a target or an app.
    struct Group: Sendable {
        var name: String
        var isTarget: Bool
        /// Whether the package's tools version is too low for SwiftData, which the group uses.
        var lacksTraits: Bool
        var models: [String]
        var files: [PortedFile]
    }

    var groups: [Group]

    // MARK: Text

    /// The report as human-readable text.
    var text: String {
        var text = groups.map(Self.text).joined(separator: "\n")
        let files = groups.flatMap(\.files)
        let counts = PortedFile.Effort.allCases.map { effort in files.count { $0.effort == effort } }
        text += """

            \(counted(files.count, "Swift file")): \(counts[0]) untouched, \(counts[1]) rewritten, \
            \(counts[2]) to edit, \(counts[3]) with Apple's frameworks

            """
        return text
    }

    private static func text(_ group: Group) -> String {
        let kind = group.isTarget ? "target" : "folder"
        var text = "\(kind) \(DisplayText.line(group.name)): \(counted(group.files.count, "Swift file"))"
        text += ", \(counted(group.models.count, "model"))\n"
        if group.lacksTraits { text += "  uses SwiftData: the manifest needs a tools version of 6.1 or later\n" }
        for effort in PortedFile.Effort.allCases {
            let files = group.files.filter { $0.effort == effort }
            guard !files.isEmpty else { continue }
            text += "  \(title(effort)): \(counted(files.count, "file"))\n"
            for file in files { text += lines(file, effort) }
        }
        let notes = group.files.filter { $0.effort != .framework }.flatMap { file in
            file.findings.filter { $0.effect == .note }.map { (file, $0) }
        }
        if !notes.isEmpty { text += "  behaves differently:\n" + notes.map { line($0, $1) }.joined() }
        return text
    }

    private static func title(_ effort: PortedFile.Effort) -> String {
        switch effort {
        case .untouched: "compiles untouched"
        case .rewritten: "compiles as a copy that modelc makes; the file has to be excluded"
        case .edit: "needs an edit"
        case .framework: "needs a framework that Linux does not have"
        }
    }

    private static func lines(_ file: PortedFile, _ effort: PortedFile.Effort) -> String {
        let path = DisplayText.line(file.path)
        switch effort {
        case .untouched: return ""
        case .rewritten: return "    \(path): \(rewrites(file))\n"
        case .edit:
            if let problem = file.problem { return "    \(path): cannot be read: \(DisplayText.line(problem))\n" }
            let edits = file.findings.filter { $0.effect == .edit }.map { line(file, $0) }.joined()
            return edits + (file.rewrites.isEmpty ? "" : "    \(path): compiled as a copy: \(rewrites(file))\n")
        case .framework:
            let modules = file.missingImports.map { "\(DisplayText.line($0.module)) (line \($0.position.line))" }
            let edits = file.findings.count { $0.effect == .edit }
            let more = edits == 0 ? "" : "; and \(counted(edits, "edit"))"
            return "    \(path): \(modules.joined(separator: ", "))\(more)\n"
        }
    }

    private static func line(_ file: PortedFile, _ finding: PortedFile.Finding) -> String {
        let location = "\(DisplayText.line(file.path)):\(finding.position.line):\(finding.position.column)"
        let text = finding.text.isEmpty ? "" : DisplayText.line(finding.text) + ": "
        return """
                \(location): \(text)\(DisplayText.line(finding.message)) [\(finding.id)]
                  \(finding.effect == .edit ? "edit" : "alternative"): \(DisplayText.line(finding.edit))

            """
    }

    /// Returns the rewrites by kind: “2 × @objc, 1 × #keyPath”.
    private static func rewrites(_ file: PortedFile) -> String {
        SourceRewriter.Edit.Kind.allCases.compactMap { kind in
            let number = file.rewrites.count { $0.kind == kind }
            return number == 0 ? nil : "\(number) × \(kind.rawValue)"
        }.joined(separator: ", ")
    }

    // MARK: JSON

    var json: String {
        let files = groups.flatMap(\.files)
        let summary = PortedFile.Effort.allCases.map { effort in
            (key: effort.rawValue, value: JSONValue.integer(files.count { $0.effort == effort }))
        }
        return JSONValue.object([
            ("version", .integer(1)), ("summary", .object([("files", .integer(files.count))] + summary)),
            ("groups", .array(groups.map(Self.json))),
        ]).text + "\n"
    }

    private static func json(_ group: Group) -> JSONValue {
        .compact([
            ("name", .string(group.name)), ("kind", .string(group.isTarget ? "target" : "folder")),
            ("requiredToolsVersion", group.lacksTraits ? .string("6.1") : .null),
            ("models", .array(group.models.map { .string($0) })), ("files", .array(group.files.map(json))),
        ])
    }

    private static func json(_ file: PortedFile) -> JSONValue {
        func location(_ position: SourcePosition) -> [(key: String, value: JSONValue)] {
            [("line", .integer(position.line)), ("column", .integer(position.column))]
        }
        func list(_ values: [JSONValue]) -> JSONValue { values.isEmpty ? .null : .array(values) }
        return .compact([
            ("path", .string(file.path)), ("effort", .string(file.effort.rawValue)),
            ("problem", .optional(file.problem)),
            (
                "rewrites",
                list(file.rewrites.map { .object(location($0.position) + [("construct", .string($0.kind.rawValue))]) })
            ),
            (
                "findings",
                list(
                    file.findings.map { finding in
                        .object(
                            location(finding.position) + [
                                ("id", .string(finding.id)),
                                ("effect", .string(finding.effect.rawValue)), ("text", .string(finding.text)),
                                ("message", .string(finding.message)), ("edit", .string(finding.edit)),
                            ])
                    })
            ),
            (
                "imports",
                list(file.missingImports.map { .object(location($0.position) + [("module", .string($0.module))]) })
            ),
        ])
    }
}
