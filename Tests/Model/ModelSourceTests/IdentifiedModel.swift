import TestSupport

@testable import ModelSource

/// A model whose elements have identities, so that the result of applying two lists of edits is known without comparing
/// names.
struct IdentifiedModel: Equatable {
    /// An entity, an attribute or a uniqueness constraint.
    struct Element: Equatable {
        var kind: String
        /// The identity of the entity, or `nil` for an entity.
        var parent: Int?
        /// The XML attributes by name; the members of a constraint, separated by commas, under `members`.
        var values: [String: String]
    }

    var elements: [Int: Element] = [:]

    /// The reason why two lists of edits cannot both be applied.
    struct Conflict: Error {}

    /// Applies the edits of two sides to their common ancestor.
    static func merged(base: Self, ours: Self, theirs: Self) throws(Conflict) -> Self {
        var result = Self()
        for id in Set(ours.elements.keys).union(theirs.elements.keys) {
            let (old, mine, other) = (base.elements[id], ours.elements[id], theirs.elements[id])
            guard let mine, let other else {
                // Removed on one side, or added by the other.
                if old == nil {
                    result.elements[id] = mine ?? other
                } else if (mine ?? other) != old {
                    throw Conflict()
                }
                continue
            }
            guard let old else { throw Conflict() }
            var element = old
            element.values = [:]
            for name in Set(mine.values.keys).union(other.values.keys).union(old.values.keys) {
                let (b, o, t) = (old.values[name], mine.values[name], other.values[name])
                guard o == t || o == b || t == b else { throw Conflict() }
                element.values[name] = o == b ? t : o
            }
            result.elements[id] = element
        }
        for element in result.elements.values {
            if let parent = element.parent, result.elements[parent] == nil { throw Conflict() }
        }
        _ = try result.lines()
        return result
    }

    /// Returns a line for each element. Throws if two different elements have the same name.
    func lines() throws(Conflict) -> Set<String> {
        var result: [String: String] = [:]
        for element in elements.values {
            let entity = element.parent.flatMap { elements[$0]?.values["name"] } ?? ""
            let key = "\(element.kind) \(entity).\(element.values["name"] ?? element.values["members"] ?? "")"
            let text = element.values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
            guard result.updateValue(text, forKey: key) ?? text == text else { throw Conflict() }
        }
        return Set(result.map { "\($0.key): \($0.value)" })
    }

    /// Reads the lines of a merged file.
    static func lines(of bytes: [UInt8]) throws -> Set<String> {
        var result = Self()
        func add(_ element: Element) -> Int {
            result.elements[result.elements.count] = element
            return result.elements.count - 1
        }
        let root = try ModelFormatter.document(bytes, path: "").root
        for entity in root.children where entity.name == "entity" {
            let parent = add(Element(kind: "entity", values: values(of: entity)))
            for child in entity.children {
                if child.name == "attribute" {
                    _ = add(Element(kind: "attribute", parent: parent, values: values(of: child)))
                } else {
                    for constraint in child.children {
                        let members = constraint.children.compactMap { $0["value"] }.joined(separator: ",")
                        _ = add(Element(kind: "constraint", parent: parent, values: ["members": members]))
                    }
                }
            }
        }
        return try result.lines()
    }

