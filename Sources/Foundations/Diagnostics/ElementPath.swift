/// The element of a model that a finding is about, identified by name instead of location, so that it stays the same
/// when lines move.
package struct ElementPath: Hashable, Sendable {
    /// The name of the model, which is the bundle's name without its extension; `nil` for a stand-alone file.
    package var model: String?
    /// The name of the model version; `nil` for a finding about the bundle as a whole.
    package var version: String?
    /// The names from the outermost element to the affected one, for example `Book`, `author`. Empty for the model
    /// itself.
    package var components: [String]
    /// The kind of the affected element, in Core Data's terms: `entity`, `attribute`, `relationship`, `fetch index` and
    /// so on.
    package var kind: String
    /// The path of the model, which distinguishes models of the same name; `nil` if the finding's file does.
    package var modelPath: String?

    /// Creates a path.
    package init(model: String? = nil, version: String? = nil, components: [String], kind: String) {
        self.model = model
        self.version = version
        self.components = components
        self.kind = kind
    }

    /// The names separated by dots, as in `Book.author`; empty for the model itself.
    package var dotted: String { components.joined(separator: ".") }
}
