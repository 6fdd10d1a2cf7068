internal import ModelSchema
internal import SwiftSources

/// Writes the source of a frozen schema.
///
/// The text of values is copied, because everything in it can decide how they are encoded. Of a model, only the stored
/// properties are.
struct FrozenSchemaWriter {
    private let sources: ParsedSources
    private let name: String
    private let classes: [TypeTable.Entry]
    let types: FrozenTypes
    private let copier: SourceCopier
    /// The files of which text is copied.
    private var files: Set<Int> = []
    /// The constants of models on which initial values depend.
    private var constants: [TypeTable.Key: [String]] = [:]

    private var table: TypeTable { sources.table }
    private var texts: SourceTexts { sources.texts }

    init(
        _ sources: ParsedSources, name: String, classes: [TypeTable.Entry]
    ) throws(FrozenSchema.Failure) {
        self.sources = sources
        self.name = name
        self.classes = classes
        types = try FrozenTypes(models: classes, table: sources.table, texts: sources.texts)
        copier = SourceCopier(types: types, schemaName: name)
    }

    /// Returns the source.
    mutating func text(identifier: String?) throws(FrozenSchema.Failure) -> String {
        for entry in classes { try findConstants(of: entry) }
        var bodies: [[String]] = []
        for entry in classes { bodies.append(try model(entry)) }
        for entry in types.values where types.paths[entry.key]?.count == 1 { bodies.append(try value(entry)) }
        var extensions: [[String]] = []
        for entry in types.values { extensions += try extensionTexts(of: entry) }
        let numbers = (identifier ?? "1.0.0").split(separator: ".").joined(separator: ", ")
        let list = classes.map { "\(SwiftIdentifier.declared($0.type.name)).self" }.joined(separator: ", ")
        // One statement for each part, because a single expression takes the compiler many seconds.
        var lines = [
            "// Frozen copy of a SwiftData schema, written by “modelc swiftdata freeze”. Stores of this version exist: an edit",
            "// that changes a version hash keeps them from being opened. “modelc lock check” finds such edits.", "",
        ]
        lines += imports
        lines += [
            "", "enum \(name): VersionedSchema {", "    static let versionIdentifier = Schema.Version(\(numbers))", "",
            "    static var models: [any PersistentModel.Type] {", "        [\(list)]", "    }",
        ]
        for body in bodies {
            lines.append("")
            lines += Self.indented(body)
        }
        lines.append("}")
        for body in extensions {
            lines.append("")
            lines += body
        }
        lines.append("")
        return lines.joined(separator: "\n")
    }

    private static func indented(_ lines: [String]) -> [String] { lines.map { $0.isEmpty ? "" : "    " + $0 } }

    /// The imports of the files that the text comes from. An import whose condition is unknown keeps the one that
    /// matters.
    private var imports: [String] {
        var modules: Set<String> = ["Foundation", "SwiftData"]
        var optional: Set<String> = []
        for file in files {
            modules.formUnion(sources.imports[file].filter { !$0.isConditional }.map(\.module))
            optional.formUnion(sources.imports[file].filter(\.isConditional).map(\.module))
        }
        return modules.sorted().map { "import \($0)" }
            + optional.subtracting(modules).sorted().flatMap { ["#if canImport(\($0))", "import \($0)", "#endif"] }
    }

    // MARK: Models

