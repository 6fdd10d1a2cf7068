internal import Foundation

/// The pattern of `LIKE`: `?` stands for one character, `*` for any number of them, and a backslash escapes either.
///
/// Matching only backtracks to the last `*`, and so takes at most time proportional to the product of the two lengths.
struct WildcardPattern: Sendable {
    private enum Part: Equatable, Sendable {
        case scalar(Unicode.Scalar)
        case one
        case many
    }

    private let parts: [Part]
    private let comparison: StringComparison

    init(_ pattern: String, _ comparison: StringComparison) {
        self.comparison = comparison
        var parts: [Part] = []
        var isEscaped = false
        for scalar in Self.folded(pattern, comparison) {
            switch scalar {
            case _ where isEscaped:
                parts.append(.scalar(scalar))
                isEscaped = false
            case "\\": isEscaped = true
            case "?": parts.append(.one)
            case "*": if parts.last != .many { parts.append(.many) }
            default: parts.append(.scalar(scalar))
            }
        }
        if isEscaped { parts.append(.scalar("\\")) }
        self.parts = parts
    }

    /// Returns whether the whole text matches the pattern.
    func matches(_ text: String) -> Bool {
        if !comparison.usesLocale, let answer = text.withUTF8Bytes(matches(ascii:)) { return answer }
        let scalars = Array(Self.folded(text, comparison))
        return matches(scalars) { $0 }
    }

    /// Returns the result for an ASCII text, or `nil` for any other.
    private func matches(ascii bytes: UnsafeBufferPointer<UInt8>) -> Bool? {
        guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        return comparison.ignoresCase
            ? matches(bytes) { Unicode.Scalar($0.asciiLowercase) } : matches(bytes) { Unicode.Scalar($0) }
    }

    @inline(__always)
    private func matches<Text: RandomAccessCollection>(
        _ text: Text, _ scalar: (Text.Element) -> Unicode.Scalar
    ) -> Bool where Text.Index == Int {
        var position = 0
        var part = 0
        /// The position of the last `*`, and the end of the text that it matches.
        var star: (part: Int, position: Int)?
        while position < text.count {
            if part < parts.count {
                switch parts[part] {
                case .many:
                    star = (part, position)
                    part += 1
                    continue
                case .one:
                    part += 1
                    position += 1
                    continue
                case .scalar(let requested) where requested == scalar(text[position]):
                    part += 1
                    position += 1
                    continue
                case .scalar: break
                }
            }
            guard let last = star else { return false }
            star = (last.part, last.position + 1)
            part = last.part + 1
            position = last.position + 1
        }
        return parts[part...].allSatisfy { $0 == .many }
    }

    /// Returns the text folded as the comparison ignores differences.
    private static func folded(_ text: String, _ comparison: StringComparison) -> String.UnicodeScalarView {
        guard comparison.ignoresCase || comparison.ignoresDiacritics else { return text.unicodeScalars }
        return text.folding(options: comparison.foundation, locale: comparison.usesLocale ? Locale.current : nil)
            .unicodeScalars
    }
}
