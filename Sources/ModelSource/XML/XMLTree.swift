internal import Diagnostics

/// A well-formed, or as far as possible repaired, XML document with the place of everything in it.
struct XMLTree: Sendable {
    /// The text that was parsed.
    var source: SourceText
    /// The elements in document order. The root is the first; a document without any element has none.
    var elements: [XMLElement] = []
    /// The problems of the text itself: what is not well-formed or not allowed.
    var problems: [XMLProblem] = []
    /// The comments and processing instructions, in document order.
    var remarks: [XMLRemark] = []

    /// The text in UTF-8, in which offsets count.
    var bytes: [UInt8] { source.utf8 }

    /// Whether elements may be missing that the file should have.
    var isIncomplete: Bool {
        problems.contains { problem in
            switch problem.kind {
            case .notWellFormed, .truncated, .conflictMarker, .tooDeep, .tooManyAttributes, .notUTF8,
                .notInDeclaredEncoding:
                true
            case .entityDeclaration, .documentType: false
            }
        }
    }

    /// The byte range of an attribute with its value, `name="value"`, or nil when the element does not have it.
    func range(ofAttribute name: String, in index: Int) -> Range<Int>? {
        attributeRanges(ofElementAt: index).first { $0.name == name }?.whole
    }

    /// The byte range of an attribute's value without its quotes, or nil when the element does not have it.
    func range(ofValueOf name: String, in index: Int) -> Range<Int>? {
        attributeRanges(ofElementAt: index).first { $0.name == name }?.value
    }

    /// The byte ranges of all attributes of an element, lexed from its own tag.
    func attributeRanges(ofElementAt index: Int) -> [(name: String, whole: Range<Int>, value: Range<Int>)] {
        guard elements.indices.contains(index) else { return [] }
        let tag = elements[index].tag
        let bytes = bytes
        var result: [(name: String, whole: Range<Int>, value: Range<Int>)] = []
        var cursor = tag.lowerBound
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
        func skip(while condition: (UInt8) -> Bool) {
            while cursor < tag.upperBound, condition(bytes[cursor]) { cursor += 1 }
        }
        skip { !isSpace($0) }
        while cursor < tag.upperBound {
            skip(while: isSpace)
            let nameStart = cursor
            skip { !isSpace($0) && $0 != UInt8(ascii: "=") }
            let name = String(decoding: bytes[nameStart..<cursor], as: UTF8.self)
            skip { isSpace($0) || $0 == UInt8(ascii: "=") }
            guard cursor < tag.upperBound else { break }
            let quote = bytes[cursor]
            guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { break }
            cursor += 1
            let valueStart = cursor
            skip { $0 != quote }
            let value = valueStart..<cursor
            if cursor < tag.upperBound { cursor += 1 }
            result.append((name, nameStart..<cursor, value))
        }
        return result
    }
}

/// A comment or a processing instruction: nothing to a model, but something to the people who wrote it.
struct XMLRemark: Sendable {
    /// Its text as in the file, from `<` to `>`.
    var markup: String
    /// The index of the element that it stands in; -1 outside of the root.
    var parent: Int
    /// How many elements of the document began before it.
    var elementsBefore: Int
}

/// Something that is wrong with the text of an XML document.
struct XMLProblem: Sendable, Hashable {
    /// What kind of problem it is; each has its own rule and advice.
    enum Kind: Sendable, Hashable {
        /// The parser's own message.
        case notWellFormed(String)
        /// The end of the file comes before the end of the root element.
        case truncated(openElements: [String])
        /// A line of an unresolved merge.
        case conflictMarker(String)
        /// A document type with entity declarations or an external subset.
        case entityDeclaration(name: String)
        /// A document type declaration.
        case documentType
        /// Elements are nested deeper than any model.
        case tooDeep
        /// A tag has more attributes than any element of a model.
        case tooManyAttributes
        /// Bytes that are not valid UTF-8.
        case notUTF8
        /// Bytes that are not text in the encoding that the file declares, or that cannot be decoded because the encoding is
        /// not supported.
        case notInDeclaredEncoding(String, isSupported: Bool)
    }

    /// What is wrong.
    var kind: Kind
    /// The bytes concerned.
    var range: Range<Int>
}
