/// A store that can show a state of the past. Called under the coordinator's lock.
protocol GenerationKeeping: NSPersistentStore {
    /// Something that keeps the state as it is now, for as long as it lives; nil if the store cannot.
    func makeView() throws -> AnyObject?

    /// Runs a block that reads from the state that something has kept.
    func reading<Result>(_ view: AnyObject, _ body: () throws -> Result) rethrows -> Result
}
