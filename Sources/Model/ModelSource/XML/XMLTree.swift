internal import Diagnostics

/// An XML document, repaired as far as possible if it is malformed, with the location of everything in it.
struct XMLTree: Sendable {
    /// The text that was parsed.
    var source: SourceText
    /// The elements in document order, beginning with the root.
    var elements: [XMLElement] = []
    /// The problems of the text itself: everything that is malformed or not allowed.
    var problems: [XMLProblem] = []
    /// The comments and processing instructions, in document order.
    var remarks: [XMLRemark] = []

    /// The text in UTF-8, which offsets refer to.
    var bytes: [UInt8] { source.utf8 }

    /// Whether elements may be missing because a part of the file could not be read.
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

    /// Returns the byte range of an attribute with its value, `name="value"`, or `nil` if the element does not have it.
    func range(ofAttribute name: String, in index: Int) -> Range<Int>? {
        attributeRanges(ofElementAt: index).first { $0.name == name }?.whole
    }

    /// Returns the byte range of an attribute's value without its quotes, or `nil` if the element does not have it.
    func range(ofValueOf name: String, in index: Int) -> Range<Int>? {
        attributeRanges(ofElementAt: index).first { $0.name == name }?.value
    }

    /// Returns the byte ranges of all attributes of an element, lexed from its tag.
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

/// A comment or a processing instruction, which has no meaning to a model but is kept for its authors.
struct XMLRemark: Sendable {
    /// Its text as in the file, from `<` to `>`.
    var markup: String
    /// The index of the parent element; -1 outside the root.
    var parent: Int
    /// The number of elements of the document that start before it.
    var elementsBefore: Int
}

/// A problem in the text of an XML document.
struct XMLProblem: Sendable, Hashable {
    /// The kinds of problems; each has its own rule and advice.
    enum Kind: Sendable, Hashable {
        /// The parser's own message.
        case notWellFormed(String)
        /// The file ends before the root element does.
        case truncated(openElements: [String])
        /// A conflict marker of an unresolved merge.
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
        /// Bytes that are invalid in the encoding that the file declares, or that cannot be decoded because the
        /// encoding is unsupported.
        case notInDeclaredEncoding(String, isSupported: Bool)
    }

    var kind: Kind
    /// The affected byte range.
    var range: Range<Int>
}
