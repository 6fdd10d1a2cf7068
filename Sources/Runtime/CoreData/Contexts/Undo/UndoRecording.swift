internal import Foundation
internal import RuntimeSupport

/// The undo manager of a context, and the observation that makes the context record changes before a group ends.
final class UndoRecording {
    /// The undo manager; `nil` if nothing is recorded.
    private(set) var manager: UndoManager?
    private var checkpoints: (any NSObjectProtocol)?
    /// Whether changes come from a merge or a save, and so cannot be undone.
    private(set) var isSuspended = false

    deinit {
        if let checkpoints { NotificationCenter.default.removeObserver(checkpoints) }
    }

    /// Switches to another undo manager. Before one of its groups ends, the context's changes are processed.
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

    /// Runs a block whose changes cannot be undone.
    func suspended<Result>(_ body: () throws -> Result) rethrows -> Result {
        let outer = isSuspended
        isSuspended = true
        defer { isSuspended = outer }
        return try body()
    }
}
