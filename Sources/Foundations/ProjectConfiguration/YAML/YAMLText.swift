/// The characters of a YAML file.
enum YAMLText {
    /// Checks that a file is UTF-8 and contains only characters that YAML allows and that no reader treats as a line
    /// break.
    static func check(_ bytes: [UInt8]) throws(YAMLSubset.Failure) {
        var offset = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte < 0x80 {
                switch byte {
                case 0x09, 0x0A, 0x20...0x7E: break
                case 0x0D where offset + 1 < bytes.count && bytes[offset + 1] == 0x0A: break
                default: throw unsupported(UInt32(byte), offset)
                }
                offset += 1
                continue
            }
            guard let (scalar, length) = decode(bytes[offset...]) else {
                throw YAMLSubset.Failure(offset: offset, message: "the file is not valid UTF-8")
            }
            switch scalar {
            case 0x80...0x9F, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF: throw unsupported(scalar, offset)
            default: offset += length
            }
        }
    }

    private static func unsupported(_ scalar: UInt32, _ offset: Int) -> YAMLSubset.Failure {
        let digits = String(scalar, radix: 16, uppercase: true)
        let name = "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        return YAMLSubset.Failure(offset: offset, message: "unsupported character \(name)")
    }

    /// Decodes the UTF-8 sequence at the start of some bytes. Returns `nil` if it is invalid.
    private static func decode(_ bytes: ArraySlice<UInt8>) -> (scalar: UInt32, length: Int)? {
        var iterator = bytes.prefix(4).makeIterator()
        var codec = UTF8()
        guard case .scalarValue(let scalar) = codec.decode(&iterator) else { return nil }
        return (scalar.value, UTF8.width(scalar))
    }

    /// Returns a text for a message, truncated if it is long.
    static func shown(_ text: String) -> String {
        text.count <= 60 ? text : text.prefix(59) + "…"
    }
}
