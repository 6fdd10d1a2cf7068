/// A class that knows the names of the properties in Swift key paths that start from it.
package protocol KeyPathNaming: AnyObject {
    /// Returns the dotted key path of a Swift key path that leads to a property, or `nil` for any other key path.
    static func predicateKeys(of keyPath: AnyKeyPath) -> String?
}
