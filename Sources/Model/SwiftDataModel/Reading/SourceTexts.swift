internal import Diagnostics
internal import SwiftSources

/// The sources, for literals and locations.
final class SourceTexts {
    private let files: [SwiftSourceFile]
    private var lines: [Int: LineIndex] = [:]

    init(_ files: [SwiftSourceFile]) {
        self.files = files
    }

    /// Returns the value of a string literal, or `nil` if it contains escapes, interpolations or line breaks.
    func string(_ token: SwiftToken, in file: Int) -> String? {
        guard token.kind == .literal, files.indices.contains(file) else { return nil }
        let bytes = files[file].bytes[token.range]
        let quote = UInt8(ascii: "\"")
        guard bytes.count >= 2, bytes.first == quote, bytes.last == quote else { return nil }
        let text = bytes.dropFirst().dropLast()
        guard !text.contains(UInt8(ascii: "\\")), !text.contains(quote), !text.contains(UInt8(ascii: "\n")) else {
            return nil
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns `false` for a string literal that lacks its closing quote.
    func isClosed(_ token: SwiftToken, in file: Int) -> Bool {
        guard token.kind == .literal, files.indices.contains(file) else { return true }
        let bytes = files[file].bytes[token.range]
        let quote = UInt8(ascii: "\"")
        let pounds = bytes.prefix { $0 == UInt8(ascii: "#") }.count
        guard bytes.dropFirst(pounds).first == quote else { return true }
        return bytes.count >= 2 * pounds + 2 && bytes.dropLast(pounds).last == quote
    }

    /// Returns the source text of tokens, joined into one line.
    func text(_ tokens: ArraySlice<SwiftToken>, in file: Int) -> String {
        guard let first = tokens.first, let last = tokens.last, files.indices.contains(file) else { return "" }
        let bytes = files[file].bytes[first.range.lowerBound..<last.range.upperBound]
        return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
            .map { String($0.drop { $0 == " " }) }.joined(separator: " ")
    }

    /// Returns the source text of a span, such as a name with its backquotes.
    func text(_ span: SourceSpan) -> String { text(span.range, in: span.file, []) }

    /// Returns source text with changes.
    ///
    /// - Parameter edits: The changes, in the order of their spans.
    func text(_ range: Range<Int>, in file: Int, _ edits: [(range: Range<Int>, text: String)]) -> String {
        guard files.indices.contains(file) else { return "" }
        var result: [UInt8] = []
        var start = range.lowerBound
        for edit in edits {
            result += files[file].bytes[start..<edit.range.lowerBound] + Array(edit.text.utf8)
            start = edit.range.upperBound
        }
        result += files[file].bytes[start..<range.upperBound]
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns the location of a source range.
    func location(_ span: SourceSpan) -> SourceLocation {
        guard files.indices.contains(span.file) else {
            return SourceLocation(file: "", range: .fileStart)
        }
        let index = lines[span.file] ?? LineIndex(files[span.file].bytes)
        lines[span.file] = index
        return SourceLocation(
            file: files[span.file].path,
            range: SourceRange(
                start: index.position(at: span.range.lowerBound), end: index.position(at: span.range.upperBound)))
    }

    /// Returns the location of a source range as `file:line`, for messages.
    func describe(_ span: SourceSpan) -> String {
        let location = location(span)
        return "\(location.file):\(location.range.start.line)"
    }
}
