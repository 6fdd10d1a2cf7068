/// A store that can provide snapshots of its state. Called under the coordinator's lock.
protocol GenerationKeeping: AnyObject {
    /// Returns an object that preserves the current state while it is alive, or nil if the store cannot.
    func makeView() throws -> AnyObject?

    /// Runs a block that reads the state preserved by a view.
    func reading<Result>(_ view: AnyObject, _ body: () throws -> Result) rethrows -> Result
}
