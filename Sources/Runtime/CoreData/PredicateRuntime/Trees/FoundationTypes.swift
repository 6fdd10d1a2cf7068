public import FoundationAliases

// Foundation marks these as deprecated on Linux, because its implementations do nothing; see `FoundationAliases`.

/// Foundation's `NSExpression`, which this module implements.
public typealias NSExpression = FoundationAliases.NSExpression

/// Foundation's `NSComparisonPredicate`, which this module implements.
public typealias NSComparisonPredicate = FoundationAliases.NSComparisonPredicate
