internal import Diagnostics

/// Escapes names of a model for the output format. Names come from files, and can contain anything.
enum SafeText {
    /// Returns the text on one line, without characters that XML forbids or that control a terminal, and truncated to a
    /// limit.
    static func line(_ text: String, limit: Int = 120) -> String {
        var result = String.UnicodeScalarView()
        for (count, scalar) in text.unicodeScalars.enumerated() {
            if count == limit {
                result.append("…")
                break
            }
            switch scalar.value {
            case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0xFFFE, 0xFFFF: result.append("\u{FFFD}")
            // Bidirectional controls, which would also affect text outside the name.
            case 0x202A...0x202E, 0x2066...0x2069: result.append("\u{FFFD}")
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// Returns the text for XML, HTML or DOT labels, in elements and in quoted attributes.
    static func xml(_ text: String) -> String {
        XMLText.escaped(line(text)) { $0 == "'" ? "&#39;" : nil }
    }

    /// Returns the line as a quoted string: of DOT, where a backslash starts an escape sequence in labels, and of YAML.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in line(text).unicodeScalars {
            if scalar == "\"" || scalar == "\\" { result += "\\" }
            result.unicodeScalars.append(scalar)
        }
        return result + "\""
    }
}
