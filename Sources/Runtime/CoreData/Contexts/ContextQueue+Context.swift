internal import Foundation

extension ContextQueue {
    /// Creates the queue of a context.
    convenience init(_ type: NSManagedObjectContextConcurrencyType) {
        switch type {
        case .mainQueueConcurrencyType: self.init(.main)
        case .privateQueueConcurrencyType: self.init(LendingQueue())
        case .confinementConcurrencyType: self.init(LendingQueue(), confinedTo: .current)
        }
    }

    /// The context whose block the current code is part of; `nil` outside of `perform` and `performAndWait`.
    static var currentContext: NSManagedObjectContext? {
        currentOwner.map { unsafeDowncast($0, to: NSManagedObjectContext.self) }
    }
}
