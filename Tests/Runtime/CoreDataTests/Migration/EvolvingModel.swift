import TestSupport

/// A model that changes at random in ways that lightweight migration can infer, and the objects in its store.
///
/// What the objects hold after a change is written down with the change, by Apple's rules and not by what the code
/// under test does.
struct EvolvingModel {
    struct Attribute {
        var id: Int
        var name: String
        /// The name in the first version, which is the renaming identifier in all later ones.
        var formerName: String
        var type = "String"
        var isOptional = true
        var value: String?
    }

    struct Entity {
        var id: Int
        var name: String
        var formerName: String
        var parent: Int?
        var isNew = false
        var isAbstract = false
        var attributes: [Attribute] = []
    }

    /// A relationship with its inverse, if it has one.
    struct Link {
        struct End {
            var entity: Int
            var name: String
            var formerName: String
            var isToMany: Bool
            var isOrdered = false
        }

        var id: Int
        var first: End
        var second: End
        var hasInverse: Bool
    }

    struct Object {
        var entity: Int
        var values: [Int: String] = [:]
    }

    var entities: [Entity] = []
    var links: [Link] = []
    /// The objects by key.
    var objects: [String: Object] = [:]
    /// The pairs of linked keys, by link.
    var linked: [Int: Set<[String]>] = [:]
    var random: SeededGenerator
    var log: [String] = []
    private var lastID = 0
    /// The attributes that have become optional or required in this version.
    private var toggled: Set<Int> = []

    init(_ random: SeededGenerator) {
        self.random = random
        for _ in 0..<Int.random(in: 2...5, using: &self.random) { addEntity(isNew: false) }
        for index in entities.indices.dropFirst() where chance(3) { entities[index].parent = entities[index - 1].id }
        for index in entities.indices { for _ in 0..<pick(0...3) { addAttribute(to: index) } }
        for _ in 0..<pick(1...4) { addLink() }
    }

    // MARK: Help

    mutating func chance(_ count: Int) -> Bool { random.chance(count) }
    mutating func pick(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }

    private mutating func newID() -> Int {
        lastID += 1
        return lastID
    }

    private mutating func newName(_ prefix: String) -> String {
        let letters = "abcdefghijklmnopqrstuvwxyz"
        return prefix + String((0..<3).map { _ in letters.randomElement(using: &random) ?? "a" }) + "\(newID())"
    }

    func lineage(_ id: Int) -> [Entity] {
        var result: [Entity] = []
        var next: Int? = id
        while let current = next, let entity = entities.first(where: { $0.id == current }) {
            result.append(entity)
            next = entity.parent
        }
        return result
    }

    func attributes(of id: Int) -> [Attribute] { lineage(id).flatMap(\.attributes) }

    private func isKind(_ id: Int, of ancestor: Int) -> Bool { lineage(id).contains { $0.id == ancestor } }

    // MARK: Parts

    private mutating func addEntity(isNew: Bool) {
        let name = newName(chance(2) ? "A" : "Z").capitalized
        entities.append(Entity(id: newID(), name: name, formerName: name, isNew: isNew))
    }

    private mutating func addAttribute(to index: Int) {
        let name = newName("x")
        var attribute = Attribute(id: newID(), name: name, formerName: name)
        attribute.type = ["String", "Integer 16", "Integer 32", "Double"].randomElement(using: &random) ?? "String"
        if chance(2) { attribute.value = attribute.type == "String" ? "d’" : "7" }
        attribute.isOptional = attribute.value == nil || chance(2)
        entities[index].attributes.append(attribute)
        for (key, object) in objects where isKind(object.entity, of: entities[index].id) {
            objects[key]?.values[attribute.id] = attribute.value
        }
        log.append("add attribute \(entities[index].name).\(name): \(attribute.type)")
    }

    private mutating func addLink() {
        guard let one = entities.randomElement(using: &random), let other = entities.randomElement(using: &random)
        else { return }
        let hasInverse = !chance(4)
        func end(_ entity: Int, _ name: String, _ isToMany: Bool, _ isOrdered: Bool) -> Link.End {
            Link.End(entity: entity, name: name, formerName: name, isToMany: isToMany, isOrdered: isToMany && isOrdered)
        }
        let link = Link(
            id: newID(), first: end(one.id, newName("r"), chance(2), chance(3)),
            second: end(other.id, newName("s"), chance(2), chance(3)), hasInverse: hasInverse)
        links.append(link)
        linked[link.id] = []
        log.append(
            "add link \(one.name).\(link.first.name) \(link.first.isToMany) \(link.first.isOrdered) to \(other.name)."
                + "\(link.second.name) \(link.second.isToMany) \(link.second.isOrdered) \(hasInverse)")
    }

