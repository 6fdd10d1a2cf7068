internal import Mustache

/// A value that a template can use.
package indirect enum RenderValue: Hashable, Sendable {
    /// Text.
    case string(String)
    /// A truth value, for sections.
    case bool(Bool)
    /// Objects, for sections that repeat.
    case list([RenderObject])
    /// An object, for names with dots.
    case object(RenderObject)

    /// The value in the form that swift-mustache knows.
    fileprivate var mustacheValue: Any {
        switch self {
        case .string(let text): text
        case .bool(let truth): truth
        case .list(let objects): objects
        case .object(let object): object
        }
    }
}

/// The names that a template can use at one place, with their values.
///
/// Answers swift-mustache's questions directly (`MustacheParent`), without reflection.
package struct RenderObject: Hashable, Sendable {
    /// The names and their values.
    package var values: [String: RenderValue]
    /// Where names that are not in `values` are looked up.
    private let base: [String: RenderValue]

    /// Makes an object of names and values, over a base that it shares with other objects.
    package init(_ values: [String: RenderValue], over base: [String: RenderValue] = [:]) {
        self.values = values
        self.base = base
    }

    /// All names that can be used, its own and those of the base.
    var allValues: [String: RenderValue] { base.merging(values) { _, own in own } }
}

extension RenderObject: MustacheParent {
    /// The value of a name, as swift-mustache asks for it.
    package func child(named name: String) -> Any? {
        (values[name] ?? base[name])?.mustacheValue
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
