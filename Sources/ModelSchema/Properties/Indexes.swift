/// A mention of a property by name, in an index or a constraint.
public struct PropertyMention: Hashable, Sendable {
    /// The property's name.
    public var name: String
    /// Where it stands.
    public var origin: ElementOrigin?

    /// Makes a mention.
    public init(name: String, origin: ElementOrigin? = nil) {
        self.name = name
        self.origin = origin
    }
}

/// A compound index of models up to Xcode 8.
public struct CompoundIndex: Hashable, Sendable {
    /// The properties, in order; a value may list several separated by commas.
    public var properties: [PropertyMention]
    /// Where it stands.
    public var origin: ElementOrigin?

    /// Makes an index.
    public init(properties: [PropertyMention] = [], origin: ElementOrigin? = nil) {
        self.properties = properties
        self.origin = origin
    }
}

extension CompoundIndex {
    /// The property names, one by one, each with the mention that lists it.
    public var propertyNames: [(name: String, mention: PropertyMention)] {
        properties.flatMap { mention in
            mention.name.split(separator: ",")
                .map { String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
                .filter { !$0.isEmpty }
                .map { ($0, mention) }
        }
    }
}

/// A set of properties whose values must be unique together in a store.
public struct UniquenessConstraint: Hashable, Sendable {
    /// The properties, in order.
    public var properties: [PropertyMention]
    /// Where it stands.
    public var origin: ElementOrigin?

    /// Makes a constraint.
    public init(properties: [PropertyMention] = [], origin: ElementOrigin? = nil) {
        self.properties = properties
        self.origin = origin
    }
}

/// A fetch index (Xcode 9 and later).
public struct FetchIndex: Hashable, Sendable {
    /// One column of a fetch index.
    public struct Element: Hashable, Sendable {
        /// The property, or nil when the element is an expression.
        public var propertyName: String?
        /// The expression, or nil when the element is a property.
        public var expression: String?
        /// How the type is written, `Binary` or `RTree`; nil when the source does not say, which means `Binary`.
        public var type: String?
        /// Whether smaller values come first.
        public var isAscending: Bool
        /// Parts that this library does not know.
        public var unrecognized: [UnrecognizedItem]
        /// Where it stands.
        public var origin: ElementOrigin?

        /// Makes an ascending element for a property.
        public init(propertyName: String?) {
            self.propertyName = propertyName
            isAscending = true
            unrecognized = []
        }
    }

    /// The index's name.
    public var name: String
    /// Its columns, in order.
    public var elements: [Element]
    /// The predicate of a partial index, or nil.
    public var partialIndexPredicate: String?
    /// Parts that this library does not know.
    public var unrecognized: [UnrecognizedItem]
    /// Where it stands.
    public var origin: ElementOrigin?

    /// Makes an index without columns.
    public init(name: String) {
        self.name = name
        elements = []
        unrecognized = []
    }
}
