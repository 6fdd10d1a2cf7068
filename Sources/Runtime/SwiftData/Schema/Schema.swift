internal import Foundation

/// The entities of a set of model classes.
///
/// ```swift
/// let schema = Schema([Book.self, Author.self])
/// let container = try ModelContainer(for: schema)
/// ```
public final class Schema: Codable, Hashable, CustomDebugStringConvertible, @unchecked Sendable {
    /// The version of the encoding.
    public static let schemaEncodingVersion = Version(1, 0, 0)
    /// The version of the schema's encoding.
    public let encodingVersion: Version
    /// The entities, in alphabetical order.
    public let entities: [Entity]
    /// The version.
    public let version: Version
    /// The classes by entity name.
    let classes: [String: ModelInfo]
    /// The reasons why properties of the classes cannot be stored.
    let problems: [SchemaProblem]

    private init(_ built: ModelSchemaBuilder, version: Version) {
        encodingVersion = Self.schemaEncodingVersion
        self.version = version
        entities = built.entities
        classes = built.classes
        problems = built.problems
    }

    /// Creates a schema without entities.
    public convenience init() { self.init([any PersistentModel.Type]()) }

    /// Creates the schema of classes and the destinations of their relationships.
    public convenience init(
        _ types: any PersistentModel.Type..., version: Version = Version(1, 0, 0)
    ) {
        self.init(types, version: version)
    }

    /// Creates the schema of classes and the destinations of their relationships.
    public convenience init(
        _ types: [any PersistentModel.Type], version: Version = Version(1, 0, 0)
    ) {
        self.init(ModelSchemaBuilder(types), version: version)
    }

    /// Creates the schema of a version's classes.
    public convenience init(versionedSchema: any VersionedSchema.Type) {
        self.init(versionedSchema.models, version: versionedSchema.versionIdentifier)
    }

    /// Creates a schema from entities that other schemas contain.
    public convenience init(_ entities: Entity..., version: Version = Version(1, 0, 0)) {
        self.init(entities.compactMap { $0.info?.type }, version: version)
    }

    /// The entities by name.
    public var entitiesByName: [String: Entity] {
        Dictionary(entities.map { ($0.name, $0) }) { first, _ in first }
    }

    /// Returns the entity of a class.
    public func entity<T: PersistentModel>(for type: T.Type) -> Entity? {
        entities.first { $0.name == Schema.entityName(for: type) }
    }

    /// Returns the name of a class's entity: the class's name without those of the types that contain it.
    public static func entityName<T: PersistentModel>(for type: T.Type) -> String { String(describing: type) }

    // MARK: Comparing

    /// Returns whether two schemas have the same version and classes.
    public static func == (lhs: Schema, rhs: Schema) -> Bool {
        lhs === rhs
            || (lhs.version == rhs.version
                && lhs.entities.map { $0.info?.identifier } == rhs.entities.map { $0.info?.identifier })
    }

    /// Hashes the version and the names of the entities.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(version)
        for entity in entities { hasher.combine(entity.name) }
    }

    /// The version and the names of the entities.
    public var debugDescription: String {
        "Schema \(version): \(entities.map(\.name).joined(separator: ", "))"
    }
}

extension Schema {
    /// A version number.
    public struct Version: Codable, Comparable, Hashable, Sendable, CustomStringConvertible {
        /// The first number.
        public let major: Int
        /// The second number.
        public let minor: Int
        /// The third number.
        public let patch: Int

        /// Creates a version.
        public init(_ major: Int, _ minor: Int, _ patch: Int) {
            (self.major, self.minor, self.patch) = (major, minor, patch)
        }

        /// Creates a version from three numbers that are separated by dots.
        init?(text: String) {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            let numbers = parts.compactMap { Int($0) }
            guard parts.count == 3, numbers.count == 3 else { return nil }
            self.init(numbers[0], numbers[1], numbers[2])
        }

        /// The numbers, separated by dots.
        public var description: String { "\(major).\(minor).\(patch)" }

        /// Returns whether a version is earlier than another.
        public static func < (lhs: Version, rhs: Version) -> Bool {
            (lhs.major, lhs.minor, lhs.patch) < (rhs.major, rhs.minor, rhs.patch)
        }
    }

    /// A stored property as `@Model` describes it.
    public struct PropertyMetadata: @unchecked Sendable {
        let name: String
        let keypath: AnyKeyPath
        let defaultValue: Any?
        let metadata: (any SchemaProperty)?

        /// Describes a property.
        public init(
            name: String, keypath: AnyKeyPath, defaultValue: Any? = nil, metadata: (any SchemaProperty)? = nil
        ) {
            self.name = name
            self.keypath = keypath
            self.defaultValue = defaultValue
            self.metadata = metadata
        }
    }
}

/// A version of a schema, whose classes are usually nested in the type that conforms.
///
/// ```swift
/// enum SchemaV1: VersionedSchema {
///     static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
///     static var models: [any PersistentModel.Type] { [Book.self] }
/// }
/// ```
public protocol VersionedSchema {
    /// The classes.
    static var models: [any PersistentModel.Type] { get }
    /// The version's number, the version identifier of the schema's managed object model.
    static var versionIdentifier: Schema.Version { get }
}

/// The reason why a property cannot be stored.
struct SchemaProblem: Sendable {
    let message: String
    /// Whether the property can be stored, but in a form that is not known to be Apple's.
    var isProvisional = false
}
