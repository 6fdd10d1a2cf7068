internal import ModelSchema
internal import SwiftSources

/// Writes the source of a frozen schema.
struct FrozenSchemaWriter {
    let table: TypeTable
    let texts: SourceTexts
    /// The value types that are used, in the order of first use.
    private var values: [(name: String, entry: TypeTable.Entry)] = []
    private var imports: Set<String> = ["Foundation", "SwiftData"]
    private var modelNames: Set<String> = []

    init(table: TypeTable, texts: SourceTexts) {
        self.table = table
        self.texts = texts
    }

    /// Returns the source of a version with these classes.
    mutating func text(of version: SchemaVersions.Version, _ classes: [TypeTable.Entry]) throws(FrozenSchema.Failure)
        -> String
    {
        modelNames = Set(classes.map(\.type.name))
        var bodies: [[String]] = []
        for entry in classes { bodies.append(try model(entry)) }
        // Values may contain further value types.
        var written = 0
        while written < values.count {
            bodies.append(try value(values[written].entry))
            written += 1
        }
        let numbers = (version.identifier ?? "1.0.0").split(separator: ".").joined(separator: ", ")
        let name = version.name.split(separator: ".").last.map(String.init) ?? version.name
        let list = classes.map { "\($0.type.name).self" }.joined(separator: ", ")
        // One statement for each part, because a single expression takes the compiler many seconds.
        var lines = [
            "// Frozen copy of a SwiftData schema, written by “modelc swiftdata freeze”. Stores of this version exist: an edit",
            "// that moves a version hash keeps them from being opened. “modelc lock check” finds such edits.", "",
        ]
        lines += imports.sorted().map { "import \($0)" }
        lines += [
            "", "enum \(name): VersionedSchema {", "    static let versionIdentifier = Schema.Version(\(numbers))", "",
            "    static var models: [any PersistentModel.Type] {", "        [\(list)]", "    }",
        ]
        for body in bodies {
            lines.append("")
            for line in body { lines.append(line.isEmpty ? "" : "    " + line) }
        }
        lines += ["}", ""]
        return lines.joined(separator: "\n")
    }

    // MARK: Models

    private mutating func model(_ entry: TypeTable.Entry) throws(FrozenSchema.Failure) -> [String] {
        var lines = ["@Model final class \(entry.type.name) {"]
        for macro in entry.type.macros + entry.extensions.flatMap(\.macros) {
            if let text = macroText(macro, of: entry.type.name) { lines.append("    \(text)") }
        }
        var parameters: [(name: String, type: String)] = []
        for property in entry.type.properties where property.isStored {
            if property.attributes.contains(where: { $0.name == "Transient" }) { continue }
            let type = try type(of: property, in: entry)
            for attribute in property.attributes where ["Attribute", "Relationship"].contains(attribute.name) {
                lines.append("    \(attributeText(attribute))")
            }
            let value = initialValue(of: property)
            lines.append("    var \(property.name): \(type)" + (value.map { " = \($0)" } ?? ""))
            if value == nil, !type.hasSuffix("?") { parameters.append((property.name, type)) }
        }
        lines.append("")
        let list = parameters.map { "\($0.name): \($0.type)" }.joined(separator: ", ")
        guard !parameters.isEmpty else { return lines + ["    init() {}", "}"] }
        lines.append("    init(\(list)) {")
        lines += parameters.map { "        self.\($0.name) = \($0.name)" }
        return lines + ["    }", "}"]
    }

    private func attributeText(_ attribute: AttributeSource) -> String {
        guard !attribute.arguments.isEmpty else { return "@\(attribute.name)" }
        let parts = MacroArguments(attribute.arguments).arguments.map { argument in
            let label = argument.label.map { "\($0): " } ?? ""
            if argument.label == "inverse", let path = MacroArguments.keyPath(argument.value), path.count > 1 {
                return "\(label)\\\(path.suffix(2).joined(separator: "."))"
            }
            return label + texts.text(argument.value, in: attribute.place.file)
        }
        return "@\(attribute.name)(\(parts.joined(separator: ", ")))"
    }

    private func macroText(_ macro: MacroSource, of name: String) -> String? {
        guard macro.name == "Unique" || macro.name == "Index" else { return nil }
        let lists = MacroArguments(macro.arguments).unlabeled.map { value in
            var (prefix, list, suffix) = ("", value, "")
            if let open = value.firstIndex(where: { $0.is("(") }), value.last?.is(")") == true {
                prefix = texts.text(value[...open], in: macro.place.file)
                list = value[(open + 1)...].dropLast()
                suffix = ")"
            }
            let names = (MacroArguments.elements(ofArray: list) ?? []).compactMap {
                MacroArguments.keyPath($0)?.last
            }
            return prefix + "[" + names.map { "\\.\($0)" }.joined(separator: ", ") + "]" + suffix
        }
        return "#\(macro.name)<\(name)>(\(lists.joined(separator: ", ")))"
    }

