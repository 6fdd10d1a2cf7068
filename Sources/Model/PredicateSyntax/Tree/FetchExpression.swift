/// The result of a fetch request, Core Data's `NSFetchRequestExpression`: `FETCH(request, context, countOnly)`.
///
/// Mapping models use it for their source objects (Documentation/Formats/MappingModel.md, 2.5).
package struct FetchExpression: Hashable, Sendable {
    /// The expression for the fetch request.
    package var request: Expression
    /// The expression for the context to fetch in.
    package var context: Expression
    /// Whether the value is the number of objects instead of the objects.
    package var countOnly: Bool

    /// Creates a fetch expression.
    package init(request: Expression, context: Expression, countOnly: Bool) {
        self.request = request
        self.context = context
        self.countOnly = countOnly
    }
}
