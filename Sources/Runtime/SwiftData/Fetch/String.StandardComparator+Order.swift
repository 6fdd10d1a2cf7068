public import Foundation

/// The orders of text that Foundation on Linux does not offer.
extension String.StandardComparator {
    /// The order in which a file browser shows names, which a store applies. Arrays are sorted without regard to case,
    /// and numbers in them by value.
    public static let localizedStandard = localized(String.CompareOptions([.caseInsensitive, .numeric]))

    /// The order of the user's language, which a store applies as `localizedStandard`. Arrays are sorted as by
    /// `lexical`.
    public static let localized = localized([])

    /// The value that Foundation's own API cannot create: a comparator with its flag for localized orders set.
    private static func localized(_ options: String.CompareOptions) -> String.StandardComparator {
        var comparator = String.StandardComparator.lexical
        let layout = Mirror(reflecting: comparator).children.map(\.label)
        guard layout == ["options", "isLocalized", "order"], MemoryLayout<String.StandardComparator>.size == 10 else {
            return comparator
        }
        withUnsafeMutableBytes(of: &comparator) { bytes in
            bytes.storeBytes(of: options.rawValue, as: UInt.self)
            bytes.storeBytes(of: true, toByteOffset: MemoryLayout<UInt>.size, as: Bool.self)
        }
        return comparator
    }
}
