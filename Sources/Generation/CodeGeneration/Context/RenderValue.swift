/// A value that a template can use.
package enum RenderValue: Sendable {
    /// Text.
    case string(String)
    /// A Boolean, for sections.
    case bool(Bool)
    /// Objects, for sections that repeat.
    case list([RenderObject])
    /// An object, for names with dots.
    case object(RenderObject)
}

/// The names that a template can use in one scope, with their values.
///
/// Values are computed on demand: a template uses only a few of a property's many values.
package final class RenderObject: Sendable {
    private let lookUp: @Sendable (RenderName) -> RenderValue?
    /// Names that come from the model, such as the keys of `userInfo`.
    private let freeValues: [String: String]
    /// The object in which names that are missing here are looked up.
    private let parent: RenderObject?

    /// Creates an object that adds names to those of a parent.
    ///
    /// - Parameter lookUp: Returns the value of a name, or `nil` for a name that the object does not have.
    package init(parent: RenderObject? = nil, _ lookUp: @escaping @Sendable (RenderName) -> RenderValue?) {
        self.lookUp = lookUp
        freeValues = [:]
        self.parent = parent
    }

    /// Creates an object whose names come from the model.
    package init(free values: [String: String]) {
        lookUp = { _ in nil }
        freeValues = values
        parent = nil
    }

    /// The value of a name, its own or its parent's.
    subscript(name: RenderName) -> RenderValue? { lookUp(name) ?? parent?[name] }

    /// The value of a name that comes from the model.
    subscript(free name: String) -> RenderValue? { freeValues[name].map { .string($0) } }

    /// All names that can be used, its own and its parents', with their values.
    package var allValues: [String: RenderValue] {
        var values = parent?.allValues ?? [:]
        for name in RenderName.allCases {
            if let value = lookUp(name) { values[name.rawValue] = value }
        }
        for (name, value) in freeValues { values[name] = .string(value) }
        return values
    }
}
