internal import SwiftSources

/// All types and aliases of the sources, looked up as Swift does: from the scope of the use outward.
struct TypeTable {
    /// The name of a declaration. Declarations of the same key are of the same name; only one of them can be compiled.
    struct Key: Hashable {
        var path: [String]
        /// The only file that can use the name, or `nil` for every file.
        var file: Int?
    }

    /// A type with the members of its extensions.
    struct Entry {
        var key: Key
        var type: TypeSource
        /// The other declarations of the same name.
        var duplicates: [DeclarationSite] = []
        var extensions: [TypeSource] = []

        /// The types that it inherits from or conforms to, including in extensions.
        var inherited: [(type: SwiftTypeText, scope: Scope)] {
            ([type] + extensions).flatMap { source in source.inherited.map { ($0, source.outerScope) } }
        }
        var properties: [PropertySource] { type.properties + extensions.flatMap(\.properties) }
        var hasFailableInitializer: Bool { ([type] + extensions).contains(where: \.hasFailableInitializer) }
        var functions: Set<String> { extensions.reduce(type.functions) { $0.union($1.functions) } }
        /// The reason why the declaration is ambiguous, or `nil` if there is only one.
        var ambiguity: Ambiguity? { Ambiguity([type.site] + duplicates) }
    }

    /// The result of resolving a name.
    enum Resolution {
        case type(Entry)
        /// A type declared by another module, and the scope of the names in it.
        case external(SwiftTypeText, Scope)
        /// An alias whose declaration is ambiguous, or `nil` if it refers to itself.
        case unclear(Ambiguity?)
    }

    /// The declarations of a name.
    private struct Group {
        var key: Key
        var types: [TypeSource] = []
        var aliases: [AliasSource] = []
        var extensions: [TypeSource] = []

        var entry: Entry? {
            // A model must not disappear behind another type of the name.
            guard let main = types.firstIndex(where: \.isModel) ?? types.indices.first else { return nil }
            var others = types
            let type = others.remove(at: main)
            return Entry(
                key: key, type: type, duplicates: others.map(\.site) + aliases.map(\.site), extensions: extensions)
        }

        mutating func add(_ other: Group) {
            types += other.types
            aliases += other.aliases
            extensions += other.extensions
        }

        /// Orders the declarations as in the sources.
        mutating func sort() {
            types.sort { $0.span < $1.span }
            aliases.sort { $0.site.span < $1.site.span }
            extensions.sort { $0.span < $1.span }
        }
    }

    private var groups: [Key: Group] = [:]
    /// The types that each path contains.
    private var inner: [[String]: [Key]] = [:]
    /// The scopes of the code in each file, from the outermost one.
    private var bodies: [Int: [(range: Range<Int>, scope: Scope)]] = [:]
    private var paths: Set<[String]> = []
    /// The extensions whose extended type is ambiguous.
    private(set) var unclearExtensions: [(span: SourceSpan, ambiguity: Ambiguity)] = []

    init(_ files: [FileDeclarations]) {
        for file in files {
            for type in file.types where type.site.extended.isEmpty { add(type) }
            for alias in file.aliases where alias.site.extended.isEmpty { add(alias) }
        }
        addExtensions(ExtensionContent.all(files))
        for key in groups.keys { groups[key]?.sort() }
        for file in bodies.keys { bodies[file]?.sort { $0.range.lowerBound < $1.range.lowerBound } }
    }

    private mutating func add(_ type: TypeSource) {
        bodies[type.span.file, default: []].append((type.body, type.scope))
        guard type.kind != .extension else { return }
        let key = Key(path: type.path, file: type.site.isPrivate ? type.span.file : nil)
        if groups[key]?.types.isEmpty ?? true { inner[Array(type.path.dropLast()), default: []].append(key) }
        add(type.site) { $0.types.append(type) }
    }

    private mutating func add(_ alias: AliasSource) {
        add(alias.site) { $0.aliases.append(alias) }
    }

    private mutating func add(_ site: DeclarationSite, _ change: (inout Group) -> Void) {
        let key = Key(path: site.path, file: site.isPrivate ? site.span.file : nil)
        paths.insert(site.path)
        change(&groups[key, default: Group(key: key)])
    }

