/// A CloudKit schema: the record types and roles of a container (Documentation/Formats/CloudKitSchema.md, 1).
///
/// Schemas compare by content; the locations of elements in a file are ignored.
package struct Schema: Hashable, Sendable {
    /// The roles that the schema creates.
    package var roles: [Role]
    package var recordTypes: [RecordType]
    /// Other statements, as written, without the semicolon.
    package var unrecognized: [String]

    /// Creates a schema.
    package init(roles: [Role] = [], recordTypes: [RecordType] = [], unrecognized: [String] = []) {
        self.roles = roles
        self.recordTypes = recordTypes
        self.unrecognized = unrecognized
    }
}

/// A role that grants refer to.
package struct Role: Hashable, Sendable {
    /// The name, without quotes.
    package var name: String
    /// The location of the name.
    package var location = SchemaLocation()

    /// Creates a role.
    package init(name: String, location: SchemaLocation = SchemaLocation()) {
        self.name = name
        self.location = location
    }

    /// The roles that exist in every container.
    package static let systemNames = ["_creator", "_icloud", "_world"]
}

/// A location in the file that a schema was read from. All locations compare as equal, so that schemas compare by
/// content.
package struct SchemaLocation: Hashable, Sendable {
    /// The byte offsets, or `nil` for an element that was not read from a file.
    package var offsets: Range<Int>?

    /// Creates a location.
    package init(_ offsets: Range<Int>? = nil) {
        self.offsets = offsets
    }

    package static func == (lhs: SchemaLocation, rhs: SchemaLocation) -> Bool { true }
    package func hash(into hasher: inout Hasher) {}
}
