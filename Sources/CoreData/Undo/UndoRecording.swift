internal import Foundation

/// The undo manager of a context, and what makes the context record changes in time.
final class UndoRecording {
    /// The undo manager; nil if nothing is recorded.
    private(set) var manager: UndoManager?
    private var checkpoints: (any NSObjectProtocol)?
    /// Whether changes are made by a merge or a save, and are not to be undone.
    private(set) var isSuspended = false

    deinit {
        if let checkpoints { NotificationCenter.default.removeObserver(checkpoints) }
    }

    /// Records with another undo manager from now on. Before a group of it ends, the context's changes are processed.
    func use(_ newManager: UndoManager?, for context: NSManagedObjectContext) {
        manager?.removeAllActions(withTarget: context)
        manager = newManager
        if let checkpoints { NotificationCenter.default.removeObserver(checkpoints) }
        checkpoints = newManager.map { manager in
            let this = SendableBox(WeakContext(context: context))
            return NotificationCenter.default.addObserver(
                forName: .NSUndoManagerCheckpoint, object: manager, queue: nil
            ) { _ in this.value.context?.processPendingChanges() }
        }
    }

    private struct WeakContext {
        weak var context: NSManagedObjectContext?
    }

    /// Runs a block whose changes are not to be undone.
    func suspended<Result>(_ body: () throws -> Result) rethrows -> Result {
        let outer = isSuspended
        isSuspended = true
        defer { isSuspended = outer }
        return try body()
    }
}
