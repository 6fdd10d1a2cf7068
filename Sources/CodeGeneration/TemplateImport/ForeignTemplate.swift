/// A generator whose templates modelc can analyze.
package enum TemplateTool: String, CaseIterable, Sendable {
    /// SwiftGen, whose templates are Stencil.
    case swiftgen
    /// mogenerator, whose templates are MiscMerge.
    case mogenerator

    /// The extension of template files.
    package var fileExtension: String {
        switch self {
        case .swiftgen: ".stencil"
        case .mogenerator: ".motemplate"
        }
    }
}

/// A variable, tag or macro that a template of another generator uses.
package struct TemplateUse: Hashable, Sendable {
    /// The kind of a use.
    package enum Kind: String, Hashable, Sendable {
        case variable
        case tag
        case filter
        case macro
    }

    /// The kind.
    package var kind: Kind
    /// The name as the template writes it.
    package var name: String
    /// The byte range of the name.
    package var range: Range<Int>
    /// A variable's name with loop variables replaced by the collections they iterate over: `models[].entities[].name`.
    package var path = ""
}

/// modelc's counterpart to a part of a template.
package enum TemplateCounterpart: Hashable, Sendable {
    /// A name or tag of modelc's templates.
    case template(String)
    /// An option of `modelc generate`.
    case option(String)
    /// No counterpart, with the reason or advice.
    case none(String)
}

/// The uses in a template of another generator.
package struct ForeignTemplate: Sendable {
    /// The uses with their counterparts, in the order of the text.
    package private(set) var uses: [(use: TemplateUse, counterpart: TemplateCounterpart)] = []
    /// The problems that keep parts of the template from being read.
    package private(set) var problems: [(message: String, range: Range<Int>)] = []

    /// Reads a template.
    package init(_ bytes: [UInt8], tool: TemplateTool) {
        switch tool {
        case .swiftgen:
            var reader = StencilReader(bytes)
            reader.run()
            problems = reader.problems
            uses = reader.uses.map { ($0, StencilCounterparts.counterpart($0, declared: reader.macros)) }
        case .mogenerator:
            var reader = MiscMergeReader(bytes)
            reader.run()
            problems = reader.problems
            uses = reader.uses.map { ($0, MiscMergeCounterparts.counterpart($0)) }
        }
    }
}

/// The words and signs of a tag, with their ranges.
struct TagTokens {
    /// A dotted name, a string, a number or a sign.
    struct Token {
        enum Kind { case name, text, number, sign }
        var kind: Kind
        var text: String
        var range: Range<Int>
    }

    /// Returns the tokens in a range of bytes.
    static func tokens(_ bytes: [UInt8], _ range: Range<Int>) -> [Token] {
        var tokens: [Token] = []
        var index = range.lowerBound
        while index < range.upperBound {
            let start = index
            let byte = bytes[index]
            index += 1
            let kind: Token.Kind
            switch byte {
            case _ where isSpace(byte): continue
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                while index < range.upperBound, bytes[index] != byte { index += 1 }
                index = min(index + 1, range.upperBound)
                kind = .text
            case _ where isWord(byte):
                while index < range.upperBound, isWord(bytes[index]) || bytes[index] == UInt8(ascii: ".") { index += 1 }
                kind = (0x30...0x39).contains(byte) ? .number : .name
            default:
                // Operators of two characters.
                if index < range.upperBound, bytes[index] == UInt8(ascii: "=") || bytes[index] == byte,
                    "=!<>&|".utf8.contains(byte)
                {
                    index += 1
                }
                kind = .sign
            }
            tokens.append(
                Token(kind: kind, text: String(decoding: bytes[start..<index], as: UTF8.self), range: start..<index))
        }
        return tokens
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == UInt8(ascii: "_") || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
            || (0x61...0x7A).contains(byte)
    }
}
