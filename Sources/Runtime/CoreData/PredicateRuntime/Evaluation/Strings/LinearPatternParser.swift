/// Parses the part of ICU's regular expressions that an automaton can express: literals, sets, groups, alternatives,
/// repetitions, anchors, word boundaries, and the options `i` and `s`. It does not support back references,
/// look-around, atomic groups, possessive repetitions, properties, operations on sets, and the other options.
struct LinearPatternParser {
    /// The maximum number of steps of an automaton: counted repetitions are expanded.
    private static let maximumSteps = 20_000
    private static let maximumDepth = 100

    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var depth = 0
    private var ignoresCase: Bool
    private var dotIsAny = false

    init(_ pattern: String, ignoresCase: Bool) {
        scalars = Array(pattern.unicodeScalars)
        self.ignoresCase = ignoresCase
    }

    /// A piece of an automaton, whose positions are relative to its start and which is exited at its end.
    private typealias Piece = [LinearPattern.Step]

    /// Returns the steps of the whole pattern, or `nil` if it cannot be expressed.
    mutating func parse() -> [LinearPattern.Step]? {
        guard let piece = alternatives(), position == scalars.count else { return nil }
        return piece + [.end]
    }

    private var current: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard current == scalar else { return false }
        position += 1
        return true
    }

    private mutating func alternatives() -> Piece? {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth, var result = sequence() else { return nil }
        while take("|") {
            guard let next = sequence() else { return nil }
            result =
                [.split(1, result.count + 2)] + result.moved(by: 1) + [.jump(result.count + 2 + next.count)]
                + next.moved(by: result.count + 2)
        }
        return result
    }

    private mutating func sequence() -> Piece? {
        var result: Piece = []
        while let scalar = current, scalar != "|", scalar != ")" {
            guard let atom = atom(), let piece = repeated(atom) else { return nil }
            result += piece.moved(by: result.count)
            guard result.count <= Self.maximumSteps else { return nil }
        }
        return result
    }

    // MARK: Repetitions

    private mutating func repeated(_ atom: Piece) -> Piece? {
        let bounds: (least: Int, most: Int?)
        switch current {
        case "*": bounds = (0, nil)
        case "+": bounds = (1, nil)
        case "?": bounds = (0, 1)
        case "{":
            guard let counted = countedBounds() else { return nil }
            bounds = counted
        default: return atom
        }
        position += 1
        // Laziness does not affect whether the whole text matches, but possessiveness does.
        if !take("?"), current == "+" { return nil }
        if let scalar = current, "*+?{".unicodeScalars.contains(scalar) { return nil }
        return Self.repeated(atom, least: bounds.least, most: bounds.most)
    }

    /// Parses `{2}`, `{2,}` and `{2,5}` up to the closing brace.
    private mutating func countedBounds() -> (Int, Int?)? {
        position += 1
        guard let least = number() else { return nil }
        guard take(",") else { return current == "}" ? (least, least) : nil }
        if current == "}" { return (least, nil) }
        guard let most = number(), current == "}", most >= least else { return nil }
        return (least, most)
    }

    private mutating func number() -> Int? {
        var value = 0
        let start = position
        while let scalar = current, ("0"..."9").contains(scalar), value < Self.maximumSteps {
            value = value * 10 + Int(scalar.value) - 48
            position += 1
        }
        return position > start && value <= Self.maximumSteps ? value : nil
    }

    private static func repeated(_ atom: Piece, least: Int, most: Int?) -> Piece? {
        guard (atom.count + 1) * max(least, most ?? 1, 1) <= maximumSteps else { return nil }
        var result: Piece = []
        for _ in 0..<least { result += atom.moved(by: result.count) }
        if let most {
            let end = result.count + (atom.count + 1) * (most - least)
            for _ in least..<most {
                result.append(.split(result.count + 1, end))
                result += atom.moved(by: result.count)
            }
        } else {
            let start = result.count
            result.append(.split(start + 1, start + atom.count + 2))
            result += atom.moved(by: start + 1)
            result.append(.jump(start))
        }
        return result
    }

    // MARK: Atoms

    private mutating func atom() -> Piece? {
        guard let scalar = current else { return nil }
        position += 1
        switch scalar {
        case "(": return group()
        case "[": return set().map { [.scalar($0)] }
        case ".": return [.scalar(ScalarSet(parts: [dotIsAny ? .any : .anyButLineEnd], ignoresCase: false))]
        case "^": return [.assert(.start)]
        case "$": return [.assert(.lastLineEnd)]
        case "\\": return escape()
        case "*", "+", "?", "{", "}", "]": return nil
        default: return [.scalar(single(scalar))]
        }
    }

    private func single(_ scalar: Unicode.Scalar) -> ScalarSet {
        ScalarSet(parts: [.range(scalar...scalar)], ignoresCase: ignoresCase)
    }

    /// Parses a group. Options that it sets apply until the end of the enclosing group.
    private mutating func group() -> Piece? {
        let options = (ignoresCase, dotIsAny)
        if take("?") {
            if !take(":") {
                guard let isGroup = self.options() else { return nil }
                if !isGroup { return [] }
            }
        }
        guard let inner = alternatives(), take(")") else { return nil }
        (ignoresCase, dotIsAny) = options
        return inner
    }

    /// Parses `i)`, `is)` or `i:`, and returns whether a group follows. Returns `nil` for anything else that may follow
    /// `(?`.
    private mutating func options() -> Bool? {
        while let scalar = current {
            position += 1
            switch scalar {
            case "i": ignoresCase = true
            case "s": dotIsAny = true
            case ":": return true
            case ")": return false
            default: return nil
            }
        }
        return nil
    }

    private mutating func escape() -> Piece? {
        switch current {
        case "b": return assertion(.wordBoundary)
        case "B": return assertion(.noWordBoundary)
        case "A": return assertion(.start)
        case "z": return assertion(.end)
        case "Z": return assertion(.lastLineEnd)
        default: return escapedPart().map { [.scalar(ScalarSet(parts: [$0], ignoresCase: ignoresCase))] }
        }
    }

    private mutating func assertion(_ assertion: LinearPattern.Assertion) -> Piece {
        position += 1
        return [.assert(assertion)]
    }

    /// Parses a set or a scalar after a backslash. Returns `nil` for an unknown escape.
    private mutating func escapedPart() -> ScalarSet.Part? {
        guard let scalar = current else { return nil }
        position += 1
        switch scalar {
        case "d": return .digit
        case "D": return .other(than: [.digit])
        case "w": return .word
        case "W": return .other(than: [.word])
        case "s": return .space
        case "S": return .other(than: [.space])
        case "n": return .range("\n"..."\n")
        case "r": return .range("\r"..."\r")
        case "t": return .range("\t"..."\t")
        case "f": return .range("\u{C}"..."\u{C}")
        case "u": return hexadecimal(4)
        case "U": return hexadecimal(8)
        case "x": return hexadecimal(2)
        default: return scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) ? nil : .range(scalar...scalar)
        }
    }

    private mutating func hexadecimal(_ count: Int) -> ScalarSet.Part? {
        guard position + count <= scalars.count else { return nil }
        let digits = String(String.UnicodeScalarView(scalars[position..<position + count]))
        position += count
        return UInt32(digits, radix: 16).flatMap { Unicode.Scalar($0) }.map { .range($0...$0) }
    }

    // MARK: Sets

    private mutating func set() -> ScalarSet? {
        let isNegated = take("^")
        var parts: [ScalarSet.Part] = []
        while let scalar = current, scalar != "]" || parts.isEmpty {
            position += 1
            // A nested set, an intersection or a difference.
            if scalar == "[" || scalar == "]" || scalar == "&" && current == "&" { return nil }
            guard let part = scalar == "\\" ? escapedPart() : .range(scalar...scalar) else { return nil }
            guard case .range(let first) = part, current == "-", position + 1 < scalars.count,
                scalars[position + 1] != "]"
            else {
                parts.append(part)
                continue
            }
            position += 1
            guard let upper = current, upper != "[" else { return nil }
            position += 1
            guard case .range(let last)? = upper == "\\" ? escapedPart() : .range(upper...upper),
                first.lowerBound <= last.upperBound
            else { return nil }
            parts.append(.range(first.lowerBound...last.upperBound))
        }
        guard take("]") else { return nil }
        // A negated set matches scalars whose case variants are all outside of the set.
        guard isNegated else { return ScalarSet(parts: parts, ignoresCase: ignoresCase) }
        return ignoresCase ? nil : ScalarSet(parts: [.other(than: parts)], ignoresCase: false)
    }
}

extension [LinearPattern.Step] {
    /// Returns the steps with all targets offset.
    fileprivate func moved(by count: Int) -> [LinearPattern.Step] {
        map { step in
            switch step {
            case .split(let first, let second): .split(first + count, second + count)
            case .jump(let target): .jump(target + count)
            case .scalar, .assert, .end: step
            }
        }
    }
}
