package import ModelSchema

extension Attribute {
    /// The type of the attribute's CloudKit field, or `nil` if CloudKit does not support its values.
    package var cloudKitType: FieldType? {
        guard unknownType == nil, let plain = type.cloudKitType else { return nil }
        return allowsCloudEncryption ? plain.encrypted : plain
    }

    /// The indexes of the attribute's field. CloudKit does not index encrypted fields.
    var cloudKitOptions: Set<FieldOption> {
        guard !allowsCloudEncryption, let type = type.cloudKitType else { return [] }
        return type == .string ? Set(FieldOption.allCases) : [.queryable, .sortable]
    }

    /// Whether large values are stored in an asset beside the field.
    package var hasCloudKitAsset: Bool {
        switch type {
        case .string, .binary, .transformable, .composite: unknownType == nil
        default: false
        }
    }
}

extension AttributeType {
    /// Returns whether an attribute keeps its CloudKit field when its type changes, as from Integer 16 to Integer 64.
    package func sharesCloudKitField(with other: AttributeType) -> Bool {
        cloudKitType != nil && cloudKitType == other.cloudKitType
    }

    /// The type of an unencrypted field for the attribute type (Documentation/Formats/CloudKitSchema.md, 3).
    fileprivate var cloudKitType: FieldType? {
        switch self {
        case .integer16, .integer32, .integer64, .boolean: .int64
        case .double, .float, .decimal: .double
        case .date: .timestamp
        case .string, .uuid, .uri: .string
        case .binary, .transformable, .composite: .bytes
        case .undefined, .objectID: nil
        }
    }
}
