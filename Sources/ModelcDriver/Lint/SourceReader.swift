internal import Diagnostics
internal import ModelLint
internal import SwiftSources

/// Reads the Swift sources of a target.
struct SourceReader {
    let files: any FileSystem

    /// No source is larger; a generated table may be.
    private static let sizeLimit = 16 << 20

    init(files: any FileSystem) {
        self.files = files
    }

    /// The classes that are declared below some folders, or in some files.
    func classes(in paths: [String]) throws(InputFailure) -> SourceClasses {
        var result = SourceClasses(declarations: [:])
        do throws(FileSystemError) {
            for path in paths.map(PathName.withoutTrailingSlashes) { try read(path, depth: 0, into: &result) }
        } catch {
            throw InputFailure(diagnostics: [error.diagnostic], exitCode: .couldNotRun)
        }
        return result
    }

    private func read(_ path: String, depth: Int, into result: inout SourceClasses) throws(FileSystemError) {
        switch files.kind(of: path) {
        case .directory?:
            guard depth < 64 else { return }
            for name in try files.list(path) where !name.hasPrefix(".") {
                let inner = PathName.joined(path, name)
                guard name.hasSuffix(".swift") || files.kind(of: inner) == .directory else { continue }
                try read(inner, depth: depth + 1, into: &result)
            }
        case .file(let size)?:
            guard size <= Self.sizeLimit else { return }
            result.add(SwiftFile(try files.read(path)), path: path)
        default:
            throw FileSystemError(path: path, action: "read sources", reason: "there is no such file or folder")
        }
    }
}

extension SourceClasses {
    /// Adds the classes of a file that an entity can name: those inside of other types or of functions cannot be found.
    mutating func add(_ file: SwiftFile, path: String) {
        for type in file.types where type.kind == .class && type.path.count == 1 && !type.isLocal {
            for name in [type.path.first, type.objectiveCName].compactMap({ $0 }) where declarations[name] == nil {
                declarations[name] = Declaration(file: path, line: type.line)
            }
        }
    }
}
