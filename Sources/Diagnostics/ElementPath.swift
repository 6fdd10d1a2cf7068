/// The part of a model that a finding is about, by name and not by place: it stays the same when lines move.
package struct ElementPath: Hashable, Sendable {
    /// The name of the model, the bundle's name without its extension; nil when the file stands alone.
    package var model: String?
    /// The name of the model version; nil for a finding about the bundle as a whole.
    package var version: String?
    /// The names from the outermost element to the concerned one, for example `Book`, `author`. Empty for the model itself.
    package var components: [String]
    /// What the concerned element is, in Core Data's words: `entity`, `attribute`, `relationship`, `fetch index` and so on.
    package var kind: String

    /// Creates a path.
    package init(model: String? = nil, version: String? = nil, components: [String], kind: String) {
        self.model = model
        self.version = version
        self.components = components
        self.kind = kind
    }

    /// The names with dots between them, as in `Book.author`; empty for the model itself.
    package var dotted: String { components.joined(separator: ".") }
}
