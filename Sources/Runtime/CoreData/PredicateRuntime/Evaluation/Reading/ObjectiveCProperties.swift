/// The `@objc` properties of a module's classes, and the properties named `primitive…`, which Apple's runtime finds by
/// name.
///
/// Without Objective-C, a key path contains no name, and a computed property cannot be looked up by its name. modelc's
/// build plugin therefore generates a subclass with a table of them. Do not write one by hand.
open class ObjectiveCProperties {
    /// A key path that consists of the property, and the property's name in Objective-C.
    public typealias Property = (keyPath: AnyKeyPath, name: String)

    /// The properties.
    open class var properties: [Property] { [] }
}
