internal import SwiftSources

/// The versions of a schema: each `VersionedSchema`; of sources without one, the models that code passes to schemas and
/// containers, or all models.
struct SchemaVersions {
    /// A version whose models are not read yet.
    struct Version {
        var name: String
        var identifier: String?
        var models: [TypeTable.Entry]
        /// The problems with the declaration of the version.
        var problems: [SourceProblem] = []
        /// The span of the declaration; `nil` for sources without versions.
        var span: SourceSpan?
    }

    private(set) var versions: [Version] = []
    var problems: [SourceProblem] {
        // Versions may share a list.
        var seen: Set<SourceProblem> = []
        return versions.flatMap(\.problems).filter { seen.insert($0).inserted }
    }
    /// The problems with the version that is being read.
    private var current: [SourceProblem] = []
    let isVersioned: Bool
    /// Whether the sources list the models of their schemas.
    private(set) var isListed: Bool
    private let table: TypeTable

    init(table: TypeTable, lists: [ModelListSource], texts: SourceTexts) {
        self.table = table
        let schemas = table.versionedSchemas
            .sorted { $0.type.path.lexicographicallyPrecedes($1.type.path) }
        isVersioned = !schemas.isEmpty
        isListed = isVersioned
        guard isVersioned else {
            var models = table.models
            if let listed = listedModels(lists) {
                models = models.filter { listed.contains($0.key) }
                isListed = true
            }
            if !models.isEmpty { versions = [Version(name: "Schema", identifier: "1.0.0", models: models)] }
            return
        }
        var found: [(version: Version, numbers: [Int])] = []
        for schema in schemas {
            current = []
            if let ambiguity = schema.ambiguity {
                report(
                    "the version “\(schema.type.path.joined(separator: "."))” \(ambiguity.reason(texts))",
                    span: schema.type.span, help: ambiguity.help)
            }
            let numbers = identifier(of: schema)
            let version = Version(
                name: schema.type.path.joined(separator: "."),
                identifier: numbers.isEmpty ? nil : numbers.map { "\($0)" }.joined(separator: "."),
                models: current.isEmpty ? models(of: schema, depth: 0) : [], problems: current,
                span: schema.type.span)
            found.append((version, numbers))
        }
        versions = found.sorted { $0.numbers.lexicographicallyPrecedes($1.numbers) }.map(\.version)
    }

    /// The migration plans, with the names of the versions that they list. A plan whose list cannot be read is left
    /// out.
    var plans: [(name: String, versions: [String])] {
        table.types.filter { table.conforms($0, to: "SchemaMigrationPlan") && $0.type.kind != .protocol }.compactMap {
            plan in
            guard let schemas = property("schemas", of: plan), schemas.undecided.isEmpty,
                let elements = MacroArguments.elements(ofArray: value(of: schemas))
            else { return nil }
            let versions = elements.map { element in
                element.last?.is("self") == true ? entry(element.dropLast(2), from: schemas.scope(in: plan)) : nil
            }
            guard !versions.contains(where: { $0 == nil }) else { return nil }
            return (
                plan.type.path.joined(separator: "."),
                versions.compactMap { $0?.type.path.joined(separator: ".") }
            )
        }
    }

    /// Returns the models of all lists, or `nil` if it is not certain that a store has no others: if a list cannot be
    /// read, or all containers are in memory, as those of previews and tests are.
    private mutating func listedModels(_ lists: [ModelListSource]) -> Set<TypeTable.Key>? {
        var isPersistent = false
        var keys: Set<TypeTable.Key> = []
        for found in lists {
            let scope =
                table.bodies(in: found.span.range, file: found.span.file).last?.scope
                ?? Scope(path: [], file: found.span.file)
            // A type of the sources with the name.
            if case .type? = table.find([found.call], from: scope) { continue }
            if !found.isInMemory { isPersistent = true }
            let owner: TypeTable.Entry? =
                if case .type(let entry)? = table.find(scope.path, from: Scope(path: [], file: scope.file)) {
                    entry
                } else { nil }
            let source = ListSource(owner: owner, name: "Schema", scope: scope, span: found.span)
            let isTypes = found.arguments.allSatisfy { $0.last?.is("self") == true }
            defer { current = [] }
            for argument in found.arguments {
                var models: [TypeTable.Entry] = []
                if isTypes {
                    append([argument], source, to: &models)
                } else {
                    models = list(argument, source, depth: 0) ?? []
                }
                guard current.isEmpty else { return nil }
                keys.formUnion(models.map(\.key))
            }
        }
        return isPersistent && !keys.isEmpty ? keys : nil
    }

    /// Where a list of models is written.
    private struct ListSource {
        /// The type around the list.
        var owner: TypeTable.Entry?
        /// The schema's name in messages.
        var name: String
        var scope: Scope
        var span: SourceSpan

        init(owner: TypeTable.Entry?, name: String, scope: Scope, span: SourceSpan) {
            self.owner = owner
            self.name = name
            self.scope = scope
            self.span = span
        }

