/// A JSON value to write. Keys keep their order, so that the output is deterministic.
package enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case integer(Int)
    /// A finite number; null if it is not finite.
    case real(Double)
    case string(String)
    case array([JSONValue])
    case object([(key: String, value: JSONValue)])

    /// The text, indented by two spaces, without a trailing line feed.
    package var text: String {
        var result = ""
        write(to: &result, indentation: "")
        return result
    }

    /// The text on one line.
    package var line: String {
        switch self {
        case .null, .bool, .integer, .real, .string: text
        case .array(let values): "[" + values.map(\.line).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { "\(JSONValue.string($0.key).text):\($0.value.line)" }.joined(separator: ",") + "}"
        }
    }

    /// Returns an object without the members that are null.
    package static func compact(_ members: [(key: String, value: JSONValue)]) -> JSONValue {
        .object(
            members.filter { member in
                if case .null = member.value { return false }
                return true
            })
    }

    /// Returns a string, or null for `nil`.
    package static func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    private func write(to result: inout String, indentation: String) {
        let inner = indentation + "  "
        switch self {
        case .null: result += "null"
        case .bool(let truth): result += truth ? "true" : "false"
        case .integer(let number): result += String(number)
        case .real(let number): result += number.isFinite ? "\(number)" : "null"
        case .string(let text): Self.write(text, to: &result)
        case .array(let values) where values.isEmpty: result += "[]"
        case .array(let values):
            result += "[\n"
            for (index, value) in values.enumerated() {
                result += index == 0 ? inner : ",\n" + inner
                value.write(to: &result, indentation: inner)
            }
            result += "\n\(indentation)]"
        case .object(let members) where members.isEmpty: result += "{}"
        case .object(let members):
            result += "{\n"
            for (index, member) in members.enumerated() {
                result += index == 0 ? inner : ",\n" + inner
                Self.write(member.key, to: &result)
                result += ": "
                member.value.write(to: &result, indentation: inner)
            }
            result += "\n\(indentation)}"
        }
    }

    private static func write(_ text: String, to result: inout String) {
        result += "\""
        var previous: Unicode.Scalar = " "
        for scalar in text.unicodeScalars {
            defer { previous = scalar }
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            // `##[…]` is a command in some CI systems anywhere in a line.
            case "#" where previous == "#", _ where DisplayText.isControl(scalar):
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: result.unicodeScalars.append(scalar)
            }
        }
        result += "\""
    }
}
