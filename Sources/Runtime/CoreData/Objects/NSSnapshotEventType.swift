/// The reason why an object's values were restored. Raw values equal Apple's.
///
/// ```swift
/// class Note: NSManagedObject {
///     override func awake(fromSnapshotEvents flags: NSSnapshotEventType) {
///         super.awake(fromSnapshotEvents: flags)
///         if flags.contains(.rollback) { print("rolled back") }
///     }
/// }
/// ```
public struct NSSnapshotEventType: OptionSet, Sendable {
    /// The bits of the option set.
    public let rawValue: UInt

    /// Creates an option set from its bits.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// An insertion was undone.
    public static let undoInsertion = NSSnapshotEventType(rawValue: 1 << 1)
    /// A deletion was undone.
    public static let undoDeletion = NSSnapshotEventType(rawValue: 1 << 2)
    /// A change was undone.
    public static let undoUpdate = NSSnapshotEventType(rawValue: 1 << 3)
    /// The context was rolled back.
    public static let rollback = NSSnapshotEventType(rawValue: 1 << 4)
    /// The object was refreshed.
    public static let refresh = NSSnapshotEventType(rawValue: 1 << 5)
    /// A merge policy resolved a conflict.
    public static let mergePolicy = NSSnapshotEventType(rawValue: 1 << 6)
}
