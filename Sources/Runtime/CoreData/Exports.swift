// Code written for Apple's Core Data expects Foundation to be imported with it; this also exports what Foundation lacks
// on Linux.
@_exported public import CoreDataFoundationExtras
@_exported public import Foundation
public import FoundationAliases

// Foundation marks these as deprecated on Linux, because its implementations do nothing; see `FoundationAliases`.

/// Foundation's `NSExpression`, which this module implements.
public typealias NSExpression = FoundationAliases.NSExpression

/// Foundation's `NSComparisonPredicate`, which this module implements.
public typealias NSComparisonPredicate = FoundationAliases.NSComparisonPredicate
