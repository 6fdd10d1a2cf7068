internal import Foundation
internal import PredicateSyntax

/// `BEGINSWITH`, `ENDSWITH`, `CONTAINS`, `LIKE` and `MATCHES`, translated by the dialect.
extension PredicateTranslator {
    func pattern(_ text: Operand, test: Test, pattern: Operand) throws -> Condition {
        guard let kind = StringSearchKind(test.operation) else { throw Untranslatable() }
        return try search(text, kind: kind, test: test, pattern: pattern)
    }

    func search(_ text: Operand, kind: StringSearchKind, test: Test, pattern: Operand) throws -> Condition {
        if case .constant(let text) = text, case .constant(let pattern) = pattern {
            guard text.isTextOrNull, pattern.isTextOrNull else { throw Untranslatable() }
            guard case .string(let text) = text, case .string(let pattern) = pattern else { return .never }
            return .value(kind.matcher(pattern, test.strings)(text))
        }
        guard let first = try textOrNull(text), let second = try textOrNull(pattern) else { return .never }
        guard let search = dialect.search(first, for: second, kind: kind, options: test.options) else {
            throw Untranslatable()
        }
        let found = Condition(sql: search.sql, isExact: search.isExact, isNullable: search.isNullable)
        guard kind == .beginsWith, case .constant(.string(let prefix)) = pattern,
            let range = prefixRange(first, prefix: prefix, strings: test.strings)
        else { return found }
        return Condition(sql: "\(range) AND \(search.sql)", isExact: search.isExact)
    }

    /// Returns a string in SQL, or `nil` for `nil`. The evaluator treats other operands as misuse.
    private func textOrNull(_ operand: Operand) throws -> SQLFragment? {
        if operand.isNull { return nil }
        let (sql, type) = try scalar(operand)
        guard type == .string else { throw Untranslatable() }
        return sql
    }

    /// Returns the condition for the byte range of strings with a prefix, for an index. Without `[n]`, some characters
    /// are equivalent to ASCII ones, for example the Kelvin sign to K.
    private func prefixRange(_ text: SQLFragment, prefix: String, strings: StringComparison) -> SQLFragment? {
        guard strings.isPlain, !prefix.isEmpty, let end = prefix.upperBoundOfPrefixed else { return nil }
        let isSure = prefix.utf8.allSatisfy { $0 < 0x80 && $0 != 0x4B && $0 != 0x3B && $0 != 0x60 }
        guard strings.isNormalized || isSure else { return nil }
        return "\(text) >= \(argument: .text(prefix)) AND \(text) < \(argument: .text(end))"
    }
}

extension String {
    /// The least string, by code points, that is greater than every string with this prefix, or `nil` if none exists.
    fileprivate var upperBoundOfPrefixed: String? {
        var scalars = Array(unicodeScalars)
        while let last = scalars.popLast() {
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            if let scalar = Unicode.Scalar(next) {
                scalars.append(scalar)
                var result = String.UnicodeScalarView()
                result.append(contentsOf: scalars)
                return String(result)
            }
        }
        return nil
    }
}

extension PredicateValue {
    fileprivate var isTextOrNull: Bool {
        switch self {
        case .null, .string: true
        default: false
        }
    }
}

package enum StringSearchKind: Int {
    case contains = 0
    case beginsWith = 1
    case endsWith = 2
    case like = 3
    case matches = 4

    init?(_ operation: ComparisonOperator) {
        switch operation {
        case .contains, .in: self = .contains
        case .beginsWith: self = .beginsWith
        case .endsWith: self = .endsWith
        case .like: self = .like
        case .matches: self = .matches
        default: return nil
        }
    }

    /// Returns the evaluator's own test with a prepared pattern.
    func matcher(_ pattern: String, _ strings: StringComparison) -> (String) -> Bool {
        switch self {
        case .contains: return SubstringSearch(pattern, at: .anywhere, strings).isFound(in:)
        case .beginsWith: return SubstringSearch(pattern, at: .start, strings).isFound(in:)
        case .endsWith: return SubstringSearch(pattern, at: .end, strings).isFound(in:)
        case .like: return WildcardPattern(pattern, strings).matches(_:)
        case .matches: return RegularExpression(pattern, strings).matches(_:)
        }
    }
}
