internal import Foundation
internal import RuntimeSupport

/// Copies one or more models into a new one.
struct ModelCopier {
    private let target: NSManagedObjectModel
    private var entities: [NSEntityDescription] = []
    private var originals: [NSEntityDescription] = []
    private var copies: [String: NSEntityDescription] = [:]
    private var configurations: [String: [NSEntityDescription]] = [:]
    private var templates: [String: NSFetchRequest<any NSFetchRequestResult>] = [:]
    private var versionIdentifiers: Set<AnyHashable> = []

    init(into target: NSManagedObjectModel) {
        self.target = target
    }

    /// Adds a model. Traps, where Apple's framework raises an exception, if an existing entity has different content.
    mutating func add(_ model: NSManagedObjectModel) {
        for entity in model.entities {
            guard let name = entity.name else { continue }
            if let index = originals.firstIndex(where: { $0.name == name }), copies[name] != nil {
                guard originals[index].isEqual(entity) else {
                    misuse(
                        "NSInvalidArgumentException",
                        "Can't merge models with two different entities named '\(name)'")
                }
                continue
            }
            guard let copy = entity.copy() as? NSEntityDescription else { continue }
            copies[name] = copy
            entities.append(copy)
            originals.append(entity)
        }
        for name in model.configurations {
            let members = (model.entities(forConfigurationName: name) ?? []).compactMap(\.name)
            let present = Set((configurations[name] ?? []).compactMap(\.name))
            configurations[name, default: []] += members.filter { !present.contains($0) }.compactMap { copies[$0] }
        }
        for (name, template) in model.fetchRequestTemplatesByName where templates[name] == nil {
            templates[name] = template
        }
        versionIdentifiers.formUnion(model.versionIdentifiers)
    }

    /// Links the copies with each other and fills the new model.
    mutating func finish() {
        for (original, copy) in zip(originals, entities) {
            for child in original.subentities {
                if let name = child.name, let childCopy = copies[name] { copy.load(child: childCopy) }
            }
        }
        for (original, copy) in zip(originals, entities) {
            for (old, new) in zip(original.declaredProperties, copy.declaredProperties) { link(new, as: old) }
            // Columns may be inherited properties, which are not available earlier.
            let properties = copy.propertiesByName
            copy.load(properties: copy.declaredProperties, indexes: original.indexes.map { $0.copy(for: properties) })
        }
        target.load(
            entities: entities, configurations: configurations, templates: templates.mapValues { relinked($0) },
            versionIdentifiers: versionIdentifiers)
    }

    private func link(_ new: NSPropertyDescription, as old: NSPropertyDescription) {
        switch (new, old) {
        case (let new as NSRelationshipDescription, let old as NSRelationshipDescription):
            let destination = old.destinationEntity.map { entity in entity.name.flatMap { copies[$0] } ?? entity }
            let inverse = old.inverseRelationship.flatMap { inverse in
                inverse.owner?.name.flatMap { copies[$0] }?.declaredProperties.first { $0.common.name == inverse.name }
            }
            new.load(destination: destination, inverse: inverse as? NSRelationshipDescription)
        case (let new as NSFetchedPropertyDescription, _): new.load(request: new.fetchRequest.map { relinked($0) })
        default: break
        }
    }

    /// Returns a copy of a request for the new model's entity.
    private func relinked(_ request: NSFetchRequest<any NSFetchRequestResult>) -> NSFetchRequest<
        any NSFetchRequestResult
    > {
        var settings = request.settings
        settings.entityName = request.entityName
        settings.modelEntity = request.entityName.flatMap { copies[$0] }
        return NSFetchRequest(settings: settings)
    }
}
