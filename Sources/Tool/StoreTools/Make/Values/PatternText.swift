/// Generates strings that match a regular expression.
///
/// Supports what most validation rules consist of: characters, classes, groups, alternatives, repetitions, anchors. The
/// caller checks every text with the regular expression, so that an inaccuracy here can only cause a miss.
struct PatternText {
    private indirect enum Node {
        case character([ClosedRange<UInt32>])
        case sequence([Node])
        case choice([Node])
        case repetition(Node, Int, Int)
    }

    private let root: Node
    /// The maximum number of extra repetitions of an unlimited part.
    private static let surplus = 4
    private static let maximumRepetitions = 1000
    private static let depthLimit = 40
    private static let printable: [ClosedRange<UInt32>] = [0x20...0x7E]

    /// Parses a pattern. Returns `nil` if it has unsupported parts, such as lookahead and back references.
    init?(_ pattern: String) {
        var parser = Parser(Array(pattern.unicodeScalars))
        guard let root = parser.choice(depth: 0), parser.isAtEnd else { return nil }
        self.root = root
    }

    /// Returns a text that probably matches.
    func text(_ numbers: inout SeededNumbers) -> String {
        var text = String.UnicodeScalarView()
        Self.append(root, text: &text, numbers: &numbers)
        return String(text)
    }

    private static func append(_ node: Node, text: inout String.UnicodeScalarView, numbers: inout SeededNumbers) {
        switch node {
        case .character(let ranges):
            let count = ranges.reduce(0) { $0 + $1.count }
            var index = numbers.below(count)
            for range in ranges {
                if index < range.count {
                    if let scalar = Unicode.Scalar(range.lowerBound + UInt32(index)) { text.append(scalar) }
                    return
                }
                index -= range.count
            }
        case .sequence(let parts):
            for part in parts { append(part, text: &text, numbers: &numbers) }
        case .choice(let parts):
            if !parts.isEmpty { append(parts[numbers.below(parts.count)], text: &text, numbers: &numbers) }
        case .repetition(let part, let least, let most):
            guard text.count < maximumRepetitions * 10 else { return }
            for _ in 0..<least + numbers.below(most - least + 1) { append(part, text: &text, numbers: &numbers) }
        }
    }

    private struct Parser {
        private let scalars: [Unicode.Scalar]
        private var index = 0

        init(_ scalars: [Unicode.Scalar]) {
            self.scalars = scalars
        }

        var isAtEnd: Bool { index == scalars.count }
        private var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

        private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
            guard next == scalar else { return false }
            index += 1
            return true
        }

        mutating func choice(depth: Int) -> Node? {
            guard depth < PatternText.depthLimit else { return nil }
            var parts: [Node] = []
            repeat {
                guard let part = sequence(depth: depth) else { return nil }
                parts.append(part)
            } while take("|")
            return parts.count == 1 ? parts[0] : .choice(parts)
        }

        private mutating func sequence(depth: Int) -> Node? {
            var parts: [Node] = []
            while let scalar = next, scalar != "|", scalar != ")" {
                guard let atom = atom(depth: depth), let part = repeated(atom) else { return nil }
                parts.append(part)
            }
            return .sequence(parts)
        }

        private mutating func atom(depth: Int) -> Node? {
            guard let scalar = next else { return nil }
            index += 1
            switch scalar {
            case "^", "$": return .sequence([])
            case ".": return .character(PatternText.printable)
            case "[": return set()
            case "\\": return escape()
            case "(":
                if take("?"), !take(":") { return nil }
                guard let inner = choice(depth: depth + 1), take(")") else { return nil }
                return inner
            case "*", "+", "?", "{": return nil
            default: return .character([scalar.value...scalar.value])
            }
        }

        private mutating func escape() -> Node? {
            guard let scalar = next else { return nil }
            index += 1
            switch scalar {
            case "b", "A", "z", "Z": return .sequence([])
            default: return Self.ranges(escaped: scalar).map(Node.character)
            }
        }

        private static func ranges(escaped scalar: Unicode.Scalar) -> [ClosedRange<UInt32>]? {
            switch scalar {
            case "d": return [0x30...0x39]
            case "w": return [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A]
            case "s": return [0x20...0x20]
            case "S", "D": return [0x41...0x5A, 0x61...0x7A]
            case "W": return [0x21...0x2F]
            case "n": return [0x0A...0x0A]
            case "t": return [0x09...0x09]
            case "r": return [0x0D...0x0D]
            default:
                let isLetter = ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
                let isDigit = ("0"..."9").contains(scalar)
                return isLetter || isDigit ? nil : [scalar.value...scalar.value]
            }
        }

        private mutating func set() -> Node? {
            let isNegated = take("^")
            var ranges: [ClosedRange<UInt32>] = []
            var isFirst = true
            while let scalar = next, scalar != "]" || isFirst {
                isFirst = false
                index += 1
                var start = [scalar.value...scalar.value]
                if scalar == "[" { return nil }
                if scalar == "\\" {
                    guard let escaped = next, let escapedRanges = Self.ranges(escaped: escaped) else { return nil }
                    index += 1
                    start = escapedRanges
                }
                if start.count == 1, start[0].count == 1, next == "-", index + 1 < scalars.count,
                    scalars[index + 1] != "]"
                {
                    index += 1
                    _ = take("\\")
                    guard let end = next, end.value >= start[0].lowerBound else { return nil }
                    index += 1
                    ranges.append(start[0].lowerBound...end.value)
                } else {
                    ranges += start
                }
            }
            guard take("]"), !ranges.isEmpty else { return nil }
            return .character(isNegated ? Self.printable(without: ranges) : ranges)
        }

        private static func printable(without ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
            (UInt32(0x20)...0x7E).filter { value in !ranges.contains { $0.contains(value) } }.map { $0...$0 }
        }

        private mutating func repeated(_ atom: Node) -> Node? {
            var result = atom
            while let scalar = next {
                var (least, most) = (0, PatternText.surplus)
                switch scalar {
                case "*": index += 1
                case "+":
                    index += 1
                    (least, most) = (1, PatternText.surplus)
                case "?":
                    index += 1
                    most = 1
                case "{":
                    index += 1
                    guard let counts = counts() else { return nil }
                    (least, most) = counts
                default: return result
                }
                // Lazy and possessive quantifiers make no difference to a generated text.
                if next == "?" || next == "+" { index += 1 }
                result = .repetition(result, least, most)
            }
            return result
        }

        private mutating func counts() -> (Int, Int)? {
            guard let least = number() else { return nil }
            var most = least
            if take(",") { most = number() ?? least + PatternText.surplus }
            guard take("}"), least <= most, most <= PatternText.maximumRepetitions else { return nil }
            return (least, most)
        }

        private mutating func number() -> Int? {
            var digits = ""
            while let scalar = next, ("0"..."9").contains(scalar) {
                digits.unicodeScalars.append(scalar)
                index += 1
            }
            return Int(digits)
        }
    }
}
