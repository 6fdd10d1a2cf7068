package import Diagnostics
internal import SwiftSources

/// A Swift source file that may declare SwiftData models.
package struct SwiftSourceFile: Sendable {
    /// The path, as shown in messages.
    package var path: String
    /// The text in UTF-8.
    package var bytes: [UInt8]

    /// Creates a source file.
    package init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
    }
}

extension SwiftSourceFile {
    /// Whether the attribute `@Model` occurs in the code, outside comments and strings.
    package var mentionsModelMacro: Bool {
        guard !bytes.ranges(of: Array("Model".utf8)).isEmpty else { return false }
        let tokens = SwiftLexer.tokens(in: bytes)
        return tokens.indices.dropLast().contains { index in
            guard tokens[index].is("@") else { return false }
            let isQualified = tokens[index + 1].is("SwiftData") && index + 3 < tokens.count
            return tokens[isQualified ? index + 3 : index + 1].is("Model")
        }
    }
}

/// A range of bytes in one of the files.
struct SourceSpan: Hashable, Comparable {
    /// The index of the file.
    var file: Int
    var range: Range<Int>

    static func < (left: SourceSpan, right: SourceSpan) -> Bool {
        (left.file, left.range.lowerBound) < (right.file, right.range.lowerBound)
    }
}

/// The location of a declaration in a source file.
package struct SourceLocation: Hashable, Sendable {
    /// The path of the file.
    package var file: String
    /// The lines and columns of the declaration's name.
    package var range: SourceRange

    /// Creates a location.
    package init(file: String, range: SourceRange) {
        self.file = file
        self.range = range
    }
}
