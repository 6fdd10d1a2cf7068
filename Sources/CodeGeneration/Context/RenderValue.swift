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

/// The names that a template can use at one place, with their values.
///
/// Values are made when a template asks for them: a model has far more to say of a property than a template uses.
package final class RenderObject: Sendable {
    private let lookUp: @Sendable (RenderName) -> RenderValue?
    /// Names that come from the model, such as the keys of `userInfo`.
    private let freeValues: [String: String]
    /// Where names that are not here are looked up.
    private let parent: RenderObject?

    /// Creates an object over those of a parent.
    ///
    /// - Parameter lookUp: gives the value of a name, or nil for a name that the object does not have.
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
