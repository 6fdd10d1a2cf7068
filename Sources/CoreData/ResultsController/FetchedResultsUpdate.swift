public import Foundation

/// What has happened to the results of a fetched results controller, and what they are now.
///
/// An addition to Apple's API. A value that may go to any thread.
public struct FetchedResultsUpdate: Sendable, Hashable {
    /// One change. Old places count before all changes of the update, new places after all of them, as table views and
    /// collection views take them in one batch.
    public enum Change: Sendable, Hashable {
        /// A section went.
        case deleteSection(Int)
        /// A section came.
        case insertSection(Int)
        /// An object went.
        case delete(NSManagedObjectID, at: IndexPath)
        /// An object came.
        case insert(NSManagedObjectID, at: IndexPath)
        /// An object has another place, and may have other values.
        case move(NSManagedObjectID, from: IndexPath, to: IndexPath)
        /// An object has other values. It was at the first place; the second differs only because others came and went.
        case update(NSManagedObjectID, at: IndexPath, now: IndexPath)
    }

    /// The changes: sections that went and came, objects that went, came, moved and changed.
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
