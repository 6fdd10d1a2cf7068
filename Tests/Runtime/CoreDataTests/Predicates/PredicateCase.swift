import CoreData
import Testing

/// A predicate, the evaluated object, and the result according to the documentation.
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

    /// Returns the results of each way to evaluate the predicate. The arguments of Foundation's own initializer are not
    /// optional.
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

/// Cases with the same source.
struct PredicateCaseGroup: Sendable, CustomTestStringConvertible {
    let name: String
    let cases: [PredicateCase]

    var testDescription: String { name }

    init(_ name: String, _ cases: [PredicateCase]) {
        self.name = name
        self.cases = cases
    }

    /// Creates a group with one case per line: `T` or `F`, a space, and the format; all with the same object.
    init(_ name: String, on object: Any?, _ lines: String) {
        self.name = name
        cases = lines.split(separator: "\n").filter { !$0.hasPrefix("//") }.map { line in
            precondition(line.hasPrefix("T ") || line.hasPrefix("F "), "\(line)")
            return PredicateCase(String(line.dropFirst(2)), on: object, is: line.hasPrefix("T"))
        }
    }
}

/// An object that is read by keys, and has only the keys that it was created with.
final class ReadableRecord: KeyValueReadable {
    private let values: [String: Any]

    init(_ values: [String: Any]) {
        self.values = values
    }

    func value(forKey key: String) -> Any? { values[key] }
}

/// An object whose values are in numbered slots, like those of managed objects.
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
        // The order differs between objects, to detect slot numbers that are cached too long: it is a rotation that
        // depends on the values.
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
