/// Splits a template into text and tags, according to the Mustache specification (mustache(5), version 1.4): delimiters
/// can change, and a standalone tag removes its line.
struct MustacheLexer {
    enum TagKind {
        case variable, section, invertedSection, end, partial
    }

    /// Text or a tag.
    enum Token {
        case text(Range<Int>)
        /// `indentation` is the whitespace before a standalone partial.
        case tag(TagKind, name: String, range: Range<Int>, indentation: Range<Int>)
    }

    private let bytes: [UInt8]
    private var opening = Array("{{".utf8)
    private var closing = Array("}}".utf8)
    private var index = 0
    private var tokens: [Token] = []

    /// Returns the tokens of a template in UTF-8.
    static func tokens(of bytes: [UInt8]) throws(MustacheProblem) -> [Token] {
        var lexer = MustacheLexer(bytes)
        try lexer.run()
        return lexer.tokens
    }

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func run() throws(MustacheProblem) {
        while index < bytes.count {
            guard let start = find(opening, from: index) else { break }
            try readTag(at: start)
        }
        addText(index..<bytes.count)
    }

    private mutating func readTag(at start: Int) throws(MustacheProblem) {
        var contentStart = start + opening.count
        let sigil = contentStart < bytes.count ? bytes[contentStart] : 0
        let isTriple = sigil == UInt8(ascii: "{")
        let isDelimiterTag = sigil == UInt8(ascii: "=")
        if "#^/>!&={".utf8.contains(sigil) { contentStart += 1 }
        let end = (isTriple ? [UInt8(ascii: "}")] : isDelimiterTag ? [UInt8(ascii: "=")] : []) + closing
        guard let contentEnd = find(end, from: contentStart) else {
            throw MustacheProblem(message: "the tag has no end", range: start..<min(start + 2, bytes.count))
        }
        let tag = start..<contentEnd + end.count
        let content = String(decoding: bytes[contentStart..<contentEnd], as: UTF8.self)
        let kind: TagKind?
        switch sigil {
        case UInt8(ascii: "#"): kind = .section
        case UInt8(ascii: "^"): kind = .invertedSection
        case UInt8(ascii: "/"): kind = .end
        case UInt8(ascii: ">"): kind = .partial
        case UInt8(ascii: "!"), UInt8(ascii: "="): kind = nil
        default: kind = .variable
        }
        let line = kind == .variable ? nil : standaloneLine(around: tag)
        addText(index..<(line?.lowerBound ?? tag.lowerBound))
        if let kind {
            let indentation = line.map { $0.lowerBound..<tag.lowerBound } ?? tag.lowerBound..<tag.lowerBound
            tokens.append(.tag(kind, name: try name(content, tag), range: tag, indentation: indentation))
        } else if isDelimiterTag {
            try setDelimiters(content, tag)
        }
        index = line?.upperBound ?? tag.upperBound
    }

    private func name(_ content: String, _ tag: Range<Int>) throws(MustacheProblem) -> String {
        let words = content.utf8.split { $0 == 0x20 || (0x09...0x0D).contains($0) }
        guard words.count == 1, let word = words.first.map({ Substring($0) }) else {
            throw MustacheProblem(
                message: words.isEmpty ? "the tag has no name" : "the tag has more than one name", range: tag)
        }
        return String(word)
    }

    private mutating func setDelimiters(_ content: String, _ tag: Range<Int>) throws(MustacheProblem) {
        let words = content.split(whereSeparator: \.isWhitespace)
        guard words.count == 2, !words.contains(where: { $0.contains("=") }) else {
            throw MustacheProblem(message: "the tag that sets delimiters needs two of them", range: tag)
        }
        opening = Array(words[0].utf8)
        closing = Array(words[1].utf8)
    }

    private mutating func addText(_ range: Range<Int>) {
        if !range.isEmpty { tokens.append(.text(range)) }
    }

    /// Returns the line of a standalone tag, with its line ending; `nil` if the line contains anything else.
    private func standaloneLine(around tag: Range<Int>) -> Range<Int>? {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        var start = tag.lowerBound
        while start > index, isBlank(bytes[start - 1]) { start -= 1 }
        guard start == 0 || bytes[start - 1] == 0x0A else { return nil }
        var end = tag.upperBound
        while end < bytes.count, isBlank(bytes[end]) { end += 1 }
        if end == bytes.count { return start..<end }
        if bytes[end] == 0x0D, end + 1 < bytes.count, bytes[end + 1] == 0x0A { return start..<end + 2 }
        return bytes[end] == 0x0A ? start..<end + 1 : nil
    }

    private func find(_ word: [UInt8], from start: Int) -> Int? {
        guard let first = word.first else { return nil }
        var position = start
        while position + word.count <= bytes.count {
            if bytes[position] == first, bytes[position..<position + word.count].elementsEqual(word) { return position }
            position += 1
        }
        return nil
    }
}
