public import Foundation

/// What a fetch request can give: managed objects, their IDs, dictionaries and numbers.
///
/// A marker protocol, so that `NSFetchRequest<NSFetchRequestResult>` is a type as it is on Apple's platforms
/// (Documentation/Formats/FoundationOnLinux.md, 7). It cannot be tested for with `as?`.
@_marker public protocol NSFetchRequestResult: AnyObject {}

extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}

/// What the results of a fetch request are, with the values of Apple's framework.
public struct NSFetchRequestResultType: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Makes a type of its bits.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// Managed objects.
    public static let managedObjectResultType: NSFetchRequestResultType = []
    /// The IDs of managed objects.
    public static let managedObjectIDResultType = NSFetchRequestResultType(rawValue: 1)
    /// Dictionaries of property values.
    public static let dictionaryResultType = NSFetchRequestResultType(rawValue: 2)
    /// The number of objects.
    public static let countResultType = NSFetchRequestResultType(rawValue: 4)
}
