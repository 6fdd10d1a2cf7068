internal import Diagnostics

/// The names by which a baseline distinguishes models and stores.
struct BaselineNames {
    /// The path components of the baseline's folder; `nil` if it is unknown.
    private let folder: [Substring]?
    private let files: any FileSystem
    /// The path components of the models that were checked, by their paths as given.
    private let modelComponents: [String: [Substring]]
    /// Whether stores are named by their paths, because stores in different folders often have the same name.
    private let namesStoresByPath: Bool
    /// The names of models, or stores, that are in several folders.
    private let ambiguous: Set<String>

    /// - Parameter checked: The files that were checked.
    init(baseline path: String, checked: [String], namesStoresByPath: Bool = false, _ files: any FileSystem) {
        self.files = files
        self.namesStoresByPath = namesStoresByPath
        folder = Self.components(path, files)?.dropLast()
        let named = namesStoresByPath ? checked : checked.compactMap(Self.model)
        let paths = Set(named).map { ($0, files.fullPath($0) ?? $0) }
        modelComponents = Dictionary(uniqueKeysWithValues: paths.map { ($0, $1.split(separator: "/")) })
        let bundles = Set(paths.map(\.1))
        ambiguous = Set(
            Dictionary(grouping: bundles, by: namesStoresByPath ? PathName.name : PathName.stem).filter {
                $0.value.count > 1
            }.map(\.key))
    }

    private static func components(_ path: String, _ files: any FileSystem) -> [Substring]? {
        files.fullPath(path)?.split(separator: "/")
    }

    /// Returns the path of the bundle or version that a file is in; `nil` for other files.
    private static func model(of path: String) -> String? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard let end = parts.firstIndex(where: { $0.hasSuffix(".xcdatamodeld") || $0.hasSuffix(".xcdatamodel") })
        else { return nil }
        return parts[...end].joined(separator: "/")
    }

    /// Returns a finding as a new baseline records it: with the path of its model if several have the name.
    func recorded(_ diagnostic: Diagnostic) -> Diagnostic {
        guard namesStoresByPath, diagnostic.element?.model != nil else { return identified(diagnostic) }
        return withPath(diagnostic) ?? diagnostic
    }

    /// Returns a finding as reports identify it: with the path of its model or store if several have the name.
    func identified(_ diagnostic: Diagnostic) -> Diagnostic {
        guard let model = diagnostic.element?.model, ambiguous.contains(model) else { return diagnostic }
        return withPath(diagnostic) ?? diagnostic
    }

    /// Returns the forms in which a baseline may have recorded a finding. The number of models with a name may have
    /// changed, and earlier versions recorded only the name.
    func candidates(_ diagnostic: Diagnostic) -> [Diagnostic] {
        guard !namesStoresByPath else { return [recorded(diagnostic)] }
        return (withPath(diagnostic).map { [$0] } ?? []) + [diagnostic]
    }

    /// Returns a finding that names its model or store by the path from the baseline's folder; `nil` if it has none.
    private func withPath(_ diagnostic: Diagnostic) -> Diagnostic? {
        guard let folder, diagnostic.element != nil, let file = diagnostic.file,
            let path = namesStoresByPath ? file : Self.model(of: file),
            let parts = modelComponents[path] ?? Self.components(path, files)
        else { return nil }
        let shared = zip(folder, parts).prefix { $0 == $1 }.count
        var result = diagnostic
        result.element?.model = ([Substring](repeating: "..", count: folder.count - shared) + parts[shared...])
            .joined(separator: "/")
        return result
    }
}
