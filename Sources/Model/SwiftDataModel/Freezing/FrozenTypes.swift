internal import SwiftSources

/// The types that a frozen schema copies, and where in the copy they are.
///
/// These are the models and the structures and enumerations that their stored properties hold, directly or in other
/// values. Everything else that the sources declare is only referred to.
struct FrozenTypes {
    let table: TypeTable
    let texts: SourceTexts
    /// The copied values in the order of their first use.
    private(set) var values: [TypeTable.Entry] = []
    /// The names of the enclosing types in the copy and its own, for each copied type.
    private(set) var paths: [TypeTable.Key: [String]] = [:]
    private var used: Set<TypeTable.Key> = []
    /// The types inside of copied values.
    private var carried: [TypeTable.Entry] = []

    init(
        models: [TypeTable.Entry], table: TypeTable, texts: SourceTexts
    ) throws(FrozenSchema.Failure) {
        self.table = table
        self.texts = texts
        for model in models { paths[model.key] = [model.type.name] }
        for model in models {
            for property in model.type.properties where property.isCopied && !property.isTransformable {
                try use(typeOf: property, in: model)
            }
        }
        try assignPaths(models)
        for model in models {
            for property in model.type.properties where property.isCopied && property.isTransformable {
                try checkTransformed(property, in: model)
            }
        }
    }

    /// The names that the schema itself declares.
    var names: Set<String> { Set(paths.values.compactMap(\.first)) }

    // MARK: Use

    private mutating func use(typeOf property: PropertySource, in entry: TypeTable.Entry) throws(FrozenSchema.Failure) {
        let scope = property.scope(in: entry)
        if let type = LiteralType.type(of: property, in: scope, table) { try use(type, from: scope) }
    }

    private mutating func use(_ type: SwiftTypeText, from scope: Scope) throws(FrozenSchema.Failure) {
        switch type {
        case .optional(let inner), .array(let inner): try use(inner, from: scope)
        case .dictionary(let key, let value):
            try use(key, from: scope)
            try use(value, from: scope)
        case .other: break
        case .named(let components):
            for argument in components.flatMap(\.arguments) { try use(argument, from: scope) }
            switch table.resolve(type, from: scope) {
            case .type(let entry): try use(entry)
            case .external(let external, let inner):
                if external != type { try use(external, from: inner) }
            case .unclear(let ambiguity):
                throw FrozenSchema.failure(
                    "“\(ambiguity?.name ?? "")” \(ambiguity?.problem ?? "refers to itself")",
                    at: ambiguity.map { texts.location($0.span) }, help: ambiguity?.help ?? "Write the type itself.")
            }
        }
    }

    private mutating func use(_ entry: TypeTable.Entry) throws(FrozenSchema.Failure) {
        guard [.struct, .enum].contains(entry.type.kind), paths[entry.key] == nil, used.insert(entry.key).inserted
        else {
            return
        }
        if let ambiguity = entry.ambiguity {
            throw FrozenSchema.failure(
                "“\(ambiguity.name)” \(ambiguity.reason(texts))", at: texts.location(ambiguity.span),
                help: ambiguity.help)
        }
        values.append(entry)
        for property in entry.type.properties where property.isStored {
            for attribute in property.attributes {
                try use(.named([SwiftTypeText.Component(name: attribute.name)]), from: property.scope(in: entry))
            }
            try use(typeOf: property, in: entry)
        }
        for type in entry.type.cases.flatMap(\.payloadTypes) { try use(type, from: entry.type.scope) }
        // What is declared in a copied type is copied with it.
        for inner in table.types(in: entry) {
            try use(inner)
            carried.append(inner)
        }
    }

    /// Throws if a value transformer stores a type that is copied: it would get the copy, which is another type.
    private func checkTransformed(
        _ property: PropertySource, in entry: TypeTable.Entry
    ) throws(FrozenSchema.Failure) {
        let scope = property.scope(in: entry)
        guard let type = property.type?.unwrapped, case .type(let found) = table.resolve(type, from: scope),
            paths[found.key] != nil
        else { return }
        throw FrozenSchema.failure(
            "“\(found.type.name)” is stored both by a value transformer and as a value or a model",
            at: texts.location(property.span), help: "Use two types.")
    }

    // MARK: Paths

    /// Nests values in the types that they are nested in, as far as these are copied.
    private mutating func assignPaths(_ models: [TypeTable.Entry]) throws(FrozenSchema.Failure) {
        var owners: [String: TypeTable.Entry] = [:]
        for model in models { owners[model.type.name] = model }
        for entry in values.sorted(by: { $0.type.path.count < $1.type.path.count }) {
            if let path = pathInOwner(entry.type.path, file: entry.key.file) {
                paths[entry.key] = path
                continue
            }
            let name = entry.type.name
            if let other = owners.updateValue(entry, forKey: name) {
                throw FrozenSchema.failure(
                    "two types of the schema are named “\(name)”: \(texts.describe(other.type.span)) and "
                        + texts.describe(entry.type.span), help: "Rename one of them.")
            }
            paths[entry.key] = [name]
        }
        for entry in carried { paths[entry.key] = pathInOwner(entry.type.path, file: entry.key.file) }
    }

    /// Returns where a path is in the copy if the enclosing type is copied.
    func pathInOwner(_ path: [String], file: Int?) -> [String]? {
        let outer = Array(path.dropLast())
        let found = paths[TypeTable.Key(path: outer, file: nil)] ?? paths[TypeTable.Key(path: outer, file: file)]
        return found.map { $0 + path.suffix(1) }
    }
}

extension PropertySource {
    /// Whether the copy of a model has the property.
    var isCopied: Bool { isStored && !isMarkedTransient }

    /// Whether a value transformer stores it.
    var isTransformable: Bool {
        attributes.contains { $0.name == "Attribute" && $0.arguments.contains { $0.is("transformable") } }
    }
}
