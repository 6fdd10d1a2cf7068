internal import Foundation
internal import RuntimeSupport

/// The pattern of `MATCHES`: an ICU regular expression for the whole string.
///
/// Matching is bounded and does not use the machine's stack. ICU backtracks; if that takes too long, or too much of
/// ICU's own memory, which ICU does not report, an automaton that never backtracks decides (`LinearPattern`). For
/// patterns that no automaton can express, such as those with back references, the bound is higher, and a text that
/// reaches it does not match, which is logged.
final class RegularExpression {
    private let expression: NSRegularExpression
    private let comparison: StringComparison
    private let pattern: String
    private let automaton: LinearPattern?

    /// Compiles a pattern. Traps if it is invalid.
    init(_ pattern: String, _ comparison: StringComparison) {
        self.comparison = comparison
        self.pattern = pattern
        let folded = comparison.ignoresDiacritics ? Self.withoutDiacritics(pattern) : pattern
        automaton = LinearPattern(folded, ignoresCase: comparison.ignoresCase)
        do {
            let options: NSRegularExpression.Options = comparison.ignoresCase ? .caseInsensitive : []
            // Compiled without parentheses first, which would make `a)(b` valid. Foundation rejects an empty pattern.
            if !folded.isEmpty { _ = try NSRegularExpression(pattern: folded, options: options) }
            // The line feed is for a pattern that ends with a comment.
            expression =
                try (try? NSRegularExpression(pattern: "\\A(?:\(folded))\\z", options: options))
                ?? NSRegularExpression(pattern: "\\A(?:\(folded)\n)\\z", options: options)
        } catch {
            misuse(
                "NSInvalidArgumentException", "Can't do regex matching, reason: Can't open pattern \(pattern): \(error)"
            )
        }
    }

    /// The number of ICU's progress reports, each for about 10 000 steps, after which matching is abandoned, with and
    /// without an automaton as an alternative.
    private static let patience = (withAutomaton: 30, without: 5_000)

    /// Returns whether the whole text matches the pattern.
    func matches(_ text: String) -> Bool {
        let text = comparison.ignoresDiacritics ? Self.withoutDiacritics(text) : text
        let length = NSString(string: text).length
        let limit = automaton == nil ? Self.patience.without : Self.patience.withAutomaton
        var isFound = false
        var reports = 0
        expression.enumerateMatches(
            in: text, options: [.reportProgress, .anchored], range: NSRange(location: 0, length: length)
        ) { result, _, stop in
            if result != nil {
                isFound = true
                stop.pointee = true
            } else {
                reports += 1
                if reports > limit { stop.pointee = true }
            }
        }
        // Foundation does not distinguish a text that does not match from one on which ICU ran out of memory.
        guard !isFound, reports > 0 else { return isFound }
        if let automaton { return automaton.matches(text) }
        Log.error("the regular expression \(pattern) may have been given up on a text of \(length) characters")
        return false
    }

    private static func withoutDiacritics(_ text: String) -> String {
        text.folding(options: .diacriticInsensitive, locale: nil)
    }
}

/// A cache of the last pattern's regular expression, for patterns that are not constant.
final class RegularExpressionCache: @unchecked Sendable {
    private let lock = NSLock()
    private var last: (pattern: String, expression: RegularExpression)?

    func expression(_ pattern: String, _ comparison: StringComparison) -> RegularExpression {
        lock.lock()
        defer { lock.unlock() }
        if let last, last.pattern == pattern { return last.expression }
        let expression = RegularExpression(pattern, comparison)
        last = (pattern, expression)
        return expression
    }
}
