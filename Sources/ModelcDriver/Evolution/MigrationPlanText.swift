internal import Diagnostics
internal import ModelMigration

/// A plan as human-readable text.
struct MigrationPlanText {
    private var lines: [String] = []

    init(_ plan: MigrationPlan, path: String, showsSteps: Bool) {
        lines.append("\(path): migrations to “\(plan.target)”")
        // The steps that are listed already, by their sources.
        var shown: Set<String> = []
        if plan.routes.isEmpty { lines += ["", "There is no earlier version."] }
        for route in plan.routes {
            lines += ["", "“\(route.version)”: \(Self.verdict(route))"]
            if let mapping = route.mapping {
                if route.isLightweight { lines.append("  without it: \(Self.verdict(route.direct))") }
                for entity in mapping.unmappedEntities {
                    lines.append("  note: it has no mapping to “\(entity)”, so the objects of “\(entity)” are lost")
                }
            } else {
                add(route.direct, showsSteps: showsSteps, indentation: "  ")
            }
            if route.mapping == nil, let stages = route.stages {
                add(stages)
            }
            guard !route.isMigratable, route.steps.count > 1 else { continue }
            lines.append("  step by step:")
            for step in route.steps {
                let verdict = step.mapping.map(Self.verdict) ?? Self.verdict(step.migration)
                lines.append("    “\(step.source)” → “\(step.destination)”: \(verdict)")
                shown.insert(step.source)
                if !step.migration.isPossible, step.mapping == nil {
                    add(step.migration, showsSteps: false, indentation: "      ")
                }
            }
        }
        addOtherSteps(plan, shown: shown)
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
    private mutating func addOtherSteps(_ plan: MigrationPlan, shown: Set<String>) {
        var shown = shown
        let steps = plan.routes.flatMap(\.steps).filter {
            $0.destination != plan.target && shown.insert($0.source).inserted
        }
        var isFirst = true
        for step in steps {
            guard let mapping = step.mapping else { continue }
            if isFirst { lines += ["", "Single steps with a mapping model:"] }
            isFirst = false
            lines.append("  “\(step.source)” → “\(step.destination)”: \(Self.verdict(mapping))")
        }
    }

    /// The text, ending in a line feed.
    var text: String { lines.joined(separator: "\n") + "\n" }

    static func verdict(_ route: MigrationPlan.Route) -> String {
        if let mapping = route.mapping { return verdict(mapping) }
        return route.isLightweight || route.stages == nil ? verdict(route.direct) : "lightweight only in stages"
    }

    static func verdict(_ mapping: ServingMapping) -> String { "mapping model “\(mapping.path)”" }

    static func verdict(_ migration: LightweightMigration) -> String {
        if migration.isUnneeded { return "no migration; all version hashes are equal" }
        guard migration.isPossible else { return "needs a mapping model or a custom stage" }
        let count = migration.steps.count
        let lost = migration.steps.count(where: \.losesData)
        return "lightweight, \(count) change\(count == 1 ? "" : "s")"
            + (lost == 0 ? "" : ", \(lost) of them remove\(lost == 1 ? "s" : "") stored values")
    }

    private mutating func add(_ migration: LightweightMigration, showsSteps: Bool, indentation: String) {
        if showsSteps { for step in migration.steps { lines.append("\(indentation)\(step.text)") } }
        for obstacle in migration.obstacles {
            lines.append("\(indentation)“\(obstacle.element)” \(obstacle.reason)" + DiffText.certainty(obstacle))
            lines.append("\(indentation)  help: \(obstacle.help)")
        }
        for risk in migration.risks { lines.append("\(indentation)note: “\(risk.element)” \(risk.reason)") }
    }
}

extension MigrationPlan {
    /// Returns the plan as JSON.
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
