/// A value that goes to another thread, where the caller sees to it that only one uses it at a time.
struct SendableBox<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
