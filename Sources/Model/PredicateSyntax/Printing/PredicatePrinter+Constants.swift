extension PredicatePrinter {
    func write(_ constant: Constant, to output: inout String) {
        switch constant {
        case .null:
            output += "nil"
        case .boolean(let value):
            switch numberStyle {
            case .foundation: output += value ? "1" : "0"
            case .typed: output += value ? "TRUE" : "FALSE"
            }
        case .integer(let value):
            output += String(value)
        case .real(let value):
            output += FoundationNumberFormat.string(for: value, keepsPoint: numberStyle == .typed)
        case .string(let value):
            write(string: value, to: &output)
        case .opaque(let value):
            output += describeOpaqueValue(value)
        }
    }

    /// Writes a string in double quotes. Apple escapes quotes and backslashes; how it writes control characters is
    /// unknown. They are escaped here, so that a predicate stays on one line.
    func write(string value: String, to output: inout String) {
        output += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": output += "\\\""
            case "\\": output += "\\\\"
            case "\n": output += "\\n"
            case "\t": output += "\\t"
            case "\r": output += "\\r"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                output += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default: output.unicodeScalars.append(scalar)
            }
        }
        output += "\""
    }
}
