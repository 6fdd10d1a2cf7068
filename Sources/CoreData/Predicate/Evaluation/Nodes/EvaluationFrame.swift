internal import Foundation

/// What an evaluation knows: the object, the values of variables, and where the properties of objects are.
///
/// One frame can be used for many objects, one after the other.
struct EvaluationFrame {
    /// `SELF`.
    private(set) var object: PredicateValue = .null
    /// `SELF` as it was given; nil where `object` is all there is.
    private var original: Any?
    /// The variables of subqueries, by their depth.
    var locals: [PredicateValue]
    /// Variables that were assigned with `:=`, and those of `bindings` that have been asked for.
    private var variables: [String: PredicateValue] = [:]
    private let bindings: [String: Any]?
    /// The dictionary that an expression may use as it likes.
    let context: NSMutableDictionary?
    private var places: [PropertyPlace]

    /// Where a property of the objects of one layout is.
    private struct PropertyPlace {
        var table: AnyObject?
        var slot = 0
    }

    init(size: FrameSize, bindings: [String: Any]?, context: NSMutableDictionary? = nil) {
        locals = Array(repeating: .null, count: size.locals)
        places = Array(repeating: PropertyPlace(), count: size.keys)
        self.bindings = bindings
        self.context = context
    }

    /// The object as it was given, for blocks and predicates of other classes.
    var originalObject: Any? { original ?? object.any }

    mutating func setObject(_ object: Any?) {
        self.object = PredicateValue(any: object)
        original = object
    }

    mutating func setObject(_ object: any SlotReadable) {
        self.object = .slotted(object)
        original = nil
    }

    /// The value of a property of the object. The place of the property is looked up when the table changes.
    mutating func value(forKey key: String, place: Int) -> PredicateValue {
        guard case .slotted(let object) = object else { return object.value(forKey: key) }
        let table = object.slotTable
        if places[place].table === table { return object.slotValue(places[place].slot) }
        guard let slot = object.slot(forKey: key) else { return PredicateValue(any: object.value(forKey: key)) }
        places[place] = PropertyPlace(table: table, slot: slot)
        return object.slotValue(slot)
    }

    /// The value of a variable. One that has none stops the program.
    mutating func value(ofVariable name: String) -> PredicateValue {
        if let known = variables[name] { return known }
        guard let given = bindings?[name] ?? context?[name] else {
            let names = bindings.map { "\($0.keys.sorted())" } ?? "none"
            misuse("NSInvalidArgumentException", "Can't get value for '\(name)' in bindings \(names).")
        }
        // An expression is asked of the object, so that its value cannot be kept.
        if let expression = given as? TreeExpression {
            return PredicateValue(any: expression.expressionValue(with: originalObject, context: context))
        }
        let value = PredicateValue(any: given)
        variables[name] = value
        return value
    }

    mutating func assign(_ value: PredicateValue, toVariable name: String) {
        variables[name] = value
        context?[name] = value.any ?? NSNull()
    }

    /// The bindings as they were given, for predicates of other classes.
    var givenBindings: [String: Any]? { bindings }
}

/// How much room a program needs in a frame.
struct FrameSize {
    /// How deep subqueries nest.
    var locals = 0
    /// How many properties of the evaluated object are read.
    var keys = 0
}
