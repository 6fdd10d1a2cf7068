internal import CSQLite3
internal import Foundation
internal import PredicateSyntax

/// An order of strings as a SQLite collation.
package struct StringCollation {
    let name: String
    fileprivate let compare: Comparison

    fileprivate enum Comparison {
        /// By a predicate operator with options.
        case options(ComparisonOptions)
        /// By a comparison method of strings.
        case selector(Selector)
    }

    /// Returns the name of the collation for a comparison with options.
    static func name(_ options: ComparisonOptions) -> String { "NSCoreDataCompare\(options.rawValue & 15)" }

    /// The string methods that sort descriptors may use.
    private static let selectors: [(Selector, String)] = [
        (.caseInsensitiveCompare, "NSCollateNoCase"), (.localizedCompare, "NSCollateLocale"),
        (.localizedCaseInsensitiveCompare, "NSCollateLocaleNoCase"),
        (.localizedStandardCompare, "NSCollateFinderlike"),
    ]

    /// Returns the name of the collation for a sort descriptor's method, or `nil` for an unknown one.
    package static func name(_ selector: Selector) -> String? { selectors.first { $0.0 == selector }?.1 }

    static let all: [StringCollation] =
        (UInt(0)..<16).map { number in
            let options = ComparisonOptions(rawValue: number)
            return StringCollation(name: name(options), compare: .options(options))
        } + selectors.map { StringCollation(name: $1, compare: .selector($0)) }

    /// Registers the collation on a connection, and returns SQLite's result code.
    func register(on database: OpaquePointer) -> Int32 {
        let rule = Unmanaged.passRetained(Rule(compare))
        return sqlite3_create_collation_v2(
            database, name, SQLITE_UTF8, rule.toOpaque(),
            { context, leftCount, left, rightCount, right in
                guard let context else { return 0 }
                return Unmanaged<Rule>.fromOpaque(context).takeUnretainedValue()
                    .order(StringCollation.bytes(left, leftCount), StringCollation.bytes(right, rightCount))
            },
            { context in
                if let context { Unmanaged<Rule>.fromOpaque(context).release() }
            })
    }

    private static func bytes(_ start: UnsafeRawPointer?, _ count: Int32) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: Int(count))
    }

    /// The comparison that SQLite retains.
    private final class Rule {
        let order: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Int32

        init(_ comparison: Comparison) {
            switch comparison {
            case .options(let options):
                let strings = StringComparison(options)
                order = { left, right in
                    switch strings.order(left, right) {
                    case .ascending: -1
                    case .descending: 1
                    case .same, .unordered: 0
                    }
                }
            case .selector(let selector):
                order = { left, right in
                    let (one, other) = (String(decoding: left, as: UTF8.self), String(decoding: right, as: UTF8.self))
                    return Int32(SelectorOrder.compare(one, other: other, selector: selector).rawValue)
                }
            }
        }

    }
}
