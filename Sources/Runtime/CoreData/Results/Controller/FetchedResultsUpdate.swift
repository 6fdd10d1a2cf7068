public import Foundation

/// The changes to the results of a fetched results controller, and the results after them.
///
/// ```swift
/// func follow(_ controller: NSFetchedResultsController<Book>) async {
///     for await update in controller.changes { print(update.changes.count) }
/// }
/// ```
///
/// An addition to Apple's API. A value that may be sent to any thread.
public struct FetchedResultsUpdate: Sendable, Hashable {
    /// One change. Old index paths refer to the results before the update, new ones to the results after it, as table
    /// views and collection views expect in a batch.
    ///
    /// ```swift
    /// func insertedIDs(_ update: FetchedResultsUpdate) -> [NSManagedObjectID] {
    ///     update.changes.compactMap { if case .insert(let id, at: _) = $0 { id } else { nil } }
    /// }
    /// ```
    public enum Change: Sendable, Hashable {
        /// A section was deleted.
        case deleteSection(Int)
        /// A section was inserted.
        case insertSection(Int)
        /// An object was deleted.
        case delete(NSManagedObjectID, at: IndexPath)
        /// An object was inserted.
        case insert(NSManagedObjectID, at: IndexPath)
        /// An object moved, and its values may have changed.
        case move(NSManagedObjectID, from: IndexPath, to: IndexPath)
        /// An object's values changed. The two index paths differ only if other objects were inserted or deleted.
        case update(NSManagedObjectID, at: IndexPath, now: IndexPath)
    }

    /// The changes: deleted and inserted sections, then deleted, inserted, moved and updated objects.
    public let changes: [Change]
    /// The results after the changes.
    public let snapshot: FetchedResultsSnapshot

    init(_ difference: ResultsDifference<NSManagedObject>, _ contents: ResultsContents?) {
        snapshot = FetchedResultsSnapshot(contents)
        changes =
            difference.deletedSections.map { .deleteSection($0) }
            + difference.insertedSections.map { .insertSection($0) }
            + difference.deletions.map { .delete($0.element.objectID, at: $0.path) }
            + difference.insertions.map { .insert($0.element.objectID, at: $0.path) }
            + difference.moves.map { .move($0.element.objectID, from: $0.old, to: $0.new) }
            + difference.updates.map { .update($0.element.objectID, at: $0.old, now: $0.new) }
    }
}
