internal import StoreFile

/// The spelling of names, and of conditions with numbers, in SQL.
package enum SQLName {
    /// Returns a name as spelled in a statement: in quotes unless it consists of letters, digits and underscores. All
    /// names that come from a model begin with Z, so they never equal an SQL keyword.
    static func quoted(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        let startsWell = name.utf8.first.map { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
        return isPlain && startsWell ? name : inQuotes(name)
    }

    /// Returns a name in quotes, which is not taken for a keyword whatever it is.
    package static func inQuotes(_ name: String) -> String {
        SQLSpelling.name(name)
    }

    /// Returns the condition that a value is one of some ascending numbers.
    package static func isIn<Number: FixedWidthInteger>(
        _ value: String, _ numbers: some RandomAccessCollection<Number>
    ) -> String {
        guard let first = numbers.first, let last = numbers.last else { return "0" }
        // The numbers of an entity and its subentities mostly follow each other.
        if numbers.count > 2, last.subtractingReportingOverflow(first) == (Number(numbers.count - 1), false) {
            return "\(value) BETWEEN \(first) AND \(last)"
        }
        return "\(value) IN (\(numbers.map { "\($0)" }.joined(separator: ", ")))"
    }

    /// Returns a string literal. For names in the definitions of triggers; values are bound.
    package static func literal(_ text: String) -> String {
        SQLSpelling.literal(text)
    }

    /// Returns a key by which names can be compared as in SQLite: ignoring the case of ASCII letters.
    package static func key(_ name: String) -> String {
        String(decoding: name.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
    }
}

/// The names in use: a name that is taken is followed by the next free number, as in `ZTITLE1`.
struct NamePool {
    private var taken: Set<String>

    init(reserved: [String] = []) {
        taken = Set(reserved.map(SQLName.key))
    }

    /// Adds and returns the name, or the first free one followed by a number.
    mutating func add(_ name: String) -> String {
        if taken.insert(SQLName.key(name)).inserted { return name }
        var number = 1
        while !taken.insert(SQLName.key("\(name)\(number)")).inserted { number += 1 }
        return "\(name)\(number)"
    }

    /// Adds a name if it is free, and returns whether it was.
    mutating func take(_ name: String) -> Bool { taken.insert(SQLName.key(name)).inserted }
}
