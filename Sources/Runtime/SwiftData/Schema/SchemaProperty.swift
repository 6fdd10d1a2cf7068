public import CoreData

/// A part of a schema's entity.
public protocol SchemaProperty: Codable, Hashable {
    /// The name of the property in the class.
    var name: String { get set }
    /// The name in earlier versions of the schema.
    var originalName: String { get set }
    /// The type of the values.
    var valueType: any Any.Type { get set }
    /// Whether the value can be `nil`.
    var isOptional: Bool { get }
    /// Whether the property is an attribute.
    var isAttribute: Bool { get }
    /// Whether the property is a relationship.
    var isRelationship: Bool { get }
    /// Whether the property is not stored.
    var isTransient: Bool { get }
    /// Whether the value identifies the model.
    var isUnique: Bool { get }
}

extension SchemaProperty {
    /// Encodes the name.
    ///
    /// - Throws: An `EncodingError`, or an error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }

    static func undecodable(_ decoder: any Decoder) -> DecodingError {
        .dataCorrupted(
            DecodingError.Context(
                codingPath: decoder.codingPath,
                debugDescription: "a part of a schema cannot be decoded: create the schema from its classes"))
    }
}

extension Schema {
    /// An attribute of an entity.
    public class Attribute: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
        /// A detail of how an attribute is stored.
        public struct Option: Hashable, Sendable {
            enum Kind: Hashable, Sendable {
                case unique, externalStorage, preserveValueOnDeletion, spotlight, allowsCloudEncryption, ephemeral,
                    codable
                case transformable(String)
            }
            let kind: Kind

            /// The value identifies the model: inserting another model with the value updates the stored one.
            public static var unique: Option { Option(kind: .unique) }
            /// Large values are kept in files beside the store.
            public static var externalStorage: Option { Option(kind: .externalStorage) }
            /// The history keeps the value when the model is deleted.
            public static var preserveValueOnDeletion: Option { Option(kind: .preserveValueOnDeletion) }
            /// Has no effect on Linux.
            public static var spotlight: Option { Option(kind: .spotlight) }
            /// Has no effect on Linux.
            public static var allowsCloudEncryption: Option { Option(kind: .allowsCloudEncryption) }
            /// The value is not stored.
            public static var ephemeral: Option { Option(kind: .ephemeral) }
            /// The encoded form of the value is stored as one value, which stores cannot compare or sort.
            public static var codable: Option { Option(kind: .codable) }
            /// A value transformer that is registered under its class's name converts the value.
            public static func transformable(by transformerType: ValueTransformer.Type) -> Option {
                Option(kind: .transformable(String(describing: transformerType)))
            }
            /// The value transformer with a name converts the value.
            public static func transformable(by transformerName: String) -> Option {
                Option(kind: .transformable(transformerName))
            }
        }

        /// The name.
        public var name: String
        /// The name in earlier versions of the schema.
        public var originalName: String
        /// The options.
        public var options: [Option]
        /// The type of the values.
        public var valueType: any Any.Type
        /// The initial value in the class's declaration.
        public var defaultValue: Any?
        /// The text that changes the version hash.
        public var hashModifier: String?

        /// Creates an attribute with options, as `@Attribute` describes it.
        public init(_ options: Option..., originalName: String? = nil, hashModifier: String? = nil) {
            name = ""
            self.originalName = originalName ?? ""
            self.options = options
            valueType = Any.self
            self.hashModifier = hashModifier
        }

        /// Creates an attribute.
        public init(
            name: String, originalName: String? = nil, options: [Option] = [], valueType: any Any.Type,
            defaultValue: Any? = nil, hashModifier: String? = nil
        ) {
            self.name = name
            self.originalName = originalName ?? name
            self.options = options
            self.valueType = valueType
            self.defaultValue = defaultValue
            self.hashModifier = hashModifier
        }

        /// Always throws: a schema is made from its classes.
        ///
        /// - Throws: A `DecodingError`.
        public required init(from decoder: any Decoder) throws { throw Self.undecodable(decoder) }

        func has(_ kind: Option.Kind) -> Bool { options.contains { $0.kind == kind } }

        var transformerName: String? {
            for case .transformable(let name) in options.map(\.kind) { return name }
            return nil
        }

        /// Whether the value can be `nil`.
        public var isOptional: Bool { valueType is any OptionalProperty.Type }
        /// Whether a value transformer converts the value.
        public var isTransformable: Bool { transformerName != nil }
        /// Whether the encoded form of the value is stored.
        public var isCodable: Bool { has(.codable) }
        /// Whether the property is an attribute: `true`.
        public var isAttribute: Bool { true }
        /// Whether the property is a relationship: `false`.
        public var isRelationship: Bool { false }
        /// Whether the value is not stored.
        public var isTransient: Bool { has(.ephemeral) }
        /// Whether the value identifies the model.
        public var isUnique: Bool { has(.unique) }

