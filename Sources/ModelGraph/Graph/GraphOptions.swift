/// What of a model a graph shows.
public struct GraphOptions: Hashable, Sendable {
    /// The entities that are wanted, with the names of those related to them; empty for all.
    public var entityNames: [String]
    /// Whether boxes list attributes and fetched properties.
    public var showsAttributes: Bool

    /// Makes options that show everything.
    public init(entityNames: [String] = [], showsAttributes: Bool = true) {
        self.entityNames = entityNames
        self.showsAttributes = showsAttributes
    }
}
