/// Types and extensions.
extension DeclarationScanner {
    var outerPath: [String] {
        if case .type(let context, _)? = scopes.last { return context.path }
        return []
    }

    private var isInGenericType: Bool {
        scopes.contains { scope in
            if case .type(_, isGeneric: true) = scope { return true }
            return false
        }
    }

    /// Reads a type inside a function.
    mutating func localType(_ word: SwiftToken) {
        guard ["class", "struct", "enum"].contains(word.text), !isSign(".", at: -1), let name = token(1),
            name.kind == .word || name.kind == .quotedName,
            isSign("{", at: 2) || isSign(":", at: 2) || (isSign("<", at: 2) && token(2)?.isAdjacent == true)
        else { return }
        // The caller skips one more token.
        index += 1
        type(word, isLocal: true)
        index -= 1
    }

    mutating func type(_ word: SwiftToken, isLocal: Bool = false) {
        let modifiers = modifiers
        self.modifiers = Modifiers()
        guard let name = token(), name.kind == .word || name.kind == .quotedName,
            let kind = SwiftFile.TypeKind(rawValue: word.text)
        else { return }
        // `actor` can also be a name.
        if kind == .actor, !(isSign("{", at: 1) || isSign(":", at: 1) || isSign("<", at: 1)) { return }
        index += 1
        let isGeneric = isSign("<") || isInGenericType
        let isLocal = isLocal || isInLocalType
        let path = outerPath + [name.text]
        var declaration = SwiftFile.TypeDeclaration(
            kind: kind, path: path, nameRange: name.range, line: line(of: name), isGeneric: isGeneric,
            isPrivate: modifiers.access == "private" || modifiers.access == "fileprivate", isLocal: isLocal)
        declaration.inherited = lookingAhead { $0.inheritedTypes() }
        declaration.access = modifiers.access
        declaration.isObjectiveC = modifiers.isObjectiveC
        declaration.objectiveCName = modifiers.objectiveCName
        file.types.append(declaration)
        var context = SwiftFile.Context(path: path, extensionAccess: nil, isConstrained: false)
        context.isLocal = isLocal
        if enterBody(context, isGeneric: isGeneric) { openTypes.append((scopes.count, file.types.count - 1)) }
    }

    private var isInLocalType: Bool {
        if case .type(let context, _)? = scopes.last { return context.isLocal }
        return false
    }

    /// Reads the types after the colon of a declaration.
    private mutating func inheritedTypes() -> [SwiftTypeText] {
        if isSign("<") { skipBalanced("<", ">") }
        var parser = SwiftTypeParser(rest)
        defer { index = max(parser.index, index) }
        return parser.inheritedTypes()
    }

    mutating func typeExtension() {
        let access = modifiers.access
        modifiers = Modifiers()
        var parser = SwiftTypeParser(rest)
        guard case .named(let components)? = parser.type() else { return }
        index = parser.index
        let start = index
        let isGeneric = components.contains { !$0.arguments.isEmpty }
        guard let open = bodyStart() else { return }
        let isConstrained = tokens[min(start, open)..<open].contains { $0.is("where") }
        index = start
        var context = SwiftFile.Context(
            path: components.map(\.name), extensionAccess: access, isConstrained: isConstrained)
        context.isExtension = true
        enterBody(context, isGeneric: isGeneric)
    }

    /// Returns the index of the brace that opens the body of a type.
    private func bodyStart() -> Int? {
        var place = index
        while place < tokens.count {
            if tokens[place].is("{") { return place }
            if tokens[place].is("}") || tokens[place].is(";") { return nil }
            place += 1
        }
        return nil
    }

    @discardableResult private mutating func enterBody(_ context: SwiftFile.Context, isGeneric: Bool) -> Bool {
        guard let open = bodyStart() else { return false }
        // The inheritance list may contain attributes; `@unchecked` is not a type.
        index = open + 1
        scopes.append(.type(context, isGeneric: isGeneric))
        return true
    }
}
