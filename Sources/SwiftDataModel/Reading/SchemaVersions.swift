internal import SwiftSources

/// The versions of a schema: each `VersionedSchema`, or all models of sources without one.
struct SchemaVersions {
    /// A version whose models are not read yet.
    struct Version {
        var name: String
        var identifier: String?
        var models: [TypeTable.Entry]
        /// The problems with the declaration of the version.
        var problems: [SourceProblem] = []
    }

    private(set) var versions: [Version] = []
    var problems: [SourceProblem] { versions.flatMap(\.problems) }
    /// The problems with the version that is being read.
    private var current: [SourceProblem] = []
    let isVersioned: Bool
    private let table: TypeTable

    init(table: TypeTable, texts: SourceTexts) {
        self.table = table
        let schemas = table.versionedSchemas
            .sorted { $0.type.path.lexicographicallyPrecedes($1.type.path) }
        isVersioned = !schemas.isEmpty
        guard isVersioned else {
            let models = table.models
            if !models.isEmpty { versions = [Version(name: "Schema", identifier: "1.0.0", models: models)] }
            return
        }
        var found: [(version: Version, numbers: [Int])] = []
        for schema in schemas {
            current = []
            if let ambiguity = schema.ambiguity {
                report(
                    "the version “\(schema.type.path.joined(separator: "."))” \(ambiguity.reason(texts))",
                    schema.type.place, ambiguity.help)
            }
            let numbers = identifier(of: schema)
            let version = Version(
                name: schema.type.path.joined(separator: "."),
                identifier: numbers.isEmpty ? nil : numbers.map { "\($0)" }.joined(separator: "."),
                models: current.isEmpty ? models(of: schema, depth: 0) : [], problems: current)
            found.append((version, numbers))
        }
        versions = found.sorted { $0.numbers.lexicographicallyPrecedes($1.numbers) }.map(\.version)
    }

    private func property(_ name: String, of entry: TypeTable.Entry) -> PropertySource? {
        entry.properties.first { $0.name == name && $0.modifiers.contains("static") }
    }

    /// Returns the tokens of a static property's value, without `return` and `get`.
    private func value(of property: PropertySource) -> ArraySlice<SwiftToken> {
        guard property.initializer.isEmpty else { return property.initializer }
        var tokens = property.accessors
        if tokens.first?.is("get") == true, tokens.dropFirst().first?.is("{") == true, tokens.last?.is("}") == true {
            tokens = tokens.dropFirst(2).dropLast()
        }
        return tokens.first?.is("return") == true ? tokens.dropFirst() : tokens
    }

    /// Returns the numbers in `Schema.Version(1, 2, 3)` or `.init(1, 2, 3)`.
    private func identifier(of schema: TypeTable.Entry) -> [Int] {
        guard let property = property("versionIdentifier", of: schema) else { return [] }
        let arguments = value(of: property).drop { !$0.is("(") }.dropFirst()
        return arguments.filter { $0.kind == .number }.compactMap { Int($0.text.filter { $0 != "_" }) }
    }

    private mutating func models(of schema: TypeTable.Entry, depth: Int) -> [TypeTable.Entry] {
        let name = schema.type.name
        guard let property = property("models", of: schema) else {
            report(
                "“\(name)” has no static property “models”", schema.type.place, "list its models: `static var models`")
            return []
        }
        if let condition = property.undecided.first {
            report(
                "the models of “\(name)” depend on `#if \(condition)`", property.place,
                "move the declaration out of the condition")
            return []
        }
        var result: [TypeTable.Entry] = []
        for term in value(of: property).split(atTopLevel: "+") {
            if let elements = MacroArguments.elements(ofArray: term) {
                for element in elements { append(element, of: schema, property, to: &result) }
            } else if term.last?.is("models") == true, depth < 16,
                let other = entry(term.dropLast(2), from: property.scope(in: schema))
            {
                result += models(of: other, depth: depth + 1)
            } else {
                report(
                    "the models of “\(name)” are not a list of types", property.place,
                    "write them as `[Book.self, Author.self]`")
            }
        }
        return result
    }

    private func entry(
        _ tokens: ArraySlice<SwiftToken>, from scope: Scope
    ) -> TypeTable.Entry? {
        var parser = SwiftTypeParser(tokens)
        guard let type = parser.type(), parser.index == tokens.endIndex,
            case .type(let entry) = table.resolve(type, from: scope)
        else { return nil }
        return entry
    }

    private mutating func append(
        _ element: ArraySlice<SwiftToken>, of schema: TypeTable.Entry, _ property: PropertySource,
        to result: inout [TypeTable.Entry]
    ) {
        let text = element.dropLast(2).map(\.text).joined()
        guard element.last?.is("self") == true, let entry = entry(element.dropLast(2), from: property.scope(in: schema))
        else {
            return report(
                "the model “\(text)” of “\(schema.type.name)” is not declared in the sources", property.place,
                "add the file that declares it")
        }
        guard entry.type.isModel else {
            return report(
                "“\(text)” in “\(schema.type.name)” is not marked “@Model”", property.place,
                "attach `@Model` to the class")
        }
        result.append(entry)
    }

    private mutating func report(_ message: String, _ place: SourcePlace, _ help: String) {
        current.append(SourceProblem(message: message, place: place, help: help))
    }
}