    // MARK: Extensions

    /// What the extensions of a type in a file declare. The type is written in the same way in all of them.
    private struct ExtensionContent {
        var written: Scope
        var types: [TypeSource] = []
        var aliases: [AliasSource] = []

        static func all(_ files: [FileDeclarations]) -> [ExtensionContent] {
            var contents: [ExtensionContent] = []
            var indices: [Scope: Int] = [:]
            func index(_ site: DeclarationSite) -> Int {
                let written = Scope(path: site.extended, file: site.span.file)
                if let cached = indices[written] { return cached }
                indices[written] = contents.count
                contents.append(ExtensionContent(written: written))
                return contents.count - 1
            }
            for file in files {
                for type in file.types where !type.site.extended.isEmpty {
                    contents[index(type.site)].types.append(type)
                }
                for alias in file.aliases where !alias.site.extended.isEmpty {
                    contents[index(alias.site)].aliases.append(alias)
                }
            }
            return contents
        }
    }

    /// Adds what extensions declare, below the path of the type that they extend. One extension may extend a type that
    /// another one declares, or go by an alias of it.
    private mutating func addExtensions(_ contents: [ExtensionContent]) {
        var waiting = contents
        while !waiting.isEmpty {
            var left: [ExtensionContent] = []
            for content in waiting where !addIfKnown(content) { left.append(content) }
            if left.count == waiting.count {
                // Types of other modules, the outer ones first.
                let depth = left.map(\.written.path.count).min() ?? 0
                for content in left where content.written.path.count == depth {
                    if case .unclear(let ambiguity?)? = find(content.written), ambiguity.mayBeDeclared,
                        let span = content.types.first(where: { $0.kind == .extension })?.span
                    {
                        unclearExtensions.append((span, ambiguity))
                    }
                    add(content, to: externalPath(content.written), isPrivate: false, to: nil)
                }
                left.removeAll { $0.written.path.count == depth }
            }
            waiting = left
        }
    }

    private func externalPath(_ written: Scope) -> [String] {
        guard case .external(.named(let components), _)? = find(written) else { return written.path }
        return components.map(\.name)
    }

    private func find(_ written: Scope) -> Resolution? {
        find(written.path, from: Scope(path: [], file: written.file))
    }

    private mutating func addIfKnown(_ content: ExtensionContent) -> Bool {
        guard case .type(let entry)? = find(content.written) else { return false }
        add(content, to: entry.type.path, isPrivate: entry.key.file != nil, to: entry.key)
        return true
    }

    private mutating func add(_ content: ExtensionContent, to path: [String], isPrivate: Bool, to key: Key?) {
        func site(_ site: DeclarationSite) -> DeclarationSite {
            var site = site
            site.path = path + site.path.dropFirst(site.extended.count)
            site.extendedCount = path.count
            site.isPrivate = site.isPrivate || isPrivate
            return site
        }
        for var type in content.types {
            type.site = site(type.site)
            add(type)
            if type.kind == .extension, let key { groups[key]?.extensions.append(type) }
        }
        for var alias in content.aliases {
            alias.site = site(alias.site)
            add(alias)
        }
    }

    // MARK: Names

    /// The types in source order.
    var types: [Entry] { groups.values.compactMap(\.entry).sorted { $0.type.span < $1.type.span } }

    /// The types marked `@Model`, in source order.
    var models: [Entry] { types.filter(\.type.isModel) }

    /// Returns the types that a type contains.
    func types(in entry: Entry) -> [Entry] {
        (inner[entry.type.path] ?? []).compactMap { groups[$0]?.entry }.sorted { $0.type.span < $1.type.span }
    }

    /// Returns the scopes of the types whose bodies overlap a range, from the outermost one.
    func bodies(in range: Range<Int>, file: Int) -> [(range: Range<Int>, scope: Scope)] {
        (bodies[file] ?? []).filter { $0.range.overlaps(range) }
    }

    /// Returns whether a type contains a type or an alias of a name.
    func has(_ name: String, in entry: Entry) -> Bool { paths.contains(entry.type.path + [name]) }

    /// Returns the declared type that a dotted name refers to, or `nil` for types of other modules.
    func find(_ names: [String], from scope: Scope) -> Resolution? {
        resolve(.named(names.map { SwiftTypeText.Component(name: $0) }), from: scope, depth: 0)
    }

