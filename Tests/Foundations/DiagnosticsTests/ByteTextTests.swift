import Diagnostics
import Testing

@Suite struct ByteTextTests {
    @Test func everyByteHasTwoDigits() {
        #expect([0x00, 0x0A, 0x7F, 0xFF].hexadecimal == "000a7fff")
        #expect([UInt8]().hexadecimal == "")
    }

    @Test func pathsArePercentEncoded() {
        #expect("a-Z_0.~/ü %\u{1}".utf8.percentEncodedPath == "a-Z_0.~/%C3%BC%20%25%01")
    }

    /// Vectors of the FNV reference implementation.
    @Test(arguments: [("", 0xCBF2_9CE4_8422_2325), ("a", 0xAF63_DC4C_8601_EC8C), ("foobar", 0x8594_4171_F739_67E8)])
    func hashesAreFNV1a(text: String, hash: UInt64) {
        #expect(StableHash.of(text.utf8) == hash)
        #expect(StableHash.of(text.utf8.dropFirst(), seed: StableHash.of(text.utf8.prefix(1))) == hash)
    }
}
