// Code written for Apple's Core Data gets Foundation with it, and what Foundation lacks on Linux.
@_exported public import CoreDataFoundationExtras
@_exported public import Foundation
public import FoundationAliases

// Foundation calls these deprecated on Linux, because its own are hollow; see `FoundationAliases`.

/// Foundation's `NSExpression`, which this module fills with life.
public typealias NSExpression = FoundationAliases.NSExpression

/// Foundation's `NSComparisonPredicate`, which this module fills with life.
public typealias NSComparisonPredicate = FoundationAliases.NSComparisonPredicate
