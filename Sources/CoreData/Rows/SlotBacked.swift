/// An object whose values lie side by side in memory: a managed object, or one as a store in memory holds it. Loops over many of
/// one class look at the values without asking the object for each.
protocol SlotBacked: SlotReadable {
    /// Calls a function with the values by slot. Relationships that were not looked up are null.
    func withSlots<Result>(_ body: (UnsafePointer<SlotValue>) -> Result) -> Result
}
