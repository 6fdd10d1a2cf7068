/// Reads stored properties of objects and structures that do not support reading by key.
enum Reflection {
    /// Returns the value of a stored property, inherited ones included. Traps on an unknown key. Computed properties
    /// are unknown, because the Swift runtime has no metadata for them, unless they are `@objc` in a target that uses
    /// modelc's build plugin; other classes that need them conform to `KeyValueReadable`.
    static func value(of object: Any, forKey key: String) -> PredicateValue {
        var mirror: Mirror? = Mirror(reflecting: object)
        while let level = mirror {
            for child in level.children where child.label == key {
                return PredicateValue(any: child.value)
            }
            mirror = level.superclassMirror
        }
        if let value = ExposedProperties.value(of: object, forKey: key) { return PredicateValue(any: value) }
        misuseOfUndefinedKey(
            key, type: "\(type(of: object))",
            description:
                "without Objective-C, only stored properties, @objc properties in targets that use modelc's build plugin, "
                + "and classes that are KeyValueReadable can be read"
        )
    }
}
