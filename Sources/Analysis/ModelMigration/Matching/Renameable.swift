package import ModelSchema

/// An element that migration identifies by name in another version.
package protocol Renameable: SendableMetatype {
    /// The element's name.
    var name: String { get }
    /// The renaming identifier as written, or `nil` if the element has none.
    var renamingIdentifier: String? { get }
}

extension Renameable {
    /// The name that migration compares: the renaming identifier, or else the element's name.
    ///
    /// Apple calls the identifier a canonical name: versions 2 and 3 of an element that was renamed after version 1
    /// both carry the name of version 1 (Apple, “Lightweight Migration”).
    package var canonicalName: String {
        guard let renamingIdentifier, !renamingIdentifier.isEmpty else { return name }
        return renamingIdentifier
    }
}

extension Entity: Renameable {}
extension Property: Renameable {}
