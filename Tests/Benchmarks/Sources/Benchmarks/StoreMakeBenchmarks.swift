import Foundation

/// `modelc-store make` as a whole process, against SQLite's C interface with the rows in memory.
enum StoreMakeBenchmarks {
    /// The number of rows of each of the model's two entities.
    private static let rows = Amount.rows(50_000)

    static func all(_ workspace: Workspace, rounds: Int) -> [Benchmark] {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let model = sources.appendingPathComponent("Generated/Bench.xcdatamodeld").path
        let made = workspace.scratch.appendingPathComponent("made.sqlite")
        let copy = workspace.scratch.appendingPathComponent("copy.sqlite")
        var program: String?
        var content: ReferenceContent?
        func make() throws -> Double {
            let path = try program ?? workspace.modelcStore()
            program = path
            return try Subprocess.time(
                path, ["make", model, "--rows", "\(rows)", "--output", made.path, "--force"])
        }
        return [
            Benchmark(
                name: "store/make", size: "100000 rows, 7 attributes and a to-one", rounds: max(2, rounds / 3),
                ours: make,
                reference: {
                    let rows = try content ?? ReferenceContent(made)
                    try? FileManager.default.removeItem(at: copy)
                    let start = ContinuousClock.now
                    try rows.write(to: copy)
                    let seconds = (ContinuousClock.now - start).seconds
                    if content == nil { try rows.check(copy, against: made) }
                    content = rows
                    return seconds
                }, referenceName: "sqlite3")
        ]
    }
}
