import Foundation
public import Testing

/// The seeds of randomized tests.
///
/// A failure names its seed; `MODELC_FUZZ_SEED` replays it. `MODELC_FUZZ_SECONDS` sets the duration of loops over
/// seeds. Tests that depend on the order of Swift's sets and dictionaries also need `SWIFT_DETERMINISTIC_HASHING=1`.
public enum Seeds {
    private static let environment = ProcessInfo.processInfo.environment

    /// The only seed to run; `nil` for any.
    public static let replayed = environment["MODELC_FUZZ_SEED"].flatMap(UInt64.init)
    /// The duration of loops over seeds, in seconds; `nil` for the short form.
    public static let seconds = environment["MODELC_FUZZ_SECONDS"].flatMap(Double.init)
    /// The number of log entries that a failure prints.
    private static let logLength = environment["MODELC_FUZZ_LOG"].flatMap(Int.init) ?? 60

    /// The seed of the running test, if it has the trait `randomized`.
    @TaskLocal static var current: UInt64?

    /// Returns a generator for the running test, which must have the trait `randomized`.
    public static func generator() -> SeededGenerator {
        guard let current else { preconditionFailure("the test lacks the trait “.randomized”") }
        return SeededGenerator(seed: current)
    }

    /// Returns the seed that a loop over seeds begins with: the one to replay, a random one in the long form, or
    /// another.
    public static func first(_ short: UInt64) -> UInt64 {
        replayed ?? (seconds == nil ? short : .random(in: 1...1_000_000_000))
    }

    /// Runs a body with successive seeds, and records the first failure with its seed.
    ///
    /// - Parameters:
    ///   - rounds: The number of seeds. The short form starts with seed 1, so that a busy machine checks the same; the
    ///     long form starts with a random seed, and goes on until its time has passed.
    ///   - body: A function that receives a generator and appends its actions to a log, which is printed on failure.
    public static func run(
        rounds: UInt64 = 4, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (SeededGenerator, inout [String]) throws -> Void
    ) {
        let end = Self.seconds.map { Date(timeIntervalSinceNow: $0) }
        let first = first(1)
        var seed = first
        repeat {
            var log: [String] = []
            // A crash cannot report its seed.
            if Self.seconds != nil || replayed != nil {
                FileHandle.standardError.write(Data("MODELC_FUZZ_SEED=\(seed)\n".utf8))
            }
            do {
                try body(SeededGenerator(seed: seed), &log)
            } catch {
                let steps = log.suffix(logLength).joined(separator: "; ")
                Issue.record(
                    "\(error)\n\(steps)\nReplay with MODELC_FUZZ_SEED=\(seed)", sourceLocation: sourceLocation)
                return
            }
            seed += 1
        } while replayed == nil && (seed - first < rounds || end.map { Date() < $0 } ?? false)
        if Self.seconds != nil { print("\(Test.current?.name ?? "?"): seeds \(first)...\(seed - 1)") }
    }
}

/// A trait that provides a seed for each run of a test, and adds it to recorded issues. The seed is always the same in
/// the short form, so that test runs are repeatable, and random in the long form.
public struct RandomizedTrait: TestTrait, SuiteTrait, TestScoping {
    /// Whether the tests of a suite have the trait.
    public let isRecursive = true

    /// Runs a test with a seed.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil, Seeds.current == nil else { return try await function() }
        let seed = Seeds.first(1)
        try await Seeds.$current.withValue(seed) {
            let naming = IssueHandlingTrait.compactMapIssues { issue in
                var issue = issue
                issue.comments.append("Replay with MODELC_FUZZ_SEED=\(seed)")
                return issue
            }
            try await naming.provideScope(for: test, testCase: testCase) {
                do {
                    try await function()
                } catch {
                    // The test runner would record it outside this scope.
                    Issue.record(error)
                }
            }
        }
    }
}

extension Trait where Self == RandomizedTrait {
    /// Provides a seed for `Seeds.generator()` in each run of the test, named by failures.
    public static var randomized: Self { Self() }
}
