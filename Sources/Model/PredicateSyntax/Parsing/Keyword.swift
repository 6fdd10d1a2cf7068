/// The keywords of the language, which are case-insensitive.
enum Keyword: String, CaseIterable, Sendable {
    case and = "AND"
    case or = "OR"
    case not = "NOT"
    case any = "ANY"
    case all = "ALL"
    case some = "SOME"
    case none = "NONE"
    case `in` = "IN"
    case between = "BETWEEN"
    case contains = "CONTAINS"
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    case like = "LIKE"
    case matches = "MATCHES"
    case union = "UNION"
    case intersect = "INTERSECT"
    case minus = "MINUS"
    case truePredicate = "TRUEPREDICATE"
    case falsePredicate = "FALSEPREDICATE"
    case `true` = "TRUE"
    case yes = "YES"
    case `false` = "FALSE"
    case no = "NO"
    case null = "NULL"
    case `nil` = "NIL"
    case evaluatedObject = "SELF"
    case anyKey = "ANYKEY"
    case first = "FIRST"
    case last = "LAST"
    case size = "SIZE"
    case subquery = "SUBQUERY"
    case function = "FUNCTION"
    case cast = "CAST"
    case ternary = "TERNARY"
    case fetch = "FETCH"
    case caseInsensitive = "CASEINSENSITIVE"
    case caseInsensitiveShort = "CI"

    private static let words = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })
    private static let longestWord = words.keys.map(\.utf8.count).max() ?? 0

    /// Creates the keyword that the bytes spell in any case, or `nil`.
    init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count <= Keyword.longestWord else { return nil }
        let upper = bytes.lazy.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) ? $0 & 0xDF : $0 }
        guard let keyword = Keyword.words[String(decoding: upper, as: UTF8.self)] else { return nil }
        self = keyword
    }

    /// Whether a key with this name is escaped with `#` when it is printed, according to Apple's documented list of
    /// reserved words ("Predicate Format String Syntax"), which does not contain all keywords.
    var isReserved: Bool {
        switch self {
        case .union, .intersect, .minus, .function, .ternary: false
        default: true
        }
    }

    /// Whether the word can only be a key where an operand is expected, although Apple reserves some of these words:
    /// they have a meaning only in brackets, before a parenthesis or between two operands.
    var isKeyInOperandPosition: Bool {
        switch self {
        case .first, .last, .size, .caseInsensitive, .caseInsensitiveShort, .union, .intersect, .minus, .subquery,
            .function, .cast, .ternary, .fetch:
            true
        default: false
        }
    }
}
