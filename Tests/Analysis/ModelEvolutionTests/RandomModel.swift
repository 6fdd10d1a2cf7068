import ModelSchema
import TestSupport

/// A generator of random models that are structurally valid.
enum RandomModel {
    static let types: [AttributeType] = [
        .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .boolean, .date, .binary, .uuid, .uri,
    ]

    static func make(using generator: inout SeededGenerator) -> Model {
        var model = Model(name: "M")
        let count = Int.random(in: 1...6, using: &generator)
        for index in 0..<count {
            var entity = Entity(name: "E\(index)")
            if index > 0, generator.chance(3) {
                entity.parentName = "E\(Int.random(in: 0..<index, using: &generator))"
            }
            entity.isAbstract = generator.chance(6)
            for number in 0..<Int.random(in: 0...5, using: &generator) {
                entity.attributes.append(attribute(named: "e\(index)a\(number)", using: &generator))
            }
            if !entity.attributes.isEmpty, generator.chance(4) {
                entity.uniquenessConstraints = [
                    UniquenessConstraint(properties: [PropertyMention(name: entity.attributes[0].name)])
                ]
            }
            model.entities.append(entity)
        }
        for index in 0..<count {
            for number in 0..<Int.random(in: 0...2, using: &generator) {
                var relationship = Relationship(
                    name: "e\(index)r\(number)", destinationName: "E\(Int.random(in: 0..<count, using: &generator))")
                relationship.isOptional = true
                relationship.isToMany = generator.chance(2)
                relationship.isOrdered = relationship.isToMany && generator.chance(3)
                model.entities[index].relationships.append(relationship)
            }
        }
        return model
    }

    static func attribute(named name: String, using generator: inout SeededGenerator) -> Attribute {
        var attribute = Attribute(name: name, type: types.randomElement(using: &generator) ?? .string)
        attribute.isOptional = generator.chance(2)
        if !attribute.isOptional, attribute.type == .integer32 { attribute.defaultValue = "7" }
        attribute.isTransient = generator.chance(8)
        return attribute
    }
}

/// A random change of a model, sensible or not, as any editor could make it.
enum RandomEdit {
    static func apply(to model: inout Model, number: Int, using generator: inout SeededGenerator) {
        let index = Int.random(in: 0..<model.entities.count, using: &generator)
        switch Int.random(in: 0..<14, using: &generator) {
        case 0: model.entities.append(Entity(name: "New\(number)"))
        case 1: removeEntity(at: index, from: &model)
        case 2: renameEntity(at: index, in: &model, to: "Renamed\(number)", keepsIdentity: generator.chance(2))
        case 3: model.entities[index].isAbstract.toggle()
        case 4: model.entities[index].versionHashModifier = "m\(number)"
        case 5:
            model.entities[index].attributes.append(
                RandomModel.attribute(named: "new\(number)", using: &generator))
        case 6: if !model.entities[index].attributes.isEmpty { model.entities[index].attributes.removeLast() }
        case 7: moveAttribute(of: index, in: &model)
        case 8:
            editAttribute(of: index, in: &model, using: &generator) { attribute, _ in
                attribute.renamingIdentifier = attribute.renamingIdentifier ?? attribute.name
                attribute.name = "renamed\(number)"
            }
        case 9:
            editAttribute(of: index, in: &model, using: &generator) { attribute, generator in
                attribute.type = RandomModel.types.randomElement(using: &generator) ?? .string
            }
        case 10:
            editAttribute(of: index, in: &model, using: &generator) { attribute, _ in attribute.isOptional.toggle() }
        case 11:
            editAttribute(of: index, in: &model, using: &generator) { attribute, _ in attribute.isTransient.toggle() }
        case 12:
            editAttribute(of: index, in: &model, using: &generator) { attribute, _ in attribute.name = "x\(number)" }
        default:
            guard !model.entities[index].relationships.isEmpty else { return }
            model.entities[index].relationships[0].isToMany.toggle()
        }
    }

    private static func editAttribute(
        of index: Int, in model: inout Model, using generator: inout SeededGenerator,
        _ edit: (inout Attribute, inout SeededGenerator) -> Void
    ) {
        guard !model.entities[index].attributes.isEmpty else { return }
        let position = Int.random(in: 0..<model.entities[index].attributes.count, using: &generator)
        edit(&model.entities[index].attributes[position], &generator)
    }

    private static func removeEntity(at index: Int, from model: inout Model) {
        guard model.entities.count > 1 else { return }
        let entity = model.entities.remove(at: index)
        for other in model.entities.indices {
            if model.entities[other].parentName == entity.name { model.entities[other].parentName = entity.parentName }
            model.entities[other].relationships.removeAll { $0.destinationName == entity.name }
        }
    }

    static func renameEntity(at index: Int, in model: inout Model, to name: String, keepsIdentity: Bool) {
        let old = model.entities[index].name
        if keepsIdentity {
            model.entities[index].renamingIdentifier = model.entities[index].renamingIdentifier ?? old
        } else {
            model.entities[index].renamingIdentifier = nil
        }
        model.entities[index].name = name
        for other in model.entities.indices {
            if model.entities[other].parentName == old { model.entities[other].parentName = name }
            for position in model.entities[other].relationships.indices
            where model.entities[other].relationships[position].destinationName == old {
                model.entities[other].relationships[position].destinationName = name
            }
        }
    }

    private static func moveAttribute(of index: Int, in model: inout Model) {
        guard let parent = model.entities[index].parentName,
            let target = model.entities.firstIndex(where: { $0.name == parent }),
            let attribute = model.entities[index].attributes.popLast()
        else { return }
        model.entities[target].attributes.append(attribute)
    }
}
