import Foundation

/// `modelc generate` as a whole process.
enum GenerateBenchmarks {
    static func all(_ workspace: Workspace, rounds: Int) -> [Benchmark] {
        let output = workspace.scratch.appendingPathComponent("Out").path
        func generate(_ count: Int, isFresh: Bool) throws -> Double {
            let model = try workspace.writeModel(entities: count)
            if isFresh { try? FileManager.default.removeItem(atPath: output) }
            return try Subprocess.time(workspace.modelc, ["generate", model, "--output", output])
        }
        func xmllint(_ count: Int) throws -> Double {
            let contents = workspace.contents(of: try workspace.writeModel(entities: count))
            return try Subprocess.time("/usr/bin/xmllint", ["--noout", contents])
        }
        return [
            Benchmark(
                name: "generate/new-files", size: "100 entities, 850 properties", rounds: rounds,
                ours: { try generate(Amount.entities(100), isFresh: true) },
                reference: { try xmllint(Amount.entities(100)) },
                referenceName: "xmllint --noout"),
            Benchmark(
                name: "generate/nothing-changed", size: "100 entities, 850 properties", rounds: rounds,
                ours: { try generate(Amount.entities(100), isFresh: false) },
                reference: { try xmllint(Amount.entities(100)) },
                referenceName: "xmllint --noout"),
            Benchmark(
                name: "generate/growth", size: "1000 entities against 100", rounds: max(3, rounds / 3),
                ours: { try generate(Amount.entities(1000), isFresh: true) },
                reference: { try generate(Amount.entities(100), isFresh: true) },
                referenceName: "modelc, a tenth of the model"),
        ]
    }
}

/// The time that a user of the package waits for the tool to be built.
enum BuildBenchmarks {
    static func all(_ workspace: Workspace) -> [Benchmark] {
        let scratch = workspace.scratch.appendingPathComponent("build").path
        return [
            Benchmark(
                name: "build/clean-debug", size: "modelc with its dependencies", rounds: 1,
                ours: {
                    try? FileManager.default.removeItem(atPath: scratch)
                    let start = ContinuousClock.now
                    try Subprocess.output(
                        [
                            "swift", "build", "--package-path", workspace.project.path, "--scratch-path", scratch,
                            "--product",
                            "modelc",
                        ])
                    return (ContinuousClock.now - start).seconds
                },
                reference: { 120 }, referenceName: "the bar of two minutes")
        ]
    }
}
