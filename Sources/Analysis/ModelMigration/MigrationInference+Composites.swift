internal import ModelSchema

/// Composite attributes, whose types may change although their names stay the same.
extension MigrationInference {
    /// Compares the elements of a composite attribute in both versions, by the rules of attributes.
    mutating func checkElements(_ old: Attribute, _ new: Attribute, in entity: String) {
        guard old.type == .composite, new.type == .composite else { return }
        let before = sourceNames[entity].flatMap { source.entities[$0] }
        let isUnchanged = destination.entities[entity].flatMap { before?.isUnchanged(in: $0) } ?? false
        let match = CompositeMatch(
            source: old, old: source, destination: new, new: destination, isUnchanged: isUnchanged)
        for leaf in match.removed {
            steps.append(.removeAttribute(entity: entity, name: "\(new.name).\(leaf.name)"))
            risk(.removedElement, entity: entity, property: "\(new.name).\(leaf.name)", origin: new.origin)
        }
        for leaf in match.added {
            addAttribute(leaf.element, named: "\(new.name).\(leaf.name)", new.origin, to: entity)
        }
        for (before, after) in match.pairs {
            let name = "\(new.name).\(after.name)"
            if before.path != after.path {
                steps.append(.renameAttribute(entity: entity, old: "\(new.name).\(before.name)", new: name))
                risk(.renamedElement, entity: entity, property: name, origin: new.origin)
            }
            if before.element.type != after.element.type {
                convert(before.element, new: after.element, named: name, origin: new.origin, in: entity)
            }
            changeRequirement(before.element, new: after.element, named: name, origin: new.origin, in: entity)
        }
    }
}
