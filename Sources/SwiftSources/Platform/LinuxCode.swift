/// A filter for the parts of a source file that are compiled on Linux.
package enum LinuxCode {
    /// Returns the tokens that are compiled on Linux, without the conditions of `#if`.
    ///
    /// If an `#if` depends on unknown flags, all its branches are included.
    package static func tokens(in bytes: [UInt8]) -> [SwiftToken] {
        var result: [SwiftToken] = []
        /// An `#if`: whether it is in compiled code, whether a branch is certainly compiled, whether this one may be.
        var conditions: [(isOuterActive: Bool, isDone: Bool, isActive: Bool)] = []
        let tokens = SwiftLexer.tokens(in: bytes)
        var index = 0
        while index < tokens.count {
            let token = tokens[index]
            index += 1
            let isActive = conditions.last?.isActive ?? true
            guard token.kind == .pound, ["if", "elseif", "else", "endif"].contains(token.text) else {
                if isActive { result.append(token) }
                continue
            }
            if token.text == "endif" {
                _ = conditions.popLast()
                continue
            }
            let start = index
            while index < tokens.count, !tokens[index].isFirstOnLine { index += 1 }
            let truth = token.text == "else" ? true : ConditionalCode.evaluate(tokens[start..<index], in: .linux)
            if token.text == "if" {
                conditions.append((isActive, truth == true, isActive && truth != false))
            } else if let condition = conditions.popLast() {
                let isActive = condition.isOuterActive && !condition.isDone && truth != false
                conditions.append((condition.isOuterActive, condition.isDone || truth == true, isActive))
            }
        }
        return result
    }
}
