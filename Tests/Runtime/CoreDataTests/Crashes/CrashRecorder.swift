import Foundation

@testable import CoreData

/// A recorder of a store's file operations in a folder: those of SQLite through `CrashVFS`, others directly.
final class CrashRecorder: StoreDisk, @unchecked Sendable {
    /// The operations that the recorder leaves out, to prove that the tests notice it.
    enum Omission {
        case nothing, externalFileContents, externalFileNames
    }

    let folder: URL
    private let prefix: String
    private let omission: Omission
    private(set) var operations: [CrashDisk.Operation] = []
    private var disk = CrashDisk()

    init(_ folder: URL, omitting omission: Omission = .nothing) {
        self.folder = folder
        self.omission = omission
        prefix = folder.resolvingSymlinksInPath().path + "/"
    }

    /// Returns the path relative to the folder, or `nil` for one elsewhere.
    func path(_ path: String) -> String? {
        if path + "/" == prefix { return "" }
        return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : nil
    }

    private func path(_ url: URL) -> String? { path(url.standardizedFileURL.path) }

    func record(_ operation: CrashDisk.Operation) {
        operations.append(operation)
        disk.perform(operation)
    }

    func has(_ path: String) -> Bool { disk.has(path) }

    // MARK: Files beside the database

    override func createFolder(_ url: URL) throws {
        try super.createFolder(url)
        guard let path = path(url) else { return }
        var folder = ""
        for part in path.split(separator: "/") {
            folder += (folder.isEmpty ? "" : "/") + part
            if !has(folder) { record(.createFolder(folder)) }
        }
    }

    override func write(_ data: Data, to url: URL) throws {
        try super.write(data, to: url)
        guard let path = path(url) else { return }
        record(.create(path))
        record(.write(path, offset: 0, [UInt8](data)))
    }

    override func synchronize(_ url: URL) throws {
        guard let path = path(url) else { return }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
            throw CocoaError(.fileNoSuchFile)
        }
        if isFolder.boolValue {
            if omission != .externalFileNames { record(.synchronizeFolder(path)) }
        } else if omission != .externalFileContents || path.hasSuffix("-wal") {
            record(.synchronize(path))
        }
    }

    override func createFile(_ url: URL, mode: mode_t?) throws {
        try super.createFile(url, mode: mode)
        if let path = path(url) { record(.create(path)) }
    }

    override func copy(_ file: URL, to url: URL) throws {
        try super.copy(file, to: url)
        guard let path = path(url) else { return }
        record(.create(path))
        record(.write(path, offset: 0, [UInt8](try Data(contentsOf: url))))
    }

    override func rename(_ file: URL, _ url: URL) throws {
        try super.rename(file, url)
        if let old = path(file), let new = path(url) { record(.rename(old, to: new)) }
    }

    /// Records the files that are in the folder already, as certain to be on the disk.
    func adopt() throws {
        let paths = (FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []).sorted()
        for path in paths {
            let url = folder.appendingPathComponent(path)
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else { continue }
            if isFolder.boolValue {
                record(.createFolder(path))
            } else {
                record(.create(path))
                record(.write(path, offset: 0, [UInt8](try Data(contentsOf: url))))
                record(.synchronize(path))
            }
            record(.synchronizeFolder(path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""))
        }
    }

    override func remove(_ url: URL) throws {
        try super.remove(url)
        if let path = path(url) { record(.remove(path)) }
    }
}
