/// A value that is passed to another thread. The caller ensures that only one thread uses it at a time.
struct SendableBox<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
