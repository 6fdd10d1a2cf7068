package import Foundation
internal import PredicateSyntax
internal import Synchronization

/// A predicate made ready to be asked about many objects: a `TestProgram` of nodes that `NodeCompiler` makes of its tree,
/// with all constants sorted, folded and prepared. Predicates keep theirs, so that asking one again costs no preparation.
///
/// It cannot be changed and may be used by several threads at once, as far as the objects and values in it may.
///
/// - **nil** equals nil and `NSNull`, differs from everything else, and has no order and no text: comparisons and string
///   operators are false for it. A key path through nil is nil, arithmetic and most functions with nil are nil.
/// - **Numbers** of all types, Booleans among them, are compared by their values, and a decimal with a `Double` by the
///   digits that it is written with. **Strings** are equal if their codes are, and ordered as `NSString.compare(_:)` says.
///   A date is ordered among numbers by its seconds, as in a store, but equals none.
/// - What raises an exception on Apple's platforms traps: an unknown key, function, method or variable, values
///   without an order, an operator on a value of the wrong kind, an invalid pattern, an index out of bounds.
/// - **Bounds**: compounds may nest as deeply as they like. Expressions may nest `NodeCompiler.maximumDepth` levels. A regular
///   expression takes time in proportion to the text unless it has look-around, back references and the like, and is given
///   up after about a second then (`RegularExpression`).
package final class PredicateEvaluator {
    let program: TestProgram
    let size: FrameSize
    /// What is read of objects.
    let reads: ProgramReads

    /// Prepares a predicate of any kind.
    package convenience init(_ predicate: NSPredicate) {
        DeepPredicates.note(predicate)
        self.init(.object(predicate))
    }

    init(_ predicate: PredicateSource) {
        let compiler = NodeCompiler()
        program = compiler.program(predicate)
        size = compiler.size
        reads = compiler.reads
    }

    /// Returns whether the predicate is true for an object.
    package func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]? = nil) -> Bool {
        var session = session(substitutionVariables: bindings)
        return session.matches(object)
    }

    /// Begins to ask about many objects.
    package func session(substitutionVariables bindings: [String: Any]? = nil) -> Session {
        Session(program: program, frame: EvaluationFrame(size: size, bindings: bindings))
    }

    /// Asks about one object after the other, and keeps what can be kept from one to the next.
    package struct Session {
        fileprivate let program: TestProgram
        fileprivate var frame: EvaluationFrame

        /// Returns whether the predicate is true for an object.
        package mutating func matches(_ object: Any?) -> Bool {
            let value = PredicateValue(any: object)
            if case .slotted(let slotted) = value { return matches(slotted: slotted) }
            frame.original = object
            return program.holds(for: value, in: &frame)
        }

        /// Returns whether the predicate is true for an object with slots. This is the fast path: no dynamic cast finds
        /// out what the object is, and properties are found by their numbers.
        package mutating func matches(slotted object: any SlotReadable) -> Bool {
            frame.original = nil
            frame.prepare(for: object)
            return program.holds(for: .slotted(object), in: &frame)
        }
    }
}

/// An expression made ready to be asked about many objects; see `PredicateEvaluator`.
package final class ExpressionEvaluator {
    private let node: any ValueNode
    private let size: FrameSize
    /// What is read of objects.
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

    /// Returns the expression's value for an object, as Apple's API gives it: numbers as `NSNumber`.
    package func value(with object: Any?, context: NSMutableDictionary? = nil) -> Any? {
        let value = PredicateValue(any: object)
        var frame = EvaluationFrame(size: size, bindings: nil, context: context)
        if case .slotted(let slotted) = value { frame.prepare(for: slotted) } else { frame.original = object }
        return node.value(of: value, in: &frame).any
    }

    /// Returns the expression's value for an object, as predicates work with it.
    package func predicateValue(
        with object: any SlotReadable, substitutionVariables bindings: [String: Any]? = nil
    ) -> PredicateValue {
        var frame = EvaluationFrame(size: size, bindings: bindings)
        frame.prepare(for: object)
        return node.value(of: .slotted(object), in: &frame)
    }
}

extension ExpressionEvaluator {
    /// Returns the evaluator of an expression, prepared once.
    static func cached(_ expression: NSExpression) -> ExpressionEvaluator {
        expression.treeExpression?.evaluator ?? ExpressionEvaluator(expression)
    }

    /// Returns the expression's value for an object, with values for its variables, as Apple's API gives it.
    func value(with object: Any?, substitutionVariables bindings: [String: Any]) -> Any? {
        let value = PredicateValue(any: object)
        var frame = EvaluationFrame(size: size, bindings: bindings)
        if case .slotted(let slotted) = value { frame.prepare(for: slotted) } else { frame.original = object }
        return node.value(of: value, in: &frame).any
    }

    /// Returns the value of an expression that asks nothing of an object.
    func predicateValue(withVariables bindings: [String: Any]) -> PredicateValue {
        var frame = EvaluationFrame(size: size, bindings: bindings)
        return node.value(of: .null, in: &frame)
    }
}

/// Something that is made when it is first asked for and then kept, by whatever thread.
final class LazyReference<Value: AnyObject> {
    private let reference = AtomicLazyReference<Value>()

    /// Returns what has been made; made now if need be. Two threads may both make it, and one of the two is kept.
    func value(_ make: () -> Value) -> Value {
        reference.load() ?? reference.storeIfNil(make())
    }
}
