/// What of a model a graph shows.
package struct GraphOptions: Hashable, Sendable {
    /// The entities that are wanted, with the names of those related to them; empty for all.
    package var entityNames: [String]
    /// Whether boxes list attributes and fetched properties.
    package var showsAttributes: Bool

    /// Makes options that show everything.
    package init(entityNames: [String] = [], showsAttributes: Bool = true) {
        self.entityNames = entityNames
        self.showsAttributes = showsAttributes
    }
}
