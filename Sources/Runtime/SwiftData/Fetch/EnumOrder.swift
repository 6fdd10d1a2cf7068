internal import Foundation

/// An order of raw values that agrees with the `<` of an enumeration, so that stores can sort by them.
enum EnumOrder {
    /// The order of numbers, or of text by its bytes.
    case plain
    /// The localized standard order of text.
    case localized

    /// Finds the order; `nil` if the enumeration is not comparable or has another one, such as that of its cases.
    init?(_ type: any Any.Type) {
        func order<E: RawRepresentable & Comparable>(_: E.Type) -> EnumOrder? {
            guard let values = EnumCases.allValues(of: E.self) else { return nil }
            func agrees(_ isBefore: (E, E) -> Bool) -> Bool {
                let sorted = values.sorted(by: isBefore)
                return zip(sorted, sorted.dropFirst()).allSatisfy { $0 < $1 }
            }
            func agrees<Raw: Comparable>(_: Raw.Type) -> Bool {
                agrees { left, right in
                    guard let left = left.rawValue as? Raw, let right = right.rawValue as? Raw else { return false }
                    return left < right
                }
            }
            guard E.RawValue.self == String.self else {
                guard let raw = E.RawValue.self as? any Comparable.Type else { return nil }
                return agrees(raw) ? .plain : nil
            }
            func text(_ value: E) -> String { value.rawValue as? String ?? "" }
            if agrees({ text($0).localizedStandardCompare(text($1)) == .orderedAscending }) { return .localized }
            return agrees { text($0).utf8.lexicographicallyPrecedes(text($1).utf8) } ? .plain : nil
        }
        guard let enumeration = type as? any (RawRepresentable & Comparable).Type, let order = order(enumeration)
        else { return nil }
        self = order
    }
}
