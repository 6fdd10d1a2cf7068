/// A record type: the counterpart of a table in a database.
package struct RecordType: Hashable, Sendable {
    /// The name, without quotes.
    package var name: String
    package var fields: [RecordField]
    /// The permissions of roles for its records.
    package var grants: [Grant]
    /// The location of the name.
    package var location = SchemaLocation()

    /// Creates a record type.
    package init(
        name: String, fields: [RecordField] = [], grants: [Grant] = [], location: SchemaLocation = SchemaLocation()
    ) {
        self.name = name
        self.fields = fields
        self.grants = grants
        self.location = location
    }

    /// Returns the first field with a name, if any.
    package func field(named name: String) -> RecordField? { fields.first { $0.name == name } }
}

/// A field of a record type.
package struct RecordField: Hashable, Sendable {
    /// The name, without quotes.
    package var name: String
    package var type: FieldType
    /// The indexes.
    package var options: Set<FieldOption>
    /// Words after the type that are not options of the language, as written.
    package var unrecognized: [String]
    /// The location of the name.
    package var location = SchemaLocation()
    package var typeLocation = SchemaLocation()

    /// Creates a field.
    package init(name: String, type: FieldType, options: Set<FieldOption> = [], unrecognized: [String] = []) {
        self.name = name
        self.type = type
        self.options = options
        self.unrecognized = unrecognized
    }

    /// The fields that every record type has, in the order of an export.
    package static let system = [
        RecordField(name: "___createTime", type: .timestamp), RecordField(name: "___createdBy", type: .reference),
        RecordField(name: "___etag", type: .string),
        RecordField(name: "___modTime", type: .timestamp), RecordField(name: "___modifiedBy", type: .reference),
        RecordField(name: "___recordID", type: .reference),
    ]

    /// Returns the type of the system field with a name, if any.
    package static func systemType(of name: String) -> FieldType? { system.first { $0.name == name }?.type }
}

/// An index of a field, in the order of an export.
package enum FieldOption: String, Hashable, Sendable, CaseIterable {
    /// For equality.
    case queryable = "QUERYABLE"
    /// For words in text.
    case searchable = "SEARCHABLE"
    /// For ranges and order.
    case sortable = "SORTABLE"
}

/// The permissions of a role for the records of a type.
package struct Grant: Hashable, Sendable {
    package enum Permission: Hashable, Sendable {
        case create
        case read
        case write
        /// A word that is not part of the language.
        case unknown(String)
    }

    package var permissions: [Permission]
    /// The name of the role, without quotes.
    package var role: String
    /// The location of the role's name.
    package var location = SchemaLocation()

    /// Creates a grant.
    package init(_ permissions: [Permission], to role: String, location: SchemaLocation = SchemaLocation()) {
        self.permissions = permissions
        self.role = role
        self.location = location
    }
}

extension Grant.Permission {
    /// Reads a permission, case-insensitively.
    package init(word: String) {
        switch word.uppercased() {
        case "CREATE": self = .create
        case "READ": self = .read
        case "WRITE": self = .write
        default: self = .unknown(word)
        }
    }

    /// The word of the language.
    package var word: String {
        switch self {
        case .create: "CREATE"
        case .read: "READ"
        case .write: "WRITE"
        case .unknown(let word): word
        }
    }
}
