/// Finds the classes that Swift sources declare. It skips comments and texts, and knows no more of the language.
public enum SwiftClassScanner {
    /// The classes of a file by name, with the lines of their declarations. Of a name that is declared twice, the first.
    public static func classes(in text: String) -> [String: Int] {
        var result: [String: Int] = [:]
        var scanner = Scanner(text)
        var previous = ""
        while let token = scanner.next() {
            // `class func` and `class var` declare no class; `.class` and `: class` are others still.
            if previous == "class", !["func", "var", "let", "subscript"].contains(token.text), token.isName,
                result[token.text] == nil
            {
                result[token.text] = token.line
            }
            previous = token.text
        }
        return result
    }

    private struct Token {
        var text: String
        var line: Int
        var isName: Bool
    }

    private struct Scanner {
        private let bytes: [UInt8]
        private var index = 0
        private var line = 1

        init(_ text: String) {
            bytes = Array(text.utf8)
        }

        private func byte(_ offset: Int = 0) -> UInt8 { index + offset < bytes.count ? bytes[index + offset] : 0 }

        mutating func next() -> Token? {
            while index < bytes.count {
                switch (byte(), byte(1)) {
                case (UInt8(ascii: "\n"), _):
                    line += 1
                    index += 1
                case (UInt8(ascii: "/"), UInt8(ascii: "/")):
                    while index < bytes.count, byte() != UInt8(ascii: "\n") { index += 1 }
                case (UInt8(ascii: "/"), UInt8(ascii: "*")): skipComment()
                case (UInt8(ascii: "\""), _): skipText(pounds: 0)
                case (UInt8(ascii: "#"), UInt8(ascii: "#")), (UInt8(ascii: "#"), UInt8(ascii: "\"")): skipRawText()
                case (let first, _) where Self.isNameByte(first): return name()
                case (UInt8(ascii: "`"), _):
                    index += 1
                    let token = name()
                    if byte() == UInt8(ascii: "`") { index += 1 }
                    return token
                case (let first, _):
                    index += 1
                    guard first > 0x20 else { continue }
                    return Token(text: String(decoding: [first], as: UTF8.self), line: line, isName: false)
                }
            }
            return nil
        }

        private static func isNameByte(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
                true
            default: false
            }
        }

        private mutating func name() -> Token {
            let start = index
            while index < bytes.count, Self.isNameByte(byte()) { index += 1 }
            return Token(text: String(decoding: bytes[start..<index], as: UTF8.self), line: line, isName: true)
        }

        private mutating func skipComment() {
            var depth = 0
            while index < bytes.count {
                switch (byte(), byte(1)) {
                case (UInt8(ascii: "/"), UInt8(ascii: "*")):
                    depth += 1
                    index += 2
                case (UInt8(ascii: "*"), UInt8(ascii: "/")):
                    depth -= 1
                    index += 2
                    if depth == 0 { return }
                case (UInt8(ascii: "\n"), _):
                    line += 1
                    index += 1
                default: index += 1
                }
            }
        }

        private mutating func skipRawText() {
            var pounds = 0
            while byte() == UInt8(ascii: "#") {
                pounds += 1
                index += 1
            }
            if byte() == UInt8(ascii: "\"") { skipText(pounds: pounds) }
        }

        /// Skips a text, with what is interpolated in it.
        private mutating func skipText(pounds: Int) {
            let isMultiline = byte(1) == UInt8(ascii: "\"") && byte(2) == UInt8(ascii: "\"")
            let quotes = isMultiline ? 3 : 1
            index += quotes
            while index < bytes.count {
                switch byte() {
                case UInt8(ascii: "\\") where pounds == 0: index += byte(1) == UInt8(ascii: "\n") ? 1 : 2
                case UInt8(ascii: "\n"):
                    line += 1
                    index += 1
                    // A text in one line that is not closed is no Swift.
                    if !isMultiline { return }
                case UInt8(ascii: "\"") where closes(quotes, pounds):
                    index += quotes + pounds
                    return
                default: index += 1
                }
            }
        }

        private func closes(_ quotes: Int, _ pounds: Int) -> Bool {
            (0..<quotes).allSatisfy { byte($0) == UInt8(ascii: "\"") }
                && (0..<pounds).allSatisfy { byte(quotes + $0) == UInt8(ascii: "#") }
        }
    }
}