    // MARK: Objects

    /// Creates objects with values and links.
    mutating func makeObjects() {
        for entity in entities {
            for _ in 0..<pick(0...4) {
                let key = "k\(newID())"
                var object = Object(entity: entity.id)
                for attribute in attributes(of: entity.id) {
                    if attribute.isOptional, chance(3) { continue }
                    object.values[attribute.id] =
                        attribute.type == "String" ? "v\(pick(0...99))" : "\(pick(-200...200))"
                }
                objects[key] = object
            }
        }
        for link in links {
            let owners = objects.keys.filter { isKind(objects[$0]?.entity ?? 0, of: link.first.entity) }.sorted()
            let members = objects.keys.filter { isKind(objects[$0]?.entity ?? 0, of: link.second.entity) }.sorted()
            var pairs: Set<[String]> = []
            for _ in 0..<pick(0...6) {
                guard let owner = owners.randomElement(using: &random),
                    let member = members.randomElement(using: &random)
                else { continue }
                if !link.first.isToMany, pairs.contains(where: { $0[0] == owner }) { continue }
                // An object in a to-many relationship without inverse has one owner.
                let isSingle = link.hasInverse ? !link.second.isToMany : link.first.isToMany
                if isSingle, pairs.contains(where: { $0[1] == member }) { continue }
                pairs.insert([owner, member])
            }
            linked[link.id] = pairs
        }
    }

    // MARK: Changes

    /// Changes the model to its next version.
    mutating func change() {
        for index in entities.indices { entities[index].isNew = false }
        toggled = []
        for _ in 0..<pick(1...5) { changeOnce() }
    }

    private mutating func changeOnce() {
        let index = pick(0...entities.count - 1)
        switch pick(0...10) {
        case 0: addAttribute(to: index)
        case 1: addEntity(isNew: true)
        case 2: removeEntity(index)
        case 3: renameEntity(index)
        case 4: addParent(to: index)
        case 5: moveAttributeUp(index)
        case 6, 7: changeAttribute(index)
        case 8: addLink()
        default: changeLink()
        }
    }

    private mutating func renameEntity(_ index: Int) {
        guard !entities[index].isNew else { return }
        entities[index].name = newName(chance(2) ? "A" : "Z").capitalized
        log.append("rename \(entities[index].formerName) to \(entities[index].name)")
    }

    private mutating func removeEntity(_ index: Int) {
        let id = entities[index].id
        guard entities.count > 2, !entities.contains(where: { $0.parent == id }) else { return }
        log.append("remove \(entities[index].name)")
        entities.remove(at: index)
        links.removeAll { link in
            let isGone = link.first.entity == id || link.second.entity == id
            if isGone { linked[link.id] = nil }
            return isGone
        }
        let gone = Set(objects.filter { $0.value.entity == id }.keys)
        objects = objects.filter { !gone.contains($0.key) }
        linked = linked.mapValues { $0.filter { gone.isDisjoint(with: $0) } }
    }

    private mutating func addParent(to index: Int) {
        guard entities[index].parent == nil, !entities[index].isNew else { return }
        addEntity(isNew: true)
        entities[index].parent = entities.last?.id
        log.append("add parent \(entities.last?.name ?? "") to \(entities[index].name)")
    }

    private mutating func moveAttributeUp(_ index: Int) {
        guard let id = entities[index].parent, let parent = entities.firstIndex(where: { $0.id == id }),
            let position = entities[index].attributes.indices.randomElement(using: &random)
        else { return }
        let attribute = entities[index].attributes.remove(at: position)
        entities[parent].attributes.append(attribute)
        // Objects that did not have the attribute get its default.
        let child = entities[index].id
        for (key, object) in objects where isKind(object.entity, of: id) && !isKind(object.entity, of: child) {
            objects[key]?.values[attribute.id] = attribute.value
        }
        log.append("move \(attribute.name) from \(entities[index].name) to \(entities[parent].name)")
    }

