public import Foundation

/// A type that fetch requests return: managed objects, their IDs, dictionaries and numbers.
///
/// ```swift
/// let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
/// request.resultType = .managedObjectIDResultType
/// let ids = try context.fetch(request) as? [NSManagedObjectID]
/// ```
///
/// This is a marker protocol, so that `NSFetchRequest<NSFetchRequestResult>` is a type as on Apple's platforms
/// (Documentation/Formats/FoundationOnLinux.md, 7). It cannot be tested with `as?`.
@_marker public protocol NSFetchRequestResult: AnyObject {}

extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}

/// The kind of results that a fetch request returns. Raw values equal Apple's.
///
/// ```swift
/// let request = NSFetchRequest<NSDictionary>(entityName: "Book")
/// request.resultType = .dictionaryResultType
/// request.propertiesToFetch = ["title", "rating"]
/// ```
public struct NSFetchRequestResultType: OptionSet, Sendable {
    /// The bits of the option set.
    public let rawValue: UInt

    /// Creates a result type from its bits.
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

/// A class of results that is notified when a request for its instances is created.
protocol RequestedResult: AnyObject {
    static func didRequest()
}
