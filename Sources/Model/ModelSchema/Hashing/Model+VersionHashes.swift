internal import Diagnostics

/// The version hashes of a model, as far as they could be computed.
package struct ModelVersionHashes: Hashable, Sendable {
    /// The hashes of the entities that have one.
    package let entities: EntityVersionHashes
    /// Errors that explain why other entities have no hash. If there are any, the model has no checksum and no digest.
    package let findings: [ModelFinding]

    /// The model's checksum (see `EntityVersionHashes.checksum`), or `nil` if the hash of an entity is missing.
    package var checksum: String? { findings.isEmpty ? entities.checksum : nil }
    /// The digest of a store of this model (see `EntityVersionHashes.storeDigest`), or `nil` if the hash of an entity
    /// is missing.
    package var storeDigest: String? { findings.isEmpty ? entities.storeDigest : nil }
}

extension Model {
    /// The maximum number of ancestors of an entity, for all commands (`findings(at:)`). A version hash covers the
    /// properties of all ancestors, so the cost of a chain grows with the square of its length; the longest chain in
    /// real models has five.
    package static let maximumInheritanceDepth = 1000

    /// Returns the version hashes of all entities (Documentation/Formats/VersionHashes.md, 2.5).
    ///
    /// ```
    /// entity(e) = SHA256( name ‖ u8(isAbstract) ‖ [entity(parent)]
    ///                     ‖ hashes of the non-transient attributes and relationships of e and its ancestors, by name
    ///                     ‖ modifier ‖ the entity's own uniqueness constraints as "a.b.c", sorted )
    /// ```
    ///
    /// Proven against Apple's files except for the location of an entity's modifier, which is the plain reading of the
    /// formula. Entities that have no hash - their derivation is invalid, their parent is missing, they are in or below
    /// an inheritance cycle or have too many ancestors - are left out and reported.
    package func versionHashes() -> ModelVersionHashes {
        var computation = VersionHashComputation(self)
        return computation.run()
    }
}

/// Computes the hashes from the roots down, each entity once. Without recursion, so that a long chain of parents cannot
/// overflow the stack.
private struct VersionHashComputation {
    private let model: Model
    private var hashes: [String: VersionHash] = [:]
    private var findings: [ModelFinding] = []

    /// The values that subentities inherit from an entity.
    private struct Inheritance {
        var hash: VersionHash
        var properties: [HashedProperty]
        var depth: Int
    }

    private struct HashedProperty {
        var name: String
        var hash: VersionHash
    }

    init(_ model: Model) {
        self.model = model
    }

    mutating func run() -> ModelVersionHashes {
        var children: [String: [Int]] = [:]
        var waiting: [(entity: Int, inheritance: Inheritance?)] = []
        var names: Set<String> = []
        for (index, entity) in model.entities.enumerated() where names.insert(entity.name).inserted {
            if let parent = entity.parentName {
                children[parent, default: []].append(index)
            } else {
                waiting.append((index, nil))
            }
        }
        while let (index, inheritance) = waiting.popLast() {
            let entity = model.entities[index]
            guard let passedOn = hash(entity, inheriting: inheritance) else { continue }
            hashes[entity.name] = passedOn.hash
            for child in children[entity.name] ?? [] { waiting.append((child, passedOn)) }
        }
        reportUnreached(among: names.count)
        return ModelVersionHashes(entities: EntityVersionHashes(hashes), findings: findings)
    }

    private mutating func hash(_ entity: Entity, inheriting inheritance: Inheritance?) -> Inheritance? {
        let depth = inheritance.map { $0.depth + 1 } ?? 0
        guard depth <= Model.maximumInheritanceDepth else {
            return nil
        }
        guard let own = ownProperties(of: entity) else { return nil }
        let properties = inheritance.map { Self.merge($0.properties, own) } ?? own
        var hasher = SHA256()
        hasher.update(entity.name)
        hasher.update(entity.isAbstract ? 1 : 0)
        if let parent = inheritance?.hash { hasher.update(parent) }
        for property in properties { hasher.update(property.hash) }
        hasher.update(entity.versionHashModifier ?? "")
        let constraints = entity.uniquenessConstraints.filter { !$0.properties.isEmpty }
            .map { $0.properties.map(\.name).joined(separator: ".") }
        for constraint in constraints.sorted(by: { $0.precedesByCodePoints($1) }) { hasher.update(constraint) }
        return Inheritance(hash: VersionHash(hasher), properties: properties, depth: depth)
    }

    /// Returns the hashes of the non-transient properties, sorted by name; `nil` if one has no hash, which is then
    /// reported.
    private mutating func ownProperties(of entity: Entity) -> [HashedProperty]? {
        var properties: [HashedProperty] = []
        var isComplete = true
        for attribute in entity.attributes where !attribute.isTransient {
            do {
                properties.append(
                    HashedProperty(name: attribute.name, hash: try attribute.versionHash(composites: model.composites)))
            } catch {
                isComplete = false
                findings.append(
                    .invalidDerivation(
                        error.expression, of: attribute, in: entity.name, error.message, column: error.column))
            }
        }
        for relationship in entity.relationships where !relationship.isTransient {
            let hash = relationship.versionHash(declaredIn: entity.name)
            properties.append(HashedProperty(name: relationship.name, hash: hash))
        }
        return isComplete ? properties.sorted { $0.name.precedesByCodePoints($1.name) } : nil
    }

    /// Merges two sorted lists.
    private static func merge(_ inherited: [HashedProperty], _ own: [HashedProperty]) -> [HashedProperty] {
        if own.isEmpty { return inherited }
        var result: [HashedProperty] = []
        result.reserveCapacity(inherited.count + own.count)
        var rest = own[...]
        for property in inherited {
            while let first = rest.first, first.name.precedesByCodePoints(property.name) {
                result.append(first)
                rest.removeFirst()
            }
            result.append(property)
        }
        return result + rest
    }

    /// Reports why some entities have no path to a root. Descendants of a reported entity are not reported.
    private mutating func reportUnreached(among count: Int) {
        guard hashes.count < count else { return }
        findings += model.structuralFindings()
            .filter { $0.rule.leavesEntitiesWithoutHash }
    }
}

extension RuleID {
    /// Whether a structural problem of this kind keeps entities from having a version hash.
    fileprivate var leavesEntitiesWithoutHash: Bool {
        self == .unknownParent || self == .inheritanceCycle || self == .inheritanceTooDeep
    }
}
