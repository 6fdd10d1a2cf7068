public import Foundation

/// The results of a fetched results controller at a moment: the IDs of their objects in sections.
///
/// An addition to Apple's API. A value that may go to any thread; the objects of the IDs are asked of a context there.
public struct FetchedResultsSnapshot: Sendable, Hashable {
    /// A section.
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

    /// Takes a picture of results.
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

    /// How many sections there are.
    public var numberOfSections: Int { sections.count }

    /// How many objects there are.
    public var numberOfItems: Int { sections.reduce(0) { $0 + $1.itemIdentifiers.count } }

    /// The objects of the section with a name; none if there is no such section.
    public func itemIdentifiers(inSection identifier: String) -> [NSManagedObjectID] {
        sections.first { $0.name == identifier }?.itemIdentifiers ?? []
    }

    /// The object at a place; nil if there is none.
    public func itemIdentifier(at indexPath: IndexPath) -> NSManagedObjectID? {
        guard indexPath.count == 2, sections.indices.contains(indexPath.section) else { return nil }
        let items = sections[indexPath.section].itemIdentifiers
        return items.indices.contains(indexPath.item) ? items[indexPath.item] : nil
    }

    /// The place of an object; nil if it is not among them. Looks at one after the other.
    public func indexPath(of identifier: NSManagedObjectID) -> IndexPath? {
        for (section, part) in sections.enumerated() {
            if let item = part.itemIdentifiers.firstIndex(of: identifier) {
                return IndexPath(item: item, section: section)
            }
        }
        return nil
    }
}
