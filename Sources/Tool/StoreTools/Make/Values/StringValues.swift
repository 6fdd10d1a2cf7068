internal import Foundation
internal import ModelSchema

/// Values of string attributes. U+0000 is left out, because SQLite's functions end a text there.
struct StringValues: ValueGenerator {
    private let shortest: Int
    private let longest: Int
    /// The pattern, if there is one.
    private let pattern: FullMatchPattern?
    private let generator: PatternText?

    /// The maximum length of generated strings, in UTF-16 units, which Core Data counts.
    private static let longText = 10_000

    init(_ attribute: Attribute) {
        shortest = max(0, attribute.minimum.flatMap(Self.limit) ?? 0)
        longest = attribute.maximum.flatMap(Self.limit) ?? .max
        let expression = attribute.regularExpression.flatMap { $0.isEmpty ? nil : $0 }
        pattern = expression.map { FullMatchPattern($0) }
        generator = expression.flatMap { PatternText($0) }
    }

    private static func limit(_ text: String) -> Int? {
        text.isEmpty ? nil : Int(clamping: NumberText.integer(text))
    }

    private func legal(_ text: String) -> String? {
        // A fast path: counting UTF-16 units takes longer than generating a text.
        if shortest == 0, longest == .max, pattern == nil { return text }
        let count = text.utf16.count
        guard count >= shortest, count <= longest else { return nil }
        return pattern?.matches(text) == false ? nil : text
    }

    private static let samples = [
        "", "a", "Ada Lovelace", " leading and trailing ", "line\nbreak\ttab\r\n",
        // Composed and decomposed characters, several combining marks, a family emoji of one character.
        "Zoë Å", "Zoe\u{308} A\u{30A}", "Z\u{311}\u{35E}\u{324}algo", "👩‍👩‍👧‍👦🇺🇳👍🏽",
        "שלום", "مرحبا بالعالم", "日本語", "नमस्ते", "ǅ ﬃ ß İ ı", "\u{202E}override\u{202C}", "zero\u{200B}width",
        "\u{FEFF}mark", "'; DROP TABLE ZBOOK; --", "100% _of_ \\ \"quotes\" ‘’", "<tag attribute=\"&amp;\"/>", "NULL",
        "0",
        "\u{10FFFD}\u{E000}",
    ]

    func edges(_ numbers: inout SeededNumbers) -> [Any] {
        var texts = Self.samples
        if pattern == nil {
            if shortest > 0, shortest <= Self.longText { texts.append(String(repeating: "m", count: shortest)) }
            texts.append(String(repeating: "L", count: min(longest, Self.longText)))
            return texts.compactMap(legal)
        }
        texts += (0..<20).compactMap { _ in generator?.text(&numbers) }
        var seen: Set<String> = []
        return texts.compactMap(legal).filter { seen.insert($0).inserted }
    }

    private static let words = [
        "alpha", "Beta", "gamma", "Ärger", "naïve", "東京", "Ωmega", "smörgåsbord", "x", "data", "core", "Straße", "🙂",
    ]

    func random(_ numbers: inout SeededNumbers) -> Any? {
        if let generator {
            for _ in 0..<50 {
                if let text = legal(generator.text(&numbers)) { return text }
            }
            return nil
        }
        if pattern != nil { return Self.samples.lazy.compactMap(legal).first }
        var text = ""
        for _ in 0...numbers.below(4) {
            if !text.isEmpty { text += " " }
            text += Self.words[numbers.below(Self.words.count)]
        }
        if shortest == 0, longest == .max { return text }
        while text.utf16.count < shortest, text.utf16.count < Self.longText * 100 { text += "·" }
        while text.utf16.count > longest, !text.isEmpty { text.removeLast() }
        return legal(text)
    }

    func numbered(_ number: Int, _ numbers: inout SeededNumbers) -> Any? {
        if pattern != nil { return random(&numbers) }
        let digits = String(number, radix: 36)
        let text = String(repeating: "0", count: max(0, min(shortest, Self.longText) - digits.count)) + digits
        return legal(longest > text.utf16.count + 1 ? "№" + text : text)
    }

    func value(of text: String) -> Any? { legal(text) }
}

/// A regular expression that must match a whole text, as in Core Data's validation.
private struct FullMatchPattern {
    private let expression: NSRegularExpression?

    init(_ pattern: String) {
        expression = try? NSRegularExpression(pattern: "\\A(?:\(pattern))\\z")
    }

    func matches(_ text: String) -> Bool {
        expression?.firstMatch(in: text, range: NSRange(location: 0, length: text.utf16.count)) != nil
    }
}
