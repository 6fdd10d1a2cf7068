internal import Foundation

/// The children of a context, and whether it merges changes from its parent.
///
/// Thread-safe: another context that saves reads this on its own thread.
final class ContextFamily: @unchecked Sendable {
    private let lock = NSLock()
    private var children: [WeakContext] = []
    private var merges = false

    private struct WeakContext {
        weak var context: NSManagedObjectContext?
    }

    /// Whether the context automatically merges what other contexts save to its parent or coordinator.
    var mergesFromParent: Bool {
        get { lock.withLock { merges } }
        set { lock.withLock { merges = newValue } }
    }

    /// The child contexts that are alive.
    var all: [NSManagedObjectContext] { lock.withLock { children.compactMap(\.context) } }

    func add(_ child: NSManagedObjectContext) {
        lock.withLock {
            children.removeAll { $0.context == nil }
            children.append(WeakContext(context: child))
        }
    }
}
