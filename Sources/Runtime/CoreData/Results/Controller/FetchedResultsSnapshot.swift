public import Foundation

/// The results of a fetched results controller at one moment: the IDs of its objects in sections.
///
/// ```swift
/// func count(_ snapshot: FetchedResultsSnapshot) -> Int {
///     snapshot.sections.reduce(0) { $0 + $1.itemIdentifiers.count }
/// }
/// ```
///
/// An addition to Apple's API. A value that may be sent to any thread; fetch the objects of the IDs from a context
/// there.
public struct FetchedResultsSnapshot: Sendable, Hashable {
    /// A section of a snapshot.
    ///
    /// ```swift
    /// func describe(_ section: FetchedResultsSnapshot.Section) -> String {
    ///     "\(section.name): \(section.itemIdentifiers.count)"
    /// }
    /// ```
    public struct Section: Sendable, Hashable, Identifiable {
        /// The name; empty if there are no sections.
        public let name: String
        /// The objects, in order.
        public let itemIdentifiers: [NSManagedObjectID]

        /// The name.
        public var id: String { name }
    }

    /// The sections, in order; a single one for a controller without a section key path.
    public let sections: [Section]

    /// Creates a snapshot of results.
    init(_ contents: ResultsContents?) {
        sections = (contents?.sections ?? []).map { section in
            Section(
                name: section.name, itemIdentifiers: contents?.objects[section.range].map(\.objectID) ?? [])
        }
    }

    /// The names of the sections, in order.
    public var sectionIdentifiers: [String] { sections.map(\.name) }

    /// All objects, in order.
    public var itemIdentifiers: [NSManagedObjectID] { sections.flatMap(\.itemIdentifiers) }

    /// The number of sections.
    public var numberOfSections: Int { sections.count }

    /// The number of objects.
    public var numberOfItems: Int { sections.reduce(0) { $0 + $1.itemIdentifiers.count } }

    /// Returns the objects of the section with a name, or an empty array if there is no such section.
    public func itemIdentifiers(inSection identifier: String) -> [NSManagedObjectID] {
        sections.first { $0.name == identifier }?.itemIdentifiers ?? []
    }

    /// Returns the object at an index path, or `nil` if it is out of bounds.
    public func itemIdentifier(at indexPath: IndexPath) -> NSManagedObjectID? {
        guard indexPath.count == 2, sections.indices.contains(indexPath.section) else { return nil }
        let items = sections[indexPath.section].itemIdentifiers
        return items.indices.contains(indexPath.item) ? items[indexPath.item] : nil
    }

    /// Returns the index path of an object, or `nil` if it is not in the results. Complexity: O(*n*).
    public func indexPath(of identifier: NSManagedObjectID) -> IndexPath? {
        for (section, part) in sections.enumerated() {
            if let item = part.itemIdentifiers.firstIndex(of: identifier) {
                return IndexPath(item: item, section: section)
            }
        }
        return nil
    }
}
