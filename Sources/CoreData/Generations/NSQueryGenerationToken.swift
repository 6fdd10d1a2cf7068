public import Foundation

/// A snapshot of the stores that a context reads, unaffected by later saves.
///
/// ```swift
/// try context.setQueryGenerationFrom(.current)
/// let before = try context.count(for: Book.fetchRequest())  // Does not see what other contexts save from now on.
/// ```
///
/// Tokens work in contexts of one coordinator in one process. A token retains its snapshot, and the stores' write-ahead logs grow
/// until it is released. Immutable and thread-safe.
open class NSQueryGenerationToken: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// The state; nil for that at the moment of the first read.
    let generation: QueryGeneration?

    init(_ generation: QueryGeneration?) {
        self.generation = generation
        super.init()
    }

    /// What is decoded is the current generation: states do not outlive their process.
    public required init?(coder: NSCoder) {
        generation = nil
        super.init()
    }

    private static let newest = NSQueryGenerationToken(nil)

    /// The state that is found when a context reads for the first time after it got this token.
    open class var current: NSQueryGenerationToken { newest }

    /// True.
    public static var supportsSecureCoding: Bool { true }

    /// Archives nothing: states do not outlive their process.
    open func encode(with coder: NSCoder) {}

    /// Itself: a token never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns whether both name the same state.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? NSQueryGenerationToken).map { $0.generation === generation } ?? false
    }

    /// Of the state.
    open override var hash: Int { generation.map { ObjectIdentifier($0).hashValue } ?? 0 }

    /// The state, for debugging.
    open override var description: String {
        generation == nil ? "<NSQueryGenerationToken: current>" : "<NSQueryGenerationToken: \(hash)>"
    }
}

/// The key of the generation that a context reads from now on, in notifications of saves.
public let NSManagedObjectContextQueryGenerationKey = "newQueryGeneration"
