/// Reads stored properties of objects and structures that are not made to be read by keys.
enum Reflection {
    /// The value of a stored property, inherited ones included. An unknown key stops the program: a computed property is
    /// one, as the Swift runtime knows nothing of it (`KeyValueReadable` is the way out).
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