        init(_ property: PropertySource, of owner: TypeTable.Entry) {
            self.init(owner: owner, name: owner.type.name, scope: property.scope(in: owner), span: property.span)
        }
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
                "“\(name)” has no static property “models”", span: schema.type.span,
                help: "list its models: `static var models`")
            return []
        }
        if let condition = property.undecided.first {
            report(
                "the models of “\(name)” depend on `#if \(condition)`", span: property.span,
                help: "move the declaration out of the condition")
            return []
        }
        return list(value(of: property), ListSource(property, of: schema), depth: depth) ?? []
    }

    /// Returns the models that an expression lists, or `nil` after reporting that it cannot be read.
    private mutating func list(
        _ tokens: ArraySlice<SwiftToken>, _ source: ListSource, depth: Int
    ) -> [TypeTable.Entry]? {
        var result: [TypeTable.Entry] = []
        for term in tokens.split(atTopLevel: "+") {
            let found: [TypeTable.Entry]?
            if let elements = MacroArguments.elements(ofArray: term) {
                found = []
                append(elements, source, to: &result)
            } else {
                found = depth < 16 ? self.term(term, source, depth: depth + 1) : nil
            }
            guard let found else {
                report(
                    "the models of “\(source.name)” are not a list of types", span: source.span,
                    help: "write them as `[Book.self, Author.self]`")
                return nil
            }
            result += found
        }
        return result
    }

    /// Returns the models that a part of a sum lists: `Common.models`, `[Old.self, New.self].flatMap { $0.models }`,
    /// `[Old.models, New.models].flatMap { $0 }`, or one of them in parentheses.
    private mutating func term(
        _ term: ArraySlice<SwiftToken>, _ source: ListSource, depth: Int
    ) -> [TypeTable.Entry]? {
        if term.first?.is("(") == true, term.last?.is(")") == true,
            term.dropLast().dropFirst().allSatisfy({ !$0.is(")") })
        {
            return list(term.dropFirst().dropLast(), source, depth: depth)
        }
        if let call = term.lastIndex(where: { $0.is("flatMap") }), call > term.startIndex + 1, term[call - 1].is(".") {
            let body = term[(call + 1)...].filter { !["(", ")", "{", "}", "\\", ".", "self"].contains($0.text) }.map(
                \.text)
            guard let elements = MacroArguments.elements(ofArray: term[..<(call - 1)]) else { return nil }
            var result: [TypeTable.Entry] = []
            for element in elements {
                let names: ArraySlice<SwiftToken>
                switch body {
                case ["$0"], []: names = element
                case ["$0", "models"], ["models"]:
                    guard element.last?.is("self") == true,
                        let other = entry(element.dropLast(2), from: source.scope)
                    else { return nil }
                    result += models(of: other, depth: depth)
                    continue
                default: return nil
                }
                guard let found = list(names, source, depth: depth) else { return nil }
                result += found
            }
            return result
        }
        guard let name = term.last, name.isName, term.count < 64 else { return nil }
        let owner: TypeTable.Entry?
        if term.count == 1 || (term.count == 3 && term.first?.is("Self") == true) {
            owner = source.owner
        } else {
            owner = term.dropLast().last?.is(".") == true ? entry(term.dropLast(2), from: source.scope) : nil
        }
        guard let owner else { return nil }
        if name.text == "models", owner.key != source.owner?.key { return models(of: owner, depth: depth) }
        guard let other = self.property(name.text, of: owner), other.undecided.isEmpty, other.span != source.span
        else { return nil }
        return list(value(of: other), ListSource(other, of: owner), depth: depth)
    }

    private func entry(_ tokens: ArraySlice<SwiftToken>, from scope: Scope) -> TypeTable.Entry? {
        var parser = SwiftTypeParser(tokens)
        guard let type = parser.type(), parser.index == tokens.endIndex,
            case .type(let entry) = table.resolve(type, from: scope)
        else { return nil }
        return entry
    }

    /// Appends the models that the elements of an array name. All elements with the same problem are one error.
    private mutating func append(
        _ elements: [ArraySlice<SwiftToken>], _ source: ListSource, to result: inout [TypeTable.Entry]
    ) {
        var (undeclared, unmarked): ([String], [String]) = ([], [])
        for element in elements {
            let text = element.dropLast(2).map(\.text).joined()
            guard element.last?.is("self") == true, let entry = entry(element.dropLast(2), from: source.scope) else {
                undeclared.append(text)
                continue
            }
            guard entry.type.isModel else {
                unmarked.append(text)
                continue
            }
            result.append(entry)
        }
        if let first = undeclared.first {
            report(
                undeclared.count == 1
                    ? "the model “\(first)” of “\(source.name)” is not declared in the sources"
                    : "\(undeclared.count) models of “\(source.name)” are not declared in the sources: "
                        + Self.names(undeclared), span: source.span,
                help: undeclared.count == 1 ? "add the file that declares it" : "add the files that declare them")
        }
        if !unmarked.isEmpty {
            report(
                "\(Self.names(unmarked)) in “\(source.name)” \(unmarked.count == 1 ? "is" : "are") not marked “@Model”",
                span: source.span, help: "attach `@Model` to the \(unmarked.count == 1 ? "class" : "classes")")
        }
    }

    private static func names(_ names: [String]) -> String {
        let shown = names.prefix(5).map { "“\($0)”" }
        let more = names.count - shown.count
        guard more > 0 else {
            return shown.count < 2
                ? shown.joined() : shown.dropLast().joined(separator: ", ") + " and " + shown[shown.count - 1]
        }
        return shown.joined(separator: ", ") + " and \(more) more"
    }

    private mutating func report(_ message: String, span: SourceSpan, help: String) {
        current.append(SourceProblem(message: message, span: span, help: help))
    }
}
