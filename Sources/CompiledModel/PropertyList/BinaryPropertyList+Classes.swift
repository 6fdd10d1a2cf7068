extension BinaryPropertyList {
    /// The classes of objects in a keyed archive: for each the names from the class itself up.
    ///
    /// Whoever unarchives can see before whether all of them may be made.
    package var archivedClassNames: [[String]] {
        objects.compactMap { object in
            guard case .dictionary(let references) = object else { return nil }
            let keys = indexes(references)
            for (offset, key) in keys.enumerated() {
                guard case .string("$classes") = objects[Int(key)],
                    case .array(let names) = objects[index(references.start + references.count + offset)]
                else { continue }
                return indexes(names).compactMap { name in
                    if case .string(let text) = objects[Int(name)] { text } else { nil }
                }
            }
            return nil
        }
    }
}
