/// The properties of a uniqueness constraint that an entity has or inherits.
package struct UniqueProperties {
    /// The names of the properties whose values must be unique together.
    package var names: [String]
    /// Their slots.
    package var slots: [Int]
    /// The name of the entity that declares it.
    var owner: String

    /// Returns the constraints of an entity whose properties all have a column, its own before inherited ones.
    package static func all(of layout: EntityLayout, _ mapping: EntityMapping) -> [UniqueProperties] {
        var result: [UniqueProperties] = []
        var next: NSEntityDescription? = layout.entity
        while let current = next {
            next = current.superentity
            for constraint in current.uniquenessConstraints {
                let names = names(in: constraint)
                let slots = names.compactMap { layout.index(of: $0) }.filter { mapping.column(at: $0) != nil }
                guard !slots.isEmpty, slots.count == names.count else { continue }
                result.append(UniqueProperties(names: names, slots: slots, owner: current.name ?? ""))
            }
        }
        return result
    }

    /// Returns the names of the properties in a constraint, which may be mentioned by name or as descriptions.
    package static func names(in constraint: [Any]) -> [String] { constraint.map(SchemaConverter.propertyName) }
}
