/// A value that a template can use.
package enum RenderValue: Sendable {
    /// Text.
    case string(String)
    /// A truth value, for sections.
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

    /// Makes an object over those of a parent.
    ///
    /// - Parameter lookUp: gives the value of a name, or nil for a name that the object does not have.
    package init(parent: RenderObject? = nil, _ lookUp: @escaping @Sendable (RenderName) -> RenderValue?) {
        self.lookUp = lookUp
        freeValues = [:]
        self.parent = parent
    }

    /// Makes an object whose names come from the model.
    package init(free values: [String: String]) {
        lookUp = { _ in nil }
        freeValues = values
        parent = nil
    }

    /// The value of a name, its own or its parent's.
    subscript(name: RenderName) -> RenderValue? { lookUp(name) ?? parent?[name] }

    /// The value of a name that comes from the model.
    subscript(free name: String) -> RenderValue? { freeValues[name].map { .string($0) } }

    private var allValues: [String: RenderValue] {
        var values = parent?.allValues ?? [:]
        for name in RenderName.allCases {
            if let value = lookUp(name) { values[name.rawValue] = value }
        }
        for (name, value) in freeValues { values[name] = .string(value) }
        return values
    }
}

extension RenderValue: Encodable {
    /// Encodes the value as plain JSON.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .string(let text): try container.encode(text)
        case .bool(let truth): try container.encode(truth)
        case .list(let objects): try container.encode(objects)
        case .object(let object): try container.encode(object)
        }
    }
}

extension RenderObject: Encodable {
    /// Encodes the object as a JSON object with all names that can be used.
    package func encode(to encoder: any Encoder) throws {
        try allValues.encode(to: encoder)
    }
}
