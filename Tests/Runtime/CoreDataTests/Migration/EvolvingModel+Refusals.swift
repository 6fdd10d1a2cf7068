import TestSupport

/// Changes that lightweight migration cannot infer according to Apple's rules.
extension EvolvingModel {
    /// A change that must be rejected, and the element that the error must name.
    struct Refusal {
        var model: EvolvingModel
        var entity: String
        var property: String?
    }

    /// Returns a next version to which the store cannot be migrated, or `nil` if the model lacks an element needed for
    /// the chosen change.
    mutating func refused() -> Refusal? {
        var next = self
        random = next.random
        defer { random = next.random }
        switch next.pick(0...6) {
        case 0: return next.changeToForeignType()
        case 1: return next.addRequiredAttribute()
        case 2: return next.requireAttribute()
        case 3: return next.makeToOne()
        case 4: return next.mergeHierarchies()
        case 5: return next.claimTwice()
        default: return next.makeAbstract()
        }
    }

    private mutating func pickAttribute(_ isSuitable: (Attribute) -> Bool = { _ in true }) -> (Int, Int)? {
        let positions = entities.indices.flatMap { entity in
            entities[entity].attributes.indices.filter { isSuitable(entities[entity].attributes[$0]) }
                .map { (entity, $0) }
        }
        return positions.randomElement(using: &random)
    }

    /// Changes an attribute to an incompatible type, such as text to a number.
    private mutating func changeToForeignType() -> Refusal? {
        guard let (entity, position) = pickAttribute() else { return nil }
        var attribute = entities[entity].attributes[position]
        let types =
            attribute.type == "String" ? ["Integer 32", "Double", "Binary", "Date"] : ["String", "Binary", "UUID"]
        attribute.type = types.randomElement(using: &random) ?? "Binary"
        (attribute.value, attribute.isOptional) = (nil, true)
        entities[entity].attributes[position] = attribute
        return Refusal(model: self, entity: entities[entity].name, property: attribute.name)
    }

    private mutating func addRequiredAttribute() -> Refusal? {
        let entity = pick(0...entities.count - 1)
        var attribute = Attribute(id: -1, name: "needed", formerName: "needed")
        attribute.isOptional = false
        entities[entity].attributes.append(attribute)
        return Refusal(model: self, entity: entities[entity].name, property: "needed")
    }

    private mutating func requireAttribute() -> Refusal? {
        guard let (entity, position) = pickAttribute({ $0.isOptional }) else { return nil }
        entities[entity].attributes[position].isOptional = false
        entities[entity].attributes[position].value = nil
        return Refusal(
            model: self, entity: entities[entity].name, property: entities[entity].attributes[position].name)
    }

    private mutating func makeToOne() -> Refusal? {
        guard let index = links.indices.filter({ links[$0].first.isToMany }).randomElement(using: &random),
            let owner = entities.first(where: { $0.id == links[index].first.entity })
        else { return nil }
        (links[index].first.isToMany, links[index].first.isOrdered) = (false, false)
        return Refusal(model: self, entity: owner.name, property: links[index].first.name)
    }

    private mutating func mergeHierarchies() -> Refusal? {
        let roots = entities.indices.filter { entities[$0].parent == nil }.shuffled(using: &random)
        guard roots.count > 1 else { return nil }
        entities.append(Entity(id: -1, name: "Merged", formerName: "Merged", isNew: true))
        for root in roots.prefix(2) { entities[root].parent = -1 }
        return Refusal(model: self, entity: "Merged", property: nil)
    }

    /// Gives two attributes the same renaming identifier.
    private mutating func claimTwice() -> Refusal? {
        guard let (entity, position) = pickAttribute() else { return nil }
        let twin = entities[entity].attributes[position]
        entities[entity].attributes.append(Attribute(id: -1, name: "zzzTwin", formerName: twin.formerName))
        return Refusal(model: self, entity: entities[entity].name, property: nil)
    }

    private mutating func makeAbstract() -> Refusal? {
        let entity = pick(0...entities.count - 1)
        entities[entity].isAbstract = true
        return Refusal(model: self, entity: entities[entity].name, property: nil)
    }
}
