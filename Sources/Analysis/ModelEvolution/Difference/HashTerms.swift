internal import ModelMigration
internal import ModelSchema

/// Finds the reasons why two version hashes differ.
struct HashTerms {
    let terms: [HashTerm]

    /// Compares the terms of two entities' hashes.
    init(
        old: IndexedModel.IndexedEntity?, new: IndexedModel.IndexedEntity?, in oldModel: IndexedModel,
        _ newModel: IndexedModel
    ) {
        guard let old, let new else {
            terms = []
            return
        }
        var terms: [HashTerm] = []
        let fields = FieldValues.changes(from: FieldValues(old.entity), to: FieldValues(new.entity)).map(\.field)
        for field in fields where field.isHashTerm && field != .parentEntity { terms.append(.setting(field)) }
        let (oldParent, newParent) = (old.entity.parentName, new.entity.parentName)
        if oldParent.flatMap({ oldModel.entities[$0]?.hash }) != newParent.flatMap({ newModel.entities[$0]?.hash }) {
            terms.append(.parent(old: oldParent, new: newParent))
        }
        let sources = Self.storedProperties(of: old, oldModel)
        let destinations = Self.storedProperties(of: new, newModel)
        for name in Set(sources.keys).union(destinations.keys) {
            switch (sources[name], destinations[name]) {
            case (nil, nil): break
            case (.some, nil): terms.append(.removedProperty(name))
            case (nil, .some): terms.append(.addedProperty(name))
            case (.some(let source), .some(let destination)):
                guard source.versionHash != destination.versionHash else { continue }
                let changes = FieldValues.changes(
                    from: FieldValues(source.property), to: FieldValues(destination.property))
                let fields = Self.fields(of: changes, from: source, to: destination)
                terms.append(.property(name, fields.sorted { $0.rawValue < $1.rawValue }))
            }
        }
        self.terms = terms.sorted()
    }

    /// Returns the stored properties of an entity, and in place of each composite attribute its elements, which are
    /// what its hash covers, by path.
    private static func storedProperties(
        of entity: IndexedModel.IndexedEntity, _ model: IndexedModel
    ) -> [String: IndexedModel.OwnedProperty] {
        var result: [String: IndexedModel.OwnedProperty] = [:]
        for (name, owned) in entity.properties where owned.property.isStored {
            guard case .attribute(let attribute) = owned.property, attribute.type == .composite else {
                result[name] = owned
                continue
            }
            for leaf in model.leaves(of: attribute) {
                result["\(name).\(leaf.name)"] = IndexedModel.OwnedProperty(
                    property: .attribute(leaf.element), owner: owned.owner)
            }
        }
        return result
    }

    /// Returns the changed settings that change a property's hash.
    ///
    /// The hash of a derived attribute covers only its derivation, so no other setting matters if one side is derived.
    static func fields(
        of changes: [FieldChange], from source: IndexedModel.OwnedProperty, to destination: IndexedModel.OwnedProperty
    ) -> Set<Field> {
        guard source.property.isStored || destination.property.isStored,
            source.versionHash != destination.versionHash
        else { return [] }
        var fields = Set(changes.map(\.field).filter(\.isHashTerm))
        if case .attribute(let old) = source.property, case .attribute(let new) = destination.property,
            old.isDerived || new.isDerived
        {
            fields.formIntersection([.derivation])
        }
        // The maximum count distinguishes a to-one relationship from a to-many one.
        if case .relationship(let old) = source.property, case .relationship(let new) = destination.property,
            old.compiledMaximumCount != new.compiledMaximumCount, old.isToMany != new.isToMany
        {
            fields.insert(.isToMany)
        }
        return fields
    }
}
