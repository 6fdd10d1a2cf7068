package import ModelMigration
internal import ModelSchema

/// The differences between two versions of a model.
package struct ModelDifference: Hashable, Sendable {
    /// The entities that changed, by name.
    package var entities: [EntityChange]
    /// The fetch request templates that changed.
    package var fetchRequests: [ElementChange]
    /// The configurations that changed.
    package var configurations: [ElementChange]
    /// The composite types that changed.
    package var composites: [ElementChange]
    /// The settings of the model itself that changed.
    package var settings: [FieldChange]

    /// Whether nothing changed.
    package var isEmpty: Bool {
        entities.isEmpty && fetchRequests.isEmpty && configurations.isEmpty && composites.isEmpty && settings.isEmpty
    }

    /// The difference in the opposite direction.
    package var inverted: ModelDifference {
        ModelDifference(
            entities: entities.map(\.inverted).sorted(), fetchRequests: fetchRequests.map(\.inverted).sorted(),
            configurations: configurations.map(\.inverted).sorted(), composites: composites.map(\.inverted).sorted(),
            settings: settings.map(\.inverted))
    }
}

extension ModelDifference {
    /// Compares two versions.
    package init(from old: IndexedModel, to new: IndexedModel) {
        var comparison = EntityComparison(old: old, new: new)
        entities = comparison.run()
        fetchRequests = Self.changes(
            from: old.model.fetchRequests.map { ($0.name, FieldValues($0), $0.origin) },
            to: new.model.fetchRequests.map { ($0.name, FieldValues($0), $0.origin) })
        configurations = Self.changes(
            from: old.model.configurations.map { ($0.name, FieldValues($0), $0.origin) },
            to: new.model.configurations.map { ($0.name, FieldValues($0), $0.origin) })
        composites = Self.changes(
            from: old.model.composites.map { ($0.name, FieldValues($0), $0.origin) },
            to: new.model.composites.map { ($0.name, FieldValues($0), $0.origin) })
        settings = FieldValues.changes(from: FieldValues(old.model.settings), to: FieldValues(new.model.settings))
    }

    private typealias Named = (name: String, values: FieldValues, origin: ElementOrigin?)

    /// Compares elements that migration does not affect, by name.
    private static func changes(from old: [Named], to new: [Named]) -> [ElementChange] {
        let oldByName = Dictionary(old.map { ($0.name, $0) }) { first, _ in first }
        let newByName = Dictionary(new.map { ($0.name, $0) }) { first, _ in first }
        let names = Set(oldByName.keys).union(newByName.keys)
        return names.compactMap { name -> ElementChange? in
            let (old, new) = (oldByName[name], newByName[name])
            guard let old, let new else {
                return ElementChange(
                    kind: old == nil ? .added : .removed, oldName: old?.name, newName: new?.name, fields: [],
                    oldOrigin: old?.origin, newOrigin: new?.origin)
            }
            let fields = FieldValues.changes(from: old.values, to: new.values)
            guard !fields.isEmpty else { return nil }
            return ElementChange(
                kind: .changed, oldName: name, newName: name, fields: fields, oldOrigin: old.origin,
                newOrigin: new.origin)
        }.sorted()
    }
}
