/// A predicate in SQL.
package struct Condition {
    /// The SQL; empty for a constant condition.
    private let fragment: SQLFragment
    /// The result of a constant condition; `nil` for others.
    let answer: Bool?
    /// Whether the condition is `true` for exactly the same rows as the predicate. If not, it is `true` for these and
    /// others.
    package var isExact = true
    /// Whether the condition may be null, which counts as `false`.
    var isNullable = true

    static let always = Condition(answer: true)
    static let never = Condition(answer: false)

    init(sql: SQLFragment, isExact: Bool = true, isNullable: Bool = true) {
        fragment = sql
        answer = nil
        self.isExact = isExact
        self.isNullable = isNullable
    }

    private init(answer: Bool) {
        fragment = ""
        self.answer = answer
        isNullable = false
    }

    /// Returns the condition for WHERE.
    package func sql(_ dialect: any SQLDialect) -> SQLFragment { answer.map(dialect.constant) ?? fragment }

    static func value(_ answer: Bool) -> Condition { answer ? .always : .never }

    /// The negated condition; `nil` if the condition is not exact.
    var negated: Condition? {
        guard isExact else { return nil }
        if let answer { return .value(!answer) }
        return Condition(sql: isNullable ? "(\(fragment)) IS NOT TRUE" : "NOT (\(fragment))", isNullable: false)
    }

    /// Returns the conjunction of conditions. A `nil` condition cannot be expressed in SQL.
    static func all(_ parts: [Condition?]) -> Condition? {
        var terms: [Condition] = []
        var isExact = true
        for part in parts {
            guard let part else {
                isExact = false
                continue
            }
            isExact = isExact && part.isExact
            switch part.answer {
            case true: continue
            case false: return part
            case nil: terms.append(part)
            }
        }
        if terms.isEmpty { return isExact ? .always : nil }
        return combined(terms, " AND ", isExact: isExact)
    }

    /// Returns the disjunction of conditions, or `nil` if SQL cannot express one of them.
    static func any(_ parts: [Condition?]) -> Condition? {
        var terms: [Condition] = []
        for part in parts {
            guard let part else { return nil }
            switch part.answer {
            case true where part.isExact: return part
            case false: continue
            default: terms.append(part)
            }
        }
        if terms.isEmpty { return .never }
        return combined(terms, " OR ", isExact: terms.allSatisfy(\.isExact))
    }

    private static func combined(_ terms: [Condition], _ binary: String, isExact: Bool) -> Condition {
        if terms.count == 1 {
            var term = terms[0]
            term.isExact = isExact
            return term
        }
        return Condition(
            sql: .balanced(terms.map { "(\($0.fragment))" }, binary), isExact: isExact,
            isNullable: terms.contains(where: \.isNullable))
    }
}
