import Foundation
import ModelcDriver

/// A temporary folder, which is deleted with the object.
final class Scratch {
    let folder: URL
    let files: POSIXFileSystem

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        files = POSIXFileSystem(workingDirectory: folder.path)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    func url(_ path: String) -> URL { folder.appendingPathComponent(path) }

    /// Returns the content of the folder: the texts of files, the destinations of links, and “folder”.
    func tree() throws -> [String: String] {
        var result: [String: String] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            let full = url(path).path
            if let target = try? FileManager.default.destinationOfSymbolicLink(atPath: full) {
                result[path] = "-> \(target)"
            } else {
                result[path] = (try? String(contentsOfFile: full, encoding: .utf8)) ?? "folder"
            }
        }
        return result
    }

    func write(_ text: String, to path: String) throws {
        try FileManager.default.createDirectory(
            at: url(path).deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url(path))
    }

    func text(_ path: String) throws -> String { try String(contentsOf: url(path), encoding: .utf8) }

    func link(_ path: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: url(path).path, withDestinationPath: target)
    }

    /// Makes a file or folder look old.
    func age(_ path: String) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -7200)], ofItemAtPath: url(path).path)
    }
}
