internal import ModelcDriver

/// Looks for the models that a store can be shown with.
package struct ModelSearch {
    /// What was found.
    package struct Result: Codable, Sendable {
        /// A model with the store's hashes.
        package struct Match: Codable, Sendable {
            /// The path of the model.
            package var path: String
            /// The version, in words.
            package var origin: String
        }

        /// The models, in the order in which they were found.
        package var matches: [Match] = []
        /// The number of models that were compared.
        package var count = 0
        /// The folders that were searched.
        package var folders: [String]
        /// Whether the search ended before all folders were read.
        package var isIncomplete = false
    }

    /// The metadata of the store, which is read once.
    private let metadata: [String: Any]
    private let files: any FileSystem
    private var result: Result
    /// The folders that were read, which links may lead to again.
    private var seen: Set<FileIdentity> = []
    private var remaining = Self.folderLimit

    /// The maximum number of folders that are read, and of models that are compared.
    private static let folderLimit = 20_000
    private static let modelLimit = 500
    /// The maximum number of folders within each other.
    private static let depth = 12

    private static let extensions = [".xcdatamodeld", ".xcdatamodel", ".momd", ".mom", ".omo"]
    /// Folders of tools, which contain copies of models at most.
    private static let skipped: Set<String> = ["node_modules", "Pods", "Carthage"]

    private init(_ metadata: [String: Any], folders: [String], files: any FileSystem) {
        self.metadata = metadata
        self.files = files
        result = Result(folders: folders)
    }

    /// Compares the models below folders with a store.
    ///
    /// - Throws: If the store cannot be read.
    static func run(
        store path: String, _ kind: StoreKind, below folders: [String], _ files: any FileSystem
    ) throws(StoreProblem) -> Result {
        let metadata = try StoreModel.metadata(path, kind: kind, files: files)
        var search = ModelSearch(metadata, folders: folders, files: files)
        for folder in folders { search.read(folder, depth: depth) }
        return search.result
    }

    private mutating func read(_ folder: String, depth: Int) {
        guard let identity = files.identity(of: folder), seen.insert(identity).inserted else { return }
        guard depth > 0, remaining > 0, result.count < Self.modelLimit else {
            result.isIncomplete = true
            return
        }
        remaining -= 1
        var folders: [String] = []
        guard let names = try? files.list(folder) else {
            result.isIncomplete = true
            return
        }
        for name in names where !name.hasPrefix(".") && !Self.skipped.contains(name) {
            let path = PathName.joined(folder, name)
            if Self.extensions.contains(where: name.hasSuffix) {
                compare(path)
            } else if files.kind(of: path) == .directory {
                folders.append(path)
            }
        }
        for folder in folders { read(folder, depth: depth - 1) }
    }

    private mutating func compare(_ model: String) {
        guard result.count < Self.modelLimit else {
            result.isIncomplete = true
            return
        }
        result.count += 1
        guard let set = try? ModelSetReader(files: files).read(model),
            let found = StoreModel.match(in: set, metadata)
        else { return }
        result.matches.append(Result.Match(path: model, origin: found.origin))
    }
}