    private mutating func changeAttribute(_ index: Int) {
        guard let position = entities[index].attributes.indices.randomElement(using: &random) else { return }
        var attribute = entities[index].attributes[position]
        switch pick(0...3) {
        case 0:
            entities[index].attributes.remove(at: position)
            log.append("remove attribute \(attribute.name)")
            for key in objects.keys { objects[key]?.values[attribute.id] = nil }
            return
        case 1: attribute.name = newName("x")
        case 2:
            attribute.type =
                [
                    "Integer 16": "Integer 64", "Integer 32": "Double", "Double": "Integer 32",
                    "Integer 64": "Integer 16",
                ][
                    attribute.type] ?? attribute.type
        default:
            // A migration compares only its two versions.
            guard toggled.insert(attribute.id).inserted else { return }
            attribute.isOptional.toggle()
            if !attribute.isOptional {
                let value = attribute.value ?? (attribute.type == "String" ? "new" : "11")
                attribute.value = value
                for (key, object) in objects
                where isKind(object.entity, of: entities[index].id) && object.values[attribute.id] == nil {
                    objects[key]?.values[attribute.id] = value
                }
            }
        }
        entities[index].attributes[position] = attribute
        log.append("change \(attribute.formerName) to \(attribute)")
    }

    private mutating func changeLink() {
        guard let index = links.indices.randomElement(using: &random) else { return }
        switch pick(0...4) {
        case 0:
            log.append("remove link \(links[index].first.name)")
            linked[links[index].id] = nil
            links.remove(at: index)
            return
        case 1: links[index].first.name = newName("r")
        case 2: links[index].first.isOrdered = links[index].first.isToMany && !links[index].first.isOrdered
        case 3 where links[index].hasInverse: links[index].second.isToMany = true
        case 3: return
        // Without an inverse, an object has one owner, but several owners may refer to it now.
        default: if links[index].hasInverse { links[index].first.isToMany = true }
        }
        log.append("change link \(links[index])")
    }

    // MARK: The model

    private func identifier(_ name: String, _ former: String) -> String {
        name == former ? "" : " elementID=\"\(former)\""
    }

    /// The entities as in the `contents` file of a model.
    var text: String {
        entities.map { entity in
            var parts: [String] = []
            if entity.parent == nil {
                parts.append("<attribute name=\"key\" optional=\"YES\" attributeType=\"String\"/>")
            }
            for attribute in entity.attributes {
                let value = attribute.value.map { " defaultValueString=\"\($0)\"" } ?? ""
                parts.append(
                    "<attribute name=\"\(attribute.name)\"\(attribute.isOptional ? " optional=\"YES\"" : "")\(value) "
                        + "attributeType=\"\(attribute.type)\"\(identifier(attribute.name, attribute.formerName))/>")
            }
            for link in links {
                if link.first.entity == entity.id {
                    parts.append(relationship(link.first, link.second, link.hasInverse))
                }
                if link.second.entity == entity.id, link.hasInverse {
                    parts.append(relationship(link.second, link.first, true))
                }
            }
            let parent = entity.parent.flatMap { id in entities.first { $0.id == id } }
            let flag = entity.isAbstract ? " isAbstract=\"YES\"" : ""
            return "<entity name=\"\(entity.name)\"\(flag)\(parent.map { " parentEntity=\"\($0.name)\"" } ?? "")"
                + "\(identifier(entity.name, entity.formerName))>\(parts.joined())</entity>"
        }.joined()
    }

    private func relationship(_ end: Link.End, _ other: Link.End, _ hasInverse: Bool) -> String {
        let name = entities.first { $0.id == other.entity }?.name ?? ""
        let count = end.isToMany ? "toMany=\"YES\"\(end.isOrdered ? " ordered=\"YES\"" : "")" : "maxCount=\"1\""
        let inverse = hasInverse ? " inverseName=\"\(other.name)\" inverseEntity=\"\(name)\"" : ""
        return "<relationship name=\"\(end.name)\" optional=\"YES\" \(count) destinationEntity=\"\(name)\"\(inverse)"
            + "\(identifier(end.name, end.formerName))/>"
    }
}
