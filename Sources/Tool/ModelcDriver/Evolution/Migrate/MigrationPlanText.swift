internal import Diagnostics
internal import ModelMigration

/// A plan as human-readable text.
struct MigrationPlanText {
    private var lines: [String] = []
    /// The problems that are listed already, with their versions' names.
    private var listed: Set<String> = []
    /// The sources of the steps that are listed already.
    private var listedSteps: Set<String> = []
    /// The number of steps above which lightweight ones are only counted.
    private static let stepLimit = 10

    /// The verdict on migrations that are not lightweight.
    private let impossible: String

    init(_ plan: MigrationPlan, path: String, showsSteps: Bool) {
        impossible =
            plan.isSwiftData
            ? "not lightweight, which a migration of SwiftData must be, also in a custom stage"
            : "needs a mapping model or a custom stage"
        lines.append("\(path): migrations to “\(plan.target)”")
        if plan.routes.isEmpty { lines += ["", "There is no earlier version."] }
        var isLong = true
        for route in plan.routes {
            let first = lines.count
            add(route, showsSteps: showsSteps)
            // Routes of one line follow each other without blank lines.
            let wasLong = isLong
            isLong = lines.count > first + 1
            if isLong || wasLong { lines.insert("", at: first) }
        }
        addRemainingSteps(plan)
    }

    private mutating func add(_ route: MigrationPlan.Route, showsSteps: Bool) {
        lines.append("“\(route.version)”: \(verdict(route))")
        if let mapping = route.mapping {
            if route.isLightweight { lines.append("  without it: \(verdict(route.direct))") }
            for entity in mapping.unmappedEntities {
                lines.append("  note: it has no mapping to “\(entity)”, so the objects of “\(entity)” are lost")
            }
        } else {
            add(route.direct, showsSteps: showsSteps)
            if let stages = route.stages { add(stages) }
        }
        guard !route.isMigratable, route.steps.count > 1, let first = route.steps.first else { return }
        // The steps of a later route are among those of an earlier one.
        guard !listedSteps.contains(first.source) else { return }
        lines.append("  step by step:")
        let isShort = route.steps.count <= Self.stepLimit
        var lightweightCount = 0
        for step in route.steps where listedSteps.insert(step.source).inserted {
            if !isShort, step.mapping == nil, step.migration.isPossible {
                lightweightCount += 1
                continue
            }
            let stepVerdict = step.mapping.map { verdict($0) } ?? verdict(step.migration)
            lines.append("    “\(step.source)” → “\(step.destination)”: \(stepVerdict)")
            if !step.migration.isPossible, step.mapping == nil { add(step.migration, isStep: true, showsSteps: false) }
        }
        if lightweightCount > 0 { lines.append("    the other \(lightweightCount) steps: lightweight") }
    }

    private mutating func add(_ stages: MigrationPlan.Stages) {
        lines.append(
            "  in stages: " + stages.versions.map { "“\($0)”" }.joined(separator: " → ")
                + ", each of them lightweight (NSStagedMigrationManager)")
        for step in stages.losses {
            for change in step.migration.steps where change.losesData {
                lines.append("  warning: “\(step.source)” → “\(step.destination)” would \(change.text)")
            }
        }
        lines.append(
            "    help: Make at least one of them a custom stage: Core Data takes consecutive lightweight stages in one step, "
                + "which fails here (134140). “modelc migrate scaffold --form staged” writes such stages."
                + (stages.losses.isEmpty ? "" : " Move the values in its handlers, or write a mapping model."))
    }

    /// Adds the steps between earlier versions that have a mapping model and are not listed yet.
    private mutating func addRemainingSteps(_ plan: MigrationPlan) {
        var isFirst = true
        for step in plan.routes.flatMap(\.steps) where step.destination != plan.target {
            guard listedSteps.insert(step.source).inserted, let mapping = step.mapping else { continue }
            if isFirst { lines += ["", "Single steps with a mapping model:"] }
            isFirst = false
            lines.append("  “\(step.source)” → “\(step.destination)”: \(verdict(mapping))")
        }
    }

