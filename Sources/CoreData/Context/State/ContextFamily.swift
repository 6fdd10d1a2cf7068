internal import Foundation

/// The children of a context, and whether it merges what others save.
///
/// Thread-safe: a context that saves asks on its own thread.
final class ContextFamily: @unchecked Sendable {
    private let lock = NSLock()
    private var children: [WeakContext] = []
    private var merges = false

    private struct WeakContext {
        weak var context: NSManagedObjectContext?
    }

    /// Whether the context merges what others have saved to its parent or coordinator.
    var mergesFromParent: Bool {
        get { lock.withLock { merges } }
        set { lock.withLock { merges = newValue } }
    }

    /// The contexts whose parent the context is.
    var all: [NSManagedObjectContext] { lock.withLock { children.compactMap(\.context) } }

    /// Adds a child.
    func add(_ child: NSManagedObjectContext) {
        lock.withLock {
            children.removeAll { $0.context == nil }
            children.append(WeakContext(context: child))
        }
    }
}
