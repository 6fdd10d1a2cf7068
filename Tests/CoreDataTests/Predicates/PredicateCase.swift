import CoreData
import Testing

/// A predicate, what it is asked about, and the answer that the documentation gives.
struct PredicateCase: @unchecked Sendable {
    let format: String
    let arguments: [Any?]
    let variables: [String: Any]?
    let object: Any?
    let answer: Bool

    init(
        _ format: String, _ arguments: [Any?] = [], variables: [String: Any]? = nil, on object: Any?, is answer: Bool
    ) {
        self.format = format
        self.arguments = arguments
        self.variables = variables
        self.object = object
        self.answer = answer
    }

    /// The answers of the evaluator, by every way to ask. Foundation's own initializer has an array of arguments that are
    /// not optional.
    func answers() -> [(way: String, answer: Bool)] {
        let predicate = NSPredicate(format: format, argumentArray: arguments.map { $0 ?? NSNull() })
        var answers = [("evaluate", predicate.evaluate(with: object, substitutionVariables: variables))]
        answers.append(("again", predicate.evaluate(with: object, substitutionVariables: variables)))
        guard let values = object as? [String: Any] else { return answers }
        func ask(_ way: String, _ object: Any) {
            answers.append((way, predicate.evaluate(with: object, substitutionVariables: variables)))
        }
        ask("NSDictionary", NSDictionary(dictionary: values))
        ask("readable object", ReadableRecord(values))
        ask("object with slots", SlotRecord(values))
        let records = (0..<3).map { _ in SlotRecord(values) }
        let evaluator = PredicateEvaluator(NSCompoundPredicate(orPredicateWithSubpredicates: [predicate]))
        var session = evaluator.session(substitutionVariables: variables)
        for record in records { answers.append(("session", session.matches(slotted: record))) }
        return answers
    }
}

/// Cases with one source.
struct PredicateCaseGroup: Sendable, CustomTestStringConvertible {
    let name: String
    let cases: [PredicateCase]

    var testDescription: String { name }

    init(_ name: String, _ cases: [PredicateCase]) {
        self.name = name
        self.cases = cases
    }

    /// A case in each line: `T` or `F`, a space, and the format; all about the same object.
    init(_ name: String, on object: Any?, _ lines: String) {
        self.name = name
        cases = lines.split(separator: "\n").filter { !$0.hasPrefix("//") }.map { line in
            precondition(line.hasPrefix("T ") || line.hasPrefix("F "), "\(line)")
            return PredicateCase(String(line.dropFirst(2)), on: object, is: line.hasPrefix("T"))
        }
    }
}

/// An object that is read by keys, of which it has only those that it was made with.
final class ReadableRecord: KeyValueReadable {
    private let values: [String: Any]

    init(_ values: [String: Any]) {
        self.values = values
    }

    func value(forKey key: String) -> Any? { values[key] }
}

/// An object whose values are in numbered slots, as those of managed objects are.
final class SlotRecord: SlotReadable {
    private final class Table {
        let slots: [String: Int]
        init(_ keys: [String]) {
            slots = Dictionary(uniqueKeysWithValues: keys.enumerated().map { ($0.element, $0.offset) })
        }
    }

    private let table: Table
    private let values: [PredicateValue]
    let predicateIdentity: NSObject?

    init(_ values: [String: Any], identity: NSObject? = nil) {
        predicateIdentity = identity
        // The order differs from object to object, so that places which are kept too long are found out: one of the orders of a
        // circle, chosen by the values.
        var names = values.keys.sorted()
        let turn = names.isEmpty ? 0 : names.map { "\(values[$0] ?? 0)".utf8.count }.reduce(0, +) % names.count
        names = Array(names[turn...] + names[..<turn])
        table = Table(names)
        self.values = names.map { PredicateValue(any: values[$0]) }
    }

    var slotTable: AnyObject { table }

    var slotTableID: ObjectIdentifier { ObjectIdentifier(table) }

    func slot(forKey key: String) -> Int? { table.slots[key] }

    func slotValue(_ slot: Int) -> PredicateValue { values[slot] }

    func value(forKey key: String) -> Any? { nil }
}
