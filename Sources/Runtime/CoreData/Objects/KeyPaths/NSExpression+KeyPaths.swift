public import Foundation

extension FoundationFactory where Self: NSExpression {
    /// Creates an expression for the value of the property at the end of a Swift key path, such as
    /// `\Book.author?.name`.
    ///
    /// Traps if the key path does not end at a property; see `PropertyKeyPath`.
    public init<Root: NSManagedObject, Value>(forKeyPath keyPath: KeyPath<Root, Value>) {
        self.init(forKeyPath: PropertyKeyPath.requiredString(of: keyPath))
    }
}
