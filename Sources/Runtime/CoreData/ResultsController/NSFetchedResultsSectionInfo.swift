/// A section of a controller's results, as of the time when it was requested.
///
/// ```swift
/// func describe(_ section: any NSFetchedResultsSectionInfo) -> String { "\(section.name): \(section.numberOfObjects)" }
/// ```
public protocol NSFetchedResultsSectionInfo {
    /// The section's name: the value of the section key path as a string; empty for nil, and if there are no sections.
    var name: String { get }
    /// The title in the section index; nil if there is none.
    var indexTitle: String? { get }
    /// The number of objects in the section.
    var numberOfObjects: Int { get }
    /// The objects of the section.
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
