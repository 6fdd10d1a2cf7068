/// Checks the brackets and quantifiers of a regular expression for errors that ICU reports. Quoted text (`\Q…\E`) and
/// comments (`(?#…)`, and `#` with the flag `x`) have none.
struct PatternCheck {
    private let scalars: [Unicode.Scalar]
    private var position = 0
    /// Whether white space and text from `#` to the end of the line are ignored, in each open group.
    private var ignoresComments = [false]
    /// Whether a quantifier may follow.
    private var hasOperand = false

    private init(_ pattern: String) {
        scalars = Array(pattern.unicodeScalars)
    }

    /// Returns the problem of a pattern; `nil` if none is found.
    static func problem(in pattern: String) -> String? {
        var check = PatternCheck(pattern)
        return check.run()
    }

    private mutating func run() -> String? {
        while let scalar = next() {
            switch scalar {
            case "\\":
                if let problem = skipEscape() { return problem }
                hasOperand = true
            case "[":
                if !skipSet() { return "a bracket is not closed" }
                hasOperand = true
            case "(":
                if !open() { return "a parenthesis is not closed" }
            case ")":
                guard ignoresComments.count > 1 else { return "a parenthesis is closed that was not opened" }
                ignoresComments.removeLast()
                hasOperand = true
            case "*", "+":
                if !hasOperand { return "“\(scalar)” has nothing before it" }
            case "|": hasOperand = false
            case "?": break
            case "#" where ignoresComments.last == true: skip { $0 != "\n" && $0 != "\r" }
            case _ where ignoresComments.last == true && scalar.properties.isWhitespace: break
            default: hasOperand = true
            }
        }
        return ignoresComments.count > 1 ? "a parenthesis is not closed" : nil
    }

    private mutating func next() -> Unicode.Scalar? {
        guard position < scalars.count else { return nil }
        position += 1
        return scalars[position - 1]
    }

    private mutating func skip(while isSkipped: (Unicode.Scalar) -> Bool) {
        while position < scalars.count, isSkipped(scalars[position]) { position += 1 }
    }

    /// Skips what follows a backslash. Quoted text may extend to the end of the pattern.
    private mutating func skipEscape() -> String? {
        guard let escaped = next() else { return "it ends with a backslash" }
        guard escaped == "Q" else { return nil }
        while let scalar = next() {
            if scalar == "\\", position < scalars.count, scalars[position] == "E" {
                position += 1
                return nil
            }
        }
        return nil
    }

    /// Skips a set behind its opening bracket. Returns whether it is closed.
    private mutating func skipSet() -> Bool {
        var length = 0
        while let scalar = next() {
            switch scalar {
            case "\\":
                if skipEscape() != nil { return false }
                length += 1
            case "]" where length > 0: return true
            // A caret at the start is not a member.
            case "^" where length == 0: break
            default: length += 1
            }
        }
        return false
    }

    /// Opens a group, and reads its flags. Returns whether a comment in its place is closed.
    private mutating func open() -> Bool {
        hasOperand = false
        let isIgnoring = ignoresComments.last == true
        ignoresComments.append(isIgnoring)
        guard position < scalars.count, scalars[position] == "?" else { return true }
        position += 1
        if position < scalars.count, scalars[position] == "#" {
            skip { $0 != ")" }
            ignoresComments.removeLast()
            return next() != nil
        }
        // Flags: `(?ix-m)` for the rest of the enclosing group, `(?ix-m:…)` for this one.
        var index = position
        var turnsOn = true
        var result = isIgnoring
        while index < scalars.count, scalars[index] == "-" || scalars[index].properties.isAlphabetic {
            if scalars[index] == "-" { turnsOn = false }
            if scalars[index] == "x" { result = turnsOn }
            index += 1
        }
        guard index < scalars.count, index > position else { return true }
        if scalars[index] == ":" {
            position = index + 1
            ignoresComments[ignoresComments.count - 1] = result
        } else if scalars[index] == ")" {
            position = index + 1
            ignoresComments.removeLast()
            ignoresComments[ignoresComments.count - 1] = result
        }
        return true
    }
}
