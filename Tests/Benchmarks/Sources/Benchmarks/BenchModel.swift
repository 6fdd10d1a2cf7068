import CoreData
import Foundation

/// The models in `Generated`: `Bench`, and that of the benchmarks that others have published.
enum BenchModel {
    /// Compiles and loads the model.
    static func load(_ workspace: Workspace) throws -> NSManagedObjectModel { try load(compile(workspace)) }

    /// Compiles a model and returns the URL of the result.
    static func compile(_ workspace: Workspace, name: String = "Bench") throws -> URL {
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Generated/\(name).xcdatamodeld").path
        let compiled = workspace.scratch.appendingPathComponent("\(name)-\(UUID().uuidString).momd")
        _ = try Subprocess.time(workspace.modelc, ["compile", source, compiled.path, "--quiet"])
        return compiled
    }

    /// Loads the model.
    static func load(_ compiled: URL) throws -> NSManagedObjectModel {
        guard let model = NSManagedObjectModel(contentsOf: compiled) else {
            throw CommandFailure(description: "\(compiled.path) did not load")
        }
        return model
    }
}
