import ModelSchema
import TestSupport

@testable import CompiledModel

/// A generator of random valid models with everything that an archive can contain, in the form returned by the decoder:
/// names sorted, defaults as Xcode writes them.
struct ModelGenerator {
    private var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    private mutating func chance(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    private mutating func flip() -> Bool { chance(3) == 0 }

    private mutating func pick<Value>(_ values: [Value]) -> Value { values[chance(values.count)] }

    mutating func model() -> Model {
        var model = Model(name: "Model")
        model.settings.userDefinedModelVersionIdentifier = pick(["", "1.0", "ü"])
        let count = 1 + chance(6)
        for index in 0..<count {
            var entity = Entity(name: pick(["E", "e", "Ä"]) + "\(index)")
            if index > 0, flip() { entity.parentName = model.entities[chance(index)].name }
            model.entities.append(entity)
        }
        for index in model.entities.indices { fill(&model.entities[index], model, index) }
        for index in model.entities.indices { addRelationships(to: index, of: &model) }
        for index in 0..<chance(3) { model.fetchRequests.append(request("Request\(index)", model)) }
        for index in 0..<chance(3) {
            var configuration = Configuration(name: "Configuration\(index)")
            configuration.members = model.entities.filter { _ in flip() }.map { .init(entityName: $0.name) }
            configuration.members.sortByName(\.entityName)
            model.configurations.append(configuration)
        }
        model.entities.sortByName(\.name)
        return model
    }

    private mutating func fill(_ entity: inout Entity, _ model: Model, _ index: Int) {
        entity.className = ClassName(pick(["", entity.name, ".Book", "Library.Book", "A.B.C"]))
        entity.isAbstract = flip()
        entity.renamingIdentifier = flip() ? "old\(index)" : nil
        entity.versionHashModifier = flip() ? "m\(index)" : nil
        entity.userInfo = userInfo()
        for number in 0..<chance(6) { entity.attributes.append(attribute("a\(index)_\(number)")) }
        if flip(), index > 0 {
            var property = FetchedProperty(name: "f\(index)")
            property.isOptional = flip()
            property.userInfo = userInfo()
            property.fetchRequest = request("fetchedPropertyFetchRequest", model)
            entity.fetchedProperties = [property]
        }
        let names = entity.attributes.map(\.name)
        guard !names.isEmpty else { return }
        for _ in 0..<chance(3) {
            entity.uniquenessConstraints.append(UniquenessConstraint(properties: [PropertyMention(name: pick(names))]))
        }
        if flip() {
            for number in 0..<1 + chance(2) {
                var fetchIndex = FetchIndex(name: "by\(number)")
                for _ in 0..<1 + chance(3) {
                    var element = FetchIndex.Element(propertyName: pick(names))
                    element.type = "Binary"
                    element.isAscending = flip()
                    fetchIndex.elements.append(element)
                }
                entity.fetchIndexes.append(fetchIndex)
            }
            // The index implies it.
            let implied = entity.impliedIndexedNames
            for position in entity.attributes.indices where implied.contains(entity.attributes[position].name) {
                entity.attributes[position].isIndexed = false
            }
        } else if flip() {
            entity.compoundIndexes = [CompoundIndex(properties: names.map { PropertyMention(name: $0) })]
        }
    }

    private mutating func attribute(_ name: String) -> Attribute {
        if chance(8) == 0 {
            var attribute = Attribute(name: name, type: pick([.date, .integer64, .string]))
            attribute.isDerived = true
            attribute.isOptional = flip()
            attribute.derivationExpression = pick([
                "now()", "canonical:(name)", "pages.@count", "pages.@sum.price", "a.b.@max.c", "name",
                "uppercase:(a.b)",
                "count:(pages)",
            ])
            return attribute
        }
        let types = AttributeType.allCases.filter { $0 != .composite && $0 != .objectID }
        var attribute = Attribute(name: name, type: pick(types))
        attribute.isOptional = flip()
        attribute.isTransient = flip()
        attribute.isIndexed = flip()
        attribute.allowsExternalBinaryStorage = flip()
        attribute.isPreservedAfterDeletion = flip()
        attribute.renamingIdentifier = flip() ? "old_" + name : nil
        attribute.versionHashModifier = flip() ? "2" : nil
        attribute.userInfo = userInfo()
        setValues(of: &attribute)
        return attribute
    }

    private mutating func setValues(of attribute: inout Attribute) {
        func numbers(_ values: [String]) -> String? { flip() ? pick(values) : nil }
        switch attribute.type {
        case .integer16, .integer32, .integer64:
            attribute.defaultValue = numbers(["0", "-1", "9223372036854775807", "-9223372036854775808"])
            attribute.minimum = numbers(["0", "-3"])
            attribute.maximum = numbers(["10", "12345"])
        case .decimal:
            attribute.defaultValue = numbers([
                "0.0", "0", "30", "-100.50", "340282366920938463463374607431768211455", "0.001",
            ])
            attribute.minimum = numbers(["-4"])
        case .double:
            attribute.defaultValue = numbers(["0.0", "-0.1", "1e+20", "5e-324"])
            attribute.maximum = numbers(["3.5", "1000"])
        case .float: attribute.defaultValue = numbers(["0.0", "0.1", "-2.5", "3.4028235e+38"])
        case .boolean: attribute.defaultValue = numbers(["YES", "NO"])
        case .string:
            attribute.defaultValue = numbers(["", "text", "Grüße 😁"])
            attribute.minimum = numbers(["1"])
            attribute.maximum = numbers(["1000"])
            attribute.regularExpression = numbers([#"\A[^@]+@([^@\.]+\.)+[^@\.]+\z"#])
        case .date:
            attribute.defaultDateInterval = numbers(["631123200", "-3600", "0", "0.5"])
            attribute.minimumDateInterval = numbers(["284000400"])
            attribute.maximumDateInterval = numbers(["602395200"])
        case .transformable:
            attribute.customClassName = numbers(["[String: Any]", "UIColor"])
            attribute.valueTransformerName = numbers(["NSSecureUnarchiveFromData"])
        case .undefined, .binary, .uuid, .uri, .objectID, .composite: break
        }
    }

    private mutating func addRelationships(to index: Int, of model: inout Model) {
        for number in 0..<chance(3) {
            let name = "r\(index)_\(number)"
            let destination = chance(model.entities.count)
            var relationship = Relationship(name: name, destinationName: model.entities[destination].name)
            relationship.isToMany = flip()
            relationship.maximumCount = relationship.isToMany ? pick([nil, nil, 5, -1]) : 1
            relationship.minimumCount = pick([nil, nil, 1, 3])
            relationship.isOptional = flip()
            relationship.isTransient = flip()
            relationship.isOrdered = flip()
            relationship.isIndexed = flip()
            relationship.deleteRule = pick(DeleteRule.allCases)
            relationship.renamingIdentifier = flip() ? "old_" + name : nil
            relationship.versionHashModifier = flip() ? "2" : nil
            relationship.userInfo = userInfo()
            if flip() {
                // The relationship can be its own inverse if the destination is the same entity.
                var inverse = Relationship(name: name + "_inverse", destinationName: model.entities[index].name)
                inverse.maximumCount = 1
                inverse.deleteRule = .nullify
                inverse.inverseName = name
                inverse.inverseEntityName = model.entities[index].name
                relationship.inverseName = inverse.name
                relationship.inverseEntityName = relationship.destinationName
                model.entities[destination].relationships.append(inverse)
            }
            model.entities[index].relationships.append(relationship)
        }
        for index in model.entities.indices { model.entities[index].relationships.sortByName(\.name) }
    }

    private mutating func request(_ name: String, _ model: Model) -> FetchRequestTemplate {
        var request = FetchRequestTemplate(name: name, entityName: pick(model.entities.map(\.name)))
        request.predicate = pick([
            nil, "name == $NAME", "oneToOne.name == $NAME OR string == $NEEDLE", "TRUE == TRUE",
            "a > 1 AND (NOT b LIKE \"x*\")",
            "ANY items.price >= 1.5", "name CONTAINS[cd] \"x\"", "name MATCHES \"a.*\"", "a + 1 == b * 2",
            "author == $FETCH_SOURCE.books", "TRUEPREDICATE", "value == nil",
        ])
        request.fetchLimit = pick([nil, 10])
        request.fetchBatchSize = pick([nil, 20])
        request.resultType = pick([nil, 1, 2])
        request.returnsDistinctResults = flip() ? true : nil
        request.includesSubentities = flip() ? false : nil
        request.includesPendingChanges = request.resultType == 2 ? (flip() ? true : nil) : (flip() ? false : nil)
        return request
    }

    private mutating func userInfo() -> [UserInfoEntry] {
        guard chance(4) == 0 else { return [] }
        return [UserInfoEntry(key: "key", value: "value"), UserInfoEntry(key: "Key 2", value: "")].sortedByName(\.key)
    }
}
