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
