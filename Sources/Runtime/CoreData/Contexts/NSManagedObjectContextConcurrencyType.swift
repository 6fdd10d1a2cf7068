/// The queue that a context is used on. Raw values equal Apple's.
///
/// ```swift
/// let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
/// ```
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
    /// The thread that created the context. Deprecated by Apple.
    case confinementConcurrencyType = 0
    /// A private queue.
    case privateQueueConcurrencyType = 1
    /// The main queue.
    case mainQueueConcurrencyType = 2
}
