/// Reads stored properties of objects and structures that do not support reading by key.
enum Reflection {
    /// Returns the value of a stored property, inherited ones included. Traps on an unknown key. Computed properties
    /// are unknown, because the Swift runtime has no metadata for them; classes that need them conform to
    /// `KeyValueReadable`.
    static func value(of object: Any, forKey key: String) -> PredicateValue {
        var mirror: Mirror? = Mirror(reflecting: object)
        while let level = mirror {
            for child in level.children where child.label == key {
                return PredicateValue(any: child.value)
            }
            mirror = level.superclassMirror
        }
        misuseOfUndefinedKey(
            key, type: "\(type(of: object))",
            description: "without Objective-C, only stored properties and classes that are KeyValueReadable can be read"
        )
    }
}
