/// The inheritance of a model's entities, numbered so that the lookup of an inherited property does not walk up the
/// parents.
///
/// Entities are numbered from the roots down. An entity and its descendants have consecutive numbers, so that A is an
/// ancestor of B if and only if A's range contains B's number. The members of an inheritance cycle share one range:
/// each inherits from all of them.
struct EntityHierarchy: Sendable {
    /// An entity that declares properties with a certain name, each by its index in the entity's list.
    struct Declaration: Sendable {
        /// The index of the entity in the model.
        var entity: Int
        var range: Range<Int>
        var attribute: Int?
        var relationship: Int?
        var fetchedProperty: Int?
        /// The index of the nearest ancestor that declares the name as well, in the same list.
        fileprivate var enclosing: Int?
    }

    /// The ranges by entity name.
    private(set) var ranges: [String: Range<Int>] = [:]
    /// The declarations by property name, ancestors before descendants.
    private var declarations: [String: [Declaration]] = [:]

    init(_ model: Model) {
        var numbering = Numbering(model)
        ranges = numbering.run()
        var seen: Set<String> = []
        for (index, entity) in model.entities.enumerated() where seen.insert(entity.name).inserted {
            if let range = ranges[entity.name] { declare(entity, index: index, range: range) }
        }
        declarations = declarations.mapValues(Self.nested)
    }

    private mutating func declare(_ entity: Entity, index: Int, range: Range<Int>) {
        func change(_ name: String, _ body: (inout Declaration) -> Void) {
            var list = declarations.removeValue(forKey: name) ?? []
            if list.last?.entity != index { list.append(Declaration(entity: index, range: range)) }
            body(&list[list.count - 1])
            declarations[name] = list
        }
        for (position, attribute) in entity.attributes.enumerated() {
            change(attribute.name) { $0.attribute = $0.attribute ?? position }
        }
        for (position, relationship) in entity.relationships.enumerated() {
            change(relationship.name) { $0.relationship = $0.relationship ?? position }
        }
        for (position, fetched) in entity.fetchedProperties.enumerated() {
            change(fetched.name) { $0.fetchedProperty = $0.fetchedProperty ?? position }
        }
    }

    /// Returns declarations sorted with ancestors first, each linked to the nearest one above.
    private static func nested(_ list: [Declaration]) -> [Declaration] {
        guard list.count > 1 else { return list }
        var result = list.sorted {
            ($0.range.lowerBound, -$0.range.upperBound) < ($1.range.lowerBound, -$1.range.upperBound)
        }
        var open: [Int] = []
        for index in result.indices {
            while let last = open.last, !result[last].range.contains(result[index].range.lowerBound) {
                open.removeLast()
            }
            result[index].enclosing = open.last
            open.append(index)
        }
        return result
    }

    /// Returns whether an entity is another one or one of its ancestors.
    func isSameOrAncestor(_ ancestor: String, of entity: String) -> Bool {
        guard let outer = ranges[ancestor], let inner = ranges[entity] else { return ancestor == entity }
        return outer.contains(inner.lowerBound)
    }

    /// Returns the nearest declaration of a property in an entity and its ancestors that meets a condition.
    func declaration(
        of property: String, in entity: String, where matches: (Declaration) -> Bool = { _ in true }
    ) -> Declaration? {
        guard let list = declarations[property], let number = ranges[entity]?.lowerBound else { return nil }
        let after = Self.firstIndex(in: list, after: number)
        var index = after > 0 ? after - 1 : nil
        while let current = index {
            let declaration = list[current]
            if declaration.range.contains(number), matches(declaration) { return declaration }
            index = declaration.enclosing
        }
        return nil
    }

    /// Returns a declaration of a property in a descendant of an entity.
    func declaration(of property: String, below entity: String) -> Declaration? {
        guard let list = declarations[property], let range = ranges[entity] else { return nil }
        let index = Self.firstIndex(in: list, after: range.lowerBound)
        guard index < list.count, list[index].range.lowerBound < range.upperBound else { return nil }
        return list[index]
    }

    /// Returns the index of the first declaration whose entity has a greater number; the count if there is none.
    private static func firstIndex(in list: [Declaration], after number: Int) -> Int {
        var (low, high) = (0, list.count)
        while low < high {
            let middle = (low + high) / 2
            if list[middle].range.lowerBound > number { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// Numbers the entities of a model, without recursion.
private struct Numbering {
    private var parents: [String: String] = [:]
    private var children: [String: [String]] = [:]
    private var names: [String] = []
    private var ranges: [String: Range<Int>] = [:]
    private var next = 0

    init(_ model: Model) {
        var seen: Set<String> = []
        for entity in model.entities where seen.insert(entity.name).inserted {
            names.append(entity.name)
            guard let parent = entity.parentName else { continue }
            parents[entity.name] = parent
            children[parent, default: []].append(entity.name)
        }
        parents = parents.filter { seen.contains($0.value) }
    }

    mutating func run() -> [String: Range<Int>] {
        for name in names where parents[name] == nil { number(from: [name]) }
        // Entities without a path to a root are in or below a cycle.
        for name in names where ranges[name] == nil { number(from: cycle(above: name)) }
        return ranges
    }

    private func cycle(above name: String) -> [String] {
        var path: [String] = []
        var positions: [String: Int] = [:]
        var current: String? = name
        while let next = current {
            if let start = positions[next] { return Array(path[start...]) }
            positions[next] = path.count
            path.append(next)
            current = parents[next]
        }
        return [name]
    }

    /// Numbers some entities, which share a range, and their descendants.
    private mutating func number(from tops: [String]) {
        let start = next
        next += 1
        for name in tops { ranges[name] = start..<start + 1 }
        var waiting: [(name: String, isDone: Bool)] = []
        func push(_ name: String) -> [(name: String, isDone: Bool)] {
            (children[name] ?? []).filter { ranges[$0] == nil }.map { ($0, false) }
        }
        for name in tops { waiting += push(name) }
        while let (name, isDone) = waiting.popLast() {
            if isDone {
                ranges[name] = (ranges[name]?.lowerBound ?? next)..<next
            } else {
                ranges[name] = next..<next + 1
                next += 1
                waiting.append((name, true))
                waiting += push(name)
            }
        }
        for name in tops { ranges[name] = start..<next }
    }
}
