internal import ModelSchema

/// The values of a composite attribute: dictionaries with a value for each element.
struct Groups: ValueGenerator {
    private let elements: [Element]

    private struct Element {
        let name: String
        let isOptional: Bool
        let kind: any ValueGenerator
    }

    /// - Returns: `nil` if the model does not declare the type, or an element has a type without values.
    init?(_ attribute: Attribute, _ composites: [CompositeType]) {
        guard let leaves = attribute.leaves(composites), !leaves.isEmpty,
            let type = composites.first(where: { $0.name == attribute.compositeName })
        else { return nil }
        var elements: [Element] = []
        for element in type.attributes {
            guard let kind = ValueSource.kind(of: element, composites) else {
                guard element.isOptional else { return nil }
                continue
            }
            elements.append(Element(name: element.name, isOptional: element.isOptional, kind: kind))
        }
        self.elements = elements
    }

    func edges(_ numbers: inout SeededNumbers) -> [Any] {
        var columns: [(element: Element, values: [Any])] = []
        for element in elements { columns.append((element, element.kind.edges(&numbers))) }
        let count = columns.map(\.values.count).max() ?? 0
        var groups: [Any] = []
        for index in 0..<count {
            var group: [String: Any] = [:]
            for (element, values) in columns where !values.isEmpty {
                group[element.name] = values[index % values.count]
            }
            if isComplete(group) { groups.append(group) }
        }
        return groups
    }

    func random(_ numbers: inout SeededNumbers) -> Any? {
        var group: [String: Any] = [:]
        for element in elements {
            // One in ten optional elements has no value.
            if element.isOptional, numbers.chance(10) { continue }
            group[element.name] = element.kind.random(&numbers)
        }
        return isComplete(group) ? group : nil
    }

    func numbered(_ number: Int, _ numbers: inout SeededNumbers) -> Any? {
        var group: [String: Any] = [:]
        for element in elements { group[element.name] = element.kind.numbered(number, &numbers) }
        return isComplete(group) ? group : nil
    }

    /// Composite attributes have no defaults.
    func value(of text: String) -> Any? { nil }

    private func isComplete(_ group: [String: Any]) -> Bool {
        !group.isEmpty && elements.allSatisfy { $0.isOptional || group[$0.name] != nil }
    }
}