    private static func values(of node: XMLNode) -> [String: String] {
        Dictionary(node.attributes.map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// The `contents` file.
    var text: String {
        func tag(_ element: Element, _ end: String) -> String {
            let values = element.values.sorted { $0.key < $1.key }.map { " \($0.key)=\"\($0.value)\"" }
            return "<\(element.kind)\(values.joined())\(end)>"
        }
        var text = "<model>"
        let sorted = elements.sorted { $0.key < $1.key }
        for (id, entity) in sorted where entity.kind == "entity" {
            let children = sorted.filter { $0.value.parent == id }.map(\.value)
            let constraints = children.filter { $0.kind == "constraint" }.map { constraint in
                let members = (constraint.values["members"] ?? "").split(separator: ",")
                    .map { "<constraint value=\"\($0)\"/>" }
                return "<uniquenessConstraint>\(members.joined())</uniquenessConstraint>"
            }
            text += tag(entity, "") + children.filter { $0.kind == "attribute" }.map { tag($0, "/") }.joined()
            if !constraints.isEmpty { text += "<uniquenessConstraints>\(constraints.joined())</uniquenessConstraints>" }
            text += "</entity>"
        }
        return text + "</model>"
    }

    // MARK: Edits

    private static let types = ["String", "Date", "Boolean", "UUID"]

    /// Returns a random model.
    static func random(_ generator: inout SeededGenerator) -> Self {
        var model = Self()
        for entity in 0..<Int.random(in: 1...3, using: &generator) {
            let id = entity * 10
            model.elements[id] = Element(kind: "entity", values: ["name": "E\(entity)"])
            for attribute in 1...Int.random(in: 1...4, using: &generator) {
                var values = ["name": "a\(attribute)", "attributeType": types.randomElement(using: &generator) ?? ""]
                if generator.chance(4) { values["elementID"] = "old\(attribute)" }
                model.elements[id + attribute] = Element(kind: "attribute", parent: id, values: values)
            }
            for constraint in 5..<Int.random(in: 5...7, using: &generator) {
                model.elements[id + constraint] = Element(
                    kind: "constraint", parent: id, values: ["members": "a\(constraint - 4)"])
            }
        }
        return model
    }

    /// Makes one random edit. New names are in none of the elements, and the same ones are chosen on both sides.
    ///
    /// - Parameters:
    ///   - base: The model before the first edit.
    ///   - first: The first identity of new elements.
    /// - Returns: A description of the edit.
    mutating func edit(base: Self, first: Int, _ generator: inout SeededGenerator) -> String {
        guard let (id, element) = elements.sorted(by: { $0.key < $1.key }).randomElement(using: &generator) else {
            return ""
        }
        let parent = element.parent ?? id
        let new = first + elements.count + Int.random(in: 0..<100, using: &generator) * 100
        let name = "n\(Int.random(in: 0..<4, using: &generator))"
        let members = "m\(Int.random(in: 0..<4, using: &generator)),x"
        switch Int.random(in: 0..<8, using: &generator) {
        case 0 where !isTaken(name, "entity", nil) && elements[new] == nil:
            elements[new] = Element(kind: "entity", values: ["name": name])
            return "add entity \(name)"
        case 1 where !isTaken(name, "attribute", parent) && elements[new] == nil:
            let type = Self.types.randomElement(using: &generator) ?? ""
            elements[new] = Element(
                kind: "attribute", parent: parent, values: ["name": name, "attributeType": type])
            return "add attribute \(parent).\(name) \(type)"
        case 2 where !isTaken(members, "constraint", parent) && elements[new] == nil:
            elements[new] = Element(kind: "constraint", parent: parent, values: ["members": members])
            return "add constraint \(parent) \(members)"
        case 3:
            elements = elements.filter { $0.key != id && $0.value.parent != id }
            return "remove \(id)"
        case 4 where element.kind == "constraint":
            // Files do not tell which of two constraints became a third one, so no two become the same.
            let changed = "m\(Int.random(in: 0..<4, using: &generator)),c\(id)"
            elements[id]?.values["members"] = changed
            return "change constraint \(id) to \(changed)"
        case 5 where element.kind != "constraint" && !isTaken(name, element.kind, element.parent):
            let old = base.elements[id]?.values
            elements[id]?.values["name"] = name
            elements[id]?.values["elementID"] = old?["elementID"] ?? old?["name"]
            return "rename \(id) to \(name)"
        case 6 where element.kind == "attribute":
            elements[id]?.values["attributeType"] = Self.types.randomElement(using: &generator)
            return "change the type of \(id)"
        case 7 where element.kind == "entity":
            elements[id]?.values["isAbstract"] = element.values["isAbstract"] == nil ? "YES" : nil
            return "toggle isAbstract of \(id)"
        default: return ""
        }
    }

    private func isTaken(_ name: String, _ kind: String, _ parent: Int?) -> Bool {
        elements.values.contains {
            $0.kind == kind && $0.parent == parent && ($0.values["name"] ?? $0.values["members"]) == name
        }
    }

    /// The identities of the entities that differ from a model's, or whose children do.
    func changedEntities(since base: Self) -> Set<Int> {
        Set(
            Set(elements.keys).union(base.elements.keys).filter { elements[$0] != base.elements[$0] }.map { id in
                (elements[id] ?? base.elements[id])?.parent ?? id
            })
    }
}
