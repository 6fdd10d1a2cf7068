import ModelSchema
import Testing

@testable import MappingModel

/// The text of values in an XML store (Documentation/Formats/XMLStore.md, 2).
@Suite struct StoreTextTests {
    @Test func escapesAreByteSwappedCodeUnits() {
        #expect(StoreText.unescaped("messageID \\u3c00 10000") == "messageID < 10000")
        #expect(StoreText.unescaped("\\u3dd8\\u00de") == "😀")
    }

    @Test(arguments: ["\\", "\\u", "\\u3c0", "\\uzzzz", "\\n", "a\\u3c0g"])
    func invalidEscapesAreKept(text: String) {
        #expect(StoreText.unescaped(text) == text)
    }

    @Test(arguments: ["", "plain", "a < b && c > d", "C:\\u3c00", "line\nfeed", "ümlaut 😀", "\u{1}"])
    func escapedTextRoundTrips(text: String) {
        let escaped = StoreText.escaped(text)
        #expect(!escaped.contains { "<>&\n\u{1}".contains($0) })
        #expect(StoreText.unescaped(escaped) == text)
    }

    @Test(arguments: [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9v\nYmE=\n", "fooba"), ("Zg", "f")])
    func base64IsDecoded(text: String, expected: String) {
        #expect(Base64.decode(text) == Array(expected.utf8))
    }

    @Test(arguments: ["Z", "Zm9v!", "Zg=v", "Zm9vY", "Zg==="])
    func malformedBase64IsRejected(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test(arguments: [[], [0], [0xFF, 0xFE], Array(0...255)] as [[UInt8]])
    func base64RoundTrips(bytes: [UInt8]) {
        #expect(Base64.decode(Base64.encode(bytes)) == bytes)
    }
}
