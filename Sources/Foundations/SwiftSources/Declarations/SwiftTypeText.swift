/// A type as written in source code, parsed as far as types of stored values need it.
package indirect enum SwiftTypeText: Hashable, Sendable {
    /// A name, optionally qualified by its module or outer types: `Date`, `Foundation.Date`, `Book.Status`,
    /// `Set<Book>`.
    case named([Component])
    /// `T?`, `T!` and `Optional<T>`.
    case optional(SwiftTypeText)
    /// `[T]` and `Array<T>`.
    case array(SwiftTypeText)
    /// `[K: V]` and `Dictionary<K, V>`.
    case dictionary(SwiftTypeText, SwiftTypeText)
    /// Anything else: tuples, functions, compositions, `any P`.
    case other

    /// A part of a dotted name.
    package struct Component: Hashable, Sendable {
        package var name: String
        /// The generic arguments between `<` and `>`.
        package var arguments: [SwiftTypeText]

        /// Creates a part.
        package init(name: String, arguments: [SwiftTypeText] = []) {
            self.name = name
            self.arguments = arguments
        }
    }

    /// The type without its question mark.
    package var unwrapped: SwiftTypeText {
        if case .optional(let wrapped) = self { return wrapped }
        return self
    }

    /// Whether the type is an optional.
    package var isOptional: Bool {
        if case .optional = self { return true }
        return false
    }

    /// The last name of a named type, such as `Date` for `Foundation.Date`; `nil` for others.
    package var lastName: String? {
        if case .named(let components) = self { return components.last?.name }
        return nil
    }
}

/// A parser of types in source code.
package struct SwiftTypeParser {
    private let tokens: ArraySlice<SwiftToken>
    /// The index of the first token after the type.
    package private(set) var index: Int
    private var depth = 0
    /// Whether the outermost type ends at the `&` of a composition.
    private var splitsCompositions = false

    /// Creates a parser that starts at the first of these tokens.
    package init(_ tokens: ArraySlice<SwiftToken>) {
        self.tokens = tokens
        index = tokens.startIndex
    }

    private var token: SwiftToken? { index < tokens.endIndex ? tokens[index] : nil }

    private mutating func take(_ sign: String) -> Bool {
        guard let token, token.kind == .sign, token.text == sign else { return false }
        index += 1
        return true
    }

    /// Reads the types after the colon of a declaration, whose first token is the colon; none if it is another
    /// one.
    package mutating func inheritedTypes() -> [SwiftTypeText] { parts(after: ":") }

    /// Reads the types after a sign, separated by commas or `&`; none if the first token is another one.
    package mutating func parts(after sign: String) -> [SwiftTypeText] {
        var types: [SwiftTypeText] = []
        guard let token, token.is(sign) else { return [] }
        splitsCompositions = true
        defer { splitsCompositions = false }
        repeat {
            index += 1
            let start = index
            guard let type = type() else {
                index = start
                break
            }
            types.append(type)
        } while self.token?.is(",") == true || self.token?.is("&") == true
        return types
    }

    /// Reads the type at the current token and moves past it. Returns `nil` if the tokens are not a type.
    package mutating func type() -> SwiftTypeText? {
        guard depth < 64 else { return nil }
        depth += 1
        defer { depth -= 1 }
        skipSpecifiers()
        guard var result = primary() else { return nil }
        result = postfix(result)
        var isOther = false
        while let token, token.is("&"), !splitsCompositions || depth > 1 {
            index += 1
            guard primary() != nil else { return nil }
            isOther = true
        }
        // A function: its effects, its arrow and its result.
        while let token, ["async", "throws", "rethrows"].contains(where: token.is) { index += 1 }
        if let token, token.is("-"), index + 1 < tokens.endIndex, tokens[index + 1].is(">") {
            index += 2
            guard type() != nil else { return nil }
            isOther = true
        }
        return isOther ? .other : result
    }

    private mutating func postfix(_ type: SwiftTypeText) -> SwiftTypeText {
        var result = type
        while let token, token.kind == .sign, token.isAdjacent, token.text == "?" || token.text == "!" {
            index += 1
            result = .optional(result)
        }
        return result
    }

    private mutating func skipSpecifiers() {
        while let token {
            if token.is("@") {
                index += 2
                if self.token?.is("(") == true, self.token?.isAdjacent == true { skipParentheses() }
            } else if ["inout", "borrowing", "consuming", "sending", "isolated", "__owned", "__shared"]
                .contains(where: token.is)
            {
                index += 1
            } else {
                return
            }
        }
    }

    private mutating func skipParentheses() {
        var open = 0
        while let token {
            if token.is("(") { open += 1 }
            if token.is(")") { open -= 1 }
            index += 1
            if open == 0 { return }
        }
    }

    private mutating func primary() -> SwiftTypeText? {
        guard let token else { return nil }
        if take("[") {
            guard let element = type() else { return nil }
            if take(":") {
                guard let value = type(), take("]") else { return nil }
                return .dictionary(element, value)
            }
            return take("]") ? .array(element) : nil
        }
        if token.is("(") { return tuple() }
        if token.is("any") || token.is("some") {
            index += 1
            return type() == nil ? nil : .other
        }
        guard token.isName else { return nil }
        return named()
    }

    /// Reads the content of parentheses: a type, or a tuple or the parameters of a function.
    private mutating func tuple() -> SwiftTypeText? {
        let start = index
        index += 1
        if let inner = type(), take(")") { return inner }
        index = start
        skipParentheses()
        return .other
    }

    private mutating func named() -> SwiftTypeText? {
        var components: [SwiftTypeText.Component] = []
        while let token, token.isName {
            index += 1
            var component = SwiftTypeText.Component(name: token.text)
            if take("<") {
                repeat {
                    guard let argument = type() else { return nil }
                    component.arguments.append(argument)
                } while take(",")
                guard take(">") else { return nil }
            }
            components.append(component)
            guard let dot = self.token, dot.is("."), index + 1 < tokens.endIndex,
                tokens[index + 1].isName
            else { break }
            index += 1
        }
        guard let last = components.last else { return nil }
        if components.count > 1, last.name == "Type" || last.name == "Protocol" { return .other }
        let isQualified = components.count == 2 && components[0] == SwiftTypeText.Component(name: "Swift")
        guard components.count == 1 || isQualified else { return .named(components) }
        switch (last.name, last.arguments.count) {
        case ("Optional", 1): return .optional(last.arguments[0])
        case ("Array", 1): return .array(last.arguments[0])
        case ("Dictionary", 2): return .dictionary(last.arguments[0], last.arguments[1])
        default: return .named(components)
        }
    }
}
