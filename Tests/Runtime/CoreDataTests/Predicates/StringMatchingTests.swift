import TestSupport
import Testing

@testable import CoreData

/// The fast comparisons of text have the same results as Foundation.
@Suite struct StringMatchingTests {
    private static let letters = [
        "a", "e", "s", "k", "A", "E", "S", "K", ";", "`", " ", "\u{E9}", "e\u{301}", "\u{C9}", "\u{DF}", "\u{17F}",
        "\u{212A}", "\u{37E}", "\u{1FEF}", "\u{130}", "\u{FB01}", "f", "i", "\u{301}", "\u{6771}", "\u{1F600}",
        "\u{200D}",
        "\u{E4}", "\u{F1}", "\n", "1", "\u{149}", "\u{1F0}", "n", "j", "\u{AA}",
    ]

    private static func text(_ count: Int, _ random: inout SeededGenerator) -> String {
        // Half of the texts are ASCII.
        let choice = Bool.random(using: &random) ? Array(letters.prefix(11)) : letters
        return (0..<count).map { _ in choice[Int.random(in: 0..<choice.count, using: &random)] }.joined()
    }

    private static let comparisons: [StringComparison] = [
        StringComparison([]), StringComparison(.caseInsensitive), StringComparison(.diacriticInsensitive),
        StringComparison([.caseInsensitive, .diacriticInsensitive]), StringComparison(.normalized),
    ]

    private static let positions: [(position: SubstringPosition, options: String.CompareOptions)] = [
        (.anywhere, String.CompareOptions()), (.start, .anchored), (.end, [.anchored, .backwards]),
    ]

    @Test func searchesAgreeWithFoundation() {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<6000 {
            let whole = Self.text(Int.random(in: 0...8, using: &random), &random)
            let part = Self.text(Int.random(in: 1...2, using: &random), &random)
            for comparison in Self.comparisons {
                for (position, extra) in Self.positions {
                    let expected =
                        NSString(string: whole).range(of: part, options: comparison.foundation.union(extra)).location
                        != NSNotFound
                    let found = SubstringSearch(part, at: position, comparison).isFound(in: whole)
                    #expect(
                        found == expected,
                        "\(part.debugDescription) in \(whole.debugDescription) \(comparison) \(position)")
                }
            }
        }
    }

    private static func order(_ left: String.UnicodeScalarView, _ right: String.UnicodeScalarView) -> ValueOrder {
        left.lexicographicallyPrecedes(right)
            ? .ascending : right.lexicographicallyPrecedes(left) ? .descending : .same
    }

    @Test func ordersAgreeWithFoundation() {
        var random = SeededGenerator(seed: 6)
        for _ in 0..<6000 {
            let left = Self.text(Int.random(in: 0...3, using: &random), &random)
            let right = Self.text(Int.random(in: 0...3, using: &random), &random)
            for comparison in Self.comparisons {
                // Normalized texts are compared by code points, as in a store's index; Foundation compares surrogates,
                // which sort lower than the code points that they encode.
                let expected =
                    comparison.isNormalized
                    ? Self.order(left.unicodeScalars, right.unicodeScalars)
                    : ValueOrder(NSString(string: left).compare(right, options: comparison.foundation))
                #expect(
                    comparison.order(left, right) == expected,
                    "\(left.debugDescription) and \(right.debugDescription) \(comparison)")
            }
            // Apple's isEqual: compares code units; Foundation's on Linux considers equivalent strings equal.
            #expect(StringComparison.literal.equal(left, right) == left.utf16.elementsEqual(right.utf16))
        }
    }
}
