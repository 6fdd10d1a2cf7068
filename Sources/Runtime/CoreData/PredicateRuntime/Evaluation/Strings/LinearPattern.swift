/// A regular expression as an automaton, which never backtracks: its time is at most the product of the lengths of
/// pattern and text.
///
/// It is only used where ICU has given up (`RegularExpression`), and supports the part of ICU's syntax that an
/// automaton can express; see `LinearPatternParser`.
struct LinearPattern {
    /// A step of the automaton.
    enum Step {
        /// Consumes one scalar of a set.
        case scalar(ScalarSet)
        /// Continues at both steps.
        case split(Int, Int)
        /// Continues at another step.
        case jump(Int)
        /// Continues only if an assertion holds at the position in the text.
        case assert(Assertion)
        /// The end of the pattern.
        case end
    }

    /// An assertion about a position in the text.
    enum Assertion {
        case start
        case end
        /// The end, or before a final line terminator.
        case lastLineEnd
        case wordBoundary
        case noWordBoundary
    }

    private let steps: [Step]

    /// Creates an automaton, or returns `nil` if the pattern cannot be expressed as one.
    init?(_ pattern: String, ignoresCase: Bool) {
        var parser = LinearPatternParser(pattern, ignoresCase: ignoresCase)
        guard let steps = parser.parse() else { return nil }
        self.steps = steps
    }

    /// Returns whether the whole text matches the pattern.
    func matches(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        var current = PositionSet(count: steps.count)
        var next = PositionSet(count: steps.count)
        add(0, to: &current, scalars, at: 0)
        for (index, scalar) in scalars.enumerated() {
            next.removeAll()
            for position in current.positions {
                if case .scalar(let set) = steps[position], set.contains(scalar) {
                    add(position + 1, to: &next, scalars, at: index + 1)
                }
            }
            swap(&current, &next)
            if current.positions.isEmpty { return false }
        }
        return current.positions.contains { position in
            if case .end = steps[position] { return true }
            return false
        }
    }

    /// Adds a state and every state reachable from it without consuming a scalar.
    private func add(_ start: Int, to set: inout PositionSet, _ scalars: [Unicode.Scalar], at index: Int) {
        var waiting = [start]
        while let position = waiting.popLast() {
            guard set.insert(position) else { continue }
            switch steps[position] {
            case .scalar, .end: break
            case .jump(let target): waiting.append(target)
            case .split(let first, let second):
                waiting.append(second)
                waiting.append(first)
            case .assert(let assertion):
                if Self.holds(assertion, scalars, at: index) { waiting.append(position + 1) }
            }
        }
    }

    private static func holds(_ assertion: Assertion, _ scalars: [Unicode.Scalar], at index: Int) -> Bool {
        switch assertion {
        case .start: return index == 0
        case .end: return index == scalars.count
        case .lastLineEnd:
            let rest = scalars[index...]
            return rest.isEmpty || rest.elementsEqual(["\r", "\n"])
                || (rest.count == 1 && rest.allSatisfy { ScalarSet.isLineEnd($0) })
        case .wordBoundary, .noWordBoundary:
            let before = index > 0 && ScalarSet.isWord(scalars[index - 1])
            let after = index < scalars.count && ScalarSet.isWord(scalars[index])
            return (before != after) == (assertion == .wordBoundary)
        }
    }

    /// A set of positions in insertion order, which is cleared in constant time.
    private struct PositionSet {
        private(set) var positions: [Int] = []
        private var marks: [Int]
        private var round = 1

        init(count: Int) {
            marks = Array(repeating: 0, count: count)
        }

        mutating func insert(_ position: Int) -> Bool {
            guard marks[position] != round else { return false }
            marks[position] = round
            positions.append(position)
            return true
        }

        mutating func removeAll() {
            positions.removeAll(keepingCapacity: true)
            round += 1
        }
    }
}
