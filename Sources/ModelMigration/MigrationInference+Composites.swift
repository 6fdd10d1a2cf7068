package import ModelSchema

/// Composite attributes, whose types may change although their names stay the same.
extension MigrationInference {
    /// Compares the elements of a composite attribute in both versions. They are paired by path and treated like attributes.
    ///
    /// Renaming identifiers of elements are not considered: migration in the store looks elements up by path. Apple does not
    /// document the migration of composite attributes; types without a conversion elsewhere are assumed to have none here.
    mutating func checkElements(_ old: Attribute, _ new: Attribute, in entity: String) {
        guard new.type == .composite else { return }
        let (before, after) = (old.elements(source.model.composites), new.elements(destination.model.composites))
        let beforeByPath = Dictionary(before) { first, _ in first }
        let paths = Set(after.map(\.path))
        for (path, _) in before where !paths.contains(path) {
            steps.append(.removeAttribute(entity: entity, name: "\(new.name).\(path)"))
            risk(.removedElement, entity, "\(new.name).\(path)", new.origin)
        }
        for (path, element) in after {
            let name = "\(new.name).\(path)"
            guard let former = beforeByPath[path] else {
                steps.append(.addAttribute(entity: entity, name: name, defaultValue: element.usableDefault))
                continue
            }
            if former.type != element.type { convertElement(former, element, named: name, new, in: entity) }
            if former.isOptional, !element.isOptional {
                steps.append(.requireAttribute(entity: entity, name: name, defaultValue: element.usableDefault))
            } else if !former.isOptional, element.isOptional {
                steps.append(.relaxAttribute(entity: entity, name: name))
            }
        }
    }

    private mutating func convertElement(
        _ old: Attribute, _ new: Attribute, named name: String, _ composite: Attribute, in entity: String
    ) {
        switch NumericConversion(from: old.type, to: new.type) {
        case .exact: break
        case .narrowing: risk(.narrowerType(old: old.type, new: new.type), entity, name, composite.origin)
        case .unproven, nil:
            block(.incompatibleTypes(old: old.type, new: new.type), .unknown, entity, name, composite.origin)
        }
        steps.append(.convertAttribute(entity: entity, name: name, old: old.type, new: new.type))
    }
}

extension Attribute {
    /// Returns the plain attributes that a composite attribute consists of, each with its path; empty if its type is missing.
    ///
    /// - Parameter composites: The composite types of the model.
    package func elements(_ composites: [CompositeType]) -> [(path: String, element: Attribute)] {
        elements(Dictionary(composites.map { ($0.name, $0) }) { first, _ in first }, depth: 0)
    }

    private func elements(
        _ composites: [String: CompositeType], depth: Int
    ) -> [(path: String, element: Attribute)] {
        guard depth < Self.maximumCompositeDepth, let type = compositeName.flatMap({ composites[$0] }) else {
            return []
        }
        return type.attributes.flatMap { element -> [(path: String, element: Attribute)] in
            guard element.type == .composite else { return [(element.name, element)] }
            return element.elements(composites, depth: depth + 1).map { ("\(element.name).\($0.path)", $0.element) }
        }
    }
}
