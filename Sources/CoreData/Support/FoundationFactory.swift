public import Foundation

/// Gives Foundation's classes the initialisers that they lack on Linux. Of no use by itself.
///
/// Initialisers of a protocol's extension may assign `self`, those of a class may not
/// (Documentation/Formats/FoundationOnLinux.md, 2). Each extension is for one class: `where Self: NSPredicate`. `NSObject`
/// conforms and not the classes themselves, because an extension would have to name `NSExpression`, which Foundation calls
/// deprecated (see `FoundationNames`).
public protocol FoundationFactory {}

extension NSObject: FoundationFactory {}
