/// A mention of a property by name, in an index or a constraint.
package struct PropertyMention: Hashable, Sendable {
    /// The property's name.
    package var name: String
    /// The location in the source.
    package var origin: ElementOrigin?

    /// Creates a mention.
    package init(name: String, origin: ElementOrigin? = nil) {
        self.name = name
        self.origin = origin
    }
}

/// A compound index of models up to Xcode 8.
package struct CompoundIndex: Hashable, Sendable {
    /// The properties, in order; a value may list several separated by commas.
    package var properties: [PropertyMention]
    /// The location in the source.
    package var origin: ElementOrigin?

    /// Creates an index.
    package init(properties: [PropertyMention] = [], origin: ElementOrigin? = nil) {
        self.properties = properties
        self.origin = origin
    }
}

extension CompoundIndex {
    /// The property names, one by one, each with the mention that lists it.
    package var propertyNames: [(name: String, mention: PropertyMention)] {
        properties.flatMap { mention in
            mention.name.split(separator: ",")
                .map { String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
                .filter { !$0.isEmpty }
                .map { ($0, mention) }
        }
    }
}

/// A set of properties whose values must be unique together in a store.
package struct UniquenessConstraint: Hashable, Sendable {
    /// The properties, in order.
    package var properties: [PropertyMention]
    /// The location in the source.
    package var origin: ElementOrigin?

    /// Creates a constraint.
    package init(properties: [PropertyMention] = [], origin: ElementOrigin? = nil) {
        self.properties = properties
        self.origin = origin
    }
}

/// A fetch index (Xcode 9 and later).
package struct FetchIndex: Hashable, Sendable {
    /// One column of a fetch index.
    package struct Element: Hashable, Sendable {
        /// The property, or `nil` if the element is an expression.
        package var propertyName: String?
        /// The expression, or `nil` if the element is a property.
        package var expression: String?
        /// The type as written, `Binary` or `RTree`; `nil`, which means `Binary`, if the source does not specify it.
        package var type: String?
        /// Whether smaller values come first.
        package var isAscending: Bool
        /// Items that this library does not recognize.
        package var unrecognized: [UnrecognizedItem]
        /// The location in the source.
        package var origin: ElementOrigin?

        /// Creates an ascending element for a property.
        package init(propertyName: String?) {
            self.propertyName = propertyName
            isAscending = true
            unrecognized = []
        }
    }

    /// The index's name.
    package var name: String
    /// Its columns, in order.
    package var elements: [Element]
    /// The predicate of a partial index, or `nil`.
    package var partialIndexPredicate: String?
    /// Items that this library does not recognize.
    package var unrecognized: [UnrecognizedItem]
    /// The location in the source.
    package var origin: ElementOrigin?

    /// Creates an index without columns.
    package init(name: String) {
        self.name = name
        elements = []
        unrecognized = []
    }
}

extension FetchIndex {
    /// The attribute of an index with one binary element, which the compiler marks as indexed
    /// (Documentation/Formats/CompiledModel.md, 2.4); `nil` for other indexes.
    package var onlyBinaryProperty: String? {
        guard elements.count == 1, let element = elements.first, (element.type ?? "Binary") == "Binary" else {
            return nil
        }
        return element.propertyName
    }

    /// Whether the index has the form that the compiler of Xcode 9 and later gives to an attribute's index flag
    /// (Documentation/Formats/CompiledModel.md, 2.9). Such an index also has no entity.
    package var isIndexFlag: Bool {
        onlyBinaryProperty == name && elements[0].isAscending && (partialIndexPredicate ?? "").isEmpty
    }
}

extension Entity {
    /// The names of the attributes that are the only element of a binary fetch index.
    package var impliedIndexedNames: Set<String> { Set(fetchIndexes.compactMap(\.onlyBinaryProperty)) }
}
