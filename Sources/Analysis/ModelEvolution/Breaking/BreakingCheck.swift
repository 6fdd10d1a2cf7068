internal import CloudKitSchema
package import ModelMigration
package import ModelSchema

/// Compares a model with an earlier, released state.
package struct BreakingCheck {
    private let released: ModelHistory
    private let model: ModelHistory
    private let level: CompatibilityLevel
    private let isStepwise: Bool
    private let isMapped: (IndexedModel, IndexedModel) -> Bool
    private var changes: [BreakingChange] = []
    /// The indices in `changes` of those that were added, by origin version, entity and property.
    private var indices: [[String?]: [Int]] = [:]

    /// The changes that break compatibility, by severity and then in the order of the model.
    package struct Result {
        /// The changes that the released state does not have.
        package var changes: [BreakingChange] = []
        /// The changes between versions of the released state, which the model inherits.
        package var earlierChanges: [BreakingChange] = []
    }

    /// Returns the changes that break compatibility.
    ///
    /// - Parameters:
    ///   - model: The current state of the model.
    ///   - released: The released state.
    ///   - level: How strict the comparison is.
    ///   - isStepwise: Whether the app migrates from each version to the next one, rather than to the current one in
    ///     one step.
    ///   - knowsEarlierMigrations: Whether the migrations between released versions are as they were at the release; if
    ///     not, mapping models may have been lost, and no migration counts as an earlier change.
    ///   - isMapped: Whether a mapping model serves the migration between two versions. Only `.migratable` accepts one.
    package static func changes(
        in model: ModelHistory, against released: ModelHistory, level: CompatibilityLevel,
        isStepwise: Bool = false, knowsEarlierMigrations: @autoclosure () -> Bool = true,
        isMapped: @escaping (IndexedModel, IndexedModel) -> Bool = { _, _ in false }
    ) -> Result {
        func check(_ model: ModelHistory) -> [BreakingChange] {
            var check = BreakingCheck(
                model: model, released: released, level: level, isStepwise: isStepwise, isMapped: isMapped)
            check.run()
            return check.changes
        }
        var result = Result()
        let changes = check(model)
        // What the released state has already matters only if there is something to tell it from.
        guard !changes.isEmpty else { return result }
        var before = released
        if before.current == nil { before.currentName = before.versions.last?.name }
        let knowsMigrations = knowsEarlierMigrations()
        let earlier = check(before).filter { knowsMigrations || $0.level == .store }
        // Stores that could not be migrated before do not need another mapping model, regardless of the obstacle now.
        // Only this level knows of mapping models, and an obstacle that is less certain does not count.
        let obstacles = earlier.map { (certainty: certainty(ofObstacle: $0), versions: $0.versions) }
        func blockedVersions(_ change: BreakingChange) -> Set<String> {
            guard level == .migratable, released.current != nil, let own = certainty(ofObstacle: change)
            else { return [] }
            return Set(obstacles.filter { $0.certainty == own || $0.certainty == .known }.flatMap(\.versions))
        }
        let areAllBlocked = changes.allSatisfy { change in
            certainty(ofObstacle: change) == nil || blockedVersions(change).isSuperset(of: change.versions)
        }
        for var change in changes {
            var earlierVersions = Set(earlier.filter { isSame($0, change) }.flatMap(\.versions))
            if areAllBlocked { earlierVersions.formUnion(blockedVersions(change)) }
            var old = change
            old.versions = change.versions.filter(earlierVersions.contains)
            change.versions = change.versions.filter { !earlierVersions.contains($0) }
            if !change.versions.isEmpty { result.changes.append(change) }
            if !old.versions.isEmpty { result.earlierChanges.append(old) }
        }
        return result
    }

    private init(
        model: ModelHistory, released: ModelHistory, level: CompatibilityLevel, isStepwise: Bool,
        isMapped: @escaping (IndexedModel, IndexedModel) -> Bool
    ) {
        self.model = model
        self.released = released
        self.level = level
        self.isStepwise = isStepwise
        self.isMapped = isMapped
    }

    private mutating func run() {
        checkVersions()
        checkCurrent()
        checkEqualVersions()
        guard level >= .migratable, let current = model.current, let target = current.model else { return }
        for (source, destination) in migrations(to: current) {
            guard let old = source.model, let new = destination.model,
                level > .migratable || !isMapped(old, new)
            else { continue }
            checkMigration(from: source.name, old, to: destination.name, new)
        }
        guard level >= .cloudkit, let last = released.current ?? released.versions.last, let source = last.model else {
            return
        }
        checkAdditions(from: last.name, source, to: current.name, target)
    }

    /// Returns the migrations by which stores of the released versions get to the current version.
    private func migrations(
        to current: ModelHistory.Version
    ) -> [(source: ModelHistory.Version, destination: ModelHistory.Version)] {
        guard isStepwise else {
            // Versions with equal hashes are equivalent for a store.
            var seen: Set<String> = [current.hashes.checksum]
            return released.versions.filter { $0.model != nil && seen.insert($0.hashes.checksum).inserted }
                .map { ($0, current) }
        }
        let hashes = Set(released.versions.map(\.hashes))
        guard let end = model.versions.firstIndex(where: { $0.name == current.name }),
            let start = model.versions[...end].firstIndex(where: { hashes.contains($0.hashes) })
        else { return [] }
        return zip(model.versions[start...end], model.versions[start...end].dropFirst())
            .filter { $0.hashes != $1.hashes }.map { ($0, $1) }
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
                let edits = Self.edits(version, now)
                report(
                    .editedVersion(entities: edits), version.name, originVersion: version.name,
                    origin: now.model.flatMap { Self.origin(of: edits, in: $0) })
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

    /// Returns the location of the first edit in the model that has it: that of a property if its settings are known to
    /// differ, or else that of the entity.
    private static func origin(of edits: [BreakingChange.EditedEntity], in model: IndexedModel) -> ElementOrigin? {
        let locations = edits.lazy.compactMap { edit in model.entities[edit.name].map { (edit, $0) } }
        for (edit, entity) in locations {
            for case .property(let name, _) in edit.terms {
                if let origin = origin(of: name, in: entity) { return origin }
            }
            for case .addedProperty(let name) in edit.terms {
                if let origin = origin(of: name, in: entity) { return origin }
            }
        }
        return locations.first?.1.entity.origin
    }

    /// Returns the location of a property, or of the composite attribute of an element `attribute.element`.
    private static func origin(of name: String, in entity: IndexedModel.IndexedEntity) -> ElementOrigin? {
        let attribute = name.firstIndex(of: ".").map { String(name[..<$0]) }
        return (entity.properties[name] ?? attribute.flatMap { entity.properties[$0] })?.property.origin
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
                    kind: .droppedValues(risk), level: .migratable, versions: [name], entity: risk.entity,
                    releasedEntity: risk.sourceEntity, property: risk.property, originVersion: currentName,
                    origin: risk.origin))
        }
        for obstacle in migration.obstacles {
            add(
                BreakingChange(
                    kind: .notLightweight(obstacle), level: .migratable, versions: [name], entity: obstacle.entity,
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
        let key = [change.originVersion, change.entity, change.property]
        if let index = indices[key]?.first(where: { Self.isSame(changes[$0], change) }) {
            changes[index].versions += change.versions
        } else {
            indices[key, default: []].append(changes.count)
            changes.append(change)
        }
    }

    /// Returns how certain it is that a change keeps stores from being migrated without a mapping model; `nil` if it
    /// does not.
    private static func certainty(ofObstacle change: BreakingChange) -> MigrationObstacle.Certainty? {
        if case .notLightweight(let obstacle) = change.kind { obstacle.certainty } else { nil }
    }

    /// Returns whether two changes are the same except for the name that the entity had in the version, and the
    /// locations of the elements.
    private static func isSame(_ first: BreakingChange, _ second: BreakingChange) -> Bool {
        guard first.entity == second.entity, first.property == second.property else { return false }
        switch (first.kind, second.kind) {
        case (.notLightweight(let first), .notLightweight(let second)):
            return first.kind == second.kind && first.certainty == second.certainty
        case (.droppedValues(let first), .droppedValues(let second)): return first.kind == second.kind
        default: return first.kind == second.kind
        }
    }

    private mutating func reportRename(
        _ change: ElementChange, in entity: ElementChange?, from version: String, _ currentName: String
    ) {
        guard let old = change.oldName, let new = change.newName else { return }
        add(
            BreakingChange(
                kind: .renameWithoutIdentifier(old: old, new: new), level: .migratable, versions: [version],
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
            case .removed:
                notAdditive(
                    "was removed", version: name, entity: entity.change, property: nil, currentName: currentName)
            case .renamed, .suspectedRename:
                notAdditive(
                    "was renamed from “\(entity.change.oldName ?? "")”", version: name, entity: entity.change,
                    property: nil, currentName: currentName)
            case .added, .changed, .moved: break
            }
            guard entity.change.kind != .removed, entity.change.kind != .added else { continue }
            for property in entity.properties {
                for reason in Self.lostAdditions(property) {
                    notAdditive(
                        reason, version: name, entity: entity.change, property: property.change,
                        currentName: currentName)
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
        _ reason: String, version: String, entity: ElementChange, property: ElementChange?, currentName: String
    ) {
        changes.append(
            BreakingChange(
                kind: .notAdditive(reason), level: .cloudkit, versions: [version], entity: entity.name,
                releasedEntity: entity.oldName, property: property?.name, originVersion: currentName,
                origin: property?.newOrigin ?? entity.newOrigin))
    }

    private mutating func report(
        _ kind: BreakingChange.Kind, _ version: String, originVersion: String? = nil, origin: ElementOrigin? = nil
    ) {
        changes.append(
            BreakingChange(
                kind: kind, level: .store, versions: [version], originVersion: originVersion, origin: origin))
    }
}
