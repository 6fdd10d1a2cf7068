internal import Foundation
internal import ModelSchema

/// The default value of an attribute, which models store as text.
enum DefaultValue {
    /// Returns the value as an instance of the class that Apple's framework uses for the type, or `nil` if there is
    /// none. Text that does not fit the type is parsed as Foundation parses numbers in strings, or else counts as none
    /// (Documentation/Formats/CompiledModel.md, 2.6).
    static func value(of attribute: Attribute) -> Any? {
        if attribute.type == .date {
            guard let text = attribute.defaultDateInterval, !text.isEmpty else { return nil }
            return Date(timeIntervalSinceReferenceDate: NumberText.real(text))
        }
        guard let text = attribute.defaultValue else { return nil }
        if attribute.type == .string { return text }
        guard !text.isEmpty else { return nil }
        switch attribute.type {
        case .integer16, .integer32, .integer64: return NSNumber(value: NumberText.integer(text))
        case .double: return NSNumber(value: NumberText.real(text))
        case .float: return NSNumber(value: Float(NumberText.real(text)))
        case .boolean: return NSNumber(value: NumberText.boolean(text))
        case .decimal: return DecimalText(text).map { NSDecimalNumber(string: $0.description) }
        case .uuid: return UUID(uuidString: text)
        case .uri: return URL(string: text)
        case .undefined, .string, .date, .binary, .transformable, .objectID, .composite: return nil
        }
    }
}
