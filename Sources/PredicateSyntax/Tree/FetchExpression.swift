/// The result of a fetch request, Core Data's `NSFetchRequestExpression`: `FETCH(request, context, countOnly)`.
///
/// Mapping models use it for their source objects (core-data-runtime.md 3.3).
public struct FetchExpression: Hashable, Sendable {
    /// Gives the fetch request.
    public var request: Expression
    /// Gives the context to fetch in.
    public var context: Expression
    /// Whether the value is the number of objects instead of the objects.
    public var countOnly: Bool

    /// Makes a fetch expression.
    public init(request: Expression, context: Expression, countOnly: Bool) {
        self.request = request
        self.context = context
        self.countOnly = countOnly
    }
}
