extension Sequence<UInt8> {
    /// The bytes as lowercase hexadecimal digits, two for each.
    package var hexadecimal: String { map(Self.digits).joined() }

    /// The path in the bytes with everything except unreserved characters and slashes percent-encoded (RFC 3986).
    package var percentEncodedPath: String {
        map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: "/"):
                String(decoding: CollectionOfOne(byte), as: UTF8.self)
            default: "%" + Self.digits(byte).uppercased()
            }
        }.joined()
    }

    private static func digits(_ byte: UInt8) -> String {
        String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }
}
