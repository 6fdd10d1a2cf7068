/// An object with all of its properties.
package struct ObjectDetails: Codable, Sendable {
    /// A property with its value.
    package struct Value: Codable, Sendable {
        /// The property's name.
        package var name: String
        /// The value; text is complete unless it is very long.
        package var cell: ListCell
        /// The destinations of a to-many relationship with their titles, up to a limit.
        package var members: [ListCell]?
        /// The index of the first of `members`.
        package var memberOffset: Int?
        /// The elements of a composite attribute.
        package var elements: [Value]?
        /// The type, for elements.
        package var type: String?
    }

    package var uri: String
    package var entity: String
    /// The primary key.
    package var key: String
    /// The properties.
    package var values: [Value]
}
