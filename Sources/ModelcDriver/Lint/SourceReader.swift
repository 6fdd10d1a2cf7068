internal import Diagnostics
internal import ModelLint
internal import SwiftSources

/// Reads the Swift sources of a target.
struct SourceReader {
    let files: any FileSystem

    /// The maximum size of a source file, in bytes. Only generated tables are larger.
    private static let sizeLimit = 16 << 20

    init(files: any FileSystem) {
        self.files = files
    }

    /// Returns the classes that are declared in files or in files below folders.
    func classes(in paths: [String]) throws(InputFailure) -> SourceClasses {
        var result = SourceClasses(declarations: [:])
        try read(paths) { result.add($0, path: $1) }
        return result
    }

    /// Returns the declarations in files or in files below folders.
    func files(in paths: [String]) throws(InputFailure) -> [SwiftFile] {
        var result: [SwiftFile] = []
        try read(paths) { file, _ in result.append(file) }
        return result
    }

    private func read(_ paths: [String], _ visit: (SwiftFile, _ path: String) -> Void) throws(InputFailure) {
        do throws(FileSystemError) {
            var walk = FolderWalk(files: files)
            for path in paths.map(PathName.withoutTrailingSlashes) {
                switch files.kind(of: path) {
                case .directory?:
                    try walk.walk(path) { (path, name) throws(FileSystemError) -> Bool in
                        guard !name.hasPrefix(".") else { return false }
                        guard name.hasSuffix(".swift"), files.kind(of: path) != .directory else { return true }
                        try read(path, visit)
                        return false
                    } unreadable: { (error) throws(FileSystemError) -> Void in
                        throw error
                    }
                default: try read(path, visit)
                }
            }
        } catch {
            throw InputFailure(diagnostics: [error.diagnostic], exitCode: .couldNotRun)
        }
    }

    private func read(_ path: String, _ visit: (SwiftFile, _ path: String) -> Void) throws(FileSystemError) {
        guard case .file(let size)? = files.kind(of: path) else {
            throw FileSystemError(path: path, action: "read sources", reason: "there is no such file or folder")
        }
        guard size <= Self.sizeLimit else { return }
        visit(SwiftFile(try files.read(path)), path)
    }
}

extension SourceClasses {
    /// Adds the classes of a file that an entity can name: classes inside types and functions cannot be found at run
    /// time.
    mutating func add(_ file: SwiftFile, path: String) {
        for type in file.types where type.kind == .class && type.path.count == 1 && !type.isLocal {
            for name in [type.path.first, type.objectiveCName].compactMap({ $0 }) where declarations[name] == nil {
                declarations[name] = Declaration(file: path, line: type.line)
            }
        }
    }
}
