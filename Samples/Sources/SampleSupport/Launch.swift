import Foundation

/// Launches a sample like a person who opens an app, closes it, and opens it again.
public enum Launch {
    /// Runs a sample. With an argument, it runs once in that folder and finds what earlier launches saved; without one,
    /// it runs twice in a temporary folder, which is then removed.
    @MainActor public static func run(_ app: (URL) async throws -> Void) async throws {
        if let path = CommandLine.arguments.dropFirst().first {
            let folder = URL(fileURLWithPath: path, isDirectory: true)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            return try await launch(app, folder)
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for _ in 1...2 { try await launch(app, folder) }
    }

    @MainActor private static func launch(_ app: (URL) async throws -> Void, _ folder: URL) async throws {
        let isFirst = try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty
        print(isFirst ? "=== The first launch" : "\n=== Launched again")
        try await app(folder)
    }

    /// Prints a heading for the next lines.
    public static func section(_ title: String) { print("\n\(title)") }
}