    // MARK: Types

    private mutating func type(of property: PropertySource, in entry: TypeTable.Entry) throws(FrozenSchema.Failure)
        -> String
    {
        guard let type = LiteralType.type(of: property, in: entry.type.path, table) else {
            throw unreadable(property, entry)
        }
        return try text(of: type, property, in: entry)
    }

    private mutating func text(
        of type: SwiftTypeText, _ property: PropertySource, in entry: TypeTable.Entry
    ) throws(FrozenSchema.Failure) -> String {
        switch type {
        case .optional(let wrapped): return try text(of: wrapped, property, in: entry) + "?"
        case .array(let element): return "[" + (try text(of: element, property, in: entry)) + "]"
        case .dictionary(let key, let value):
            return "[" + (try text(of: key, property, in: entry)) + ": " + (try text(of: value, property, in: entry))
                + "]"
        case .other: throw unreadable(property, entry)
        case .named(let components):
            switch table.resolve(type, from: entry.type.path) {
            case .cycle: throw unreadable(property, entry)
            case .external(let external) where external != type: return try text(of: external, property, in: entry)
            case .external:
                let path = components.map(\.name)
                if path.first == "Color" { imports.insert("SwiftUI") }
                return path.joined(separator: ".")
            case .type(let found):
                if !found.type.isModel { try use(found) }
                return found.type.name
            }
        }
    }

    private mutating func use(_ entry: TypeTable.Entry) throws(FrozenSchema.Failure) {
        let name = entry.type.name
        if let known = values.first(where: { $0.name == name }) {
            guard known.entry.type.path == entry.type.path else {
                throw FrozenSchema.failure(
                    "two types of the schema are named “\(name)”: \(texts.describe(known.entry.type.place)) and "
                        + texts.describe(entry.type.place), help: "Rename one of them.")
            }
            return
        }
        guard !modelNames.contains(name) else {
            throw FrozenSchema.failure("“\(name)” is a model and a value", help: "Rename one of them.")
        }
        values.append((name, entry))
    }

    private func unreadable(_ property: PropertySource, _ entry: TypeTable.Entry) -> FrozenSchema.Failure {
        FrozenSchema.failure(
            "the type of “\(entry.type.name).\(property.name)” cannot be copied",
            help: "Write the type of the property.")
    }

    // MARK: Values

    /// The protocols that the compiler implements for a copy.
    private static let synthesized = [
        "Codable", "Encodable", "Decodable", "Hashable", "Equatable", "Sendable", "CaseIterable",
    ]

    private mutating func value(_ entry: TypeTable.Entry) throws(FrozenSchema.Failure) -> [String] {
        var protocols = Self.synthesized.filter { name in entry.inherited.contains { $0.lastName == name } }
        if !protocols.contains("Codable") { protocols.insert("Codable", at: 0) }
        guard entry.type.kind == .enum else {
            var lines = ["struct \(entry.type.name): \(protocols.joined(separator: ", ")) {"]
            for property in entry.properties where property.isStored {
                let type = try type(of: property, in: entry)
                let value = initialValue(of: property).map { " = \($0)" } ?? ""
                lines.append("    var \(property.name): \(type)\(value)")
            }
            return lines + ["}"]
        }
        if let raw = entry.type.inherited.first,
            case .external(let external) = table.resolve(raw, from: entry.type.path),
            SimpleType.attributeType(of: external) != nil, let name = external.lastName
        {
            protocols.insert(name, at: 0)
        }
        let cases = entry.type.cases.map { found in
            "    case \(found.name)"
                + (found.rawValue.isEmpty ? "" : " = " + texts.text(found.rawValue, in: found.place.file))
        }
        return ["enum \(entry.type.name): \(protocols.joined(separator: ", ")) {"] + cases + ["}"]
    }

    /// Returns the initial value of a property, if it refers to nothing outside the copy.
    private func initialValue(of property: PropertySource) -> String? {
        let tokens = property.initializer
        guard let first = tokens.first else { return nil }
        let words = tokens.map(\.text)
        switch first.kind {
        case .literal:
            return tokens.count == 1 ? texts.string(first, in: property.place.file).map { "\"\($0)\"" } : nil
        case .number,
            .sign where first.is("-"):
            let isNumber = tokens.allSatisfy { $0.kind == .number || $0.is("-") || $0.is(".") }
            return isNumber ? words.joined() : nil
        case .sign where first.is("["):
            return words == ["[", "]"] ? "[]" : words == ["[", ":", "]"] ? "[:]" : nil
        case .word:
            let known = [
                "true", "false", "nil", "UUID()", "Date()", "Date.now", "Data()", "Date.distantPast",
                "Date.distantFuture",
            ]
            return known.first { $0 == words.joined() }
        default: return nil
        }
    }
}
