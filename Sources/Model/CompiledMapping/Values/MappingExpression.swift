package import PredicateSyntax

/// An expression of a mapping model.
package enum MappingExpression: Hashable, Sendable {
    /// An expression with a format string.
    case tree(PredicateSyntax.Expression)
    /// An expression without a format string, such as a constant date. It is copied from archive to archive.
    case archived(ArchivedExpression)

    /// The format string, or a description of an expression that has none.
    package var text: String {
        switch self {
        case .tree(let expression): PredicatePrinter(numberStyle: .typed).string(for: expression)
        case .archived(let expression): "(\(expression.reason))"
        }
    }

    /// The expression as a tree; `nil` if it has no format string.
    package var tree: PredicateSyntax.Expression? {
        if case .tree(let expression) = self { expression } else { nil }
    }
}

/// An expression that PredicateSyntax cannot express, as a separate keyed archive.
package struct ArchivedExpression: Hashable, Sendable {
    /// The archive. Its root is the expression.
    package var bytes: [UInt8]
    /// The reason why the expression has no format string.
    package var reason: String

    /// Creates an expression from its archive.
    package init(bytes: [UInt8], reason: String) {
        self.bytes = bytes
        self.reason = reason
    }
}

/// The names that expressions of mapping models use (Documentation/Formats/MappingModel.md, 2.4 and 2.5).
package enum MappingNames {
    /// The method that returns the destination instances of an entity mapping.
    package static let instancesOfMapping = "destinationInstancesForEntityMappingNamed:sourceInstances:"
    /// The method that returns the destination instances of a relationship.
    package static let instancesOfRelationship = "destinationInstancesForSourceRelationshipNamed:sourceInstances:"
    /// The method that creates the fetch request for the source instances.
    package static let fetchRequest = "fetchRequestForSourceEntityNamed:predicateString:"
    /// The variable of the migration manager.
    package static let manager = PredicateSyntax.Expression.variable("manager")
    /// The variable of the source instance.
    package static let source = PredicateSyntax.Expression.variable("source")
    /// The predicate of a mapping without a filter.
    package static let allObjects = "TRUEPREDICATE"
}
