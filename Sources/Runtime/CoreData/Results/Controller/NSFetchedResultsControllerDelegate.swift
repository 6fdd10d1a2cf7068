public import Foundation

/// The kind of a change to an object or section. Raw values equal Apple's.
///
/// ```swift
/// func isMove(_ type: NSFetchedResultsChangeType) -> Bool { type == .move }
/// ```
public enum NSFetchedResultsChangeType: UInt, Sendable {
    /// It was added to the results.
    case insert = 1
    /// It was removed from the results.
    case delete = 2
    /// An object moved, and its values may have changed. Sections do not move: they are deleted and inserted.
    case move = 3
    /// An object's values changed, but not its position.
    case update = 4
}

/// Receives the changes to a controller's results, on the queue of the controller's context.
///
/// ```swift
/// final class BookList: NSObject, NSFetchedResultsControllerDelegate {
///     func controllerDidChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
///         print(controller.fetchedObjects?.count ?? 0)
///     }
/// }
/// ```
///
/// All methods are optional. If the delegate implements the method that receives a snapshot, no other method is called;
/// next comes the one that receives a difference, for a controller without sections. Otherwise the order is
/// `controllerWillChangeContent`, deleted sections, inserted sections, deleted, inserted, moved and updated objects,
/// `controllerDidChangeContent`.
///
/// Old index paths refer to the results before all changes, new ones to those after them, as table views expect between
/// `beginUpdates` and `endUpdates`. Objects whose index path changes only because others are inserted or deleted are
/// not reported.
///
/// The controller that is passed is a different instance than a controller of a specific class: in Swift, a controller
/// of books cannot be cast to one of any object. `===` and `==` treat the two as the same controller.
public protocol NSFetchedResultsControllerDelegate: NSObjectProtocol {
    /// Called after the results have changed, with a snapshot of their current state. On Apple's platforms the snapshot
    /// is an `NSDiffableDataSourceSnapshotReference`, which belongs to UIKit and AppKit.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith snapshot: FetchedResultsSnapshot)

    /// Called after the results of a controller without sections have changed. A moved object is reported as a removal
    /// and an insertion that are associated with each other, a changed object likewise at the same position.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>)

    /// Called when an object was inserted, deleted, moved or updated.
    ///
    /// - Parameters:
    ///   - controller: The controller.
    ///   - anObject: The managed object.
    ///   - indexPath: Its index path before all changes; `nil` for an insertion.
    ///   - type: The kind of change.
    ///   - newIndexPath: Its index path after all changes; `nil` for a deletion.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?)

    /// Called when a section was inserted or deleted.
    ///
    /// - Parameters:
    ///   - controller: The controller.
    ///   - sectionInfo: The section. A deleted one no longer has objects.
    ///   - sectionIndex: Its index, before all changes for a deletion, after them for an insertion.
    ///   - type: `insert` or `delete`.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType)

    /// Called before the results change. The controller still has the old ones.
    func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>)

    /// Called after the results have changed.
    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>)

    /// Returns the title of a section in the section index, or `nil` if there is none. The default is the controller's
    /// own title.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String?
}

// In Objective-C these methods are optional. A delegate lacks a method if the default implementation here is called.
extension NSFetchedResultsControllerDelegate {
    /// Records that the delegate lacks this method, so that others are called.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith snapshot: FetchedResultsSnapshot
    ) {
        controller.core.lacksMethod(.snapshot, self)
    }

    /// Records that the delegate lacks this method, so that others are called.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
    ) {
        controller.core.lacksMethod(.difference, self)
    }

    /// Does nothing.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {}

    /// Does nothing.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {}

    /// Does nothing.
    public func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}

    /// Does nothing.
    public func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}

    /// Returns the controller's own title.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String? {
        controller.sectionIndexTitle(forSectionName: sectionName)
    }
}
