/// A location in the tokens of a file, and the `#if` blocks around it.
package struct TokenCursor {
    /// An `#if`.
    private struct Condition {
        /// Whether an earlier branch is certainly compiled.
        var isDone = false
        /// The text of the condition if it could not be decided.
        var undecided: String?
        var opening: SwiftToken
    }

    /// All tokens of the file.
    package let tokens: [SwiftToken]
    /// The index of the current token.
    package var index = 0
    private let environment: ConditionalCode.Environment
    private var conditions: [Condition] = []

    /// Creates a cursor at the first token.
    ///
    /// - Parameter environment: What decides the conditions of `#if`.
    package init(_ tokens: [SwiftToken], environment: ConditionalCode.Environment) {
        self.tokens = tokens
        self.environment = environment
    }

    /// The current token; `nil` at the end.
    package var token: SwiftToken? { index < tokens.count ? tokens[index] : nil }

    /// Returns the token at an index; `nil` if there is none.
    package func token(at index: Int) -> SwiftToken? { tokens.indices.contains(index) ? tokens[index] : nil }

    /// Returns whether a token is a keyword or sign.
    ///
    /// - Parameter offset: The location relative to the current token.
    package func isSign(_ text: String, at offset: Int = 0) -> Bool { token(at: index + offset)?.is(text) ?? false }

    /// The remaining tokens.
    package var rest: ArraySlice<SwiftToken> { tokens[min(index, tokens.count)...] }

    /// Moves past brackets and what they enclose.
    package mutating func skipBalanced(_ open: String, _ close: String) {
        var depth = 0
        while let token {
            if token.is(open) { depth += 1 }
            if token.is(close) { depth -= 1 }
            index += 1
            if depth == 0 { return }
        }
    }

    /// Reads the types after the colon of a declaration, and moves past its generic parameters and these types.
    package mutating func inheritedTypes() -> [SwiftTypeText] {
        if isSign("<") { skipBalanced("<", ">") }
        var parser = SwiftTypeParser(rest)
        defer { index = max(parser.index, index) }
        return parser.inheritedTypes()
    }

    // MARK: Conditions

    /// The undecided conditions, as written, around the current token.
    package var undecided: [String] { conditions.compactMap(\.undecided) }

    /// Whether a condition around the current token is undecided.
    package var isUncertain: Bool { conditions.contains { $0.undecided != nil } }

    /// The first open `#if`.
    package var openCondition: SwiftToken? { conditions.first?.opening }

    /// Handles a directive of conditional compilation, and returns whether the current token was one. Moves past
    /// branches that are not compiled.
    package mutating func directive() -> Bool {
        guard let token, token.kind == .pound else { return false }
        switch token.text {
        case "if": conditions.append(Condition(opening: token))
        case "elseif", "else": break
        case "endif":
            index += 1
            _ = conditions.popLast()
            return true
        default: return false
        }
        index += 1
        let start = index
        if token.text != "else" {
            while let next = self.token, !next.isFirstOnLine { index += 1 }
        }
        guard var condition = conditions.popLast() else { return true }
        let text = tokens[start..<index]
        let truth = token.text == "else" ? true : ConditionalCode.evaluate(text, in: environment)
        let isCompiled = condition.isDone ? false : truth
        if isCompiled == true { condition.isDone = true }
        if isCompiled == nil {
            condition.undecided = text.reduce(into: "") { $0 += $0.isEmpty || $1.isAdjacent ? $1.text : " " + $1.text }
        }
        conditions.append(condition)
        if isCompiled == false { skipBranch() }
        return true
    }

    /// Moves to the directive that ends a branch that is not compiled.
    private mutating func skipBranch() {
        var open = 0
        while let token {
            if token.kind == .pound {
                switch token.text {
                case "if": open += 1
                case "endif" where open == 0, "elseif" where open == 0, "else" where open == 0: return
                case "endif": open -= 1
                default: break
                }
            }
            index += 1
        }
    }
}
