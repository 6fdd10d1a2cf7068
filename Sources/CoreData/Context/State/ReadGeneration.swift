/// Which state of the stores a context reads.
struct ReadGeneration {
    /// The state that the context is pinned to; nil for the newest.
    var token: NSQueryGenerationToken?
    /// Whether a save is going on, which compares with the newest state always.
    var readsNewest = false

    /// The state that a read is about now; nil for the newest.
    var pinned: NSQueryGenerationToken? { readsNewest ? nil : token }

    /// Lets go of the state that the context is pinned to.
    mutating func advance() {
        if token != nil { token = .current }
    }
}
