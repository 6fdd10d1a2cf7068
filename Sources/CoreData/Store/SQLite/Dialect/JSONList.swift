/// Values as a JSON array.
enum JSONList {
    /// Returns the JSON text, or nil for values that JSON would change: real numbers, bytes, and strings with NUL
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
