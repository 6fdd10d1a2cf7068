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
        let names = Set(old.properties.keys).union(new.properties.keys)
        for name in names {
            let source = old.properties[name].flatMap { $0.property.isStored ? $0.property : nil }
            let destination = new.properties[name].flatMap { $0.property.isStored ? $0.property : nil }
            switch (source, destination) {
            case (nil, nil): break
            case (.some, nil): terms.append(.removedProperty(name))
            case (nil, .some): terms.append(.addedProperty(name))
            case (.some(let source), .some(let destination)):
                guard source.versionHash != destination.versionHash else { continue }
                let changes = FieldValues.changes(from: FieldValues(source), to: FieldValues(destination))
                let fields = Self.fields(of: changes, from: source, to: destination)
                terms.append(.property(name, fields.sorted { $0.rawValue < $1.rawValue }))
            }
        }
        self.terms = terms.sorted()
    }

    /// Returns the changed settings that change a property's hash.
    ///
    /// The hash of a derived attribute covers only its derivation, so no other setting matters if one side is derived.
    static func fields(of changes: [FieldChange], from source: Property, to destination: Property) -> Set<Field> {
        guard source.isStored || destination.isStored, source.versionHash != destination.versionHash else { return [] }
        var fields = Set(changes.map(\.field).filter(\.isHashTerm))
        if case .attribute(let old) = source, case .attribute(let new) = destination, old.isDerived || new.isDerived {
            fields.formIntersection([.derivation])
        }
        // The maximum count distinguishes a to-one relationship from a to-many one.
        if case .relationship(let old) = source, case .relationship(let new) = destination,
            old.compiledMaximumCount != new.compiledMaximumCount, old.isToMany != new.isToMany
        {
            fields.insert(.isToMany)
        }
        return fields
    }
}
