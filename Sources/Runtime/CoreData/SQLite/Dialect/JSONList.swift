internal import Foundation

/// Values as a JSON array.
enum JSONList {
    /// Returns the JSON text, or `nil` for values that JSON would change: real numbers, bytes, and strings with NUL
    /// characters.
    static func text(_ arguments: [SQLArgument]) -> String? {
        var result = "["
        for argument in arguments {
            if result.utf8.count > 1 { result += "," }
            switch argument {
            case .integer(let number): result += String(number)
            case .text(let text):
                guard !text.utf8.contains(0) else { return nil }
                append(text, to: &result)
            case .null, .boolean, .real, .decimal, .uuid, .bytes, .array: return nil
            }
        }
        return result + "]"
    }

    /// The SQL function that returns the value of an element of ``codedText(_:)``.
    static let decoder = "NSCoreDataListValue"

    /// Returns a JSON text of strings, each with a letter for the kind of the value: numbers by their bits and bytes in
    /// hexadecimal digits, which JSON does not change. Returns `nil` for strings with NUL characters.
    static func codedText(_ arguments: [SQLArgument]) -> String? {
        var result = "["
        for argument in arguments {
            if result.utf8.count > 1 { result += "," }
            switch argument {
            case .integer(let number): result += "\"i\(number)\""
            case .real(let number): result += "\"r\(number.bitPattern)\""
            case .decimal(let digits):
                guard let number = Double(digits) else { return nil }
                result += "\"r\(number.bitPattern)\""
            case .uuid(let uuid): result += "\"b\(withUnsafeBytes(of: uuid.uuid) { hexadecimal($0) })\""
            case .bytes(let bytes): result += "\"b\(bytes.withUnsafeBytes { hexadecimal($0) })\""
            case .text(let text):
                guard !text.utf8.contains(0) else { return nil }
                append("t" + text, to: &result)
            case .null, .boolean, .array: return nil
            }
        }
        return result + "]"
    }

    private static func hexadecimal(_ bytes: UnsafeRawBufferPointer) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(unsafeUninitializedCapacity: bytes.count * 2) { buffer in
            for (index, byte) in bytes.enumerated() {
                buffer[index * 2] = digits[Int(byte >> 4)]
                buffer[index * 2 + 1] = digits[Int(byte & 15)]
            }
            return bytes.count * 2
        }
    }

    /// Returns the value of an element of ``codedText(_:)``; null for anything else.
    static func value(_ element: String) -> SQLArgument {
        let rest = element.dropFirst()
        switch element.first {
        case "i": return Int64(rest).map { .integer($0) } ?? .null
        case "r": return UInt64(rest).map { .real(Double(bitPattern: $0)) } ?? .null
        case "t": return .text(String(rest))
        case "b":
            let digits = Array(rest.utf8)
            guard digits.count % 2 == 0 else { return .null }
            var bytes = Data(capacity: digits.count / 2)
            for index in stride(from: 0, to: digits.count, by: 2) {
                guard let byte = UInt8(String(decoding: digits[index..<(index + 2)], as: UTF8.self), radix: 16) else {
                    return .null
                }
                bytes.append(byte)
            }
            return .bytes(bytes)
        default: return .null
        }
    }

    private static func append(_ text: String, to result: inout String) {
        result += "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        result += "\""
    }
}