    /// Returns what a type without question mark and brackets refers to.
    func resolve(_ type: SwiftTypeText, from scope: Scope) -> Resolution {
        resolve(type, from: scope, depth: 0) ?? .external(type, scope)
    }

    /// Returns the declarations of a path that a file can use.
    private func group(_ path: [String], file: Int) -> Group? {
        guard paths.contains(path) else { return nil }
        let shared = groups[Key(path: path, file: nil)]
        guard var own = groups[Key(path: path, file: file)] else { return shared }
        if let shared {
            own.add(shared)
            own.sort()
        }
        return own
    }

    private func resolve(_ type: SwiftTypeText, from scope: Scope, depth: Int) -> Resolution? {
        guard depth < 32 else { return .unclear(nil) }
        guard case .named(let components) = type, let first = components.first else { return nil }
        // The first part of the name determines the scope, as in Swift.
        for path in scope.enclosingPaths {
            if let group = group(path + [first.name], file: scope.file) {
                return member(components.dropFirst(), of: group, file: scope.file, depth: depth)
            }
        }
        // A type that an extension of another module's type declares.
        for count in 1..<max(components.count, 1) {
            if let group = group(components.prefix(count + 1).map(\.name), file: scope.file) {
                return member(components.dropFirst(count + 1), of: group, file: scope.file, depth: depth)
            }
        }
        return nil
    }

    /// Returns what the rest of a name refers to, looked up in the type that its beginning refers to.
    private func member(
        _ rest: ArraySlice<SwiftTypeText.Component>, of group: Group, file: Int, depth: Int
    ) -> Resolution? {
        var (group, rest) = (group, rest)
        while true {
            let found: Resolution
            if let entry = group.entry {
                found = .type(entry)
            } else {
                guard let alias = group.aliases.first, !alias.isGeneric else { return nil }
                if var ambiguity = Ambiguity(group.aliases.map(\.site)) {
                    ambiguity.mayBeDeclared = group.aliases.contains {
                        if case .type? = resolve($0.type, from: $0.scope, depth: depth + 1) { true } else { false }
                    }
                    return .unclear(ambiguity)
                }
                found = resolve(alias.type, from: alias.scope, depth: depth + 1) ?? .external(alias.type, alias.scope)
            }
            guard let name = rest.popFirst()?.name else { return found }
            switch found {
            case .type(let entry):
                guard let inner = self.group(entry.type.path + [name], file: file) else { return nil }
                group = inner
            case .external(.named(let parts), let scope):
                let whole = SwiftTypeText.named(parts + [SwiftTypeText.Component(name: name)] + rest)
                return resolve(whole, from: scope, depth: depth + 1) ?? .external(whole, scope)
            case .external: return nil
            case .unclear: return found
            }
        }
    }

    /// Returns whether a type conforms to a protocol of another module, directly, through a protocol of the sources or
    /// through an alias.
    func conforms(_ entry: Entry, to name: String) -> Bool {
        var visited: Set<Key> = [entry.key]
        var waiting = entry.inherited
        while let (type, scope) = waiting.popLast() {
            switch resolve(type, from: scope) {
            case .type(let parent):
                if visited.insert(parent.key).inserted { waiting += parent.inherited }
            case .external(let external, let scope):
                if external.lastName == name { return true }
                if external == .other { waiting += parts(of: type, from: scope) }
            case .unclear: break
            }
        }
        return false
    }

    /// Returns the parts of the composition that an alias stands for.
    private func parts(of type: SwiftTypeText, from scope: Scope) -> [(type: SwiftTypeText, scope: Scope)] {
        guard case .named(let components) = type, let name = components.last?.name else { return [] }
        var scopes = scope.enclosingPaths
        if components.count > 1 {
            guard case .type(let owner) = resolve(.named(components.dropLast()), from: scope) else { return [] }
            scopes = [owner.type.path]
        }
        let group = scopes.lazy.compactMap { self.group($0 + [name], file: scope.file) }.first
        guard let alias = group?.aliases.first else { return [] }
        return alias.parts.map { ($0, alias.scope) }
    }
}