    private mutating func model(_ entry: TypeTable.Entry) throws(FrozenSchema.Failure) -> [String] {
        let name = SwiftIdentifier.declared(entry.type.name)
        files.insert(entry.type.span.file)
        var lines = ["@Model final class \(name) {"]
        for macro in entry.type.macros + entry.extensions.flatMap(\.macros) {
            if let text = macroText(macro, of: name) { lines.append("    \(text)") }
        }
        for constant in entry.properties where constants[entry.key]?.contains(constant.name) == true {
            lines += Self.indented(try self.constant(constant, of: entry))
        }
        var parameters: [(name: String, type: String)] = []
        for property in entry.type.properties where property.isCopied {
            for attribute in property.attributes where ["Attribute", "Relationship"].contains(attribute.name) {
                lines += Self.indented(try attributeText(attribute, property.scope(in: entry)))
            }
            let (text, type, needsValue) = try variable(property, of: entry)
            lines += Self.indented(text)
            if needsValue { parameters.append((texts.text(property.span), type)) }
        }
        lines.append("")
        let list = parameters.map { "\($0.name): \($0.type)" }.joined(separator: ", ")
        if parameters.isEmpty {
            lines.append("    init() {}")
        } else {
            lines.append("    init(\(list)) {")
            lines += parameters.map { "        self.\($0.name) = \($0.name)" } + ["    }"]
        }
        for value in types.values where types.paths[value.key]?.dropLast() == [entry.type.name] {
            lines.append("")
            lines += Self.indented(try self.value(value))
        }
        return lines + ["}"]
    }

    /// Returns the declaration of a property, its type, and whether it has to be set in an initializer.
    private func variable(
        _ property: PropertySource, of entry: TypeTable.Entry
    ) throws(FrozenSchema.Failure) -> (lines: [String], type: String, needsValue: Bool) {
        let scope = property.scope(in: entry)
        guard let type = LiteralType.type(of: property, in: scope, table) else {
            throw FrozenSchema.failure(
                "the type of “\(entry.type.name).\(property.name)” cannot be copied",
                at: texts.location(property.span), help: "Write the type of the property.")
        }
        let typeText =
            property.typeTokens.isEmpty
            ? try copier.text(of: type, from: scope, property.span)
            : try copier.text(property.typeTokens, scope: scope)
        let value = try copier.text(property.initializer, scope: scope)
        let text = "var \(texts.text(property.span)): \(typeText)\(value.isEmpty ? "" : " = \(value)")"
        return (Self.lines(text), typeText, value.isEmpty && !type.isOptional)
    }

    private func constant(
        _ property: PropertySource, of entry: TypeTable.Entry
    ) throws(FrozenSchema.Failure) -> [String] {
        let scope = property.scope(in: entry)
        let type = try copier.text(property.typeTokens, scope: scope)
        return Self.lines(
            "static let \(texts.text(property.span))\(type.isEmpty ? "" : ": \(type)") = "
                + (try copier.text(property.initializer, scope: scope)))
    }

    private func attributeText(
        _ attribute: AttributeSource, _ scope: Scope
    ) throws(FrozenSchema.Failure) -> [String] {
        guard !attribute.arguments.isEmpty else { return ["@\(attribute.name)"] }
        return Self.lines("@\(attribute.name)(\(try copier.text(attribute.arguments, scope: scope)))")
    }

