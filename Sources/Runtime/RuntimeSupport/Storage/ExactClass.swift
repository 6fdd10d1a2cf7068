/// Extracts objects of a known class from existentials. A dynamic cast takes many times longer than the comparisons
/// that sets of objects need.
public enum ExactClass {
    /// Returns the object in a value if its class is that of another object, and `nil` for everything else, subclasses
    /// included.
    @inlinable @inline(__always)
    public static func object<Object: AnyObject>(_ value: Any?, like other: Object) -> Unmanaged<Object>? {
        guard let value, type(of: value) == type(of: other) else { return nil }
        // A value of a class is a reference, which an existential holds in its first word.
        return withUnsafeBytes(of: value) { Unmanaged.fromOpaque($0.load(as: UnsafeRawPointer.self)) }
    }
}
