/// Decides conditions of `#if` as they are on Linux, without Objective-C.
struct ConditionalCode {
    /// The truth of a condition; nil when it depends on flags that nobody here knows.
    static func evaluate(_ tokens: ArraySlice<SwiftToken>) -> Bool? {
        var parser = ConditionalCode(tokens: tokens, index: tokens.startIndex)
        return parser.disjunction()
    }

    private let tokens: ArraySlice<SwiftToken>
    private var index: Int
    private var depth = 0

    private init(tokens: ArraySlice<SwiftToken>, index: Int) {
        self.tokens = tokens
        self.index = index
    }

    private var token: SwiftToken? { index < tokens.endIndex ? tokens[index] : nil }

    private mutating func take(_ sign: String, twice: Bool = false) -> Bool {
        guard let token, token.is(sign) else { return false }
        if twice {
            guard index + 1 < tokens.endIndex, tokens[index + 1].is(sign) else { return false }
        }
        index += twice ? 2 : 1
        return true
    }

    private mutating func disjunction() -> Bool? {
        var result = conjunction()
        while take("|", twice: true) {
            let next = conjunction()
            if result == true || next == true { result = true } else if result == nil || next == nil { result = nil }
        }
        return result
    }

    private mutating func conjunction() -> Bool? {
        var result = negation()
        while take("&", twice: true) {
            let next = negation()
            if result == false || next == false {
                result = false
            } else if result == nil || next == nil {
                result = nil
            }
        }
        return result
    }

    private mutating func negation() -> Bool? {
        guard depth < 64 else { return nil }
        depth += 1
        defer { depth -= 1 }
        if take("!") { return negation().map { !$0 } }
        if take("(") {
            let inner = disjunction()
            _ = take(")")
            return inner
        }
        return term()
    }

    private mutating func term() -> Bool? {
        guard let name = token, name.kind == .word else {
            index = tokens.endIndex
            return nil
        }
        index += 1
        guard take("(") else { return name.text == "true" ? true : name.text == "false" ? false : nil }
        var arguments: [String] = []
        var open = 1
        while let token, open > 0 {
            if token.is("(") { open += 1 }
            if token.is(")") { open -= 1 }
            if open > 0 { arguments.append(token.text) }
            index += 1
        }
        return Self.call(name.text, arguments.first ?? "")
    }

    private static func call(_ name: String, _ argument: String) -> Bool? {
        switch name {
        case "os": argument == "Linux"
        case "targetEnvironment": false
        case "_runtime": argument == "_Native"
        case "canImport": LinuxModules.isAvailable(argument)
        default: nil
        }
    }
}
