internal import CoreData
internal import PredicateSyntax
internal import StoreDoctor

/// The completions at a position of a predicate.
package struct Completions: Codable, Sendable {
    /// A completion.
    package struct Item: Codable, Sendable {
        /// The text to insert.
        package var text: String
        /// A description, such as the type.
        package var detail: String
    }

    /// The start of the text to replace, in UTF-16 units.
    package var start: Int
    /// The completions.
    package var items: [Item]
}

/// Completes key paths, operators and keywords of predicates.
struct PredicateCompletion {
    private static let connectives = [
        Completions.Item(text: "AND ", detail: "both"), .init(text: "OR ", detail: "either"),
    ]
    private static let limit = 40

    /// Returns the completions at a position.
    ///
    /// - Parameter position: The position of the cursor, in UTF-16 units.
    static func completions(_ text: String, at position: Int, _ entity: NSEntityDescription) -> Completions {
        let before = String(decoding: Array(text.utf16.prefix(max(position, 0))), as: UTF16.self)
        let word = String(before.reversed().prefix { $0.isLetter || $0.isNumber || "_.@$#".contains($0) }.reversed())
        let start = before.utf16.count - word.utf16.count
        let head = before.dropLast(word.count)
        if isInString(head) { return Completions(start: start, items: []) }
        let items: [Completions.Item] =
            switch expectation(after: head, entity) {
            case .operand: keys(word, entity) + keywords
            case .operation(let kind): operators(for: kind)
            case .connective: connectives
            }
        let typed = (keys(of: word).last ?? "").lowercased()
        let matching = items.filter { item in
            let last = keys(of: item.text).last ?? item.text
            return last.lowercased().hasPrefix(typed) || item.text.lowercased().hasPrefix(word.lowercased())
        }
        return Completions(start: start, items: Array(matching.prefix(limit)))
    }

    /// Returns the keys of a key path as it is written, where reserved words begin with `#`.
    private static func keys(of path: String) -> [String] {
        path.split(separator: ".", omittingEmptySubsequences: false).map {
            String($0.first == "#" ? $0.dropFirst() : $0)
        }
    }

    private enum Expectation {
        case operand
        case operation(ValueKind?)
        case connective
    }

    private static let keywords = ["ANY ", "ALL ", "NONE ", "NOT ", "SUBQUERY("].map {
        Completions.Item(text: $0, detail: $0 == "NOT " ? "the opposite" : "for to-many relationships")
    }

    private static func isInString(_ text: Substring) -> Bool {
        var quote: Character?
        for character in text {
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "\"" || character == "'" {
                quote = character
            }
        }
        return quote != nil
    }

    private static let operatorWords: Set = [
        "AND", "OR", "NOT", "ANY", "ALL", "NONE", "SOME", "IN", "BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "MATCHES",
        "BETWEEN", "&&", "||", "!",
    ]

    private static func expectation(after head: Substring, _ entity: NSEntityDescription) -> Expectation {
        guard let last = head.last(where: { !$0.isWhitespace }) else { return .operand }
        let trimmed = head.prefix(through: head.lastIndex { !$0.isWhitespace } ?? head.startIndex)
        if last == "\"" || last == "'" || last == ")" || last == "}" { return .connective }
        let token = String(trimmed.reversed().prefix { !$0.isWhitespace && !"(,{".contains($0) }.reversed())
        let name = token.split(separator: "[").first.map(String.init) ?? token
        if operatorWords.contains(name.uppercased()) || token.isEmpty || "=<>!&|(,{+-*/".contains(last) {
            return .operand
        }
        if let kind = try? KeyPathKind.follow(keys(of: token), from: .object(entity)) {
            // A key path after an operator is the right side of a comparison.
            let rest = trimmed.dropLast(token.count).last { !$0.isWhitespace }
            return rest.map { "=<>".contains($0) } == true ? .connective : .operation(kind)
        }
        return .connective
    }

    private static func keys(_ word: String, _ entity: NSEntityDescription) -> [Completions.Item] {
        let prefix = keys(of: word).dropLast()
        guard let kind = try? KeyPathKind.follow(Array(prefix), from: .object(entity)) else { return [] }
        let start = prefix.map { PredicatePrinter.string(forKey: $0) + "." }.joined()
        func item(_ name: String, _ detail: String) -> Completions.Item {
            .init(text: start + PredicatePrinter.string(forKey: name), detail: detail)
        }
        switch kind {
        case .object(let entity): return properties(of: entity).map { item($0.name, $0.detail) }
        case .collection(.object(let entity)):
            return properties(of: entity).map { item($0.name, $0.detail) }
                + ["@count", "@sum", "@avg", "@min", "@max"].map { item($0, "collection operator") }
        case .collection: return [item("@count", "collection operator")]
        case .composite(let composite):
            return composite.elements.map { item($0.name, CellReader.typeName($0)) }
        default: return []
        }
    }

    private static func properties(of entity: NSEntityDescription) -> [(name: String, detail: String)] {
        RowBuilder.properties(of: entity).compactMap { property in
            if let attribute = property as? NSAttributeDescription {
                return ValueKind(attribute).map { _ in (attribute.name, CellReader.typeName(attribute)) }
            }
            guard let relationship = property as? NSRelationshipDescription else { return nil }
            let name = relationship.destinationEntity?.name ?? ""
            return (relationship.name, relationship.isToMany ? "to-many \(name)" : name)
        }
    }

    private static func operators(for kind: ValueKind?) -> [Completions.Item] {
        let symbols: [(String, String)] =
            switch kind?.element {
            case .text:
                [
                    ("== ", "equal"), ("!= ", "different"), ("CONTAINS[cd] ", "contains, ignoring case and accents"),
                    ("BEGINSWITH[cd] ", "starts with"), ("ENDSWITH[cd] ", "ends with"),
                    ("LIKE ", "pattern with * and ?"),
                    ("MATCHES ", "regular expression"), ("IN ", "one of a list"), ("< ", "before"), ("> ", "after"),
                ]
            case .number, .date:
                [
                    ("== ", "equal"), ("!= ", "different"), ("< ", "less"), ("<= ", "at most"), ("> ", "greater"),
                    (">= ", "at least"), ("BETWEEN ", "{lower, upper}"), ("IN ", "one of a list"),
                ]
            case .transformable: [("== ", "equal"), ("!= ", "different")]
            default: [("== ", "equal"), ("!= ", "different"), ("IN ", "one of a list")]
            }
        return symbols.map { Completions.Item(text: $0.0, detail: $0.1) }
    }
}
