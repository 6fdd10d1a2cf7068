/// Types and extensions.
extension DeclarationScanner {
    var outerPath: [String] {
        if case .type(let context, _)? = scopes.last { return context.path }
        return []
    }

    /// Reads a type inside a function.
    mutating func localType(_ word: SwiftToken) {
        guard ["class", "struct", "enum"].contains(word.text), !isSign(".", at: -1), let name = token(1),
            name.isName,
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
        guard let name = token(), name.isName,
            let kind = SwiftFile.TypeKind(rawValue: word.text)
        else { return }
        // `actor` can also be a name.
        if kind == .actor, !(isSign("{", at: 1) || isSign(":", at: 1) || isSign("<", at: 1)) { return }
        index += 1
        let isGeneric = isSign("<") || genericTypeCount > 0
        let isLocal = isLocal || isInLocalType
        let path = outerPath + [name.text]
        var declaration = SwiftFile.TypeDeclaration(
            kind: kind, path: path, nameRange: name.range, line: line(of: name), isGeneric: isGeneric,
            isPrivate: modifiers.access == "private" || modifiers.access == "fileprivate", isLocal: isLocal)
        declaration.inherited = lookingAhead { $0.cursor.inheritedTypes() }
        declaration.access = modifiers.access
        declaration.isObjectiveC = modifiers.isObjectiveC
        declaration.objectiveCName = modifiers.objectiveCName
        declaration.globalActor = modifiers.globalActor
        file.types.append(declaration)
        var context = SwiftFile.Context(path: path, extensionAccess: nil, isConstrained: false)
        context.isLocal = isLocal
        enterBody(context, isGeneric: isGeneric, type: file.types.count - 1)
    }

    private var isInLocalType: Bool {
        if case .type(let context, _)? = scopes.last { return context.isLocal }
        return false
    }

    mutating func typeExtension() {
        let access = modifiers.access
        modifiers = Modifiers()
        var parser = SwiftTypeParser(cursor.rest)
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
    private mutating func bodyStart() -> Int? {
        // Declarations without a body share the position where their search ends.
        if !bodySearch.contains(index) {
            var end = index
            while end < tokens.count, !["{", "}", ";"].contains(where: tokens[end].is) { end += 1 }
            bodySearch = index...end
        }
        let end = bodySearch.upperBound
        return end < tokens.count && tokens[end].is("{") ? end : nil
    }

    /// - Parameter type: The index of the type in the file's list; `nil` for an extension.
    private mutating func enterBody(_ context: SwiftFile.Context, isGeneric: Bool, type: Int? = nil) {
        guard let open = bodyStart() else { return }
        // The inheritance list may contain attributes; `@unchecked` is not a type.
        index = open + 1
        guard typeCount < Self.maximumDepth else {
            return push(.other)
        }
        push(.type(context, isGeneric: isGeneric))
        let start = rangeOfToken(open).upperBound
        file.bodies.append(
            SwiftFile.Body(context: context, range: start..<max(start, tokens.last?.range.upperBound ?? start)))
        openBodies.append((scopes.count, file.bodies.count - 1, type))
    }

    /// The number of types that may be nested in each other, which bounds the length of paths. The members of deeper
    /// ones are skipped like those of functions.
    private static let maximumDepth = 200
}
