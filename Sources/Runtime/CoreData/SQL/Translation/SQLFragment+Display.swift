internal import StoreFile

extension SQLFragment {
    /// Returns the statement with its values in place of the question marks, for display: it is not meant to be
    /// executed.
    ///
    /// - Parameter maximumBytes: The number of bytes after which a binary value is abbreviated.
    func displayText(maximumBytes: Int = .max) -> String {
        var values = arguments[...]
        // Names and literals in the text may contain question marks.
        var quote: Character?
        var result = ""
        for character in text {
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "'" || character == "\"" {
                quote = character
            } else if character == "?", let value = values.popFirst() {
                result += value.displayText(maximumBytes: maximumBytes)
                continue
            }
            result.append(character)
        }
        return result
    }
}

extension SQLArgument {
    /// Returns the value as an SQL literal.
    fileprivate func displayText(maximumBytes: Int) -> String {
        switch self {
        case .null: "NULL"
        case .boolean(let flag): flag ? "1" : "0"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .decimal(let digits): digits
        case .text(let text): SQLSpelling.literal(text)
        case .uuid(let uuid): "'\(uuid.uuidString)'"
        case .bytes(let bytes):
            "x'" + bytes.prefix(maximumBytes).map { String(format: "%02x", $0) }.joined()
                + (bytes.count > maximumBytes ? "…" : "") + "'"
        case .array(let elements):
            "(" + elements.map { $0.displayText(maximumBytes: maximumBytes) }.joined(separator: ", ") + ")"
        }
    }
}
