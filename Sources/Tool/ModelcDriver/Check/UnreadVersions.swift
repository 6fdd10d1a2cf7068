internal import CLibrary
internal import ModelEvolution
internal import ModelSchema
internal import ModelSource

/// The versions of a model that were not read, because they have not changed.
struct UnreadVersions {
    private let path: String
    private let known: Set<String>
    private let reader: ModelSetReader
    private let files: any FileSystem

    /// - Parameters:
    ///   - path: The path of the bundle.
    ///   - known: The names of the versions that were read.
    init(of path: String, known: Set<String>, _ reader: ModelSetReader, _ files: any FileSystem) {
        self.path = path
        self.known = known
        self.reader = reader
        self.files = files
    }

    /// Returns whether one of the versions has certain version hashes. A version that cannot be read may have them.
    func hasOne(of hashes: Set<EntityVersionHashes>) throws(InputFailure) -> Bool {
        let counts = Set(hashes.map(\.elements.count))
        let names = try reader.sources.openBundle(path).versionNames.filter { !known.contains($0) }
        // Most versions have another number of entities, for which the files need not be parsed.
        let possible = ParallelMap.map(names) { [files, path] name in
            let file = PathName.joined(PathName.joined(path, name + ModelInputReader.modelExtension), "contents")
            guard let bytes = try? files.read(file), let count = Self.entityCount(bytes) else { return true }
            return counts.contains(count)
        }
        let candidates = Set(zip(names, possible).compactMap { $1 ? $0 : nil })
        guard !candidates.isEmpty else { return false }
        let set = try reader.modelSet(of: try reader.sources.readSource(path, .only(candidates)), version: nil)
        return ParallelMap.map(set.versions.filter { candidates.contains($0.name) }) { version in
            version.model.map { hashes.contains($0.versionHashes().entities) } ?? true
        }.contains(true)
    }

    /// Returns the number of entities of a model's source; `nil` if comments or quoted sections may contain some,
    /// or characters have several bytes.
    static func entityCount(_ bytes: [UInt8]) -> Int? {
        bytes.withUnsafeBytes { text in
            let name = Array("entity".utf8)
            var (count, index) = (0, 0)
            while index < text.count, let start = text.baseAddress,
                let found = memchr(start + index, Int32(UInt8(ascii: "<")), text.count - index)
            {
                index = start.distance(to: UnsafeRawPointer(found)) + 1
                let rest = text[index...].prefix(name.count + 1)
                if rest.first == UInt8(ascii: "!") || rest.first == 0 { return nil }
                if rest.starts(with: name), let end = rest.dropFirst(name.count).first, end <= UInt8(ascii: " ") {
                    count += 1
                }
            }
            return count
        }
    }
}
