internal import CCoreDataSupport
package import Foundation
internal import PredicateSyntax

/// A predicate prepared for evaluation on many objects: a `TestProgram` of nodes that `NodeCompiler` creates from its
/// tree, with all constants classified, folded and prepared. Predicates cache their evaluators, so evaluating one again
/// needs no preparation.
///
/// Immutable, and thread-safe if the objects and values in it are.
///
/// - **`nil`** equals `nil` and `NSNull`, differs from everything else, and has neither order nor text: comparisons and
///   string operators are `false` for it. A key path through `nil` is `nil`; arithmetic and most functions with `nil`
///   are `nil`.
/// - **Numbers** of all types, Booleans among them, are compared by value, and a decimal with a `Double` by the digits
///   with which the latter is printed. **Strings** are equal if their code units are, and ordered as by
///   `NSString.compare(_:)`. A date is ordered among numbers by its seconds, as in a store, but equals none.
/// - Errors that raise exceptions on Apple's platforms trap: an unknown key, function, method or variable, values
///   without an order, an operator on a value of the wrong kind, an invalid pattern, an index out of bounds.
/// - **Bounds**: compounds may nest to any depth, expressions up to `NodeCompiler.maximumDepth` levels. A regular
///   expression takes time proportional to the text, unless it contains look-around, back references or similar, and is
///   then abandoned after about a second (`RegularExpression`).
package final class PredicateEvaluator {
    let program: TestProgram
    let size: FrameSize
    /// The properties that are read from objects.
    let reads: ProgramReads

    /// Prepares a predicate of any kind.
    package convenience init(_ predicate: NSPredicate) {
        DeepPredicates.record(predicate)
        self.init(.object(predicate))
    }

    init(_ predicate: PredicateSource) {
        let compiler = NodeCompiler()
        program = compiler.program(predicate)
        size = compiler.size
        reads = compiler.reads
    }

    /// Returns an evaluator with the present values of arguments that can change.
    func current(_ make: () -> PredicateEvaluator) -> PredicateEvaluator {
        reads.holdsMutableValues ? make() : self
    }

    /// Returns whether the predicate is `true` for an object.
    package func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]? = nil) -> Bool {
        var session = session(substitutionVariables: bindings)
        return session.matches(object)
    }

    /// Returns a session for evaluating many objects.
    package func session(substitutionVariables bindings: [String: Any]? = nil) -> Session {
        Session(program: program, frame: EvaluationFrame(size: size, bindings: bindings))
    }

    /// Evaluates objects one after the other, keeping reusable state between them.
    package struct Session {
        fileprivate let program: TestProgram
        fileprivate var frame: EvaluationFrame

        /// Returns whether the predicate is `true` for an object.
        package mutating func matches(_ object: Any?) -> Bool {
            let value = PredicateValue(any: object)
            if case .slotted(let slotted) = value { return matches(slotted: slotted) }
            frame.original = object
            return program.holds(for: value, in: &frame)
        }

        /// Returns whether the predicate is `true` for an object with slots. This is the fast path: it needs no dynamic
        /// cast, and reads properties by slot.
        package mutating func matches(slotted object: any SlotReadable) -> Bool {
            frame.original = nil
            frame.prepare(for: object)
            return program.holds(for: .slotted(object), in: &frame)
        }
    }
}

/// An expression prepared for evaluation on many objects; see `PredicateEvaluator`.
package final class ExpressionEvaluator {
    private let node: any ValueNode
    private let size: FrameSize
    /// The properties that are read from objects.
    let reads: ProgramReads

    /// Prepares an expression.
    package convenience init(_ expression: NSExpression) {
        self.init(expression.tree)
    }

    init(_ tree: ExpressionTree) {
        let compiler = NodeCompiler()
        node = compiler.node(tree.syntax, BoxTable(tree.boxes))
        size = compiler.size
        reads = compiler.reads
    }

    /// Returns the expression's value for an object as in Apple's API, with numbers as `NSNumber`.
    package func value(with object: Any?, context: NSMutableDictionary? = nil) -> Any? {
        let value = PredicateValue(any: object)
        var frame = EvaluationFrame(size: size, bindings: nil, context: context)
        if case .slotted(let slotted) = value { frame.prepare(for: slotted) } else { frame.original = object }
        return node.value(of: value, in: &frame).any
    }

    /// Returns the expression's value for an object as a predicate value.
    package func predicateValue(
        with object: any SlotReadable, substitutionVariables bindings: [String: Any]? = nil
    ) -> PredicateValue {
        var frame = EvaluationFrame(size: size, bindings: bindings)
        frame.prepare(for: object)
        return node.value(of: .slotted(object), in: &frame)
    }
}

extension ExpressionEvaluator {
    static func cached(_ expression: NSExpression) -> ExpressionEvaluator {
        expression.treeExpression?.evaluator ?? ExpressionEvaluator(expression)
    }

    /// Returns the expression's value for an object as in Apple's API, with values for its variables.
    func value(with object: Any?, substitutionVariables bindings: [String: Any]) -> Any? {
        let value = PredicateValue(any: object)
        var frame = EvaluationFrame(size: size, bindings: bindings)
        if case .slotted(let slotted) = value { frame.prepare(for: slotted) } else { frame.original = object }
        return node.value(of: value, in: &frame).any
    }

    /// Returns the value of an expression that does not read an object.
    func predicateValue(withVariables bindings: [String: Any]) -> PredicateValue {
        var frame = EvaluationFrame(size: size, bindings: bindings)
        return node.value(of: .null, in: &frame)
    }
}

/// A thread-safe value that is created on first access and then kept.
final class LazyReference<Value: AnyObject> {
    /// Where the value is, retained.
    private let place: UnsafeMutablePointer<UnsafeMutableRawPointer?>

    init() {
        place = .allocate(capacity: 1)
        place.initialize(to: nil)
    }

    deinit {
        if let value = place.pointee { Unmanaged<Value>.fromOpaque(value).release() }
        place.deallocate()
    }

    /// Returns the value, creating it on first access. Two threads may both create it, in which case one of the two is
    /// kept.
    func value(_ make: () -> Value) -> Value {
        if let known = cd_get_once(place) { return Unmanaged<Value>.fromOpaque(known).takeUnretainedValue() }
        let made = Unmanaged.passRetained(make())
        let kept = cd_put_once(place, made.toOpaque())
        if kept != made.toOpaque() { made.release() }
        return Unmanaged<Value>.fromOpaque(kept).takeUnretainedValue()
    }
}
