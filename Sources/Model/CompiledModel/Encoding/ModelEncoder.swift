internal import Diagnostics
internal import ModelSchema

/// Encodes a model as an archive (Documentation/Formats/CompiledModel.md, 2).
struct ModelEncoder {
    typealias Reference = KeyedArchiveBuilder.Reference

    /// The references to an entity and its relationships, which other entities need before the entity is written.
    struct EntityRecord {
        var reference: Reference
        var index: Int
        /// Its own relationships, by name.
        var relationships: [String: Reference] = [:]
        /// The indices of its direct subentities.
        var children: [Int] = []
    }

    let model: Model
    let options: EncodedModel.Options
    /// The encoder of the archive's predicates and expressions.
    var expressions = ExpressionEncoder(KeyedArchiveBuilder(), for: .model)
    var builder: KeyedArchiveBuilder {
        _read { yield expressions.builder }
        _modify { yield &expressions.builder }
    }
    var findings: [ModelFinding] = []
    let root: Reference
    /// The first entity with each name.
    private(set) var records: [String: EntityRecord] = [:]
    /// The number of composite attributes' elements that may still be written.
    var compositePartBudget = 100_000
    /// The dictionary that all entities without `userInfo` share.
    let emptyUserInfo: Reference

    init(_ model: Model, options: EncodedModel.Options) {
        self.model = model
        self.options = options
        root = expressions.builder.announce()
        emptyUserInfo = expressions.builder.add(.dictionary, entries: [])
        for (index, entity) in model.entities.enumerated() where records[entity.name] == nil {
            var record = EntityRecord(reference: builder.announce(), index: index)
            for relationship in entity.relationships where record.relationships[relationship.name] == nil {
                record.relationships[relationship.name] = builder.announce()
            }
            records[entity.name] = record
        }
        for (index, entity) in model.entities.enumerated() where records[entity.name]?.index == index {
            if let parent = entity.parentName { records[parent]?.children.append(index) }
        }
    }

    mutating func encode() -> [UInt8] {
        var entities: [(key: String, value: Reference)] = []
        for (index, entity) in model.entities.enumerated() {
            guard let record = records[entity.name], record.index == index else { continue }
            encode(entity, record)
            entities.append((entity.name, record.reference))
        }
        var values: [(ArchiveKey, KeyedArchiveBuilder.Value)] = [
            (.entities, .reference(builder.add(.mutableDictionary, entries: entities))),
            (
                .versionIdentifiers,
                .reference(builder.add(.set, texts: [model.settings.userDefinedModelVersionIdentifier ?? ""]))
            ),
            (.fetchRequestTemplates, .reference(encodeFetchRequests())),
        ]
        if let configurations = encodeConfigurations() { values.append((.configurations, .reference(configurations))) }
        if let version = options.compilerVersion {
            values.append((.compilerXcodeVersion, .integer(version.xcode)))
            values.append((.compilerToolVersion, .real(version.tool)))
        }
        builder.define(root, archivedClass: .model, values: values)
        return builder.finish(root: root)
    }

    private mutating func encodeFetchRequests() -> Reference {
        guard !model.fetchRequests.isEmpty else { return .null }
        var entries: [(key: String, value: Reference)] = []
        for request in model.fetchRequests { entries.append((request.name, encode(request))) }
        return builder.add(.mutableDictionary, entries: entries)
    }

    private mutating func encodeConfigurations() -> Reference? {
        var entries: [(key: String, value: Reference)] = []
        if options.isSwiftData {
            let members = model.entities.compactMap { records[$0.name]?.reference }
            entries.append(("default", builder.add(.set, elements: members)))
        } else if model.configurations.isEmpty {
            return nil
        }
        for configuration in model.configurations {
            var members: [Reference] = []
            var seen: Set<String> = []
            for member in configuration.members where seen.insert(member.entityName).inserted {
                if let record = records[member.entityName] { members.append(record.reference) }
            }
            entries.append((configuration.name, builder.add(.set, elements: members)))
        }
        return builder.add(.mutableDictionary, entries: entries)
    }

    /// Returns the entity's reference, or null if there is no such entity.
    func entityReference(_ name: String?) -> Reference { name.flatMap { records[$0]?.reference } ?? .null }

    /// Returns a relationship by name, from an entity or its ancestors.
    func relationshipReference(_ name: String, in entity: String?) -> Reference? {
        var current = entity
        var visited: Set<String> = []
        while let entity = current, visited.insert(entity).inserted, let record = records[entity] {
            if let reference = record.relationships[name] { return reference }
            current = model.entities[record.index].parentName
        }
        return nil
    }

    /// Reports an error, so that the model cannot be compiled.
    mutating func report(error rule: RuleID, _ message: String, at origin: ElementOrigin?, attribute: String? = nil) {
        findings.append(ModelFinding(.error, rule: rule, message, at: origin, attribute: attribute))
    }

    /// Reports a part that is lost or unproven.
    mutating func report(
        warning rule: RuleID, _ message: String, at origin: ElementOrigin?, attribute: String? = nil, why: String? = nil
    ) {
        findings.append(ModelFinding(.warning, rule: rule, message, at: origin, attribute: attribute, why: why))
    }

    /// Reports a part whose form in Apple's files is unproven.
    mutating func report(unproven what: String, at origin: ElementOrigin?, attribute: String? = nil) {
        report(
            warning: .unprovenArchiveForm, what + " is compiled to an unproven form", at: origin,
            attribute: attribute,
            why:
                "No output of Apple's compiler with it was available for comparison. Load the result with Apple's Core Data before relying on it."
        )
    }
}
