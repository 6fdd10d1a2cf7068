internal import Diagnostics

/// Writes XML as Xcode saves models: four spaces per level, `<x a="b"/>` for an element without children, no line feed
/// at the end (Documentation/Formats/ModelSource.md, 1).
struct XMLWriter {
    /// An attribute with its value; one without a value is left out.
    typealias Attribute = (name: XMLName, value: String?)

    private(set) var text = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>"
    private var depth = 0

    /// Writes an element whose content `children` writes.
    mutating func element(
        _ name: String, attributes: [Attribute] = [], children: (inout XMLWriter) -> Void = { _ in }
    ) {
        text += "\n" + String(repeating: "    ", count: depth) + "<\(name)"
        for (name, value) in attributes {
            if let value { text += " \(name.rawValue)=\"\(Self.escaped(value))\"" }
        }
        let length = text.utf8.count
        text += ">"
        depth += 1
        children(&self)
        depth -= 1
        if text.utf8.count == length + 1 {
            text.removeLast()
            text += "/>"
        } else {
            text += "\n" + String(repeating: "    ", count: depth) + "</\(name)>"
        }
    }

    /// Returns an attribute value with everything escaped that would not round-trip.
    static func escaped(_ value: String) -> String {
        guard value.utf8.contains(where: { $0 < 0x20 || "<>&\"".utf8.contains($0) }) else { return value }
        return XMLText.escaped(value) { scalar in
            switch scalar {
            // XML cannot represent other control characters.
            case "\n", "\r", "\t": "&#\(scalar.value);"
            case "\u{0}"..."\u{1F}": ""
            default: nil
            }
        }
    }

    /// Returns text between tags with everything escaped that would not round-trip. Line feeds are kept.
    static func escapedText(_ text: String) -> String {
        XMLText.escaped(text, quotes: false) { $0 == "\r" ? "&#13;" : nil }
    }
}
