package import Foundation
internal import PredicateSyntax
internal import Synchronization

/// A predicate made ready to be asked about many objects.
///
/// It cannot be changed and may be used by several threads at once, as far as the objects and values in it may.
package final class PredicateEvaluator {
    private let program: TestProgram
    private let size: FrameSize

    /// Prepares a predicate of any kind.
    package convenience init(_ predicate: NSPredicate) {
        self.init(.object(predicate))
    }

    init(_ predicate: PredicateSource) {
        let compiler = NodeCompiler()
        program = compiler.program(predicate)
        size = compiler.size
    }

    /// Whether the predicate is true for an object.
    package func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]? = nil) -> Bool {
        var frame = EvaluationFrame(size: size, bindings: bindings)
        frame.setObject(object)
        return program.holds(in: &frame)
    }

    /// The objects for which the predicate is true, in their order. What can be kept from one to the next is.
    package func filter<Objects: Sequence>(
        _ objects: Objects, substitutionVariables bindings: [String: Any]? = nil
    ) -> [Objects.Element] {
        var frame = EvaluationFrame(size: size, bindings: bindings)
        return objects.filter { object in
            frame.setObject(object)
            return program.holds(in: &frame)
        }
    }

    /// The objects for which the predicate is true, in their order. The fast way: no object is looked at twice to find
    /// out what it is, and properties are found by their numbers.
    package func filter<Objects: Sequence>(
        _ objects: Objects, substitutionVariables bindings: [String: Any]? = nil
    ) -> [Objects.Element] where Objects.Element: SlotReadable {
        var frame = EvaluationFrame(size: size, bindings: bindings)
        return objects.filter { object in
            frame.setObject(object as any SlotReadable)
            return program.holds(in: &frame)
        }
    }
}

/// An expression made ready to be asked about many objects; see `PredicateEvaluator`.
package final class ExpressionEvaluator {
    private let node: any ValueNode
    private let size: FrameSize

    /// Prepares an expression.
    package convenience init(_ expression: NSExpression) {
        self.init(expression.tree)
    }

    init(_ tree: ExpressionTree) {
        let compiler = NodeCompiler()
        node = compiler.node(tree.syntax, BoxTable(tree.boxes))
        size = compiler.size
    }

    /// The expression's value for an object, as Apple's API gives it: numbers as `NSNumber`.
    package func value(with object: Any?, context: NSMutableDictionary? = nil) -> Any? {
        var frame = EvaluationFrame(size: size, bindings: nil, context: context)
        frame.setObject(object)
        return node.value(in: &frame).any
    }

    /// The expression's value for an object, as predicates work with it.
    package func predicateValue(with object: any SlotReadable) -> PredicateValue {
        var frame = EvaluationFrame(size: size, bindings: nil)
        frame.setObject(object)
        return node.value(in: &frame)
    }
}

/// Something that is made when it is first asked for and then kept, by whatever thread.
final class LazyReference<Value: AnyObject> {
    private let reference = AtomicLazyReference<Value>()

    /// What has been made; made now if need be. Two threads may both make it, and one of the two is kept.
    func value(_ make: () -> Value) -> Value {
        reference.load() ?? reference.storeIfNil(make())
    }
}
