/// An object whose values are in memory: a managed object, or an object of an in-memory store. Loops over many objects
/// of one class read the values without a call per value.
protocol SlotBacked: SlotReadable {
    /// Calls a function with the values by slot. Relationships that have not been looked up are null.
    func withSlots<Result>(_ body: (SlotReader) -> Result) -> Result
}
