internal import Diagnostics

/// The text of values in an `xcmapping.xml`, which is an XML store of Core Data (Documentation/Formats/XMLStore.md, 2).
enum StoreText {
    /// Returns a string without escapes.
    static func unescaped(_ text: String) -> String { XMLStoreText.unescaped(text) }

    /// Returns a string with backslashes and everything that XML text cannot contain escaped.
    static func escaped(_ text: String) -> String {
        XMLStoreText.escaped(text) { scalar in
            switch scalar {
            case "<", ">", "&", "\\", "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": true
            default: false
            }
        }
    }
}
