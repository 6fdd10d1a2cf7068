internal import CCoreDataSupport
public import Foundation
internal import PredicateSyntax
internal import RuntimeSupport

/// An expression whose value is the result of a fetch request.
///
/// A fetch with such an expression in its predicate executes the inner request once, before it begins. Evaluated by
/// itself, the expression fetches each time.
///
/// ```swift
/// let drafts = NSFetchRequest<NSFetchRequestResult>(entityName: "Draft")
/// let inner = NSFetchRequestExpression.expression(
///     forFetch: NSExpression(forConstantValue: drafts), context: NSExpression(forConstantValue: context),
///     countOnly: false)
/// request.predicate = NSPredicate(format: "draft IN %@", inner)
/// ```
public final class NSFetchRequestExpression: NSExpression {
    /// The instance is allocated with all bits zero, as for `TreeExpression`.
    private var storage: TreeExpression?

    static func make(_ tree: ExpressionTree) -> NSFetchRequestExpression {
        let type = unsafeBitCast(NSFetchRequestExpression.self as AnyClass, to: UnsafeRawPointer.self)
        let raw = Unmanaged<NSFetchRequestExpression>.fromOpaque(cd_allocate_zeroed(type)).takeRetainedValue()
        guard let expression = raw.initializeAsObject() as? NSFetchRequestExpression else { return raw }
        expression.storage = TreeExpression.make(tree)
        return expression
    }

    /// The underlying expression.
    var inner: TreeExpression { storage ?? TreeExpression.make(ExpressionTree(.constant(.null))) }

    /// Creates an expression for the results of a fetch request.
    ///
    /// - Parameters:
    ///   - fetch: An expression for an `NSFetchRequest`.
    ///   - context: An expression for the `NSManagedObjectContext` to fetch in.
    ///   - flag: Whether the value is the number of results.
    public class func expression(
        forFetch fetch: NSExpression, context: NSExpression, countOnly flag: Bool
    ) -> NSExpression {
        let (request, context) = (fetch.tree, context.tree)
        let syntax = PredicateSyntax.Expression.fetch(
            FetchExpression(request: request.syntax, context: context.syntax, countOnly: flag))
        return make(ExpressionTree(syntax, boxes: OpaqueBoxes([request.boxes, context.boxes])))
    }

    private var parts: FetchExpression {
        guard case .fetch(let fetch) = inner.ownTree.syntax else {
            misuse("NSInvalidArgumentException", "the expression \(inner.ownTree.format) has no fetch request")
        }
        return fetch
    }

    /// The expression for the fetch request.
    public var requestExpression: NSExpression {
        ExpressionTree(parts.request, boxes: inner.ownTree.boxes).makeExpression()
    }

    /// The expression for the context.
    public var contextExpression: NSExpression {
        ExpressionTree(parts.context, boxes: inner.ownTree.boxes).makeExpression()
    }

    /// Whether the value is the number of results.
    public var isCountOnlyRequest: Bool { parts.countOnly }

    public override func copy(with zone: NSZone? = nil) -> Any { self }

    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSFetchRequestExpression else { return false }
        return self === other || inner.isEqual(other.inner)
    }

    public override var hash: Int { inner.hash }

    public override var description: String { inner.description }

    public override var classForKeyedArchiver: AnyClass? { NSExpression.self }
}

extension ExpressionTree {
    /// Returns the expression as an object of Apple's API.
    func makeExpression() -> NSExpression {
        if case .fetch = syntax { return NSFetchRequestExpression.make(self) }
        return TreeExpression.make(self)
    }
}
