public import Foundation

/// Adds the initializers that Foundation's classes lack on Linux. Not intended for direct use.
///
/// Initializers in a protocol extension may assign `self`; initializers of a class may not
/// (Documentation/Formats/FoundationOnLinux.md, 2). Each extension is for one class: `where Self: NSPredicate`.
/// `NSObject` conforms instead of the classes, because an extension would have to name `NSExpression`, which Foundation
/// declares deprecated (see `FoundationNames`).
public protocol FoundationFactory {}

extension NSObject: FoundationFactory {}
