/// Escaping of text in XML.
package enum XMLText {
    /// Returns a text with the characters escaped that have a meaning in XML or HTML.
    ///
    /// - Parameters:
    ///   - quotes: Whether quotation marks are escaped, as required in attributes.
    ///   - other: Returns the replacement for another character; `nil` for the character itself.
    package static func escaped(
        _ text: String, quotes: Bool = true, other: (Unicode.Scalar) -> String? = { _ in nil }
    ) -> String {
        var result = ""
        result.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "&": result += "&amp;"
            case "\"" where quotes: result += "&quot;"
            default:
                if let text = other(scalar) { result += text } else { result.unicodeScalars.append(scalar) }
            }
        }
        return result
    }

    /// Returns a text for an attribute or between tags of a report. Characters that XML cannot represent are escaped as
    /// in Swift.
    package static func escapedForReport(_ text: String) -> String {
        escaped(text) { scalar in
            switch scalar {
            case "\n", "\t", "\r": "&#\(scalar.value);"
            case _ where scalar.value > 0x7E && DisplayText.isControl(scalar): "&#\(scalar.value);"
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": scalar.escaped(asASCII: true)
            default: nil
            }
        }
    }
}
