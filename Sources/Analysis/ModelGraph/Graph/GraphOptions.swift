/// The parts of a model that a graph shows.
package struct GraphOptions: Hashable, Sendable {
    /// The entities to show, along with the names of those related to them; empty for all.
    package var entityNames: [String]
    /// Whether boxes list attributes and fetched properties.
    package var showsAttributes: Bool

    /// Creates options, which show everything by default.
    package init(entityNames: [String] = [], showsAttributes: Bool = true) {
        self.entityNames = entityNames
        self.showsAttributes = showsAttributes
    }
}
