import Foundation

/// `modelc compile` and loading its output, as whole processes.
enum CompileBenchmarks {
    static func all(_ workspace: Workspace, rounds: Int) -> [Benchmark] {
        func output(_ count: Int) -> String {
            workspace.scratch.appendingPathComponent("Compiled\(count)/Model\(count).momd").path
        }
        func compile(_ count: Int) throws -> Double {
            let model = try workspace.writeModel(entities: count)
            try? FileManager.default.removeItem(atPath: output(count))
            return try Subprocess.time(workspace.modelc, ["compile", model, output(count), "--quiet"])
        }
        func load(_ count: Int) throws -> Double {
            if !FileManager.default.fileExists(atPath: output(count)) { _ = try compile(count) }
            return try Subprocess.time(workspace.modelc, ["hash", output(count)])
        }
        func xmllint(_ count: Int) throws -> Double {
            let contents = workspace.contents(of: try workspace.writeModel(entities: count))
            return try Subprocess.time("/usr/bin/xmllint", ["--noout", contents])
        }
        return [
            Benchmark(
                name: "compile/momd", size: "100 entities, 850 properties", rounds: rounds,
                ours: { try compile(Amount.entities(100)) }, reference: { try xmllint(Amount.entities(100)) },
                referenceName: "xmllint --noout"),
            Benchmark(
                name: "compile/growth-100", size: "100 entities against 10", rounds: rounds,
                ours: { try compile(Amount.entities(100)) }, reference: { try compile(Amount.entities(10)) },
                referenceName: "modelc, a tenth of the model"),
            Benchmark(
                name: "compile/growth-1000", size: "1000 entities against 100", rounds: max(3, rounds / 3),
                ours: { try compile(Amount.entities(1000)) }, reference: { try compile(Amount.entities(100)) },
                referenceName: "modelc, a tenth of the model"),
            Benchmark(
                name: "load/growth-1000", size: "1000 entities against 100", rounds: max(3, rounds / 3),
                ours: { try load(Amount.entities(1000)) }, reference: { try load(Amount.entities(100)) },
                referenceName: "modelc hash, a tenth of the model"),
        ]
    }
}
