/// The rows that a store reads while the context creates objects for them, without an intermediate array.
package struct FetchedRows {
    /// The identity of the store that the keys belong to.
    let storeIdentity: StoreIdentity
    private let read: ((Int64, EntityLayout, consuming Row) -> Void) throws -> Void

    /// Creates rows from a function that calls another one with the key, layout and values of each row. It is called at
    /// most once.
    package init(
        _ storeIdentity: StoreIdentity, _ read: @escaping ((Int64, EntityLayout, consuming Row) -> Void) throws -> Void
    ) {
        self.storeIdentity = storeIdentity
        self.read = read
    }

    /// Calls a function with the key, layout and values of each row. May be called once.
    func forEach(_ body: (Int64, EntityLayout, consuming Row) -> Void) throws { try read(body) }
}
