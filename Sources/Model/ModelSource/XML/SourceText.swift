/// The text of an XML file, decoded to UTF-8, with the encoding in which a changed text is written back.
///
/// Every command works on `utf8`: byte offsets of diagnostics and edits refer to it, never to the bytes of the file.
package struct SourceText: Sendable {
    /// An error for a text that has a character the file's encoding cannot represent.
    package struct CannotEncode: Error, Sendable {
        package let character: Unicode.Scalar
        package let encodingName: String
    }

    /// The bytes of the file.
    package let bytes: [UInt8]
    /// The text in UTF-8, without a byte order mark.
    package let utf8: [UInt8]
    /// The encoding of the file.
    package let encoding: TextEncoding
    /// The offset in `utf8` of the first bytes that are invalid in the file's encoding; `nil` if all are valid, and for
    /// a file in UTF-8, which the XML parser validates.
    let firstInvalidOffset: Int?

    /// Decodes a file. Bytes that are invalid in the file's encoding become replacement characters.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        let encoding = TextEncoding(detectedIn: bytes)
        self.encoding = encoding
        let content = bytes[encoding.markLength...]
        switch encoding.form {
        case .utf8:
            utf8 = encoding.markLength == 0 ? bytes : Array(content)
            firstInvalidOffset = nil
        case .ascii:
            utf8 = bytes
            firstInvalidOffset = bytes.firstIndex { $0 >= 0x80 }
        case .latin1:
            utf8 = content.flatMap { $0 < 0x80 ? [$0] : [0xC0 | $0 >> 6, 0x80 | $0 & 0x3F] }
            firstInvalidOffset = nil
        case .utf16(let isBigEndian):
            (utf8, firstInvalidOffset) = Self.decodeUTF16(content, isBigEndian: isBigEndian)
        case .utf32(let isBigEndian):
            (utf8, firstInvalidOffset) = Self.decodeUTF32(content, isBigEndian: isBigEndian)
        }
    }

    /// Returns a changed text as the bytes of a file in this file's encoding, with its byte order mark.
    ///
    /// - Parameter text: The text in UTF-8.
    /// - Throws: `CannotEncode` if the encoding lacks a character of the text.
    package func encode(_ text: [UInt8]) throws(CannotEncode) -> [UInt8] {
        return bytes.prefix(encoding.markLength) + (try encodeWithoutMark(text))
    }

    /// Returns a part of a changed text in this file's encoding.
    func encodeWithoutMark(_ text: [UInt8]) throws(CannotEncode) -> [UInt8] {
        if encoding.form == .utf8 { return text }
        var result: [UInt8] = []
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
            guard encoding.canRepresent(scalar) else {
                throw CannotEncode(character: scalar, encodingName: encoding.name)
            }
            append(scalar, to: &result)
        }
        return result
    }

    private func append(_ scalar: Unicode.Scalar, to result: inout [UInt8]) {
        switch encoding.form {
        case .utf8: result += Array(String(scalar).utf8)
        case .latin1, .ascii: result.append(UInt8(truncatingIfNeeded: scalar.value))
        case .utf16(let isBigEndian):
            for unit in UTF16.encode(scalar) ?? UTF16.EncodedScalar() {
                let pair = [UInt8(truncatingIfNeeded: unit >> 8), UInt8(truncatingIfNeeded: unit)]
                result += isBigEndian ? pair : pair.reversed()
            }
        case .utf32(let isBigEndian):
            let four = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: scalar.value >> $0) }
            result += isBigEndian ? four : four.reversed()
        }
    }

    private static func decodeUTF16(
        _ bytes: ArraySlice<UInt8>, isBigEndian: Bool
    ) -> (utf8: [UInt8], firstInvalidOffset: Int?) {
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        for index in stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2) {
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            units.append(isBigEndian ? first << 8 | second : second << 8 | first)
        }
        var output = Output(capacity: units.count)
        var decoder = UTF16()
        var iterator = units.makeIterator()
        decoding: while true {
            switch decoder.decode(&iterator) {
            case .scalarValue(let scalar): output.append(scalar)
            case .error: output.appendInvalid()
            case .emptyInput: break decoding
            }
        }
        if bytes.count % 2 != 0 { output.appendInvalid() }
        return (output.utf8, output.firstInvalidOffset)
    }

    private static func decodeUTF32(
        _ bytes: ArraySlice<UInt8>, isBigEndian: Bool
    ) -> (utf8: [UInt8], firstInvalidOffset: Int?) {
        var output = Output(capacity: bytes.count / 4)
        for index in stride(from: bytes.startIndex, to: bytes.endIndex - 3, by: 4) {
            let four = bytes[index..<index + 4]
            let value = (isBigEndian ? Array(four) : four.reversed()).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            if let scalar = Unicode.Scalar(value) { output.append(scalar) } else { output.appendInvalid() }
        }
        if bytes.count % 4 != 0 { output.appendInvalid() }
        return (output.utf8, output.firstInvalidOffset)
    }

    /// A text in UTF-8 that is being decoded.
    private struct Output {
        var utf8: [UInt8] = []
        var firstInvalidOffset: Int?

        init(capacity: Int) { utf8.reserveCapacity(capacity) }

        mutating func append(_ scalar: Unicode.Scalar) {
            if scalar.isASCII {
                utf8.append(UInt8(truncatingIfNeeded: scalar.value))
            } else {
                utf8 += UTF8.encode(scalar) ?? UTF8.EncodedScalar()
            }
        }

        mutating func appendInvalid() {
            firstInvalidOffset = firstInvalidOffset ?? utf8.count
            append("\u{FFFD}")
        }
    }
}
