internal import SwiftSources

// The members of types.

extension TypeScanner {
    /// Reads an attribute with its arguments.
    mutating func attribute() -> AttributeSource? {
        guard let sign = token else { return nil }
        index += 1
        guard var name = token, name.isName else { return nil }
        index += 1
        while isSign("."), let next = token(at: index + 1), next.isName {
            name = next
            index += 2
        }
        var arguments: ArraySlice<SwiftToken> = []
        // A declaration cannot begin with a parenthesis, so it belongs to the attribute, even after a space or comment.
        if isSign("(") { arguments = skipBrackets() }
        let span = SourceSpan(file: file, range: sign.range.lowerBound..<name.range.upperBound)
        return AttributeSource(name: name.text, arguments: arguments, span: span)
    }

    // MARK: Properties

    /// Reads the variables after `var` or `let`.
    mutating func properties(_ prefix: Prefix, in type: inout TypeSource?) {
        let keyword = index
        index += 1
        var found: [PropertySource] = []
        repeat {
            if isSign(",") { index += 1 }
            guard let name = token else { break }
            var property = PropertySource(
                name: name.text, span: span(name), type: nil, initializer: [], accessors: [],
                attributes: prefix.attributes, modifiers: prefix.modifiers, isComputed: false,
                isInExtension: type?.kind == .extension, undecided: cursor.undecided + prefix.undecided)
            if name.is("(") {
                property.isTuple = true
                _ = skipBrackets()
            } else if name.isName {
                index += 1
            } else {
                break
            }
            if isSign(":") { typeAnnotation(of: &property) }
            if isSign("="), token(at: index + 1)?.is("=") != true {
                index += 1
                property.initializer = expression()
            }
            if isSign("{") { accessors(of: &property) }
            found.append(property)
            if type != nil, Self.usesBaseClass(property.accessors, prefix) { type?.hasBaseClass = true }
        } while isSign(",")
        // In `var a, b: Int`, the annotation applies to both.
        for offset in found.indices.reversed().dropFirst()
        where found[offset].type == nil && found[offset].initializer.isEmpty {
            found[offset].type = found[offset + 1].type
            found[offset].typeTokens = found[offset + 1].typeTokens
        }
        type?.properties += found
        if index == keyword { index += 1 }
    }

    private mutating func typeAnnotation(of property: inout PropertySource) {
        index += 1
        let start = index
        defer { property.typeTokens = tokens[min(start, tokens.count)..<min(max(start, index), tokens.count)] }
        var parser = SwiftTypeParser(cursor.rest)
        property.type = parser.type() ?? .other
        index = max(parser.index, index)
        // A type that the parser does not know ends where a value, accessors or the next declaration begins.
        while let token, !token.isFirstOnLine, !["=", "{", "}", ",", ";"].contains(where: token.is) {
            property.type = .other
            index += 1
        }
    }

    private mutating func accessors(of property: inout PropertySource) {
        property.accessors = skipBrackets()
        property.isComputed = !Self.isObserver(property.accessors)
    }

    /// Returns whether the braces after a variable hold `willSet` or `didSet`, in which case the variable is stored.
    private static func isObserver(_ tokens: ArraySlice<SwiftToken>) -> Bool {
        let first = startOfAccessor(in: tokens)
        return first < tokens.endIndex && (tokens[first].is("willSet") || tokens[first].is("didSet"))
    }

    /// Returns the index of the first token that is neither part of an attribute nor of a directive.
    private static func startOfAccessor(in tokens: ArraySlice<SwiftToken>) -> Int {
        var index = tokens.startIndex
        while index < tokens.endIndex {
            if tokens[index].is("@") {
                index += 2
                guard index < tokens.endIndex, tokens[index].is("(") else { continue }
                var open = 0
                repeat {
                    open += tokens[index].nesting
                    index += 1
                } while open > 0 && index < tokens.endIndex
            } else if tokens[index].kind == .pound {
                index += 1
                while index < tokens.endIndex, !tokens[index].isFirstOnLine { index += 1 }
            } else {
                return index
            }
        }
        return index
    }

    /// Reads an expression up to the end of the declaration.
    private mutating func expression() -> ArraySlice<SwiftToken> {
        let start = index
        while let token {
            let isFirst = index == start
            if token.is(",") || token.is(";") || token.is("}") { break }
            if token.isFirstOnLine, !isFirst, !continuesExpression(token) { break }
            if token.nesting == 1 {
                if token.text == "{", !isFirst, startsObservers() { break }
                _ = skipBrackets()
            } else if let end = endOfGenericName() {
                index = end
            } else {
                index += 1
            }
        }
        return tokens[start..<min(index, tokens.count)]
    }

    /// Returns the index after a name with generic arguments, whose commas do not end the expression.
    private func endOfGenericName() -> Int? {
        guard token?.isName == true, let next = token(at: index + 1), next.is("<"), next.isAdjacent else { return nil }
        var parser = SwiftTypeParser(cursor.rest)
        guard parser.type() != nil, parser.index > index + 1, let last = token(at: parser.index - 1),
            last.is(">") || last.isName
        else { return nil }
        guard let following = token(at: parser.index), !following.isFirstOnLine else { return parser.index }
        return ["(", ".", ")", "]", "{", "}", ",", ";", ":"].contains(where: following.is) ? parser.index : nil
    }