    private func macroText(_ macro: MacroSource, of name: String) -> String? {
        guard macro.name == "Unique" || macro.name == "Index" else { return nil }
        let lists = MacroArguments(macro.arguments).unlabeled.map { value in
            var (prefix, list, suffix) = ("", value, "")
            if let open = value.firstIndex(where: { $0.is("(") }), value.last?.is(")") == true {
                prefix = texts.text(value[...open], in: macro.span.file)
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

    /// Finds the static constants that the initial values of a model use, and those that these use in turn.
    private mutating func findConstants(of entry: TypeTable.Entry) throws(FrozenSchema.Failure) {
        var waiting = entry.type.properties.filter(\.isCopied).map { ($0, entry) }
        while let (property, owner) = waiting.popLast() {
            let tokens = property.initializer
            let scope = property.scope(in: owner)
            for index in tokens.indices where index + 2 < tokens.endIndex && tokens[index + 1].is(".") {
                guard tokens[index].isName, tokens[index + 2].isName else { continue }
                var model = owner
                if !tokens[index].is("Self") {
                    guard index == tokens.startIndex || !tokens[index - 1].is("."),
                        case .type(let found)? = table.find([tokens[index].text], from: scope), found.type.isModel,
                        types.paths[found.key] != nil
                    else { continue }
                    model = found
                }
                let member = tokens[index + 2].text
                guard !table.has(member, in: model), constants[model.key]?.contains(member) != true else { continue }
                let constant = model.properties.first { $0.name == member && $0.modifiers.contains("static") }
                guard let constant, !constant.isComputed, !constant.initializer.isEmpty else {
                    throw FrozenSchema.failure(
                        "the initial value of “\(owner.type.name).\(property.name)” uses “\(model.type.name).\(member)”, "
                            + "which is not a constant that can be copied",
                        at: texts.location(property.span), help: "Write the value itself.")
                }
                constants[model.key, default: []].append(member)
                waiting.append((constant, model))
            }
        }
    }

    // MARK: Values

    /// Returns the declaration of a value type.
    private mutating func value(_ entry: TypeTable.Entry) throws(FrozenSchema.Failure) -> [String] {
        let type = entry.type
        files.insert(type.span.file)
        var text = ""
        for attribute in type.attributes {
            let arguments = texts.text(attribute.arguments, in: type.span.file)
            text += "@\(attribute.name)\(arguments.isEmpty ? "" : "(\(arguments))")\n"
        }
        if type.modifiers.contains("indirect") { text += "indirect " }
        return try Self.lines(text + copier.text(type.declaration, scope: type.outerScope))
    }

    /// Returns the extensions of a value type that can decide how it is encoded, or that its text needs.
    private mutating func extensionTexts(of entry: TypeTable.Entry) throws(FrozenSchema.Failure) -> [[String]] {
        let scope = Scope(path: entry.type.path, file: 0, extended: entry.type.path.count)
        let words = Set(entry.type.declaration.map(\.text))
        var result: [[String]] = []
        for source in entry.extensions {
            let declared = source.functions.map { String($0.prefix { $0 != "(" }) } + source.properties.map(\.name)
            let isNeeded =
                !source.inherited.isEmpty || declared.contains { $0 == "init" || $0 == "encode" || words.contains($0) }
                || source.declaresTypes || !entry.type.inherited.isEmpty && hasOwnProtocol(entry)
            guard isNeeded, let path = types.paths[entry.key] else { continue }
            if let condition = source.undecided.first {
                throw FrozenSchema.failure(
                    "an extension of “\(entry.type.name)” depends on `#if \(condition)`",
                    at: texts.location(source.span), help: EntityReader.conditionHelp)
            }
            files.insert(source.span.file)
            var inner = scope
            inner.file = source.span.file
            let name = ([name] + path).map(SwiftIdentifier.declared).joined(separator: ".")
            let rest = source.declaration.dropFirst(1 + source.extendedTokenCount)
            result.append(
                try Self.lines(
                    "extension \(name)" + (rest.first?.is(":") == true ? "" : " ")
                        + copier.text(rest, scope: inner, qualifies: true)))
        }
        return result
    }

    /// Whether a type conforms to a protocol of the sources, whose requirements any extension can meet.
    private func hasOwnProtocol(_ entry: TypeTable.Entry) -> Bool {
        entry.inherited.contains { type, scope in
            if case .type = table.resolve(type, from: scope) { true } else { false }
        }
    }

    /// Returns the lines of a text without the indentation that all but the first have in common.
    private static func lines(_ text: String) -> [String] {
        let lines = text.split(omittingEmptySubsequences: false) { ["\n", "\r\n", "\r"].contains($0) }
        var common: [Character]?
        for line in lines.dropFirst() where !line.allSatisfy(\.isWhitespace) {
            let indentation = line.prefix { $0 == " " || $0 == "\t" }
            common = common.map { zip($0, indentation).prefix { $0 == $1 }.map(\.0) } ?? Array(indentation)
        }
        return lines.enumerated().map { index, line in
            String(index == 0 ? line : line.dropFirst(common?.count ?? 0))
        }
    }
}
