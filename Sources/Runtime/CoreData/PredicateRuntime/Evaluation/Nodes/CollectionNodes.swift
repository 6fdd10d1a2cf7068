internal import RuntimeSupport

/// `{a, b}`.
final class AggregateNode: ValueNode {
    private let elements: [any ValueNode]

    init(_ elements: [any ValueNode]) {
        self.elements = elements
    }

    func value(of object: PredicateValue, in frame: inout EvaluationFrame) -> PredicateValue {
        .collection(PredicateCollection(elements.values(for: object, in: &frame), kind: .array))
    }
}

/// `a UNION b` and other set operations. The result is a set; `nil` counts as an empty one.
final class SetOperationNode: ValueNode {
    enum Operation {
        case union
        case intersect
        case minus
    }

    private let operation: Operation
    private let left: any ValueNode
    private let right: any ValueNode

    init(operation: Operation, left: any ValueNode, right: any ValueNode) {
        self.operation = operation
        self.left = left
        self.right = right
    }

    func value(of object: PredicateValue, in frame: inout EvaluationFrame) -> PredicateValue {
        let first = elements(of: left, object, &frame)
        let second = elements(of: right, object, &frame)
        switch operation {
        case .union: return set(first + second)
        case .intersect:
            let members = ValueSet(second)
            return set(first.filter { members.contains($0) })
        case .minus:
            let members = ValueSet(second)
            return set(first.filter { !members.contains($0) })
        }
    }

    private func set(_ values: [PredicateValue]) -> PredicateValue {
        .collection(PredicateCollection(distinct: values, kind: .set))
    }

    private func elements(
        of node: any ValueNode, _ object: PredicateValue, _ frame: inout EvaluationFrame
    ) -> [PredicateValue] {
        let value = node.value(of: object, in: &frame)
        if value.isNull { return [] }
        guard let elements = value.elements else {
            misuse(
                "NSInvalidArgumentException",
                "UNION, INTERSECT and MINUS take collections, not \(value.textForMessage)")
        }
        return elements
    }
}

/// `SUBQUERY(collection, $x, predicate)`.
final class SubqueryNode: ValueNode {
    private let collection: any ValueNode
    private let local: Int
    private let program: TestProgram

    init(_ collection: any ValueNode, local: Int, _ program: TestProgram) {
        self.collection = collection
        self.local = local
        self.program = program
    }

    func value(of object: PredicateValue, in frame: inout EvaluationFrame) -> PredicateValue {
        let value = collection.value(of: object, in: &frame)
        if value.isNull { return .null }
        guard let elements = value.elements else {
            misuse(
                "NSInvalidArgumentException",
                "Can't perform collection evaluate with non-collection object \(value.textForMessage).")
        }
        var found: [PredicateValue] = []
        for element in elements {
            frame.locals[local] = element
            if program.holds(for: object, in: &frame) { found.append(element) }
        }
        var kind = PredicateCollection.Kind.array
        if case .collection(let collection) = value { kind = collection.kind }
        return .collection(PredicateCollection(found, kind: kind))
    }
}

/// `a[0]`, `a[FIRST]`, `a["key"]`.
final class ElementNode: ValueNode {
    enum Index {
        case value(any ValueNode)
        case first
        case last
        case size
    }

    private let collection: any ValueNode
    private let index: Index

    init(_ collection: any ValueNode, _ index: Index) {
        self.collection = collection
        self.index = index
    }

    func value(of object: PredicateValue, in frame: inout EvaluationFrame) -> PredicateValue {
        switch collection.value(of: object, in: &frame) {
        case .null: return .null
        case .collection(let collection):
            switch index {
            case .first: return collection.elements.first ?? .null
            case .last: return collection.elements.last ?? .null
            case .size: return .integer(Int64(collection.count))
            case .value(let node): return collection.element(at: node.value(of: object, in: &frame))
            }
        case .dictionary(let dictionary):
            switch index {
            case .size: return .integer(Int64(dictionary.count))
            case .first: return PredicateValue(any: dictionary.value(forKey: "FIRST"))
            case .last: return PredicateValue(any: dictionary.value(forKey: "LAST"))
            case .value(let node):
                guard let key = node.value(of: object, in: &frame).any else { return .null }
                return PredicateValue(any: dictionary.value(forKey: key))
            }
        case let other:
            misuse(
                "NSInvalidArgumentException",
                "an element can be taken of an array or a dictionary, and \(other.textForMessage) is neither")
        }
    }
}

/// `TERNARY(predicate, a, b)`.
final class ConditionalNode: ValueNode {
    private let program: TestProgram
    private let first: any ValueNode
    private let second: any ValueNode

    init(program: TestProgram, first: any ValueNode, second: any ValueNode) {
        self.program = program
        self.first = first
        self.second = second
    }

    func value(of object: PredicateValue, in frame: inout EvaluationFrame) -> PredicateValue {
        program.holds(for: object, in: &frame)
            ? first.value(of: object, in: &frame) : second.value(of: object, in: &frame)
    }
}

/// A predicate where a value is expected.
final class PredicateValueNode: ValueNode {
    private let program: TestProgram

    init(_ program: TestProgram) {
        self.program = program
    }

    func value(of object: PredicateValue, in frame: inout EvaluationFrame) -> PredicateValue {
        .boolean(program.holds(for: object, in: &frame))
    }
}
