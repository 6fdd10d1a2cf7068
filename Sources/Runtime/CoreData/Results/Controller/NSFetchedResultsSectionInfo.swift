internal import Foundation

/// A section of a controller's results, as of the time when it was requested.
///
/// ```swift
/// func describe(_ section: any NSFetchedResultsSectionInfo) -> String {
///     "\(section.name): \(section.numberOfObjects)"
/// }
/// ```
public protocol NSFetchedResultsSectionInfo {
    /// The section's name: the value of the section key path as a string; empty for `nil`, and if there are no
    /// sections.
    var name: String { get }
    /// The title in the section index; `nil` if there is none.
    var indexTitle: String? { get }
    /// The number of objects in the section.
    var numberOfObjects: Int { get }
    /// The objects of the section.
    var objects: [Any]? { get }
}

/// A section of results. Sections with the same name, title and objects are equal.
final class ResultsSectionInfo: NSObject, NSFetchedResultsSectionInfo {
    let name: String
    let indexTitle: String?
    private let slice: ArraySlice<NSManagedObject>

    init(name: String, indexTitle: String?, _ slice: ArraySlice<NSManagedObject>) {
        self.name = name
        self.indexTitle = indexTitle
        self.slice = slice
        super.init()
    }

    var numberOfObjects: Int { slice.count }

    var objects: [Any]? { Array(slice) }

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? ResultsSectionInfo else { return false }
        return self === other
            || name == other.name && indexTitle == other.indexTitle && slice.elementsEqual(other.slice, by: ===)
    }

    override var hash: Int { name.hashValue }
}
