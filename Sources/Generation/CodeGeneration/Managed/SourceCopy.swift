internal import ModelSchema
internal import SwiftSources

/// The copy of a source: unchanged for Apple's platforms, and rewritten for others.
struct SourceCopy {
    let source: ManagedSource
    let rewriter: SourceRewriter

    /// The copy, without a header.
    var text: String {
        let location = "#sourceLocation(file: \(SwiftIdentifier.stringLiteral(source.path)), line: 1)\n"
        var bytes = source.bytes[...]
        // A byte order mark and an interpreter line are valid only at the start of a file.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        var original = Self.endingWithNewline(String(decoding: bytes, as: UTF8.self))
        if original.hasPrefix("#!") { original = "//" + original.dropFirst(2) }
        return "#if canImport(ObjectiveC)\n" + location + original + "#sourceLocation()\n#else\n" + location
            + Self.endingWithNewline(rewriter.rewrite(source).text) + "#sourceLocation()\n#endif\n"
    }

    private static func endingWithNewline(_ text: String) -> String {
        text.utf8.last == UInt8(ascii: "\n") ? text : text + "\n"
    }
}
