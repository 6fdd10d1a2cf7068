internal import CompiledMapping
internal import Diagnostics
internal import MappingModel
internal import ModelSchema

/// A mapping model as human-readable text and as JSON: what happens to each entity and property.
struct MappingText {
    private let input: MappingInput

    init(_ input: MappingInput) {
        self.input = input
    }

    private var kind: String { input.isSource ? "source" : "compiled" }

    // MARK: Text

    /// The text of the mapping model, ending in a line feed.
    var text: String {
        var lines = ["mapping model \(input.name) (\(kind))"]
        if let document = input.document {
            if let path = document.source.sourceModel.path { lines.append("source model: \(path)") }
            if let path = document.source.destinationModel.path { lines.append("destination model: \(path)") }
        }
        for entity in input.mapping?.entityMappings ?? [] { lines += [""] + self.lines(entity) }
        // A name may contain a line feed, which must not start a new line.
        return lines.map { DisplayText.line($0) + "\n" }.joined()
    }

    private func lines(_ entity: CompiledMapping.EntityMapping) -> [String] {
        let source = entity.sourceEntityName ?? "nothing"
        let destination = entity.destinationEntityName ?? "nothing"
        var head = "\(entity.name): \(entity.type.word) \(source) → \(destination)"
        if let name = entity.policyClassName { head += " (policy \(name))" }
        var lines = [head]
        for (side, hash) in [("source", entity.sourceEntityHash), ("destination", entity.destinationEntityHash)] {
            if let hash { lines.append("  \(side) hash \(hash.hexString.prefix(12))") }
        }
        if let expression = entity.sourceExpression { lines.append("  from \(expression.text)") }
        let properties = entity.attributeMappings + entity.relationshipMappings
        let width = properties.map(\.name.count).max() ?? 0
        for property in properties {
            let padding = String(repeating: " ", count: width - property.name.count)
            lines.append("  \(property.name)\(padding) = \(property.value?.text ?? "(no value)")")
            lines += (property.userInfo ?? []).map { "    info \($0.key): \($0.value)" }
        }
        return lines + (entity.userInfo ?? []).map { "  info \($0.key): \($0.value)" }
    }

    // MARK: JSON

    /// The mapping model as JSON, ending in a line feed.
    var json: String {
        JSONValue.compact([
            ("mappingModel", .string(input.name)), ("kind", .string(kind)),
            ("sourceModelPath", .optional(input.document?.source.sourceModel.path)),
            ("destinationModelPath", .optional(input.document?.source.destinationModel.path)),
            ("entityMappings", .array((input.mapping?.entityMappings ?? []).map(json))),
        ]).text + "\n"
    }

    private func json(_ entity: CompiledMapping.EntityMapping) -> JSONValue {
        .compact([
            ("name", .string(entity.name)), ("type", .string(entity.type.word)),
            ("sourceEntity", .optional(entity.sourceEntityName)),
            ("sourceEntityHash", .optional(entity.sourceEntityHash?.hexString)),
            ("destinationEntity", .optional(entity.destinationEntityName)),
            ("destinationEntityHash", .optional(entity.destinationEntityHash?.hexString)),
            ("policyClass", .optional(entity.policyClassName)),
            ("sourceExpression", .optional(entity.sourceExpression?.text)),
            ("attributes", .array(entity.attributeMappings.map(json))),
            ("relationships", .array(entity.relationshipMappings.map(json))),
            ("userInfo", json(entity.userInfo)),
        ])
    }

    private func json(_ property: CompiledMapping.PropertyMapping) -> JSONValue {
        .object(
            [("name", .string(property.name)), ("value", .optional(property.value?.text))]
                + (property.userInfo == nil ? [] : [("userInfo", json(property.userInfo))]))
    }

    private func json(_ userInfo: [UserInfoEntry]?) -> JSONValue {
        userInfo.map { .object($0.map { ($0.key, .string($0.value)) }) } ?? .null
    }
}

extension InspectCommand {
    /// Prints a mapping model.
    func inspectMapping(
        _ environment: DriverEnvironment, _ printer: inout DiagnosticPrinter
    ) throws(InputFailure) -> ExitCode {
        if shown.version != nil {
            throw InputFailure(
                modelPath, rule: .noSuchVersion, message: "a mapping model has no versions",
                help: "Leave out --version.")
        }
        let input = try MappingInputReader(files: environment.files).read(modelPath)
        input.addLines(to: &printer)
        printer.print(input.diagnostics)
        let text = MappingText(input)
        environment.output(shown.format == .json ? text.json : text.text)
        return input.diagnostics.hasErrors ? .findings : .success
    }
}
