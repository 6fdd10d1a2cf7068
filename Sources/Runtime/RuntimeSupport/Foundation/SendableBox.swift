/// A value that is passed to another thread. The caller ensures that only one thread uses it at a time.
public struct SendableBox<Value>: @unchecked Sendable {
    /// The value.
    public let value: Value

    /// Creates a box.
    public init(_ value: Value) {
        self.value = value
    }
}
