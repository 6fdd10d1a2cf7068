import TestSupport
import Testing

@testable import ModelEvolution
@testable import ModelMigration

/// The expectations are the behavior of Core Data as measured by a developer
/// (developer.apple.com/forums/thread/804902).
@Suite struct StagedMigrationTests {
    private typealias Stage = MigrationStages.Stage

    private func stages(_ count: Int, without obstacles: [(Int, Int)]) -> [MigrationStages.Stage] {
        MigrationStages(count: count) { source, destination in
            !obstacles.contains { $0 == (source, destination) }
        }.stages
    }

    @Test func versionsThatReachTheLastShareALightweightStage() {
        #expect(stages(4, without: []) == [.lightweight([0, 1, 2, 3])])
    }

    @Test func oneVersionNeedsNoStage() {
        #expect(stages(1, without: []).isEmpty)
        #expect(stages(0, without: []).isEmpty)
    }

    @Test func aStepThatIsNotLightweightIsACustomStage() {
        let everythingAcross = [(0, 2), (1, 2), (0, 3), (1, 3)]
        #expect(
            stages(4, without: everythingAcross) == [
                .lightweight([0]), .custom(source: 1, destination: 2), .lightweight([3]),
            ])
    }

    /// V1→V2 and V2→V3 are lightweight, V1→V3 is not: with only lightweight stages, migration fails with 134140.
    @Test func aCustomStageDividesLightweightStepsWithoutADirectMigration() {
        let result = stages(3, without: [(0, 2)])
        let works: [[Stage]] = [
            [.custom(source: 0, destination: 1), .lightweight([2])],
            [.lightweight([0]), .custom(source: 1, destination: 2)],
        ]
        #expect(works.contains(result))
    }

    @Test func neighborsWithoutAnyLightweightMigrationGetACustomStageEach() {
        let all = [(0, 1), (0, 2), (1, 2)]
        #expect(
            stages(3, without: all) == [.custom(source: 0, destination: 1), .custom(source: 1, destination: 2)])
    }

    /// Plans for random tables of possible migrations obey the measured rules and have the minimum number of custom
    /// stages.
    @Test(arguments: 0..<200) func randomPlansObeyTheRules(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let count = Int.random(in: 2...7, using: &random)
        let density = Double.random(in: 0.3...1, using: &random)
        var table: [[Bool]] = []
        for _ in 0..<count { table.append((0..<count).map { _ in Double.random(in: 0..<1, using: &random) < density }) }
        let plan = MigrationStages(count: count) { table[$0][$1] }.stages
        var cuts: Set<Int> = []
        var listed: [Int] = []
        for stage in plan {
            switch stage {
            case .lightweight(let versions): listed += versions
            case .custom(let source, let destination):
                #expect(destination == source + 1)
                cuts.insert(source)
                listed += [source, destination].filter { !listed.contains($0) }
            }
        }
        // Every version once, in order.
        #expect(listed == Array(0..<count))
        #expect(isValid(cuts, table))
        for mask in 0..<(1 << (count - 1)) where mask.nonzeroBitCount < cuts.count {
            #expect(!isValid(Set((0..<(count - 1)).filter { mask & (1 << $0) != 0 }), table))
        }
    }

    /// Returns whether each version has a direct migration to the next version that a custom stage starts from.
    private func isValid(_ cuts: Set<Int>, _ table: [[Bool]]) -> Bool {
        table.indices.allSatisfy { version in
            let end = (version..<table.count).first { cuts.contains($0) } ?? table.count - 1
            return end == version || table[version][end]
        }
    }
}
