/// The type of an attribute. Raw values equal Apple's.
///
/// ```swift
/// let attribute = NSAttributeDescription()
/// attribute.attributeType = .UUIDAttributeType
/// ```
///
/// `NSAttributeDescription.AttributeType` is the same type with shorter names.
public enum NSAttributeType: UInt, Sendable {
    /// No type; legal for transient attributes only.
    case undefinedAttributeType = 0
    /// A 16-bit signed integer.
    case integer16AttributeType = 100
    /// A 32-bit signed integer.
    case integer32AttributeType = 200
    /// A 64-bit signed integer.
    case integer64AttributeType = 300
    /// An `NSDecimalNumber`.
    case decimalAttributeType = 400
    /// A 64-bit floating point number.
    case doubleAttributeType = 500
    /// A 32-bit floating point number.
    case floatAttributeType = 600
    /// Text.
    case stringAttributeType = 700
    /// A Boolean.
    case booleanAttributeType = 800
    /// A point in time.
    case dateAttributeType = 900
    /// Bytes.
    case binaryDataAttributeType = 1000
    /// A UUID.
    case UUIDAttributeType = 1100
    /// A URL.
    case URIAttributeType = 1200
    /// An object that a value transformer turns into bytes.
    case transformableAttributeType = 1800
    /// The ID of a managed object.
    case objectIDAttributeType = 2000
    /// A group of attributes.
    case compositeAttributeType = 2100
}

extension NSAttributeType {
    /// The class of the values in Apple's framework (Documentation/Formats/CompiledModel.md, 2.4); `nil` if the type
    /// does not determine it.
    var valueClassName: String? {
        switch self {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .doubleAttributeType,
            .floatAttributeType, .booleanAttributeType:
            "NSNumber"
        case .decimalAttributeType: "NSDecimalNumber"
        case .stringAttributeType: "NSString"
        case .dateAttributeType: "NSDate"
        case .binaryDataAttributeType: "NSData"
        case .UUIDAttributeType: "NSUUID"
        case .URIAttributeType: "NSURL"
        case .objectIDAttributeType: "NSManagedObjectID"
        case .undefinedAttributeType, .transformableAttributeType, .compositeAttributeType: nil
        }
    }
}

extension NSAttributeDescription {
    /// The type of an attribute, with shorter names: `.string` for `.stringAttributeType`.
    ///
    /// ```swift
    /// let attribute = NSAttributeDescription()
    /// attribute.type = .decimal
    /// ```
    public struct AttributeType: RawRepresentable, Hashable, Sendable {
        /// The raw value of the type, as in `NSAttributeType`.
        public let rawValue: UInt

        /// Creates a type from its raw value.
        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        private init(_ type: NSAttributeType) {
            rawValue = type.rawValue
        }

        /// No type; legal for transient attributes only.
        public static let undefined = AttributeType(.undefinedAttributeType)
        /// A 16-bit signed integer.
        public static let integer16 = AttributeType(.integer16AttributeType)
        /// A 32-bit signed integer.
        public static let integer32 = AttributeType(.integer32AttributeType)
        /// A 64-bit signed integer.
        public static let integer64 = AttributeType(.integer64AttributeType)
        /// An `NSDecimalNumber`.
        public static let decimal = AttributeType(.decimalAttributeType)
        /// A 64-bit floating point number.
        public static let double = AttributeType(.doubleAttributeType)
        /// A 32-bit floating point number.
        public static let float = AttributeType(.floatAttributeType)
        /// Text.
        public static let string = AttributeType(.stringAttributeType)
        /// A Boolean.
        public static let boolean = AttributeType(.booleanAttributeType)
        /// A point in time.
        public static let date = AttributeType(.dateAttributeType)
        /// Bytes.
        public static let binaryData = AttributeType(.binaryDataAttributeType)
        /// A UUID.
        public static let uuid = AttributeType(.UUIDAttributeType)
        /// A URL.
        public static let uri = AttributeType(.URIAttributeType)
        /// An object that a value transformer turns into bytes.
        public static let transformable = AttributeType(.transformableAttributeType)
        /// The ID of a managed object.
        public static let objectID = AttributeType(.objectIDAttributeType)
        /// A group of attributes.
        public static let composite = AttributeType(.compositeAttributeType)
    }
}
