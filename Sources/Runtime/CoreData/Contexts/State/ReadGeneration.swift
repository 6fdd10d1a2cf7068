/// The state of the stores that a context reads.
struct ReadGeneration {
    /// The state that the context is pinned to; `nil` for the newest.
    var token: NSQueryGenerationToken?
    /// Whether a save is in progress, which always compares with the newest state.
    var readsNewest = false

    /// The state that a read uses now; `nil` for the newest.
    var pinned: NSQueryGenerationToken? { readsNewest ? nil : token }

    /// Releases the state that the context is pinned to.
    mutating func advance() {
        if token != nil { token = .current }
    }
}