    /// The text, ending in a line feed.
    var text: String { lines.joined(separator: "\n") + "\n" }

    private func verdict(_ route: MigrationPlan.Route) -> String {
        if let mapping = route.mapping { return verdict(mapping) }
        return route.isLightweight || route.stages == nil ? verdict(route.direct) : "lightweight only in stages"
    }

    private func verdict(_ mapping: ApplicableMapping) -> String { "mapping model “\(mapping.path)”" }

    private func verdict(_ migration: LightweightMigration) -> String {
        if migration.isUnneeded { return "no migration; all version hashes are equal" }
        guard migration.isPossible else { return impossible }
        let count = migration.steps.count
        let lost = migration.steps.count(where: \.losesData)
        return "lightweight, \(counted(count, "change"))"
            + (lost == 0 ? "" : ", \(lost) of them remove\(lost == 1 ? "s" : "") stored values")
    }

    /// Adds the obstacles and risks of a migration below its verdict. The verdict names the elements of those that are
    /// listed already.
    ///
    /// - Parameter isStep: Whether it is a step of another migration, with which its risks are listed.
    private mutating func add(_ migration: LightweightMigration, isStep: Bool = false, showsSteps: Bool) {
        let (verdict, indentation) = (lines.count - 1, isStep ? "      " : "  ")
        if showsSteps { for step in migration.steps { lines.append("\(indentation)\(step.text)") } }
        var repeated: [String] = []
        func isNew(_ line: String, _ element: String) -> Bool {
            if listed.insert(line).inserted { return true }
            if !repeated.contains(element) { repeated.append(element) }
            return false
        }
        for obstacle in migration.obstacles {
            let line = "“\(obstacle.element)” \(obstacle.reason)" + DiffText.certainty(obstacle)
            guard isNew(line, obstacle.element) else { continue }
            lines += [indentation + line, "\(indentation)  help: \(obstacle.help)"]
        }
        for risk in isStep ? [] : migration.risks {
            let line = "note: “\(risk.element)” \(risk.reason)"
            if isNew(line, risk.element) { lines.append(indentation + line) }
        }
        guard !repeated.isEmpty else { return }
        let shown = repeated.prefix(3).map { "“\($0)”" }.joined(separator: ", ")
        lines[verdict] += "; see above: \(shown)" + (repeated.count > 3 ? " and \(repeated.count - 3) more" : "")
    }
}

extension MigrationPlan {
    func json(path: String) -> JSONValue {
        .object([
            ("model", .string(path)), ("to", .string(target)),
            (
                "versions",
                .array(
                    routes.map { route in
                        .compact([
                            ("from", .string(route.version)),
                            ("verdict", .string(route.verdictWord)),
                            ("mappingModel", .optional(route.mapping?.path)),
                            ("direct", MigrationJSON.value(route.direct)),
                            ("stages", route.stages.map { .array($0.versions.map { .string($0) }) } ?? .null),
                            ("stageLosses", route.stages.map { .array($0.losses.flatMap(\.losses)) } ?? .null),
                            (
                                "steps",
                                .array(
                                    route.steps.map { step in
                                        .compact([
                                            ("from", .string(step.source)), ("to", .string(step.destination)),
                                            ("mappingModel", .optional(step.mapping?.path)),
                                            ("migration", MigrationJSON.value(step.migration)),
                                        ])
                                    })
                            ),
                        ])
                    })
            ),
        ])
    }
}

extension MigrationPlan.Step {
    /// The changes of the step that remove stored values.
    fileprivate var losses: [JSONValue] {
        migration.steps.filter(\.losesData).map { change in
            .object([("from", .string(source)), ("to", .string(destination)), ("change", .string(change.text))])
        }
    }
}

extension MigrationPlan.Route {
    fileprivate var verdictWord: String {
        if direct.isUnneeded { return "unneeded" }
        if mapping != nil { return "mapped" }
        if direct.isPossible { return "lightweight" }
        return stages == nil ? "mapping" : "staged"
    }
}