    /// Returns whether the braces at the current token belong to the variable and not to its initial value.
    private func startsObservers() -> Bool {
        let first = token(at: Self.startOfAccessor(in: tokens[min(index + 1, tokens.count)...]))
        return first?.is("didSet") == true || first?.is("willSet") == true
    }

    /// Returns whether the first token of a line continues the expression of the previous line.
    private func continuesExpression(_ token: SwiftToken) -> Bool {
        if token.kind == .sign, token.text != "@" { return true }
        if token.is("as") || token.is("is") { return true }
        guard let last = self.token(at: index - 1), last.kind == .sign else { return false }
        // An operator at the end of a line is separated from its operand; a generic argument list is not.
        return last.is("=")
            || (!last.isAdjacent && ["+", "-", "*", "/", "%", "|", "&", "?", ":", "<", ">"].contains(last.text))
    }

    // MARK: Cases, functions, aliases and macros

    /// Reads the cases after `case`.
    mutating func cases(in type: inout TypeSource?) {
        index += 1
        while let name = token, name.isName {
            index += 1
            var found = CaseSource(name: name.text, hasPayload: false, span: span(name), undecided: cursor.undecided)
            if isSign("(") {
                found.hasPayload = true
                found.payloadTypes = skipBrackets().split(atTopLevel: ",").compactMap { value in
                    // After the label.
                    let start = value.firstIndex { $0.is(":") }.map { $0 + 1 } ?? value.startIndex
                    var parser = SwiftTypeParser(value[start...])
                    return parser.type()
                }
            }
            if isSign("=") {
                index += 1
                found.rawValue = expression()
            }
            type?.cases.append(found)
            guard isSign(",") else { return }
            index += 1
        }
    }

    /// Returns whether a member belongs to a class with a base class, as its body or its modifiers show.
    private static func usesBaseClass(_ body: ArraySlice<SwiftToken>, _ prefix: Prefix) -> Bool {
        prefix.modifiers.contains("override") || body.contains { $0.is("super") }
    }

    /// Skips a function, an initializer or a subscript, and records its name with the labels.
    mutating func function(_ prefix: Prefix, in type: inout TypeSource?) {
        guard var name = token else { return }
        let start = index
        index += 1
        if name.is("func"), let next = token {
            name = next
            index += 1
        }
        let isFailable = name.is("init") && (isSign("?") || isSign("!"))
        while let token, !token.is("("), !token.is("{"), !token.is("}") { index += 1 }
        var labels = ""
        if isSign("(") {
            let parameters = skipBrackets()
            var open = 0
            for (offset, token) in zip(parameters.indices, parameters) {
                if token.kind == .sign, ["(", "[", "{", "<"].contains(token.text) { open += 1 }
                if token.kind == .sign, [")", "]", "}", ">"].contains(token.text) { open -= 1 }
                let isLabel = offset == parameters.startIndex || (open == 0 && parameters[offset - 1].is(","))
                if isLabel, token.isName { labels += token.text + ":" }
            }
        }
        if isFailable { type?.hasFailableInitializer = true }
        type?.functions.insert("\(name.text)(\(labels))")
        skipSignature()
        let body = isSign("{") ? skipBrackets() : []
        if type != nil, Self.usesBaseClass(body, prefix) { type?.hasBaseClass = true }
        if index == start { index += 1 }
    }

    /// Moves past effects, result and conditions to the body; a protocol requirement has none.
    private mutating func skipSignature() {
        while let token, !token.is("{"), !token.is("}"), !token.is(";"), !token.is("@") {
            if token.isFirstOnLine, token.kind == .word, Self.beginsDeclaration.contains(token.text) { return }
            if token.kind == .pound { return }
            if token.kind == .sign, ["(", "["].contains(token.text) { _ = skipBrackets() } else { index += 1 }
        }
    }

    private static let beginsDeclaration = Prefix.modifiers.union([
        "func", "var", "let", "init", "subscript", "case", "struct", "enum", "protocol", "actor", "extension",
        "typealias",
        "associatedtype", "deinit",
    ])

    mutating func alias(_ prefix: Prefix, outer: TypeSource?) {
        index += 1
        guard let name = token, name.isName else { return }
        index += 1
        let isGeneric = isSign("<")
        while let token, !token.is("="), !token.isFirstOnLine { index += 1 }
        guard isSign("=") else { return }
        var composition = SwiftTypeParser(cursor.rest)
        let parts = composition.parts(after: "=")
        index += 1
        var parser = SwiftTypeParser(cursor.rest)
        guard let type = parser.type() else { return }
        index = max(parser.index, index)
        result.aliases.append(
            AliasSource(site: site(name, prefix, outer: outer), type: type, parts: parts, isGeneric: isGeneric))
    }

    /// Reads a freestanding macro.
    mutating func macro(in type: inout TypeSource?) {
        guard let name = token else { return }
        index += 1
        if isSign("<") {
            while let token, !token.is("("), !token.isFirstOnLine { index += 1 }
        }
        var arguments: ArraySlice<SwiftToken> = []
        if isSign("(") { arguments = skipBrackets() }
        type?.macros.append(
            MacroSource(name: name.text, arguments: arguments, span: span(name), undecided: cursor.undecided))
    }
}
