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

    /// Lengths, surrogates, the last scalar, overlong forms and the replacement character.
    @Test(arguments: [
        [], [0x61], [0x61, 0x80], [0xC3, 0xA9], [0xC3], [0xC0, 0x80], [0xE0, 0x80, 0xAF], [0xED, 0x9F, 0xBF],
        [0xED, 0xA0, 0x80], [0xEF, 0xBF, 0xBD], [0xF0, 0x9F, 0x98, 0x80], [0xF0, 0x9F, 0x98], [0xF4, 0x8F, 0xBF, 0xBF],
        [0xF4, 0x90, 0x80, 0x80], [0xEF, 0xBF, 0xBD, 0xFF], [0x61, 0x00, 0x62],
    ])
    func invalidUTF8IsRejected(bytes: [UInt8]) {
        #expect(String(validUTF8: bytes) == String(validating: bytes, as: UTF8.self))
    }

    @Test func twoBytesAreTextIfTheStandardLibraryAcceptsThem() {
        let different = (0...UInt16.max).filter { pair in
            let bytes = [UInt8(pair >> 8), UInt8(pair & 0xFF)]
            return String(validUTF8: bytes) != String(validating: bytes, as: UTF8.self)
        }
        #expect(different == [])
    }
}
