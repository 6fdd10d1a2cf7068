internal import ModelSchema

/// Composite attributes, whose types may change although their names stay the same.
extension MigrationInference {
    /// Checks the elements that a composite attribute has in both versions. They are paired by path and converted like attributes.
    ///
    /// Apple does not document the migration of composite attributes; types without a conversion elsewhere are assumed to have
    /// none here.
    mutating func checkElements(_ old: Attribute, _ new: Attribute, in entity: String) {
        guard new.type == .composite else { return }
        let before = Dictionary(Self.elements(of: old, source.model.composites)) { first, _ in first }
        for (path, after) in Self.elements(of: new, destination.model.composites) {
            guard let type = before[path], type != after else { continue }
            switch NumericConversion(from: type, to: after) {
            case .exact: continue
            case .narrowing: risk(.narrowerType(old: type, new: after), entity, "\(new.name).\(path)", new.origin)
            case .unproven, nil:
                block(
                    .incompatibleTypes(old: type, new: after), .unknown, entity, "\(new.name).\(path)", new.origin)
            }
        }
    }

    /// Returns the paths and types of the plain attributes that a composite attribute consists of.
    private static func elements(
        of attribute: Attribute, _ composites: [CompositeType], depth: Int = 0
    ) -> [(path: String, type: AttributeType)] {
        guard depth < 16, let composite = composites.first(where: { $0.name == attribute.compositeName }) else {
            return []
        }
        return composite.attributes.flatMap { element -> [(path: String, type: AttributeType)] in
            guard element.type == .composite else { return [(element.name, element.type)] }
            return elements(of: element, composites, depth: depth + 1).map { ("\(element.name).\($0.path)", $0.type) }
        }
    }
}
