internal import Dispatch
internal import Foundation
internal import RuntimeSupport

/// Saves the changes of a context one second after the last one.
///
/// Only the main context is saved automatically, on the main queue. Other contexts have no queue that a timer could
/// use.
final class Autosave: @unchecked Sendable {
    private weak var context: ModelContext?
    private var isScheduled = false
    private var deadline = DispatchTime.now()
    private static let delay = DispatchTimeInterval.seconds(1)

    init(_ context: ModelContext) { self.context = context }

    func schedule() {
        guard let context, context.isMain else { return }
        deadline = .now() + Self.delay
        guard !isScheduled else { return }
        isScheduled = true
        wait()
    }

    func cancel() { deadline = .distantFuture }

    private func wait() {
        DispatchQueue.main.asyncAfter(deadline: deadline) { [weak self] in self?.fire() }
    }

    private func fire() {
        isScheduled = false
        guard let context, context.autosaveEnabled, context.hasChanges, deadline != .distantFuture else { return }
        guard deadline <= .now() else {
            isScheduled = true
            return wait()
        }
        do {
            try context.save()
        } catch {
            StandardError.write("SwiftData: autosave failed: \(error)\n")
        }
    }
}
