/// The value of a property in a list.
package struct ListCell: Codable, Hashable, Sendable {
    /// How the page shows it: `null`, `text`, `number`, `bool`, `date`, `bytes`, `missing`, `link` or `count`.
    package var kind: String
    /// The value as text; for a date, the seconds since 2001-01-01 00:00 UTC; for a long text, its start.
    package var text: String?
    /// A date as it is edited.
    package var edit: String?
    /// Whether `text` is only the beginning of the value.
    package var isCut: Bool?
    /// The size of bytes, or the number of destinations.
    package var count: Int?
    /// The media type of bytes that are an image.
    package var media: String?
    /// The URI of the destination.
    package var uri: String?

    /// Creates a cell.
    init(_ kind: String, _ text: String? = nil) {
        self.kind = kind
        self.text = text
    }

    /// No value.
    static let null = ListCell("null")
    /// A value in a file that does not exist.
    static let missingFile = ListCell("missing", "file is missing")
}

/// An object in a list.
package struct ListRow: Codable, Sendable {
    package var uri: String
    package var entity: String
    /// The primary key, as the page shows it.
    package var key: String
    /// The values of the entity's properties, in the order of `StoreState.Entity.properties`.
    package var cells: [ListCell]
    /// `inserted`, `updated` or `deleted`, for unsaved edits.
    package var change: String?
    /// Whether the object has disappeared from the store.
    package var isMissing: Bool?
}

/// A part of a list.
package struct RowPage: Codable, Sendable {
    /// The index of the first row.
    package var offset: Int
    /// The number of all rows.
    package var total: Int
    package var rows: [ListRow]
}
