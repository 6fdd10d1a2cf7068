/// Brings the bytes of an XML file to UTF-8, the only encoding in which Xcode writes models.
enum XMLTextEncoding {
    /// The text as UTF-8 without a byte order mark. Offsets of diagnostics count in this text.
    static func utf8(_ bytes: [UInt8]) -> [UInt8] {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            // The mark becomes white space, which keeps the offsets; before an XML declaration it must go altogether.
            return Array(bytes[3...])
        }
        if bytes.starts(with: [0xFE, 0xFF]) { return fromUTF16(bytes.dropFirst(2), bigEndian: true) }
        if bytes.starts(with: [0xFF, 0xFE]) { return fromUTF16(bytes.dropFirst(2), bigEndian: false) }
        if declaresLatin1(bytes) { return bytes.flatMap { $0 < 0x80 ? [$0] : [0xC0 | $0 >> 6, 0x80 | $0 & 0x3F] } }
        return bytes
    }

    private static func fromUTF16(_ bytes: ArraySlice<UInt8>, bigEndian: Bool) -> [UInt8] {
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        var index = bytes.startIndex
        while index + 1 < bytes.endIndex {
            let first = UInt16(bytes[index])
            let second = UInt16(bytes[index + 1])
            units.append(bigEndian ? first << 8 | second : second << 8 | first)
            index += 2
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }

    /// Whether the XML declaration names ISO 8859-1. Anything else that is not UTF-8 is reported where it breaks.
    private static func declaresLatin1(_ bytes: [UInt8]) -> Bool {
        guard bytes.starts(with: Array("<?xml".utf8)) else { return false }
        let declaration = bytes.prefix(200).prefix { $0 != UInt8(ascii: ">") }.map { $0 | 0x20 }
        // The one that Xcode writes needs no further look.
        if declaration.suffix(from: 5).starts(with: Self.usualDeclaration) { return false }
        return String(decoding: declaration, as: UTF8.self).contains("iso-8859-1")
    }

    private static let usualDeclaration = Array(" version=\"1.0\" encoding=\"utf-8\"".utf8)
}
