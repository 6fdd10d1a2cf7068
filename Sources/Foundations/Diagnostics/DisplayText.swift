/// Text from files, folders and arguments made safe for terminals and CI logs.
///
/// Control characters (C0, DEL and C1), line and paragraph separators, and invisible characters, including those that
/// change the direction of text, are escaped. The escaped text is only displayed, never parsed.
package enum DisplayText {
    /// Returns the text with everything escaped that could end its line or control the terminal: for a name within a
    /// line.
    package static func line(_ text: String) -> String {
        // A fast path: nearly all text is plain ASCII, and Unicode property lookups are slow.
        guard text.utf8.contains(where: { $0 < 0x20 || $0 > 0x7E }), text.unicodeScalars.contains(where: isControl)
        else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            result += isControl(scalar) ? scalar.escaped(asASCII: true) : String(scalar)
        }
        return result
    }

    /// Returns the text with all control characters except line feeds and tabs escaped, and with commands of
    /// CI systems escaped: for everything that a command prints.
    ///
    /// - Parameter keepsStyles: Whether the colors of `TextReporter` are kept.
    package static func lines(_ text: String, keepsStyles: Bool = false) -> String {
        guard needsAttention(text) else { return text }
        let scalars = Array(text.unicodeScalars)
        var result = ""
        result.reserveCapacity(text.utf8.count + 16)
        var isAtStart = true
        var index = 0
        while index < scalars.count {
            let scalar = scalars[index]
            if keepsStyles, let style = style(in: scalars[index...]) {
                result += style
                index += style.unicodeScalars.count
                continue
            }
            if scalar == "\n" || scalar == "\t" {
                result.unicodeScalars.append(scalar)
            } else if isControl(scalar) || isCommandMark(scalars, index, isAtStart: isAtStart) {
                result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
            isAtStart = scalar == "\n" || (isAtStart && scalar.properties.isWhitespace)
            index += 1
        }
        return result
    }

    /// Returns whether the text may need escaping, without Unicode property lookups.
    private static func needsAttention(_ text: String) -> Bool {
        var previous: UInt8 = 0
        for byte in text.utf8 {
            if byte > 0x7E || (byte < 0x20 && byte != 0x0A && byte != 0x09) { return true }
            if byte == previous, byte == UInt8(ascii: ":") || byte == UInt8(ascii: "#") { return true }
            previous = byte
        }
        return false
    }

    /// Returns whether a scalar begins a command of GitHub Actions or Azure Pipelines: `::name` at the start of a line,
    /// and `##[name]` or `##vso[name]` anywhere.
    private static func isCommandMark(_ scalars: [Unicode.Scalar], _ index: Int, isAtStart: Bool) -> Bool {
        guard index + 1 < scalars.count else { return false }
        if scalars[index] == ":" { return isAtStart && scalars[index + 1] == ":" }
        guard scalars[index] == "#", scalars[index + 1] == "#" else { return false }
        let rest = scalars[(index + 2)...]
        return rest.drop { $0.isASCII && $0.properties.isAlphabetic }.first == "["
    }

    /// Returns the style sequence of `TextReporter` at the start of some scalars, or `nil`.
    private static func style(in scalars: ArraySlice<Unicode.Scalar>) -> String? {
        guard scalars.first == "\u{1B}" else { return nil }
        return TextReporter.styleSequences.first { scalars.starts(with: $0.unicodeScalars) }
    }

    /// Returns whether a scalar controls a terminal or changes how others are displayed.
    package static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
        return switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .format: true
        default: false
        }
    }
}
