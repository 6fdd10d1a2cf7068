/// The stages that migrate stores of several versions to the last one (`NSStagedMigrationManager`).
///
/// Within a run of lightweight stages, Core Data migrates from a store's version to the end of the run in one step,
/// instead of model by model (developer.apple.com/forums/thread/804902). Each version of a run must therefore have a
/// lightweight migration to its end: to the version that the next custom stage starts from, or to the last version.
/// Otherwise, a custom stage divides the run.
package struct MigrationStages {
    /// A stage. Versions are given by index.
    package enum Stage: Hashable, Sendable {
        /// Versions without a custom stage.
        case lightweight([Int])
        /// A step to the next version.
        case custom(source: Int, destination: Int)
    }

    /// The stages, in their order.
    package let stages: [Stage]

    /// Plans stages with as few custom stages as possible, preferring the plan with the longest last run.
    ///
    /// - Parameters:
    ///   - count: The number of versions, from the earliest to the last.
    ///   - isLightweight: Returns whether lightweight migration from a version to a later one is possible.
    package init(count: Int, isLightweight: (_ source: Int, _ destination: Int) -> Bool) {
        guard count > 1 else {
            stages = []
            return
        }
        // For each version, the first version of the best run that ends there, and the number of custom stages up to
        // there.
        var starts: [Int] = []
        var costs: [Int] = []
        for end in 0..<count {
            var best: (start: Int, cost: Int)?
            var start = end
            while true {
                let cost = start == 0 ? 0 : costs[start - 1] + 1
                if best.map({ cost <= $0.cost }) ?? true { best = (start, cost) }
                guard start > 0, isLightweight(start - 1, end) else { break }
                start -= 1
            }
            starts.append(best?.start ?? end)
            costs.append(best?.cost ?? end)
        }
        stages = Self.stages(starts)
    }

    private static func stages(_ starts: [Int]) -> [Stage] {
        var runs: [ClosedRange<Int>] = []
        var end = starts.count - 1
        while end >= 0 {
            runs.insert(starts[end]...end, at: 0)
            end = starts[end] - 1
        }
        var stages: [Stage] = []
        for (index, run) in runs.enumerated() {
            if index > 0 { stages.append(.custom(source: run.lowerBound - 1, destination: run.lowerBound)) }
            // Custom stages include their ends, and a version must not be in two kinds of stages.
            let versions = run.filter {
                !(index > 0 && $0 == run.lowerBound) && !(index < runs.count - 1 && $0 == run.upperBound)
            }
            if !versions.isEmpty { stages.append(.lightweight(versions)) }
        }
        return stages
    }
}
