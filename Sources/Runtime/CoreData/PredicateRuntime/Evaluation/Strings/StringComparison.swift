internal import Foundation
internal import PredicateSyntax

/// The comparison of strings with an operator's options.
///
/// ASCII strings, the most common ones, are compared byte by byte, all others by Foundation, so that the results are
/// those of `NSString`.
struct StringComparison: Sendable {
    /// Whether the comparison is exact: `[n]` means that both strings are already normalized.
    var isNormalized: Bool
    var ignoresCase: Bool
    var ignoresDiacritics: Bool
    var usesLocale: Bool

    /// The comparison without options.
    static let literal = StringComparison([])

    init(_ options: ComparisonOptions) {
        // Apple documents that the normalized option supersedes those for case and diacritics.
        isNormalized = options.contains(.normalized)
        ignoresCase = !isNormalized && options.contains(.caseInsensitive)
        ignoresDiacritics = !isNormalized && options.contains(.diacriticInsensitive)
        usesLocale = !isNormalized && options.contains(.localeSensitive)
    }

    /// Whether equality and order are those without options.
    var isPlain: Bool { !ignoresCase && !ignoresDiacritics && !usesLocale }

    var foundation: String.CompareOptions {
        var options: String.CompareOptions = []
        if ignoresCase { options.insert(.caseInsensitive) }
        if ignoresDiacritics { options.insert(.diacriticInsensitive) }
        if isNormalized { options.insert(.literal) }
        return options
    }

    /// Returns whether two strings are equal. Without options, this compares their code units.
    func equal(_ left: String, _ right: String) -> Bool {
        if isPlain { return left.isSame(right) }
        return order(left, right) == .same
    }

    func order(_ left: String, _ right: String) -> ValueOrder {
        left.withUTF8Bytes { left in right.withUTF8Bytes { right in order(left, right) } }
    }

    /// Returns the order of two strings given by their UTF-8 bytes.
    func order(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> ValueOrder {
        if isNormalized { return Self.byteOrder(left, right) }
        if !usesLocale, let order = asciiOrder(left, right) { return order }
        return foundationOrder(String(decoding: left, as: UTF8.self), String(decoding: right, as: UTF8.self))
    }

    /// Returns the order of two strings' code points, which is that of their UTF-8 bytes.
    static func byteOrder(
        _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
    ) -> ValueOrder {
        let count = min(left.count, right.count)
        if count > 0, let first = left.baseAddress, let second = right.baseAddress {
            let order = memcmp(first, second, count)
            if order != 0 { return order < 0 ? .ascending : .descending }
        }
        return ValueOrder(left.count, right.count)
    }

    /// Returns Foundation's order of two strings.
    private func foundationOrder(_ left: String, _ right: String) -> ValueOrder {
        let text = NSString(string: left)
        return ValueOrder(
            text.compare(
                right, options: foundation, range: NSRange(location: 0, length: text.length),
                locale: usesLocale ? Locale.current : nil))
    }

    /// Returns the order if ASCII characters determine it, or `nil` if others affect it.
    ///
    /// If case is ignored, it does not even break ties between otherwise equal strings.
    private func asciiOrder(
        _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
    ) -> ValueOrder? {
        let count = min(left.count, right.count)
        var index = 0
        while index < count {
            var first = left[index]
            var second = right[index]
            if (first | second) >= 0x80 { return nil }
            if first != second {
                if ignoresCase {
                    first = first.asciiLowercase
                    second = second.asciiLowercase
                }
                if first != second {
                    // A combining mark may follow one of the two, which does not affect their order: they differ
                    // whatever follows.
                    return first < second ? .ascending : .descending
                }
            }
            index += 1
        }
        // The next character may be a mark that an option ignores, or an ignorable one.
        if left.count > count { return left[count] < 0x80 ? .descending : nil }
        if right.count > count { return right[count] < 0x80 ? .ascending : nil }
        return .same
    }
}

extension String {
    /// Calls a function with the UTF-8 bytes, which are copied only if the string does not store them contiguously.
    func withUTF8Bytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
        return Array(utf8).withUnsafeBufferPointer(body)
    }
}

extension UInt8 {
    /// The byte with an ASCII letter converted to lower case.
    var asciiLowercase: UInt8 {
        (self &- UInt8(ascii: "A")) < 26 ? self | 0x20 : self
    }
}
