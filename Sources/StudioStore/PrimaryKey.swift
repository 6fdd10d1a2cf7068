internal import CoreData

extension NSManagedObjectID {
    /// The URI as text.
    var uriText: String { uriRepresentation().absoluteString }

    /// What identifies the object within its entity, such as `12` of `…/Book/p12`; empty for unsaved objects.
    var keyText: String {
        guard !isTemporaryID else { return "" }
        let last = uriRepresentation().lastPathComponent
        return last.hasPrefix("p") ? String(last.dropFirst()) : last
    }
}
