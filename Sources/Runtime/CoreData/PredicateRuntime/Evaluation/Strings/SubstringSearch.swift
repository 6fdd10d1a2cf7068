internal import Foundation

/// The position at which a string is searched in another.
enum SubstringPosition: Sendable {
    case anywhere
    case start
    case end
}

/// A string to search for with `CONTAINS`, `BEGINSWITH` or `ENDSWITH`, prepared once.
///
/// The results are those of `rangeOfString:options:`: an empty string is never found, and a letter is not found in one
/// with a mark unless diacritics are ignored.
struct SubstringSearch: Sendable {
    private let text: String
    private let position: SubstringPosition
    private let comparison: StringComparison
    /// The bytes, in lower case if case is ignored; `nil` if the text is not ASCII.
    private let ascii: [UInt8]?

    init(_ text: String, at position: SubstringPosition, _ comparison: StringComparison) {
        self.text = text
        self.position = position
        self.comparison = comparison
        let bytes = Array(text.utf8)
        ascii =
            bytes.allSatisfy { $0 < 0x80 } && !comparison.usesLocale
            ? (comparison.ignoresCase ? bytes.map(\.asciiLowercase) : bytes) : nil
    }

    func isFound(in whole: String) -> Bool {
        if text.isEmpty { return false }
        if let ascii, let answer = whole.withUTF8Bytes({ search(ascii, in: $0) }) { return answer }
        let string = NSString(string: whole)
        var options = comparison.foundation
        switch position {
        case .anywhere: break
        case .start: options.insert(.anchored)
        case .end: options.formUnion([.anchored, .backwards])
        }
        let range = string.range(
            of: text, options: options, range: NSRange(location: 0, length: string.length),
            locale: comparison.usesLocale ? Locale.current : nil)
        return range.location != NSNotFound
    }

    /// Returns the result if ASCII characters determine it, or `nil` if others affect it.
    private func search(_ part: [UInt8], in whole: UnsafeBufferPointer<UInt8>) -> Bool? {
        part.withUnsafeBufferPointer { part in
            switch position {
            case .start:
                for index in 0..<part.count {
                    guard index < whole.count else { return false }
                    if whole[index] >= 0x80 { return nil }
                    if folded(whole[index]) != part[index] { return false }
                }
                // A combining mark would belong to the last letter.
                return whole.count > part.count && whole[part.count] >= 0x80 ? nil : true
            case .end:
                for index in 0..<part.count {
                    guard index < whole.count else { return false }
                    let byte = whole[whole.count - 1 - index]
                    if byte >= 0x80 { return nil }
                    if folded(byte) != part[part.count - 1 - index] { return false }
                }
                return true
            case .anywhere:
                return searchAnywhere(part, in: whole)
            }
        }
    }

    private func searchAnywhere(
        _ part: UnsafeBufferPointer<UInt8>, in whole: UnsafeBufferPointer<UInt8>
    ) -> Bool? {
        let first = part[0]
        let last = whole.count - part.count
        var isSure = true
        var start = 0
        while start <= last {
            if folded(whole[start]) == first {
                var index = 1
                while index < part.count, folded(whole[start + index]) == part[index] { index += 1 }
                if index == part.count {
                    let end = start + index
                    if end == whole.count || whole[end] < 0x80 { return true }
                    // A combining mark may follow, which changes the last letter.
                    isSure = false
                }
            }
            start += 1
        }
        return isSure && !mayHide(whole) ? false : nil
    }

    /// Returns whether a string may contain a non-ASCII character that is equivalent to one or more ASCII ones. If
    /// diacritics are ignored, any may be. Otherwise these are the Greek question mark, varia and the Kelvin sign, and
    /// if case is ignored also sharp and long s, some letters with marks, and ligatures, which are recognized by their
    /// first byte or two.
    private func mayHide(_ whole: UnsafeBufferPointer<UInt8>) -> Bool {
        var previous: UInt8 = 0
        for byte in whole {
            if byte >= 0x80 {
                if comparison.ignoresDiacritics { return true }
                switch (previous, byte) {
                case (_, 0xCD), (_, 0xE1), (_, 0xE2): return true
                case (0xC3, 0x9F), (0xC4, 0xB0), (0xC5, 0x89), (0xC5, 0xBF), (0xC7, 0xB0), (_, 0xEF):
                    if comparison.ignoresCase { return true }
                default: break
                }
            }
            previous = byte
        }
        return false
    }

    private func folded(_ byte: UInt8) -> UInt8 {
        comparison.ignoresCase ? byte.asciiLowercase : byte
    }
}
