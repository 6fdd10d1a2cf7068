/// Keeps commands from overwriting their inputs, however the paths are spelled: through links, `..` or in another case.
struct SourceProtection {
    private let files: any FileSystem
    private var sources: [(path: String, root: String, identity: FileIdentity)] = []

    /// Protects the models, or files, at some paths. A version of a model protects the whole model.
    init(_ sources: [String], files: any FileSystem) {
        self.files = files
        for source in sources {
            guard let path = files.canonicalPath(source) else { continue }
            let root = Self.modelFolder(of: path) ?? path
            guard let identity = files.identity(of: root) else { continue }
            self.sources.append((path, root, identity))
        }
    }

    /// Throws if a destination is a source, or inside one or any other model, or if it is replaced as a whole and
    /// contains a source.
    func check(_ destination: String, isReplacedWhole: Bool = true) throws(FileSystemError) {
        guard let path = canonicalPath(destination) else { return }
        let folder = isReplacedWhole ? PathName.parent(of: path) : path
        if let model = Self.modelFolder(of: folder), !sources.contains(where: { $0.root == model }),
            !model.lowercased().hasSuffix(ModelSetReader.compiledBundleExtension),
            isReplacedWhole || files.kind(of: model) != nil
        {
            throw OutputDestination.rejection(
                destination, "it is inside the model “\(PathName.name(of: model))”; specify another path")
        }
        let around = Set(Self.prefixes(of: path).compactMap { files.identity(of: $0) })
        let identity = files.identity(of: path)
        for source in sources {
            if around.contains(source.identity) {
                throw OutputDestination.rejection(
                    destination, "it is inside the model that is being read; specify another path")
            }
            guard isReplacedWhole, let identity else { continue }
            if Self.prefixes(of: source.path).contains(where: { files.identity(of: $0) == identity }) {
                throw OutputDestination.rejection(
                    destination, "it contains the model that is being read; specify another path")
            }
        }
    }

    /// Returns the absolute path without links of a file that need not exist.
    private func canonicalPath(_ path: String) -> String? {
        (try? OutputDestination.followingLinks(PathName.withoutTrailingSlashes(path), files)).flatMap(files.fullPath)
    }

    /// Returns the path and the folders that contain it.
    private static func prefixes(of path: String) -> [String] {
        sequence(first: path) { $0 == "/" || $0.isEmpty ? nil : PathName.parent(of: $0) }.filter { !$0.isEmpty }
    }

    /// Returns the outermost model that contains a path; `nil` for a path outside models.
    static func modelFolder(of path: String) -> String? {
        prefixes(of: path).last { folder in
            let name = folder.lowercased()
            return name.hasSuffix(ModelInputReader.bundleExtension) || name.hasSuffix(ModelInputReader.modelExtension)
                || name.hasSuffix(ModelSetReader.compiledBundleExtension)
                || name.hasSuffix(MappingInputReader.sourceExtension)
        }
    }
}
