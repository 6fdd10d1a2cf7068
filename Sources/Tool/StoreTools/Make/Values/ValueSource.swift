internal import Foundation
internal import ModelSchema

/// The source of an attribute's values: first edge cases that its type and validation rules allow, and then random
/// values.
struct ValueSource {
    /// The attribute's default value, if it has a valid one.
    let defaultValue: Any?
    /// The valid edge cases, in the order in which rows get them.
    let edges: [Any]
    private let kind: any ValueGenerator

    /// Creates the source of an attribute's values.
    ///
    /// - Parameter composites: The composite types of the model.
    /// - Returns: `nil` for types without values: undefined, object ID, and composite types that the model does not
    ///   declare.
    init?(_ attribute: Attribute, composites: [CompositeType], numbers: inout SeededNumbers) {
        guard let kind = Self.kind(of: attribute, composites) else { return nil }
        self.kind = kind
        let text = attribute.type == .date ? attribute.defaultDateInterval : attribute.defaultValue
        defaultValue = text.flatMap(kind.value)
        edges = kind.edges(&numbers)
    }

    static func kind(of attribute: Attribute, _ composites: [CompositeType]) -> (any ValueGenerator)? {
        switch attribute.type {
        case .integer16, .integer32, .integer64: IntegerValues(attribute)
        case .double, .float: RealValues(attribute)
        case .decimal: DecimalValues(attribute)
        case .date: DateValues(attribute)
        case .string: StringValues(attribute)
        case .boolean: BooleanValues()
        case .uuid: UUIDValues()
        case .uri: URLValues()
        case .binary: DataValues(attribute)
        case .transformable: TransformableValues(attribute)
        case .composite: Groups(attribute, composites)
        case .undefined, .objectID: nil
        }
    }

    /// Returns a random valid value, or `nil` if none was found.
    func random(_ numbers: inout SeededNumbers) -> Any? { kind.random(&numbers) }

    /// Returns the value for a number, distinct for each number, or `nil` if the rules do not allow it.
    func numbered(_ number: Int, _ numbers: inout SeededNumbers) -> Any? { kind.numbered(number, &numbers) }
}

/// The values of a type of attribute, as `setValue(_:forKey:)` accepts them.
protocol ValueGenerator {
    /// Returns the valid edge cases.
    func edges(_ numbers: inout SeededNumbers) -> [Any]
    /// Returns a random valid value, or `nil` if none was found.
    func random(_ numbers: inout SeededNumbers) -> Any?
    /// Returns the value for a number, distinct for each number, or `nil`.
    func numbered(_ number: Int, _ numbers: inout SeededNumbers) -> Any?
    /// Returns the value of a default as written in the model, or `nil` if it is invalid.
    func value(of text: String) -> Any?
}
