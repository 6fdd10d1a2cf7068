import CoreData
import Foundation

/// SQLite stores with the model of `Generated/Quoted.xcdatamodeld`.
final class QuotedStack {
    private let workspace: Workspace
    private var loadedModel: NSManagedObjectModel?
    private var filled: [String: URL] = [:]

    init(_ workspace: Workspace) {
        self.workspace = workspace
    }

    private func model() throws -> NSManagedObjectModel {
        let model = try loadedModel ?? BenchModel.load(BenchModel.compile(workspace, name: "Quoted"))
        loadedModel = model
        return model
    }

    /// Returns a URL for a new file.
    func newURL() -> URL { workspace.scratch.appendingPathComponent("\(UUID().uuidString).sqlite") }

    /// Returns a context with its own coordinator, as in a program that has just started.
    func context(_ url: URL) throws -> NSManagedObjectContext { try StoreStack.context(url, model()) }

    /// Calls a function with the URL of a new store, which is removed afterwards.
    func withStore(_ body: (URL) throws -> Double) throws -> Double {
        let url = newURL()
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) } }
        return try body(url)
    }

    /// Returns a file that a function fills when it is first asked for.
    func file(_ name: String, _ fill: (URL) throws -> Void) throws -> URL {
        if let url = filled[name] { return url }
        let url = newURL()
        try fill(url)
        filled[name] = url
        return url
    }

    /// Returns a store that a function fills when it is first asked for.
    func store(_ name: String, _ fill: (NSManagedObjectContext) throws -> Void) throws -> URL {
        try file(name) { url in
            let context = try context(url)
            try fill(context)
            try context.save()
        }
    }

    /// Throws an error unless a benchmark has done its work.
    static func check(_ condition: Bool, _ what: @autoclosure () -> String) throws {
        guard condition else { throw CommandFailure(description: what()) }
    }
}
