package import ModelSchema

extension Attribute {
    /// The default as written, or `nil` if the attribute has none.
    package var defaultText: String? { type == .date ? defaultDateInterval ?? defaultValue : defaultValue }
}
