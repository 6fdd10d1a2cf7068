/// A section of a controller's results, as of the time when it was requested.
///
/// ```swift
/// func describe(_ section: any NSFetchedResultsSectionInfo) -> String { "\(section.name): \(section.numberOfObjects)" }
/// ```
public protocol NSFetchedResultsSectionInfo {
    /// The name: the value of the section key path as text; empty for objects without one, and without sections.
    var name: String { get }
    /// The title in the section index; nil for none.
    var indexTitle: String? { get }
    /// How many objects the section has.
    var numberOfObjects: Int { get }
    /// The objects.
    var objects: [Any]? { get }
}

/// A section of results.
final class ResultsSectionInfo: NSFetchedResultsSectionInfo {
    let name: String
    let indexTitle: String?
    private let slice: ArraySlice<NSManagedObject>

    init(name: String, indexTitle: String?, _ slice: ArraySlice<NSManagedObject>) {
        self.name = name
        self.indexTitle = indexTitle
        self.slice = slice
    }

    var numberOfObjects: Int { slice.count }

    var objects: [Any]? { Array(slice) }
}
