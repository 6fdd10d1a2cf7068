/// An evaluator of `#if` conditions for a platform and its flags.
package struct ConditionalCode {
    /// The values of flags and platform functions.
    package struct Environment: Sendable {
        /// Returns whether a flag is set, or `nil` if that is unknown.
        package var flag: @Sendable (String) -> Bool?
        /// Returns the value of a function such as `os` for an argument, or `nil` if it is unknown.
        package var call: @Sendable (_ function: String, _ arguments: [String]) -> Bool?

        /// Creates an environment.
        package init(
            flag: @escaping @Sendable (String) -> Bool?,
            call: @escaping @Sendable (_ function: String, _ arguments: [String]) -> Bool?
        ) {
            self.flag = flag
            self.call = call
        }

        /// Linux without Objective-C, where all flags are unknown.
        static let linux = Environment(flag: { _ in nil }, call: { linuxCall($0, $1.first ?? "") })
    }

    /// Returns whether a condition holds, or `nil` if it depends on something unknown.
    package static func evaluate(_ tokens: ArraySlice<SwiftToken>, in environment: Environment) -> Bool? {
        var parser = ConditionalCode(tokens: tokens, environment: environment)
        return parser.disjunction()
    }

    /// Returns the tokens that are compiled, without the conditions of `#if`.
    ///
    /// If an `#if` depends on something unknown, all its branches are included.
    package static func compiled(_ tokens: [SwiftToken], in environment: Environment) -> [SwiftToken] {
        var result: [SwiftToken] = []
        var cursor = TokenCursor(tokens, environment: environment)
        while let token = cursor.token {
            if cursor.directive() { continue }
            result.append(token)
            cursor.index += 1
        }
        return result
    }

    private let tokens: ArraySlice<SwiftToken>
    private let environment: Environment
    private var index: Int
    private var depth = 0

    private init(tokens: ArraySlice<SwiftToken>, environment: Environment) {
        self.tokens = tokens
        self.environment = environment
        index = tokens.startIndex
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
        guard take("(") else {
            return name.text == "true" ? true : name.text == "false" ? false : environment.flag(name.text)
        }
        var arguments: [String] = []
        var open = 1
        while let token, open > 0 {
            if token.is("(") { open += 1 }
            if token.is(")") { open -= 1 }
            if open > 0 { arguments.append(token.text) }
            index += 1
        }
        return environment.call(name.text, arguments)
    }

    private static func linuxCall(_ name: String, _ argument: String) -> Bool? {
        switch name {
        case "os": argument == "Linux"
        case "targetEnvironment": false
        case "_runtime": argument == "_Native"
        case "canImport": LinuxModules.isAvailable(argument)
        default: nil
        }
    }
}
