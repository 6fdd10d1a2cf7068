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
