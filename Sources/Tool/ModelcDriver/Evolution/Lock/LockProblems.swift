internal import Diagnostics
internal import ModelEvolution
internal import ModelSchema
internal import SwiftDataModel

/// The differences between a lock and the models whose hashes it keeps.
struct LockProblems {
    /// The lock, with the new paths of moved models.
    let old: ModelLock
    /// The lines of the models as they are now.
    let new: ModelLock
    let models: LockedModels
    /// The models that were moved.
    let moves: [LockedModels.Move]
    let lockPath: String

    /// Returns a finding for each line on which the lock and the models disagree, and for each model that was moved.
    ///
    /// - Parameters:
    ///   - onlyReleased: Whether drafts and moves are left out.
    ///   - history: The history of the models, in which changes are looked up; `nil` if they are not described.
    func findings(onlyReleased: Bool, history: LockHistory? = nil) -> [Diagnostic] {
        let sets = Dictionary(models.entries.map { ($0.name, $0.set) }) { first, _ in first }
        var history = history
        let lines = lineNumbers
        let releases = old.releases
        let skipped = models.skippedVersions
        var result = mixedVersions(lines)
        for key in Set(old.entries.keys).union(new.entries.keys).sorted() {
            let (before, now) = (old.entries[key], new.entries[key])
            let set = sets[key.model]
            // A model that was not searched for is not known to be gone.
            guard before?.hash != now?.hash, set != nil || models.isGone(key.model) else { continue }
            let isReleased = releases[key.owner] == true
            let isSkipped = skipped.contains(key.owner)
            guard isReleased || !(onlyReleased || isSkipped), !(isSkipped && onlyReleased) else { continue }
            var diagnostic = difference(
                at: key, before?.hash, now?.hash, isReleased: isReleased, isSkipped: isSkipped, line: lines[key] ?? 1)
            diagnostic.element = ElementPath(
                model: set?.name, version: key.version, components: [key.entity], kind: "entity")
            diagnostic.element?.modelPath = set?.path
            if let set {
                if set.kind == .swift {
                    adapt(&diagnostic, to: set, key, isReleased: isReleased, isEdited: before != nil && now != nil)
                }
                if let before, now != nil, let version = set.versions.first(where: { $0.name == key.version }),
                    let edit = history?.change(of: key, from: before.hash, to: version, path: set.path)
                {
                    diagnostic.describe(edit, of: key.entity, in: version)
                }
            } else if isReleased {
                diagnostic.help =
                    "Restore the model. If it was never released, run “modelc lock update --draft "
                    + "\(ShellWord.quoted(key.version))”; if no store of it has to be opened any more, “modelc lock update "
                    + "--force” removes its lines."
            }
            result.append(diagnostic)
        }
        return onlyReleased ? result : result + moves.map(finding(about:))
    }

    /// Returns the finding about a line that differs.
    private func difference(
        at key: ModelLock.Key, _ before: VersionHash?, _ now: VersionHash?, isReleased: Bool, isSkipped: Bool, line: Int
    ) -> Diagnostic {
        let position = SourcePosition(line: line, column: 1)
        let element = "“\(key.entity)” of the \(isReleased ? "released " : "")version “\(key.version)” (\(key.model))"
        let change =
            isSkipped
            ? "cannot be checked, because the version cannot be read"
            : before == nil
                ? "is not in the lock" : now == nil ? "is in the lock and not in the model" : "has a different hash"
        var diagnostic = Diagnostic(
            .error, rule: isReleased ? .releasedVersionEdited : .lockOutOfDate, "\(element) \(change)",
            file: lockPath, range: SourceRange(start: position, end: position))
        if let before, let now {
            diagnostic.why = "The lock has \(before.hexString.prefix(12))…, the model \(now.hexString.prefix(12))…"
        }
        if isReleased {
            diagnostic.help =
                "Restore the version and make the change in a new one; if it was never released, run “modelc lock update "
                + "--draft \(ShellWord.quoted(key.version))”."
        } else {
            diagnostic.command = "modelc lock update"
            diagnostic.help = "Run “modelc lock update”."
        }
        return diagnostic
    }

    /// Returns a finding for each version that is released and a draft at once.
    private func mixedVersions(_ lines: [ModelLock.Key: Int]) -> [Diagnostic] {
        let names = Set(models.entries.map(\.name))
        let versions = old.mixedVersions.filter { models.isWhole || names.contains($0.model) }
        let allDrafts = Dictionary(
            grouping: old.entries.filter { !$0.value.isReleased }.keys,
            by: \.owner)
        return versions.sorted { ($0.model, $0.name) < ($1.model, $1.name) }.map { version in
            let drafts = (allDrafts[version] ?? []).sorted()
            let position = SourcePosition(line: drafts.first.flatMap { lines[$0] } ?? 1, column: 1)
            var diagnostic = Diagnostic(
                .error, rule: .releasedVersionEdited,
                "the version “\(version.name)” (\(version.model)) has released and draft lines", file: lockPath,
                range: SourceRange(start: position, end: position))
            diagnostic.why =
                "A version is released as a whole; a merge has added or changed "
                + drafts.prefix(5).map { "“\($0.entity)”" }.joined(separator: ", ") + " after the release."
            diagnostic.help =
                "Restore the lines of the release from version control, and make the changes in a new version; if it was "
                + "never released, run “modelc lock update --draft \(ShellWord.quoted(version.name))”."
            return diagnostic
        }
    }

    /// Adds the location in Swift sources to a finding, and the help for versions that are declared in Swift.
    private func adapt(
        _ diagnostic: inout Diagnostic, to set: ModelSet, _ key: ModelLock.Key, isReleased: Bool, isEdited: Bool
    ) {
        guard isEdited, let version = set.versions.first(where: { $0.name == key.version }) else { return }
        let entity = version.model?.entities.first { $0.name == key.entity }
        if let location = version.swiftData?.location(of: entity?.origin) {
            diagnostic.related.append(
                RelatedLocation("“\(key.entity)” is declared here", file: location.file, range: location.range))
        }
        let isNamed = set.versions.count > 1 || set.statesCurrent
        diagnostic.help =
            isReleased
            ? "Restore the declaration, and make the change in a new `VersionedSchema`; if it was never released, run "
                + "“modelc lock update --draft \(ShellWord.quoted(key.version))”."
            : "Run “modelc lock update” if the version was never released. Otherwise restore the declaration, run “modelc lock "
                + "update --release \(ShellWord.quoted(key.version))”, and make the change in a new `VersionedSchema`"
                + (isNamed ? "." : ": “modelc swiftdata freeze SchemaV1” writes the first one.")
    }

    /// The line number of each entry in the file, which has the old paths of moved models.
    private var lineNumbers: [ModelLock.Key: Int] {
        let paths = Dictionary(moves.map { ($0.newPath, $0.path) }) { first, _ in first }
        let keys = old.entries.keys.map { key in
            var line = key
            line.model = paths[key.model] ?? key.model
            return (key: key, line: line)
        }
        return Dictionary(
            uniqueKeysWithValues: keys.sorted { $0.line < $1.line }.enumerated().map { ($1.key, $0 + 2) })
    }

    private func finding(about move: LockedModels.Move) -> Diagnostic {
        var diagnostic = Diagnostic(
            .error, rule: .lockOutOfDate, "“\(move.path)” is now “\(move.newPath)”", file: lockPath, range: .fileStart,
            help: "Run “modelc lock update”.")
        diagnostic.command = "modelc lock update"
        return diagnostic
    }
}
