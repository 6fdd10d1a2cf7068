internal import CloudKitSchema
internal import ModelMigration
package import ModelSchema

/// Compares a model with an earlier, released state.
package struct BreakingCheck {
    private let released: ModelHistory
    private let model: ModelHistory
    private let level: CompatibilityLevel
    private var changes: [BreakingChange] = []

    /// Returns the changes that break compatibility, by severity and then in the order of the model.
    ///
    /// - Parameters:
    ///   - model: The current state of the model.
    ///   - released: The released state.
    ///   - level: How strict the comparison is.
    package static func changes(
        in model: ModelHistory, against released: ModelHistory, level: CompatibilityLevel
    ) -> [BreakingChange] {
        var check = BreakingCheck(model: model, released: released, level: level)
        check.run()
        return check.changes
    }

    private init(model: ModelHistory, released: ModelHistory, level: CompatibilityLevel) {
        self.model = model
        self.released = released
        self.level = level
    }

    private mutating func run() {
        checkVersions()
        checkCurrent()
        checkEqualVersions()
        guard level >= .lightweight, let current = model.current, let target = current.model else { return }
        var seen: Set<String> = []
        for version in released.versions where version.hashes != current.hashes {
            // Versions with equal hashes are equivalent for a store.
            guard let source = version.model, seen.insert(version.hashes.checksum).inserted else { continue }
            checkMigration(from: version.name, source, to: current.name, target)
        }
        guard level >= .cloudkit, let last = released.current ?? released.versions.last, let source = last.model else {
            return
        }
        checkAdditions(from: last.name, source, to: current.name, target)
    }

    // MARK: Versions

    private mutating func checkVersions() {
        for version in released.versions {
            guard let now = model.version(named: version.name) else {
                if !model.versions.contains(where: { $0.hashes == version.hashes }) {
                    report(.deletedVersion, version.name)
                }
                continue
            }
            guard now.hashes != version.hashes else { continue }
            // The released contents exist under another name, so their stores still open.
            if model.versions.contains(where: { $0.hashes == version.hashes }) { continue }
            if let earlier = released.versions.first(where: { $0.name != version.name && $0.hashes == now.hashes }) {
                report(.rolledBackVersion(to: earlier.name), version.name)
            } else {
                report(.editedVersion(entities: Self.edits(version, now)), version.name, originVersion: version.name)
            }
        }
    }

    private static func edits(
        _ before: ModelHistory.Version, _ now: ModelHistory.Version
    ) -> [BreakingChange.EditedEntity] {
        differences(before.hashes, now.hashes).map { name in
            var terms: [HashTerm] = []
            if let old = before.model, let new = now.model {
                terms = HashTerms(old: old.entities[name], new: new.entities[name], in: old, new).terms
            }
            return BreakingChange.EditedEntity(name: name, terms: terms)
        }
    }

    /// Returns the names of the entities whose hashes differ, or that only one side has.
    package static func differences(_ first: EntityVersionHashes, _ second: EntityVersionHashes) -> [String] {
        let names = Set(first.elements.map(\.name)).union(second.elements.map(\.name))
        return names.filter { first[$0] != second[$0] }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private mutating func checkCurrent() {
        guard let now = model.current, let before = released.current, now.hashes != before.hashes,
            released.versions.contains(where: { $0.hashes == now.hashes }),
            model.versions.contains(where: { $0.hashes == before.hashes })
        else { return }
        report(.currentWentBack(from: before.name), now.name)
    }

    private mutating func checkEqualVersions() {
        var names: [String: String] = [:]
        for version in model.versions {
            if let other = names[version.hashes.checksum] {
                report(.equalVersions(other: other), version.name, originVersion: version.name)
            } else {
                names[version.hashes.checksum] = version.name
            }
        }
    }

    // MARK: Migration

    private mutating func checkMigration(
        from name: String, _ source: IndexedModel, to currentName: String, _ target: IndexedModel
    ) {
        let migration = LightweightMigration(from: source, to: target)
        for risk in migration.risks where risk.kind.dropsValues {
            add(
                BreakingChange(
                    kind: .droppedValues(risk), level: .lightweight, versions: [name], entity: risk.entity,
                    releasedEntity: risk.sourceEntity, property: risk.property, originVersion: currentName,
                    origin: risk.origin))
        }
        for obstacle in migration.obstacles {
            add(
                BreakingChange(
                    kind: .notLightweight(obstacle), level: .lightweight, versions: [name], entity: obstacle.entity,
                    releasedEntity: obstacle.sourceEntity, property: obstacle.property, originVersion: currentName,
                    origin: obstacle.origin))
        }
        for entity in ModelDifference(from: source, to: target).entities {
            if entity.change.kind == .suspectedRename { reportRename(entity.change, in: nil, from: name, currentName) }
            for property in entity.properties
            where property.change.kind == .suspectedRename && property.newKind != .fetchedProperty {
                reportRename(property.change, in: entity.change, from: name, currentName)
            }
        }
    }

    /// Adds a change, or the version to the same change from another version.
    private mutating func add(_ change: BreakingChange) {
        let index = changes.firstIndex { known in
            known.entity == change.entity && known.property == change.property
                && Self.isSame(known.kind, change.kind)
        }
        if let index { changes[index].versions += change.versions } else { changes.append(change) }
    }

    /// Returns whether two changes are the same except for the name that the entity had in the version.
    private static func isSame(_ first: BreakingChange.Kind, _ second: BreakingChange.Kind) -> Bool {
        switch (first, second) {
        case (.notLightweight(var known), .notLightweight(let other)):
            known.sourceEntity = other.sourceEntity
            return known == other
        case (.droppedValues(var known), .droppedValues(let other)):
            known.sourceEntity = other.sourceEntity
            return known == other
        default: return first == second
        }
    }

    private mutating func reportRename(
        _ change: ElementChange, in entity: ElementChange?, from version: String, _ currentName: String
    ) {
        guard let old = change.oldName, let new = change.newName else { return }
        add(
            BreakingChange(
                kind: .renameWithoutIdentifier(old: old, new: new), level: .lightweight, versions: [version],
                entity: entity?.newName ?? new, releasedEntity: entity?.oldName ?? (entity == nil ? old : nil),
                property: entity == nil ? nil : new, originVersion: currentName, origin: change.newOrigin))
    }

    // MARK: CloudKit

    /// Checks for changes other than additions: CloudKit never removes or changes record types and fields of its
    /// production environment.
    private mutating func checkAdditions(
        from name: String, _ source: IndexedModel, to currentName: String, _ target: IndexedModel
    ) {
        for entity in ModelDifference(from: source, to: target).entities {
            switch entity.change.kind {
            case .removed: notAdditive("was removed", name, entity.change, nil, currentName)
            case .renamed, .suspectedRename:
                notAdditive("was renamed from “\(entity.change.oldName ?? "")”", name, entity.change, nil, currentName)
            case .added, .changed, .moved: break
            }
            guard entity.change.kind != .removed, entity.change.kind != .added else { continue }
            for property in entity.properties {
                for reason in Self.lostAdditions(property) {
                    notAdditive(reason, name, entity.change, property.change, currentName)
                }
            }
        }
    }

    private static func lostAdditions(_ property: PropertyChange) -> [String] {
        if property.oldKind == .fetchedProperty || property.newKind == .fetchedProperty { return [] }
        var reasons: [String] = []
        switch property.change.kind {
        case .removed: reasons.append("was removed")
        case .renamed, .suspectedRename: reasons.append("was renamed from “\(property.change.oldName ?? "")”")
        case .added, .changed, .moved: break
        }
        if let old = property.oldKind, let new = property.newKind, old != new {
            reasons.append("was \(old.rawValue) and is now \(new.rawValue)")
        }
        for field in property.change.fields {
            switch field.field {
            case .type where keepsCloudKitField(field): break
            case .type, .isToMany, .destination, .allowsCloudEncryption, .isTransient, .composite:
                reasons.append("changed its \(field.field.title) from \(field.old ?? "no") to \(field.new ?? "no")")
            default: break
            }
        }
        return reasons
    }

    private static func keepsCloudKitField(_ change: FieldChange) -> Bool {
        guard let old = change.old.flatMap(AttributeType.init(xmlValue:)),
            let new = change.new.flatMap(AttributeType.init(xmlValue:))
        else { return false }
        return old.sharesCloudKitField(with: new)
    }

    private mutating func notAdditive(
        _ reason: String, _ version: String, _ entity: ElementChange, _ property: ElementChange?, _ currentName: String
    ) {
        changes.append(
            BreakingChange(
                kind: .notAdditive(reason), level: .cloudkit, versions: [version], entity: entity.name,
                releasedEntity: entity.oldName, property: property?.name, originVersion: currentName,
                origin: property?.newOrigin ?? entity.newOrigin))
    }

    private mutating func report(_ kind: BreakingChange.Kind, _ version: String, originVersion: String? = nil) {
        changes.append(BreakingChange(kind: kind, level: .store, versions: [version], originVersion: originVersion))
    }
}
