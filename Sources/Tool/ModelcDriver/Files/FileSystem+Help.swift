internal import Diagnostics
internal import ModelSchema

extension FileSystem {
    /// Returns the contents of a file that a command reads.
    package func readInput(_ path: String) throws(InputFailure) -> [UInt8] {
        try InputFailure.wrapping { () throws(FileSystemError) in try read(path) }
    }

    /// Returns the names in a folder that a command reads.
    package func listInput(_ path: String) throws(InputFailure) -> [String] {
        try InputFailure.wrapping { () throws(FileSystemError) in try list(path) }
    }

    /// Returns the failure of a command for a path at which nothing exists.
    func missing(_ path: String) -> InputFailure {
        InputFailure(
            path, rule: .noSuchFile, message: "there is no such file or folder", help: help(forMissing: path))
    }

    /// Returns the advice for a path at which nothing exists: the nearest name in its folder, or else to check the
    /// path.
    func help(forMissing path: String) -> String {
        let folder = PathName.parent(of: path)
        let (stem, ending) = Self.parts(of: path)
        let names = ((try? list(folder.isEmpty ? "." : folder)) ?? []).map { (name: $0, parts: Self.parts(of: $0)) }
            .filter { EditDistance.between($0.parts.ending, ending) <= 1 }
        // The same extension does not make names similar.
        guard let nearest = EditDistance.closest(to: stem, among: names.map(\.parts.stem)),
            let found = names.first(where: { $0.parts.stem == nearest })
        else { return "Check the path." }
        return "Did you mean “\(PathName.joined(folder, found.name))”?"
    }

    /// Returns the name of a file without its extension, and the extension.
    private static func parts(of path: String) -> (stem: String, ending: String) {
        let (name, stem) = (PathName.name(of: path), PathName.stem(of: path))
        return (stem, String(name.dropFirst(stem.count)))
    }
}
