internal import Foundation
internal import RuntimeSupport

/// Notifies a delegate of changes, through the methods that it implements.
struct DelegateCalls {
    /// The methods that replace all others.
    enum Method: Hashable {
        case snapshot
        case difference
    }

    /// The methods that delegate classes lack. Whether a class implements a method is only known once it was called.
    static let missing = MissingMethods()

    private let core: ResultsCore
    private let delegate: any NSFetchedResultsControllerDelegate
    private let controller: NSFetchedResultsController<any NSFetchRequestResult>

    init(
        core: ResultsCore, delegate: any NSFetchedResultsControllerDelegate,
        controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {
        self.core = core
        self.delegate = delegate
        self.controller = controller
    }

    private func isMissing(_ method: Method) -> Bool { Self.missing.contains(method, of: type(of: delegate)) }

    /// Applies a change and notifies the delegate, which may look at the old results before the change.
    func notify(_ change: () -> ResultsDifference<NSManagedObject>) {
        let oldSections = core.contents?.sections ?? []
        if isMissing(.snapshot), core.sections.keyPath != nil || isMissing(.difference) {
            delegate.controllerWillChangeContent(controller)
            return notify(change(), oldSections)
        }
        let old = core.contents
        let difference = change()
        if !isMissing(.snapshot) {
            delegate.controller(controller, didChangeContentWith: FetchedResultsSnapshot(core.contents))
            guard isMissing(.snapshot) else { return }
        }
        if core.sections.keyPath == nil, !isMissing(.difference) {
            delegate.controller(controller, didChangeContentWith: difference.collectionDifference)
            guard isMissing(.difference) else { return }
        }
        let isCurrent = core.withContents(old) { delegate.controllerWillChangeContent(controller) }
        notify(isCurrent ? difference : ResultsDifference(), oldSections)
    }

    /// Passes a snapshot of the unchanged results to a delegate that receives snapshots.
    func sendSnapshot() {
        guard !isMissing(.snapshot) else { return }
        delegate.controller(controller, didChangeContentWith: FetchedResultsSnapshot(core.contents))
    }

    private func notify(_ difference: ResultsDifference<NSManagedObject>, _ oldSections: [ResultsContents.Section]) {
        for position in difference.deletions { notify(.delete, object: position.element, old: position.path, new: nil) }
        for index in difference.deletedSections where oldSections.indices.contains(index) {
            let info = core.sectionInfo(oldSections[index].name, [])
            delegate.controller(controller, didChange: info, atSectionIndex: index, for: .delete)
        }
        for index in difference.insertedSections {
            guard let infos = core.sectionInfos, infos.indices.contains(index) else { continue }
            delegate.controller(controller, didChange: infos[index], atSectionIndex: index, for: .insert)
        }
        for position in difference.insertions {
            notify(.insert, object: position.element, old: nil, new: position.path)
        }
        for move in difference.moves { notify(.move, object: move.element, old: move.old, new: move.new) }
        for move in difference.updates { notify(.update, object: move.element, old: move.old, new: move.new) }
        delegate.controllerDidChangeContent(controller)
    }

    private func notify(
        _ type: NSFetchedResultsChangeType, object: NSManagedObject, old: IndexPath?, new: IndexPath?
    ) {
        delegate.controller(controller, didChange: object, at: old, for: type, newIndexPath: new)
    }
}

/// The methods that delegate classes lack. Thread-safe.
final class MissingMethods: @unchecked Sendable {
    private struct Key: Hashable {
        let type: ObjectIdentifier
        let method: DelegateCalls.Method
    }

    private let lock = NSLock()
    private var methods: Set<Key> = []

    func insert(_ method: DelegateCalls.Method, of type: any NSFetchedResultsControllerDelegate.Type) {
        lock.withLock { _ = methods.insert(Key(type: ObjectIdentifier(type), method: method)) }
    }

    func contains(_ method: DelegateCalls.Method, of type: any NSFetchedResultsControllerDelegate.Type) -> Bool {
        lock.withLock { methods.contains(Key(type: ObjectIdentifier(type), method: method)) }
    }
}

extension ResultsDifference where Element == NSManagedObject {
    /// The difference as a `CollectionDifference`, for results without sections.
    var collectionDifference: CollectionDifference<NSManagedObjectID> {
        var changes: [CollectionDifference<NSManagedObjectID>.Change] = []
        for deletion in deletions {
            changes.append(.remove(offset: deletion.path[1], element: deletion.element.objectID, associatedWith: nil))
        }
        for insertion in insertions {
            changes.append(.insert(offset: insertion.path[1], element: insertion.element.objectID, associatedWith: nil))
        }
        for move in moves + updates {
            let id = move.element.objectID
            changes.append(.remove(offset: move.old[1], element: id, associatedWith: move.new[1]))
            changes.append(.insert(offset: move.new[1], element: id, associatedWith: move.old[1]))
        }
        guard let difference = CollectionDifference(changes) else { misuse("two changes have the same index") }
        return difference
    }
}
