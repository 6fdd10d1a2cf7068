import ModelSchema
import TestSupport
import Testing

@testable import ModelEvolution
@testable import ModelMigration

/// Random edits whose consequences are known by construction.
@Suite struct ScriptedEvolutionTests {
    private typealias Finding = ScriptedEvolution.Finding

    private func check<Element: Hashable>(_ what: String, _ found: [Element], _ expected: Set<Element>) throws {
        let (extra, missing) = (Set(found).subtracting(expected), expected.subtracting(found))
        guard extra.isEmpty, missing.isEmpty, found.count == expected.count else {
            throw Failure("\(what): unexpected \(extra), missing \(missing), \(found.count) of \(expected.count)")
        }
    }

    @Test func lightweightMigrationMatchesTheEdits() {
        Seeds.run(rounds: 150) { generator, log in
            let script = ScriptedEvolution(using: generator)
            log = script.log
            let migration = LightweightMigration(from: IndexedModel(script.old), to: IndexedModel(script.new))
            try check("steps", migration.steps.map(sorted), script.steps)
            try check(
                "obstacles", migration.obstacles.map { Finding(element: $0.element, text: text($0)) }, script.obstacles)
            try check(
                "risks", migration.risks.map { Finding(element: $0.element, text: text($0.kind)) }, script.risks)
        }
    }

    @Test func breakingChangesMatchTheEdits() {
        Seeds.run(rounds: 70) { generator, log in
            let script = ScriptedEvolution(using: generator)
            log = script.log
            let versions = [version("1", script.old), version("2", script.new)]
            guard versions[0].hashes != versions[1].hashes else { return }
            let changes = BreakingCheck.changes(
                in: ModelHistory(versions: versions, currentName: "2"),
                against: ModelHistory(versions: [versions[0]], currentName: "1"), level: .lightweight
            ).changes
            var (obstacles, dropped, renames): ([Finding], [String], [String]) = ([], [], [])
            for change in changes {
                let element = [change.entity, change.property].compactMap { $0 }.joined(separator: ".")
                switch change.kind {
                case .notLightweight(let obstacle): obstacles.append(Finding(element: element, text: text(obstacle)))
                case .droppedValues: dropped.append(element)
                case .renameWithoutIdentifier: renames.append(element)
                default: throw Failure("unexpected \(change)")
                }
            }
            try check("obstacles", obstacles, script.obstacles)
            let drops = script.risks.filter {
                ["was attribute", "was relationship", "other destination"].contains($0.text)
            }
            try check("dropped values", dropped, Set(drops.map(\.element)))
            try check("renames", renames, script.suspectedRenames)
            // All of that concerns a new version; the released one is unchanged.
            let store = BreakingCheck.changes(
                in: ModelHistory(versions: versions, currentName: "2"),
                against: ModelHistory(versions: [versions[0]], currentName: "1"), level: .store
            ).changes
            guard store.isEmpty else { throw Failure("level store: \(store)") }
        }
    }

    @Test func anEditedReleaseIsReportedWithTheEntitiesWhoseHashesDiffer() {
        Seeds.run(rounds: 45) { generator, log in
            let script = ScriptedEvolution(using: generator)
            log = script.log
            let (released, edited) = (version("1", script.old), version("1", script.new))
            guard released.hashes != edited.hashes else { return }
            let changes = BreakingCheck.changes(
                in: ModelHistory(versions: [edited], currentName: "1"),
                against: ModelHistory(versions: [released], currentName: "1"), level: .store
            ).changes
            guard changes.count == 1, case .editedVersion(let entities) = changes[0].kind else {
                throw Failure("\(changes)")
            }
            let names = Set((script.old.entities + script.new.entities).map(\.name))
            let (old, new) = (script.old.versionHashes().entities, script.new.versionHashes().entities)
            try check("entities", entities.map(\.name), names.filter { old[$0] != new[$0] })
        }
    }

    @Test func differenceIsReversible() {
        Seeds.run(rounds: 30) { generator, log in
            let script = ScriptedEvolution(using: generator)
            log = script.log
            let (old, new) = (IndexedModel(script.old), IndexedModel(script.new))
            let (forward, backward) = (ModelDifference(from: old, to: new), ModelDifference(from: new, to: old))
            guard forward.inverted == backward else { throw Failure("\(backward)") }
            guard forward.isEmpty == script.log.isEmpty else { throw Failure("\(forward)") }
        }
    }

    /// Returns a step with its settings in the order of `Field`.
    private func sorted(_ step: MigrationStep) -> MigrationStep {
        guard case .changeSettings(let entity, let name, let fields) = step else { return step }
        return .changeSettings(entity: entity, name: name, Field.allCases.filter { fields.contains($0) })
    }

    private func version(_ name: String, _ model: Model) -> ModelHistory.Version {
        let indexed = IndexedModel(model)
        return ModelHistory.Version(name: name, hashes: indexed.hashes.entities, model: indexed)
    }

    private func text(_ obstacle: MigrationObstacle) -> String {
        let certainty = "(\(obstacle.certainty.rawValue))"
        return switch obstacle.kind {
        case .incompatibleTypes: "types \(certainty)"
        case .requiredWithoutDefault: "new and required \(certainty)"
        case .becameRequired: "became required \(certainty)"
        case .becameToOne: "to-one \(certainty)"
        case .mergedHierarchies(let roots): "joins \(roots)"
        case .ambiguousIdentifier(let identifier, let other): "identifier \(identifier) of \(other) \(certainty)"
        case .becameAbstract: "becomes abstract \(certainty)"
        case .noVersionHash: "no hash"
        }
    }

    private func text(_ risk: MigrationRisk.Kind) -> String {
        switch risk {
        case .newConstraint(let constraint): "new constraint \(constraint)"
        case .narrowerType: "narrower"
        case .requiredRelationship: "required"
        case .requiredDestinations(let minimum): "required \(minimum)"
        case .stricterCount: "stricter"
        case .otherDestination: "other destination"
        case .otherKind(let old, _): "was \(old.rawValue)"
        case .removedElement: "removed element"
        case .renamedElement: "renamed element"
        case .becameDerived: "became derived"
        case .exclusiveMembers: "exclusive members"
        case .separateInverse(let name): "separate inverse \(name)"
        case .brokenChain(let name, let identifier): "identifier \(name) instead of \(identifier)"
        }
    }
}
