internal import SwiftSources

/// All types of the sources, looked up as Swift does: from the scope of the use outward.
struct TypeTable {
    /// A type with the members of its extensions.
    struct Entry {
        var type: TypeSource
        /// The other declarations with the same path.
        var duplicates: [TypeSource] = []
        var extensions: [TypeSource] = []

        /// The types that it inherits from or conforms to, including in extensions.
        var inherited: [SwiftTypeText] { type.inherited + extensions.flatMap(\.inherited) }
        var properties: [PropertySource] { type.properties + extensions.flatMap(\.properties) }
        /// An `#if` condition of unknown value that decides which declaration is compiled.
        var undecided: String? { ([type] + duplicates).lazy.compactMap(\.undecided.first).first }
        /// Whether it has a failable initializer.
        var hasFailableInitializer: Bool { ([type] + extensions).contains(where: \.hasFailableInitializer) }
        var functions: Set<String> { extensions.reduce(type.functions) { $0.union($1.functions) } }
    }

    /// The result of resolving a name.
    enum Resolution {
        case type(Entry)
        /// A type declared by another module, without its module's name.
        case external(SwiftTypeText)
        /// An alias that refers to itself.
        case cycle
    }

    private(set) var entries: [[String]: Entry] = [:]
    private var aliases: [[String]: AliasSource] = [:]

    init(_ files: [FileDeclarations]) {
        var extensions: [TypeSource] = []
        for type in files.flatMap(\.types) {
            if type.kind == .extension {
                extensions.append(type)
            } else if entries[type.path] != nil {
                entries[type.path]?.duplicates.append(type)
            } else {
                entries[type.path] = Entry(type: type)
            }
        }
        for alias in files.flatMap(\.aliases) { aliases[alias.path] = alias }
        // Types declared in extensions have the path as written there, which may contain an alias.
        for type in extensions {
            guard case .type(let entry)? = find(type.path, from: type.outerPath) else { continue }
            entries[entry.type.path]?.extensions.append(type)
        }
    }

    /// The types marked `@Model`, in source order.
    var models: [Entry] {
        entries.values.filter(\.type.isModel).sorted {
            ($0.type.place.file, $0.type.place.range.lowerBound) < ($1.type.place.file, $1.type.place.range.lowerBound)
        }
    }

    /// Returns the declared type that a dotted name refers to, or `nil` for types of other modules.
    func find(_ names: [String], from scope: [String]) -> Resolution? {
        resolve(.named(names.map { SwiftTypeText.Component(name: $0) }), from: scope, depth: 0)
    }

    /// Returns what a type without question mark and brackets refers to.
    func resolve(_ type: SwiftTypeText, from scope: [String]) -> Resolution {
        resolve(type, from: scope, depth: 0) ?? .external(type)
    }

    private func resolve(_ type: SwiftTypeText, from scope: [String], depth: Int) -> Resolution? {
        guard depth < 32 else { return .cycle }
        guard case .named(let components) = type else { return nil }
        let names = components.map(\.name)
        for count in stride(from: scope.count, through: 0, by: -1) {
            let outer = Array(scope.prefix(count))
            // The first part of the name determines the scope, as in Swift.
            if let entry = entries[outer + names] { return .type(entry) }
            if let alias = aliases[outer + names], !alias.isGeneric {
                return resolve(alias.type, from: alias.path.dropLast(), depth: depth + 1) ?? .external(alias.type)
            }
            guard names.count > 1 else { continue }
            if let alias = aliases[outer + [names[0]]], case .named(let parts) = alias.type {
                return resolve(
                    .named(parts + components.dropFirst()), from: alias.path.dropLast(), depth: depth + 1)
            }
            if entries[outer + [names[0]]] != nil { return nil }
        }
        return nil
    }
}
