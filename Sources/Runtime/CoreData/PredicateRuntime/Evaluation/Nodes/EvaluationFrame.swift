internal import Foundation
internal import RuntimeSupport

/// The state of an evaluation other than the object: the values of variables, and the slots of properties.
///
/// One frame can be reused for many objects in turn.
struct EvaluationFrame {
    /// The original object; `nil` if there is only the value that nodes get.
    var original: Any?
    /// The variables of subqueries, by their depth.
    var locals: [PredicateValue]
    /// The variables that were assigned with `:=`, and those of `bindings` that were accessed.
    private var variables: [String: PredicateValue] = [:]
    private let bindings: [String: Any]?
    /// The dictionary that expressions may read and change.
    let context: NSMutableDictionary?
    /// The table that `positions` belongs to, retained so that no other can have its address.
    private var table: (id: ObjectIdentifier, object: AnyObject)?
    /// The slots of the properties that are read; negative if unknown.
    private var positions: [Int]

    private static let unknownPosition = -1

    init(size: FrameSize, bindings: [String: Any]?, context: NSMutableDictionary? = nil) {
        locals = Array(repeating: .null, count: size.locals)
        positions = Array(repeating: Self.unknownPosition, count: size.keys)
        self.bindings = bindings
        self.context = context
    }

    /// Returns the original object, for blocks and predicates of other classes.
    func originalObject(_ object: PredicateValue) -> Any? { original ?? object.any }

    /// Updates the slots of properties for the object that is evaluated next.
    mutating func prepare(for object: any SlotReadable) {
        if table?.id != object.slotTableID { changeTable(object) }
    }

    @inline(never)
    private mutating func changeTable(_ object: any SlotReadable) {
        table = (object.slotTableID, object.slotTable)
        for index in positions.indices { positions[index] = Self.unknownPosition }
    }

    /// Returns the value of a property of the evaluated object.
    mutating func value(of object: PredicateValue, forKey key: String, position: Int) -> PredicateValue {
        switch object {
        case .slotted(let slotted):
            let slot = positions[position]
            return slot >= 0 ? slotted.slotValue(slot) : firstValue(of: slotted, forKey: key, position: position)
        default: return object.value(forKey: key)
        }
    }

    @inline(never)
    private mutating func firstValue(of object: any SlotReadable, forKey key: String, position: Int) -> PredicateValue {
        guard let slot = object.slot(forKey: key) else { return PredicateValue(any: object.value(forKey: key)) }
        positions[position] = slot
        return object.slotValue(slot)
    }

    /// Returns the value of a variable. Traps if it has none.
    mutating func value(ofVariable name: String, for object: PredicateValue) -> PredicateValue {
        if let cached = variables[name] { return cached }
        guard let given = bindings?[name] ?? context?[name] else {
            let names = bindings.map { "\($0.keys.sorted())" } ?? "none"
            misuse("NSInvalidArgumentException", "Can't get value for '\(name)' in bindings \(names).")
        }
        // An expression is evaluated on the object, so its value cannot be cached.
        if let expression = (given as? NSExpression)?.treeExpression {
            return PredicateValue(any: expression.expressionValue(with: originalObject(object), context: context))
        }
        let value = PredicateValue(any: given)
        variables[name] = value
        return value
    }

    mutating func assign(_ value: PredicateValue, toVariable name: String) {
        variables[name] = value
        context?[name] = value.any ?? NSNull()
    }

    /// The original bindings, for predicates of other classes.
    var givenBindings: [String: Any]? { bindings }
}

/// The size of a frame that a program needs.
struct FrameSize {
    /// The nesting depth of subqueries.
    var locals = 0
    /// The number of properties of the evaluated object that are read.
    var keys = 0
}
