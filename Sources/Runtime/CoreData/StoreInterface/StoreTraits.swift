/// The capabilities of a store that its callers must know.
package struct StoreTraits: OptionSet {
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The store is in memory, so its URL is not a location.
    package static let inMemory = StoreTraits(rawValue: 1)
    /// Each request to the store takes a round trip, so many objects should be requested at once.
    package static let remote = StoreTraits(rawValue: 1 << 1)
    /// It is worth calling `rows(for:)` and `forEachMember(of:at:_:_:)` for objects that may be needed soon.
    package static let loadsRowsInBatches = StoreTraits(rawValue: 1 << 2)
    /// Answers of `fetch(_:ahead:)` never include the objects that a request excludes.
    package static let excludesObjects = StoreTraits(rawValue: 1 << 3)
    /// Contexts report which objects they use.
    package static let tracksObjects = StoreTraits(rawValue: 1 << 4)
    /// A copy into the store replaces its contents, because its file is written as a whole.
    package static let copyReplacesContents = StoreTraits(rawValue: 1 << 5)
    /// The store executes batch requests.
    package static let executesBatches = StoreTraits(rawValue: 1 << 6)
    /// Past states of the store can be read (`pinGeneration()`).
    package static let keepsGenerations = StoreTraits(rawValue: 1 << 7)
    /// A to-many relationship without an inverse is stored in the rows of its members, so each has only one owner.
    package static let hasExclusiveMembers = StoreTraits(rawValue: 1 << 8)
}
