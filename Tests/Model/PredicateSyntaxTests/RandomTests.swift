import PredicateSyntax
import TestSupport
import Testing

@Suite struct RandomTests {
    /// Calls a function with new seeds until the time is up.
    private func untilTimeIsOver(_ body: (UInt64) throws -> Void) rethrows {
        let clock = ContinuousClock()
        let end = clock.now + .seconds(TestEnvironment.fuzzSeconds)
        var seed: UInt64 = 1
        repeat {
            try body(seed)
            seed += 1
        } while clock.now < end
    }

    /// Printed trees are read back: in the typed style as the same tree, in Apple's style as the tree with numbers as
    /// in Apple's text.
    @Test func printedTreesAreReadBack() throws {
        try untilTimeIsOver { seed in
            var generator = TreeGenerator(seed: seed)
            let tree = generator.tree(depth: 2 + Int(seed % 5))
            try check(tree, "seed \(seed)")
        }
    }

    /// No text traps, and every text that can be read can be printed and read again.
    @Test func damagedTextsNeverTrap() throws {
        try untilTimeIsOver { seed in
            var generator = TreeGenerator(seed: seed &* 31)
            var bytes = Array(generator.tree(depth: 3).predicateFormat.utf8)
            var random = SeededGenerator(seed: seed)
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                damage(&bytes, &random)
            }
            let text = String(decoding: bytes, as: UTF8.self)
            do {
                try check(PredicateParser.parsePredicate(text), "seed \(seed): \(text)")
            } catch let error as PredicateSyntaxError {
                let size = text.utf8.count
                #expect(error.range.lowerBound >= 0 && error.range.upperBound <= size, "seed \(seed): \(text)")
                #expect(error.line >= 1 && error.column >= 1)
            }
            _ = try? PredicateParser.parseExpression(text)
        }
    }

    @Test func randomTokensNeverTrap() throws {
        try untilTimeIsOver { seed in
            var random = SeededGenerator(seed: seed)
            var text = ""
            for _ in 0..<Int.random(in: 1...14, using: &random) {
                text += RandomTests.tokens[Int.random(in: 0..<RandomTests.tokens.count, using: &random)]
                if Bool.random(using: &random) { text += " " }
            }
            if let tree = try? PredicateParser.parsePredicate(text) { try check(tree, "seed \(seed): \(text)") }
            if let tree = try? PredicateParser.parseExpression(text) {
                try check(.compare(tree, using: .equal, right: .one), "seed \(seed): \(text)")
            }
        }
    }

    private func check(_ tree: Predicate, _ comment: String) throws {
        let typed = PredicatePrinter(numberStyle: .typed).string(for: tree)
        let readTyped = try? PredicateParser.parsePredicate(typed)
        #expect(readTyped == tree, "\(comment)\n\(typed)")
        #expect(readTyped?.hashValue == tree.hashValue, "\(comment)")
        let format = tree.predicateFormat
        let readFormat = try? PredicateParser.parsePredicate(format)
        let expected = tree.withFoundationNumbers
        #expect(readFormat == expected, "\(comment)\n\(format)")
        #expect(readFormat?.predicateFormat == expected.predicateFormat, "\(comment)")
        #expect(tree.mapExpressions { $0 } == tree, "\(comment)")
    }

    private func damage(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        let position = Int.random(in: 0...bytes.count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes.insert(UInt8.random(in: 0...255, using: &random), at: position)
        case 1: bytes.removeSubrange(position..<min(bytes.count, position + 3))
        case 2: bytes.removeSubrange(position...)
        case 3:
            let token = RandomTests.tokens[Int.random(in: 0..<RandomTests.tokens.count, using: &random)]
            bytes.insert(contentsOf: token.utf8, at: position)
        default:
            let other = Int.random(in: 0...bytes.count, using: &random)
            bytes.insert(contentsOf: bytes[min(position, other)..<max(position, other)], at: position)
        }
    }

    private static let tokens = [
        "a", "b", "SELF", "in", "IN", "AND", "or", "NOT", "!", "ANY", "ALL", "NONE", "==", "=", "<", ">", "=>", "<>",
        "BETWEEN", "[cd]", "[", "]", "(", ")", "{", "}", ",", ".", "@count", "@", "#", "#in", "$x", "$", ":=", ":",
        "f:(", "now()", "SUBQUERY(", "TERNARY(", "FUNCTION(", "CAST(", "FETCH(", "FIRST", "SIZE", "UNION", "MINUS",
        "+", "-", "*", "**", "/", "1", "0x", "0x1f", "1.5", "1e", ".5", "\"x\"", "'", "\\", "\\u", "%@", "%K", "%",
        "TRUE", "nil", "TRUEPREDICATE", "é", "\u{0}", "\n", "UTI-EQUALS",
    ]
}

extension Predicate {
    /// The tree with its numbers as printed by `NSNumber.description`: Booleans and integral reals below 1e16 as
    /// integers.
    fileprivate var withFoundationNumbers: Predicate {
        mapExpressions { expression in
            switch expression {
            case .constant(.boolean(let value)): .integer(value ? 1 : 0)
            case .constant(.real(let value)) where value.magnitude < 1e16:
                Int64(exactly: value).map { .integer($0) } ?? expression
            default: expression
            }
        }
    }
}
