internal import CCoreDataSupport
internal import Foundation
internal import PredicateSyntax

/// The expression that every factory of `NSExpression` creates.
///
/// Foundation's class cannot be instantiated on Linux: it has no accessible initializer. An instance is allocated with
/// all bits zero and initialized by `NSObject.init` (Documentation/Formats/FoundationOnLinux.md, 2), so the only stored
/// property is an optional reference.
final class TreeExpression: NSExpression {
    private var storage: Storage?

    private final class Storage {
        let tree: ExpressionTree
        let evaluator = LazyReference<ExpressionEvaluator>()
        init(_ tree: ExpressionTree) { self.tree = tree }
    }

    /// Creates an expression from a tree. Traps with an explanation if it nests too deeply to be evaluated: even
    /// releasing it could overflow the stack.
    static func make(_ tree: ExpressionTree) -> TreeExpression {
        if tree.syntax.nests(deeperThan: NodeCompiler.maximumDepth) { NodeCompiler.stopAtDepth() }
        let type = unsafeBitCast(TreeExpression.self as AnyClass, to: UnsafeRawPointer.self)
        let raw = Unmanaged<TreeExpression>.fromOpaque(cd_allocate_zeroed(type)).takeRetainedValue()
        guard let expression = raw.initializeAsObject() as? TreeExpression else { return raw }
        expression.storage = Storage(tree)
        return expression
    }

    var ownTree: ExpressionTree { storage?.tree ?? ExpressionTree(.constant(.null)) }

    override func copy(with zone: NSZone? = nil) -> Any { self }

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? TreeExpression else { return false }
        return self === other || TreeIdentity(ownTree) == TreeIdentity(other.ownTree)
    }

    override var hash: Int { TreeIdentity(ownTree).hashValue }

    /// The evaluator of the expression, created on first access.
    var evaluator: ExpressionEvaluator {
        guard let storage else { return ExpressionEvaluator(ownTree) }
        let evaluator = storage.evaluator.value { ExpressionEvaluator(storage.tree) }
        return evaluator.reads.holdsMutableValues ? ExpressionEvaluator(storage.tree) : evaluator
    }

    override var description: String { ownTree.format }

    override var classForKeyedArchiver: AnyClass? { NSExpression.self }
}

extension NSObject {
    /// Calls `NSObject.init()` on an allocated object.
    @_silgen_name("$s10Foundation8NSObjectCACycfc")
    __consuming func initializeAsObject() -> NSObject
}

extension FoundationFactory where Self: NSExpression {
    /// The expression as a tree. Foundation's own expressions, which do not occur on Linux, are kept as constants.
    package var tree: ExpressionTree {
        treeExpression?.ownTree ?? ExpressionTree(constant: self)
    }

    /// The object that holds the tree; `nil` for Foundation's own expressions.
    var treeExpression: TreeExpression? {
        self as? TreeExpression ?? (self as? NSFetchRequestExpression)?.inner
    }
}
