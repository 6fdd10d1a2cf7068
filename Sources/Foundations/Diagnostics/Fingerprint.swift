/// The identity of a finding across runs, even if lines move and versions are added.
///
/// It consists of the rule, the model, the names of the element and, if there are several such findings, a number. It
/// does not depend on the location and the message: a hash of lines would make every alert new when a line is added
/// above it (Documentation/Formats/ReportFormats.md, 3).
package struct Fingerprint: Hashable, Sendable {
    /// The parts, separated by unit separators.
    package let text: String

    /// Returns the fingerprints of findings, all of which are different.
    package static func all(_ diagnostics: [Diagnostic]) -> [Fingerprint] {
        var counts: [String: Int] = [:]
        return diagnostics.map { diagnostic in
            let key = key(of: diagnostic)
            let number = counts[key, default: 0]
            counts[key] = number + 1
            return Fingerprint(text: "\(key)\u{1F}\(number)")
        }
    }

    /// Returns the key that findings of the same kind at the same element share: rule, model and names, separated by
    /// tabs.
    ///
    /// A finding without an element is identified by its file.
    package static func key(of diagnostic: Diagnostic) -> String {
        let element = diagnostic.element
        let location: String
        if let element, !element.components.isEmpty {
            location = element.dotted
        } else {
            location = element?.model == nil ? diagnostic.file ?? "" : ""
        }
        return [diagnostic.rule.rawValue, element?.model ?? "", location].map { part in
            String(String.UnicodeScalarView(part.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
        }.joined(separator: "\t")
    }

    /// The 64-bit FNV-1a hash of the text, as 16 hexadecimal digits.
    package var hexString: String { Self.hexString(of: text) }

    /// Returns the 64-bit FNV-1a hash of a text, as 16 hexadecimal digits.
    package static func hexString(of text: String) -> String {
        let digits = String(StableHash.of(text.utf8), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
