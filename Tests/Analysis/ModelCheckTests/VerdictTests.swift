import Diagnostics
import ModelMigration
import ModelSchema
import Testing

@testable import ModelCheck
@testable import ModelEvolution

/// The verdict, the order of findings and the next steps.
@Suite struct VerdictTests {
    private func version(_ name: String, _ attributes: [String]) -> ModelHistory.Version {
        var model = Model(name: name)
        var entity = Entity(name: "Book")
        entity.attributes = attributes.map { name in
            var attribute = Attribute(name: name, type: .string)
            attribute.isOptional = true
            return attribute
        }
        model.entities = [entity]
        let indexed = IndexedModel(model)
        return ModelHistory.Version(name: name, hashes: indexed.hashes.entities, model: indexed)
    }

    private func change(_ kind: BreakingChange.Kind) -> BreakingChange {
        BreakingChange(kind: kind, level: .store, versions: ["B"])
    }

    @Test func equalHashesAreCompatible() {
        let history = ModelHistory(versions: [version("B", ["a"])], currentName: "B")
        #expect(Verdict(changes: [], from: history, to: history) == .compatible)
        #expect(Verdict(changes: [change(.equalVersions(other: "A"))], from: history, to: history) == .compatible)
    }

    @Test func aNewVersionMigrates() {
        let old = ModelHistory(versions: [version("B", ["a"])], currentName: "B")
        let new = ModelHistory(versions: old.versions + [version("B 2", ["a", "b"])], currentName: "B 2")
        #expect(Verdict(changes: [], from: old, to: new) == .migratesAutomatically)
        let renamed = change(.renameWithoutIdentifier(old: "a", new: "b"))
        #expect(Verdict(changes: [renamed], from: old, to: new) == .migratesAutomatically)
    }

    @Test func theWorstChangeDecides() {
        let history = ModelHistory(versions: [version("B", ["a"])], currentName: "B")
        for kind in [
            BreakingChange.Kind.editedVersion(entities: []), .deletedVersion, .rolledBackVersion(to: "A"),
            .currentWentBack(from: "B"),
        ] {
            let changes = [change(.renameWithoutIdentifier(old: "a", new: "b")), change(kind)]
            #expect(Verdict(changes: changes, from: history, to: history) == .wouldLockUsersOut)
        }
    }

    // MARK: Findings

    private func finding(
        _ severity: Severity, _ rule: RuleID, _ message: String = "m", version: String? = nil, entity: String? = nil
    ) -> Diagnostic {
        var finding = Diagnostic(severity, rule: rule, message, file: "f", range: .fileStart)
        if let version {
            finding.element = ElementPath(
                model: "M", version: version, components: entity.map { [$0] } ?? [], kind: "model")
        }
        return finding
    }

    @Test func findingsComeInTheOrderOfFixing() {
        let rules: [(Severity, RuleID)] = [
            (.error, .notWellFormed), (.error, .releasedVersionEdited), (.error, .notLightweight),
            (.error, .missingDestination), (.error, .lockOutOfDate), (.error, .staleGeneratedCode),
            (.warning, .renameWithoutIdentifier), (.warning, .missingInverse), (.note, .unusedEntity), (.note, .format),
        ]
        let findings = rules.map { finding($0, $1) }
        #expect(FixOrder.list(findings.reversed()).map(\.rule) == rules.map(\.1))
    }

    @Test func aFindingOfTwoChecksIsListedOnce() {
        var fixable = finding(.warning, .cloudkitRename)
        fixable.command = "c"
        let result = FixOrder.list([
            finding(.error, .cloudkitRename), fixable, finding(.warning, .cloudkitRename, "other"),
        ])
        #expect(result.map(\.severity) == [.error, .warning])
        #expect(result.first?.command == "c")
    }

    /// The lock names the entities of a version that the comparison with a revision names as a whole.
    @Test func anEditedVersionIsListedOnce() {
        let whole = finding(.error, .releasedVersionEdited, "whole", version: "B")
        let entity = finding(.error, .releasedVersionEdited, "entity", version: "B", entity: "Book")
        let other = finding(.error, .releasedVersionEdited, "other", version: "B 2", entity: "Book")
        #expect(FixOrder.list([entity, whole, other]).map(\.message) == ["other", "whole"])
        #expect(FixOrder.list([entity]).map(\.message) == ["entity"])
    }

    /// Models in several folders may have the same name.
    @Test func anEditedVersionOfAnotherModelIsListedToo() {
        var whole = finding(.error, .releasedVersionEdited, "whole", version: "B")
        whole.element?.modelPath = "A/M.xcdatamodeld"
        var entity = finding(.error, .releasedVersionEdited, "entity", version: "B", entity: "Book")
        entity.element?.modelPath = "B/M.xcdatamodeld"
        #expect(FixOrder.list([entity, whole]).map(\.message) == ["entity", "whole"])
        entity.element?.modelPath = "A/M.xcdatamodeld"
        #expect(FixOrder.list([entity, whole]).map(\.message) == ["whole"])
    }

    // MARK: Steps

    @Test func stepsAreTheCommandsOfFailingFindings() {
        var edited = finding(.error, .releasedVersionEdited)
        edited.command = "git checkout"
        var again = finding(.error, .releasedVersionDeleted)
        again.command = "git checkout"
        var renamed = finding(.warning, .renameWithoutIdentifier)
        renamed.help = "Set it."
        var note = finding(.note, .format)
        note.command = "modelc format"
        let summary = CheckSummary(.verdict(.wouldLockUsersOut), [edited, again, renamed, note], failLevel: .error)
        #expect(summary.steps == ["git checkout", "Set it."])
        #expect(summary.headlines.first == Headline("verdict", "would lock users out"))
        #expect(CheckSummary(.verdict(.compatible), [note], failLevel: .error).headlines[1].values == ["nothing"])
        let many = (0..<9).map { index in
            var finding = finding(.error, .missingInverse, "\(index)")
            finding.help = "fix \(index)"
            return finding
        }
        #expect(CheckSummary(.unknown("r"), many, failLevel: .error).steps.last == "6 more; see the findings")
    }

    @Test func onlySomeStepsNeedAMac() {
        let legacy = finding(.warning, .legacyBinaryVersion)
        let strict = CheckSummary(.verdict(.compatible), [legacy], failLevel: .warning)
        #expect(strict.headlines.last?.values.first?.hasPrefix("yes: only Xcode 4 to 13") == true)
        // A warning needs no step unless warnings fail.
        #expect(CheckSummary(.verdict(.compatible), [legacy], failLevel: .error).macReason == nil)
    }
}
