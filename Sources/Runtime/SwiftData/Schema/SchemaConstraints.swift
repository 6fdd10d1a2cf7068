/// A part of `schemaMetadata` that names properties of the class.
protocol PropertyGroups {
    var groups: [[AnyKeyPath]] { get }
    var isUniqueness: Bool { get }
    /// Returns whether a group is an R-tree index.
    func isRTree(_ group: Int) -> Bool
}

extension Schema {
    /// The properties whose values identify a model.
    public final class Unique<T: PersistentModel>: SchemaProperty, PropertyGroups, @unchecked Sendable {
        /// The name of the macro.
        public var name = "SwiftData.Schema.Unique"
        /// The name of the macro.
        public var originalName = "SwiftData.Schema.Unique"
        /// The class.
        public var valueType: any Any.Type = T.self
        /// The properties of each constraint.
        public let constraints: [[PartialKeyPath<T>]]

        /// Creates constraints.
        public init(_ constraints: [PartialKeyPath<T>]...) { self.constraints = constraints }

        /// Always throws: a schema is made from its classes.
        ///
        /// - Throws: A `DecodingError`.
        public init(from decoder: any Decoder) throws { throw Self.undecodable(decoder) }

        var groups: [[AnyKeyPath]] { constraints }
        var isUniqueness: Bool { true }
        func isRTree(_ group: Int) -> Bool { false }
        /// False.
        public var isOptional: Bool { false }
        /// False.
        public var isAttribute: Bool { false }
        /// False.
        public var isRelationship: Bool { false }
        /// False.
        public var isTransient: Bool { false }
        /// True.
        public var isUnique: Bool { true }
        /// Returns whether two groups of constraints are equal.
        public static func == (lhs: Unique, rhs: Unique) -> Bool { lhs.constraints == rhs.constraints }
        /// Hashes the constraints.
        public func hash(into hasher: inout Hasher) { hasher.combine(constraints) }
    }

    /// The indexes of a model.
    public final class Index<T: PersistentModel>: SchemaProperty, PropertyGroups, @unchecked Sendable {
        /// The kind of an index, and its properties.
        public enum Types<P: PersistentModel>: @unchecked Sendable {
            /// An index for comparing and sorting.
            case binary([PartialKeyPath<P>])
            /// An index for ranges of numbers.
            case rtree([PartialKeyPath<P>])
        }

        /// The name of the macro.
        public var name = "SwiftData.Schema.Index"
        /// The name of the macro.
        public var originalName = "SwiftData.Schema.Index"
        /// The class.
        public var valueType: any Any.Type = T.self
        /// The indexes.
        public let indices: [Types<T>]

        /// Creates binary indexes.
        public init(_ indices: [PartialKeyPath<T>]...) { self.indices = indices.map { .binary($0) } }

        /// Creates indexes.
        public init(_ indices: Types<T>...) { self.indices = indices }

        /// Always throws: a schema is made from its classes.
        ///
        /// - Throws: A `DecodingError`.
        public init(from decoder: any Decoder) throws { throw Self.undecodable(decoder) }

        var groups: [[AnyKeyPath]] {
            indices.map { index in
                switch index {
                case .binary(let paths), .rtree(let paths): paths
                }
            }
        }
        var isUniqueness: Bool { false }
        func isRTree(_ group: Int) -> Bool { if case .rtree = indices[group] { true } else { false } }
        /// False.
        public var isOptional: Bool { false }
        /// False.
        public var isAttribute: Bool { false }
        /// False.
        public var isRelationship: Bool { false }
        /// False.
        public var isTransient: Bool { false }
        /// False.
        public var isUnique: Bool { false }
        /// Returns whether two groups of indexes have the same properties.
        public static func == (lhs: Index, rhs: Index) -> Bool { lhs.groups == rhs.groups }
        /// Hashes the properties.
        public func hash(into hasher: inout Hasher) { hasher.combine(groups) }
    }

    /// An entity: the attributes and relationships of a model class.
    public final class Entity: Hashable, CustomDebugStringConvertible, @unchecked Sendable {
        /// The name.
        public let name: String
        /// The attributes.
        public internal(set) var attributes: Set<Attribute> = []
        /// The relationships.
        public internal(set) var relationships: Set<Relationship> = []
        /// The names of the properties of each uniqueness constraint.
        public internal(set) var uniquenessConstraints: [[String]] = []
        /// The names of the properties of each index.
        public internal(set) var indices: [[String]] = []
        /// The positions of R-tree indexes.
        var spatialIndices: Set<Int> = []
        /// The properties that the class declares, in declared order.
        public internal(set) var storedProperties: [any SchemaProperty] = []
        /// The properties of superclasses.
        public internal(set) var inheritedProperties: [any SchemaProperty] = []
        /// The superclass's entity.
        public internal(set) weak var superentity: Entity?
        /// The subclasses' entities.
        public internal(set) var subentities: Set<Entity> = []
        /// The class.
        let info: ModelInfo?

        init(_ info: ModelInfo) {
            name = info.entityName
            self.info = info
        }

        /// The name of the superclass's entity.
        public var superentityName: String? { superentity?.name }
        /// The names of the entity and of all entities below it.
        var hierarchyNames: [String] { [name] + subentities.flatMap(\.hierarchyNames) }
        /// The properties, including those of superclasses.
        public var properties: [any SchemaProperty] { inheritedProperties + storedProperties }
        /// The attributes by name.
        public var attributesByName: [String: Attribute] {
            Dictionary(attributes.map { ($0.name, $0) }) { first, _ in first }
        }
        /// The relationships by name.
        public var relationshipsByName: [String: Relationship] {
            Dictionary(relationships.map { ($0.name, $0) }) { first, _ in first }
        }
        /// The stored properties by name.
        public var storedPropertiesByName: [String: any SchemaProperty] {
            Dictionary(storedProperties.map { ($0.name, $0) }) { first, _ in first }
        }
        /// The inherited properties by name.
        public var inheritedPropertiesByName: [String: any SchemaProperty] {
            Dictionary(inheritedProperties.map { ($0.name, $0) }) { first, _ in first }
        }

        /// Returns whether two entities are those of the same class.
        public static func == (lhs: Entity, rhs: Entity) -> Bool {
            lhs.name == rhs.name && lhs.info?.identifier == rhs.info?.identifier
        }
        /// Hashes the name.
        public func hash(into hasher: inout Hasher) { hasher.combine(name) }
        /// The name.
        public var debugDescription: String { "Schema.Entity \(name)" }
    }
}
