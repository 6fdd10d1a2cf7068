import TestSupport
import Testing

@testable import CoreData

/// MATCHES takes bounded time, and is correct where ICU alone is not.
@Suite struct RegularExpressionTests {
    private func matches(_ text: String, _ pattern: String) -> Bool {
        NSPredicate(format: "SELF MATCHES %@", pattern).evaluate(with: text)
    }

    private let many = String(repeating: "a", count: 60)

    /// Patterns that make a backtracking matcher try more paths than there are atoms in the universe.
    @Test(arguments: [
        "(a+)+b", "(a*)*b", "(a|aa)+b", "(a|a?)+b", "(.*)*b", "^(([a-z])+.)+[A-Z]([a-z])+$", "(a?){60}a{61}b",
    ])
    func catastrophicPatternsTakeLinearTime(_ pattern: String) {
        #expect(!matches(many, pattern))
        #expect(!matches(many + "c", pattern))
    }

    @Test func matchingCatastrophicPatternsTakesLinearTime() {
        #expect(matches(many + "c", "(a+)+[bc]"))
        #expect(matches(many, "(a?){60}a{60}"))
        #expect(matches(many + "b", "(a|aa)+b"))
        #expect(matches(many, "((a{1,10}){1,10}){1,10}"))
    }

    /// ICU runs out of memory on these, which Foundation reports as "does not match".
    @Test func longTextsAreMatched() {
        #expect(matches(String(repeating: "a", count: runsLongForms ? 1_000_000 : 200_000), "(a|a)*"))
        let text = String(repeating: "ab", count: runsLongForms ? 100_000 : 20_000)
        #expect(matches(text, "([a-z]|[0-9])*"))
        #expect(!matches(text + "-", "([a-z]|[0-9])*"))
    }

    /// Look-ahead is not supported by an automaton: the match is abandoned and the process continues.
    @Test func catastrophicPatternsWithoutAutomaton() {
        #expect(!matches(many, "(?=a)(a+)+b"))
    }

    @Test func patternsOfEveryLengthAreMatched() {
        let nested = String(repeating: "(?:", count: 50) + "a" + String(repeating: ")", count: 50)
        #expect(matches("a", nested))
        #expect(matches("b", (0..<2000).map { "x\($0)" }.joined(separator: "|") + "|b"))
    }

    /// Patterns that the automaton does not support.
    @Test(arguments: [
        #"(.)\1"#, "(?=a)a", "(?!a)b", "(?>a*)b", "a++", #"\p{L}"#, "[a[b]]", "[a&&b]", "(?m)a", "(?x)a", "(",
    ])
    func unsupportedPatternsHaveNoAutomaton(_ pattern: String) {
        #expect(LinearPattern(pattern, ignoresCase: false) == nil)
    }

    /// ICU and the automaton have equal results for random patterns and texts. Lazy repetitions of possibly empty
    /// patterns are excluded: ICU leaves such a loop after an empty iteration and misses matches.
    @Test func automatonAndICUAgree() throws {
        var random = SeededGenerator(seed: 11)
        var compared = 0
        for _ in 0..<600 {
            let pattern = Self.pattern(depth: 3, &random)
            let ignoresCase = Bool.random(using: &random)
            guard let automaton = LinearPattern(pattern, ignoresCase: ignoresCase),
                let icu = try? NSRegularExpression(
                    pattern: "\\A(?:\(pattern))\\z", options: ignoresCase ? .caseInsensitive : [])
            else { continue }
            for _ in 0..<20 {
                let text = Self.text(&random)
                let range = NSRange(location: 0, length: text.utf16.count)
                let expected = icu.firstMatch(in: text, range: range) != nil
                #expect(automaton.matches(text) == expected, "\(pattern) on \(text.debugDescription), \(ignoresCase)")
                compared += 1
            }
        }
        #expect(compared > 8000)
    }

    private static func pattern(depth: Int, _ random: inout SeededGenerator) -> String {
        let atoms = [
            "a", "b", "B", ".", "[ab]", "[^a]", "[a-c]", #"\d"#, #"\w"#, #"\s"#, #"\W"#, "é", #"\n"#, "^", "$", #"\b"#,
            #"\."#,
            #"\u0061"#, "[.\\d]", "b+?", "(?i)a", "(?s).", "-",
        ]
        func atom(_ random: inout SeededGenerator) -> String { atoms[Int.random(in: 0..<atoms.count, using: &random)] }
        guard depth > 0 else { return atom(&random) }
        switch Int.random(in: 0..<9, using: &random) {
        case 0, 1: return pattern(depth: depth - 1, &random) + pattern(depth: depth - 1, &random)
        case 2: return "(" + pattern(depth: depth - 1, &random) + "|" + pattern(depth: depth - 1, &random) + ")"
        case 3:
            let suffixes = ["*", "+", "?", "{2}", "{1,3}", "{2,}", "{0,1}"]
            return "(?:" + pattern(depth: depth - 1, &random) + ")"
                + suffixes[Int.random(in: 0..<suffixes.count, using: &random)]
        case 4: return "(?i:" + pattern(depth: depth - 1, &random) + ")"
        case 5: return pattern(depth: depth - 1, &random) + "|" + pattern(depth: depth - 1, &random)
        default: return atom(&random) + pattern(depth: depth - 1, &random)
        }
    }

    private static func text(_ random: inout SeededGenerator) -> String {
        let letters = ["a", "b", "A", "B", "c", "1", "é", " ", "\n", ".", "-", "_"]
        return (0..<Int.random(in: 0...6, using: &random))
            .map { _ in letters[Int.random(in: 0..<letters.count, using: &random)] }.joined()
    }
}
