internal import CoreData

/// The spelling of names in PostgreSQL's SQL.
package enum PostgreSQLName {
    /// The maximum length of a name, in bytes: `NAMEDATALEN - 1`.
    static let limit = 63

    /// Returns a name in quotes, so that no name in a model is ever an SQL keyword.
    package static func quoted(_ name: String) -> String {
        var result = "\""
        for scalar in name.unicodeScalars where scalar.value != 0 {
            if scalar == "\"" { result += "\"" }
            result.unicodeScalars.append(scalar)
        }
        return result + "\""
    }

    /// Returns a string literal. `E''` makes backslashes safe regardless of `standard_conforming_strings`.
    package static func literal(_ text: String) -> String {
        var result = ""
        var isEscaped = false
        for scalar in text.unicodeScalars where scalar.value != 0 {
            switch scalar {
            case "'": result += "''"
            case "\\":
                result += "\\\\"
                isEscaped = true
            default: result.unicodeScalars.append(scalar)
            }
        }
        return isEscaped ? "E'\(result)'" : "'\(result)'"
    }

    /// Returns a name truncated to the limit, if needed with a hash of the whole name, so that long names stay
    /// distinct.
    package static func fitted(_ name: String, limit: Int = limit) -> String {
        var name = name
        name.unicodeScalars.removeAll { $0.value == 0 }
        if name.isEmpty { return "_" }
        guard name.utf8.count > limit else { return name }
        let hash = name.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        let digits = String(hash, radix: 16)
        let suffix = "_" + String(repeating: "0", count: 16 - digits.count) + digits
        return prefix(of: name, bytes: limit - suffix.utf8.count) + suffix
    }

    /// Returns as many whole scalars of a string as fit into a number of bytes.
    static func prefix(of text: String, bytes: Int) -> String {
        var result = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars {
            count += UTF8.width(scalar)
            if count > bytes { break }
            result.append(scalar)
        }
        return String(result)
    }
}

/// The names in use, for tables or for the columns of one table.
///
/// A name that is taken, even in different case, gets a number: `title_2`. The result depends only on the names and
/// their order.
struct PostgreSQLNames {
    private var taken: Set<String>

    init(reserved: [String] = []) {
        taken = Set(reserved.map { $0.lowercased() })
    }

    /// Adds and returns the name, or the first free one with a number.
    mutating func add(_ name: String) -> String {
        let fitted = PostgreSQLName.fitted(name)
        if taken.insert(fitted.lowercased()).inserted { return fitted }
        var number = 2
        while true {
            let suffix = "_\(number)"
            let room = PostgreSQLName.limit - suffix.utf8.count
            let candidate = PostgreSQLName.prefix(of: fitted, bytes: room) + suffix
            if taken.insert(candidate.lowercased()).inserted { return candidate }
            number += 1
        }
    }
}
