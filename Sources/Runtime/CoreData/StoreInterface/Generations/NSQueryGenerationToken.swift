public import Foundation

/// A snapshot of the stores that a context reads, unaffected by later saves.
///
/// ```swift
/// try context.setQueryGenerationFrom(.current)
/// let before = try context.count(for: Book.fetchRequest())  // Does not see what other contexts save from now on.
/// ```
///
/// Tokens work in contexts of one coordinator in one process. A token retains its snapshot, and the stores' write-ahead
/// logs grow until it is released. Immutable and thread-safe.
open class NSQueryGenerationToken: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// The generation, or `nil` for the state at the time of the first read.
    let generation: QueryGeneration?

    init(_ generation: QueryGeneration?) {
        self.generation = generation
        super.init()
    }

    /// Creates the token of the current generation, because generations do not outlive their process.
    public required init?(coder: NSCoder) {
        generation = nil
        super.init()
    }

    private static let newest = NSQueryGenerationToken(nil)

    /// The token for the state of the stores when a context first reads after it was pinned to the token.
    open class var current: NSQueryGenerationToken { newest }

    /// Always `true`.
    public static var supportsSecureCoding: Bool { true }

    /// Encodes nothing, because generations do not outlive their process.
    open func encode(with coder: NSCoder) {}

    /// Returns the token itself, which is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns whether both tokens represent the same generation.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? NSQueryGenerationToken).map { $0.generation === generation } ?? false
    }

    /// The hash of the generation.
    open override var hash: Int { generation.map { ObjectIdentifier($0).hashValue } ?? 0 }

    /// A description of the generation, for debugging.
    open override var description: String {
        generation == nil ? "<NSQueryGenerationToken: current>" : "<NSQueryGenerationToken: \(hash)>"
    }
}

/// The key of the new generation of a context in the user info of save notifications.
public let NSManagedObjectContextQueryGenerationKey = "newQueryGeneration"
