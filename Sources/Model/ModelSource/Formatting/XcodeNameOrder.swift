/// The order of names in the lists that Xcode sorts when it saves.
///
/// Xcode sorts without regard to case (Documentation/Formats/ModelSource.md, 3.4). No model in the corpus shows whether
/// `item10` comes before or after `item2`, or how digits and underscores compare. A list therefore counts as sorted in
/// either order; an unsorted one is sorted as Finder sorts names.
package enum XcodeNameOrder {
    /// Returns whether Xcode may have written names in this order.
    package static func isSorted(_ names: [String]) -> Bool {
        isSorted(names.map { $0.lowercased() }, by: <) || isSorted(names.map(Key.init), by: <)
    }

    /// Returns the indices of names in sorted order.
    package static func sortedIndices(_ names: [String]) -> [Int] {
        let keys = names.map(Key.init)
        return names.indices.sorted { keys[$0] == keys[$1] ? $0 < $1 : keys[$0] < keys[$1] }
    }

    private static func isSorted<Element>(_ list: [Element], by isLess: (Element, Element) -> Bool) -> Bool {
        zip(list, list.dropFirst()).allSatisfy { !isLess($1, $0) }
    }

    /// A name in parts that compare as in Finder: punctuation before numbers before letters, and numbers by value.
    private struct Key: Comparable {
        private var parts: [Part] = []
        private let name: String

        private enum Part: Comparable {
            case sign(Unicode.Scalar)
            /// A number: the count of its digits without leading zeros, and the digits.
            case number(Int, String)
            case letter(String)
        }

        init(_ name: String) {
            self.name = name
            var digits = ""
            for scalar in name.unicodeScalars {
                if ("0"..."9").contains(scalar) {
                    digits.unicodeScalars.append(scalar)
                    continue
                }
                add(&digits)
                parts.append(scalar.properties.isAlphabetic ? .letter(Self.plain(scalar)) : .sign(scalar))
            }
            add(&digits)
        }

        /// Returns a letter without case, and without its accent if it is a Western European one.
        private static func plain(_ scalar: Unicode.Scalar) -> String {
            let lower = scalar.properties.lowercaseMapping
            return accents.first { $0.letters.contains(lower) }?.plain ?? lower
        }

        private static let accents: [(letters: String, plain: String)] = [
            ("àáâãäå", "a"), ("ç", "c"), ("èéêë", "e"), ("ìíîï", "i"), ("ñ", "n"), ("òóôõöø", "o"), ("ùúûü", "u"),
            ("ýÿ", "y"),
        ]

        private mutating func add(_ digits: inout String) {
            guard !digits.isEmpty else { return }
            let value = String(digits.drop { $0 == "0" })
            parts.append(.number(value.count, value))
            digits = ""
        }

        static func < (left: Key, right: Key) -> Bool {
            for (one, other) in zip(left.parts, right.parts) where one != other { return one < other }
            return left.parts.count < right.parts.count
        }

        static func == (left: Key, right: Key) -> Bool { left.parts == right.parts }
    }
}
