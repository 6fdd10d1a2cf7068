import CoreData
import Foundation

/// The runtime's model classes, in this process.
enum RuntimeBenchmarks {
    static func all(_ workspace: Workspace, rounds: Int) -> [Benchmark] {
        func bundle(_ count: Int) throws -> URL {
            let url = workspace.scratch.appendingPathComponent("Runtime\(count).momd")
            if !FileManager.default.fileExists(atPath: url.path) {
                let model = try workspace.writeModel(entities: count)
                _ = try Subprocess.time(workspace.modelc, ["compile", model, url.path, "--quiet"])
            }
            return url
        }
        func load(_ count: Int) throws -> Double {
            let url = try bundle(count)
            return try seconds {
                guard let model = NSManagedObjectModel(contentsOf: url), model.entities.count == count else {
                    throw CommandFailure(description: "\(url.path) did not load")
                }
            }
        }
        func propertyList(_ count: Int) throws -> Double {
            let file = try bundle(count).appendingPathComponent("Model\(count).mom")
            return try seconds {
                _ = try PropertyListSerialization.propertyList(from: Data(contentsOf: file), format: nil)
            }
        }
        return [
            Benchmark(
                name: "runtime/load", size: "100 entities, 850 properties", rounds: rounds,
                ours: { try load(Amount.entities(100)) }, reference: { try propertyList(Amount.entities(100)) },
                referenceName: "PropertyListSerialization"),
            Benchmark(
                name: "runtime/load-1000", size: "1000 entities, 8500 properties", rounds: max(3, rounds / 3),
                ours: { try load(Amount.entities(1000)) }, reference: { try propertyList(Amount.entities(1000)) },
                referenceName: "PropertyListSerialization"),
            Benchmark(
                name: "runtime/load-growth", size: "1000 entities against 100", rounds: max(3, rounds / 3),
                ours: { try load(Amount.entities(1000)) }, reference: { try load(Amount.entities(100)) },
                referenceName: "the runtime, a tenth of the model"),
        ]
    }

    private static func seconds(_ body: () throws -> Void) throws -> Double {
        let clock = ContinuousClock()
        let duration = try clock.measure(body)
        return Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
    }
}