        /// Returns whether two attributes have the same name, type and options.
        public static func == (lhs: Attribute, rhs: Attribute) -> Bool {
            lhs.name == rhs.name && lhs.valueType == rhs.valueType && lhs.options == rhs.options
        }

        /// Hashes the name.
        public func hash(into hasher: inout Hasher) { hasher.combine(name) }

        /// The name and type.
        public var debugDescription: String { "Schema.Attribute \(name): \(valueType)" }
    }

    /// An attribute that consists of other attributes.
    public final class CompositeAttribute: Attribute, @unchecked Sendable {
        /// The parts.
        public var properties: [Attribute] = []
    }

    /// A relationship of an entity.
    public final class Relationship: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
        /// What happens to the destination when a model is deleted.
        public enum DeleteRule: String, Codable, Hashable, Sendable {
            /// Nothing.
            case noAction
            /// The inverse becomes `nil`.
            case nullify
            /// The destination is deleted, too.
            case cascade
            /// The deletion fails.
            case deny
        }

        /// A detail of how a relationship is stored.
        public struct Option: Hashable, Sendable {
            /// The destination identifies the model.
            public static var unique: Option { Option() }
        }

        /// The name.
        public var name: String
        /// The name in earlier versions of the schema.
        public var originalName: String
        /// The type of the values.
        public var valueType: any Any.Type
        /// The options.
        public var options: [Option]
        /// What happens to the destination when a model is deleted.
        public var deleteRule: DeleteRule
        /// The least number of models.
        public var minimumModelCount: Int?
        /// The greatest number of models; 0 for any number.
        public var maximumModelCount: Int?
        /// The property.
        public var keypath: AnyKeyPath?
        /// The property at the other end.
        public var inverseKeyPath: AnyKeyPath?
        /// The name of the property at the other end.
        public var inverseName: String?
        /// The name of the entity at the other end.
        public var destination: String
        /// The text that changes the version hash.
        public var hashModifier: String?
        /// Whether `@Relationship` is attached to the property.
        var hasMacro = true
        /// Whether the argument is `inverse: nil`.
        private(set) var isOneWay = false

        /// Creates a relationship, as `@Relationship` describes it.
        public init(
            _ options: Option..., deleteRule: DeleteRule = .nullify, minimumModelCount: Int? = 0,
            maximumModelCount: Int? = 0, originalName: String? = nil, inverse: AnyKeyPath? = nil,
            hashModifier: String? = nil
        ) {
            name = ""
            self.originalName = originalName ?? ""
            valueType = Any.self
            self.options = options
            self.deleteRule = deleteRule
            self.minimumModelCount = minimumModelCount
            self.maximumModelCount = maximumModelCount
            inverseKeyPath = inverse
            destination = ""
            self.hashModifier = hashModifier
        }

        /// The relationship, without an inverse. Used by the code of `@Model` for `inverse: nil`.
        public var _oneWay: Relationship {
            isOneWay = true
            return self
        }

        /// Always throws: a schema is made from its classes.
        ///
        /// - Throws: A `DecodingError`.
        public init(from decoder: any Decoder) throws { throw Self.undecodable(decoder) }

        /// Whether there is at most one model at the other end.
        public var isToOneRelationship: Bool {
            !(PropertyKind.unwrapped(valueType).type is any RelationshipCollection.Type)
        }
        /// Whether the value can be `nil`.
        public var isOptional: Bool { valueType is any OptionalProperty.Type }
        /// Whether the property is an attribute: `false`.
        public var isAttribute: Bool { false }
        /// Whether the property is a relationship: `true`.
        public var isRelationship: Bool { true }
        /// Whether the property is not stored: `false`.
        public var isTransient: Bool { false }
        /// Whether the destination identifies the model.
        public var isUnique: Bool { !options.isEmpty }

        /// Returns whether two relationships have the same name and type.
        public static func == (lhs: Relationship, rhs: Relationship) -> Bool {
            lhs.name == rhs.name && lhs.valueType == rhs.valueType && lhs.deleteRule == rhs.deleteRule
                && lhs.inverseName == rhs.inverseName
        }

        /// Hashes the name.
        public func hash(into hasher: inout Hasher) { hasher.combine(name) }

        /// The name and destination.
        public var debugDescription: String { "Schema.Relationship \(name): \(valueType)" }
    }
}
