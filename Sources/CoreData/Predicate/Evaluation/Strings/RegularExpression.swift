internal import Foundation

/// The pattern of `MATCHES`: a regular expression of ICU's for the whole string.
///
/// Matching is bounded: one that would go back and try again for ever is given up after `stepLimit` reports of ICU's, which
/// takes about a second, and does not use the machine's stack.
final class RegularExpression {
    private let expression: NSRegularExpression
    private let comparison: StringComparison
    private let pattern: String

    /// Stops the program if the pattern is none.
    init(_ pattern: String, _ comparison: StringComparison) {
        self.comparison = comparison
        self.pattern = pattern
        let folded = comparison.ignoresDiacritics ? Self.withoutDiacritics(pattern) : pattern
        do {
            let options: NSRegularExpression.Options = comparison.ignoresCase ? .caseInsensitive : []
            // By itself first: in parentheses `a)(b` would become a pattern. An empty one is none to Foundation.
            if !folded.isEmpty { _ = try NSRegularExpression(pattern: folded, options: options) }
            // The line's end is for a pattern that ends with a comment.
            expression =
                try (try? NSRegularExpression(pattern: "\\A(?:\(folded))\\z", options: options))
                ?? NSRegularExpression(pattern: "\\A(?:\(folded)\n)\\z", options: options)
        } catch {
            misuse(
                "NSInvalidArgumentException", "Can't do regex matching, reason: Can't open pattern \(pattern): \(error)"
            )
        }
    }

    /// How many reports of progress are waited for.
    private static let stepLimit = 5_000

    /// Whether the whole text is as the pattern says. A match that had to be given up is none, which is said in the log.
    func matches(_ text: String) -> Bool {
        let text = comparison.ignoresDiacritics ? Self.withoutDiacritics(text) : text
        let string = NSString(string: text)
        var isFound = false
        var isGivenUp = false
        var steps = 0
        expression.enumerateMatches(
            in: text, options: [.reportProgress, .anchored, .withoutAnchoringBounds],
            range: NSRange(location: 0, length: string.length)
        ) { result, flags, stop in
            if result != nil {
                isFound = true
                stop.pointee = true
            } else if flags.contains(.internalError) {
                isGivenUp = true
                stop.pointee = true
            } else if flags.contains(.progress) {
                steps += 1
                if steps > Self.stepLimit {
                    isGivenUp = true
                    stop.pointee = true
                }
            }
        }
        if isGivenUp, !isFound {
            Log.error("the regular expression \(pattern) was given up on a text of \(string.length) characters")
        }
        return isFound
    }

    private static func withoutDiacritics(_ text: String) -> String {
        text.folding(options: .diacriticInsensitive, locale: nil)
    }
}

/// The regular expression of the last pattern, for a pattern that is no constant.
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
