internal import SwiftDataModel

/// Finds the folders of SwiftPM targets. The Swift files of a target are compiled together; those of different targets
/// are not.
struct SwiftTargetFolders {
    private let files: any FileSystem
    /// The target's folder for each folder that was looked up.
    private var cached: [String: String?] = [:]
    /// The folders that SwiftPM searches for a target's folder.
    private static let sourceFolders: Set = ["Sources", "Source", "src", "srcs", "Tests"]

    init(files: any FileSystem) {
        self.files = files
    }

    /// Returns the folder of the target that a file belongs to, or `nil` if the file is in none of the usual places.
    ///
    /// Targets with a `path:` in the manifest are not found.
    mutating func target(of file: String) -> String? {
        let folder = PathName.parent(of: file)
        if let cached = cached[folder] { return cached }
        let parts = folder.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        var target: String?
        // The innermost package is used.
        for index in parts.indices.reversed() where target == nil && Self.sourceFolders.contains(parts[index]) {
            let package = parts[..<index].joined(separator: "/")
            let manifest = index == 0 ? "Package.swift" : package + "/Package.swift"
            guard case .file? = files.kind(of: manifest) else { continue }
            let root = parts[...index].joined(separator: "/")
            // A package of one target may have its sources in `Sources` itself.
            let isTarget = ((try? files.list(root)) ?? []).contains { $0.hasSuffix(".swift") }
            target = isTarget || index + 1 == parts.count ? root : PathName.joined(root, parts[index + 1])
        }
        cached[folder] = .some(target)
        return target
    }
}
