internal import CCoreDataSupport

/// Finds classes by name in the metadata of the program.
public enum NamedClasses {
    /// Returns the classes with a name in all images of the program.
    public static func all(_ name: String) -> [Any.Type] {
        var found: [Any.Type] = []
        withUnsafeMutablePointer(to: &found) { pointer in
            cd_find_classes(name, pointer) { type, context in
                context?.assumingMemoryBound(to: [Any.Type].self).pointee.append(unsafeBitCast(type, to: Any.Type.self))
            }
        }
        return found
    }
}
