import CoreData
import Foundation

/// A condition on the objects of one class.
public struct Query<Root: NSManagedObject> {
    public let predicate: NSPredicate

    public init(_ predicate: NSPredicate) {
        self.predicate = predicate
    }
}

private func compare<Root, Value>(
    _ keyPath: KeyPath<Root, Value>, _ type: NSComparisonPredicate.Operator, _ value: Any?,
    options: NSComparisonPredicate.Options = []
) -> Query<Root> {
    guard let key = keyPath._kvcKeyPathString else { preconditionFailure("\(keyPath) is not stored") }
    return Query(
        NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: key), rightExpression: NSExpression(forConstantValue: value),
            modifier: .direct, type: type, options: options))
}

public func == <Root, Value: Equatable>(keyPath: KeyPath<Root, Value>, value: Value) -> Query<Root> {
    compare(keyPath, .equalTo, value)
}

public func != <Root, Value: Equatable>(keyPath: KeyPath<Root, Value>, value: Value) -> Query<Root> {
    compare(keyPath, .notEqualTo, value)
}

public func < <Root, Value: Comparable>(keyPath: KeyPath<Root, Value>, value: Value) -> Query<Root> {
    compare(keyPath, .lessThan, value)
}

public func > <Root, Value: Comparable>(keyPath: KeyPath<Root, Value>, value: Value) -> Query<Root> {
    compare(keyPath, .greaterThan, value)
}

infix operator =~ : ComparisonPrecedence

public func =~ <Root>(keyPath: KeyPath<Root, String?>, text: String) -> Query<Root> {
    compare(keyPath, .contains, text, options: [.caseInsensitive, .diacriticInsensitive])
}

public func && <Root>(left: Query<Root>, right: Query<Root>) -> Query<Root> {
    Query(NSCompoundPredicate(andPredicateWithSubpredicates: [left.predicate, right.predicate]))
}

public func || <Root>(left: Query<Root>, right: Query<Root>) -> Query<Root> {
    Query(NSCompoundPredicate(orPredicateWithSubpredicates: [left.predicate, right.predicate]))
}

public prefix func ! <Root>(query: Query<Root>) -> Query<Root> {
    Query(NSCompoundPredicate(notPredicateWithSubpredicate: query.predicate))
}
