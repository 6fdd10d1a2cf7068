internal import CoreData

extension NSManagedObjectID {
    /// The URI as text.
    var uriText: String { uriRepresentation().absoluteString }

    /// The primary key within the entity, such as `12` in `…/Book/p12`; empty for unsaved objects.
    var keyText: String {
        guard !isTemporaryID else { return "" }
        let last = uriRepresentation().lastPathComponent
        return last.hasPrefix("p") ? String(last.dropFirst()) : last
    }
}
