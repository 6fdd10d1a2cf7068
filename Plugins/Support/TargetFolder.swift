import Foundation
import PackagePlugin

/// The folder of a target, which may be the whole package.
enum TargetFolder {
    /// Returns the models and other files in a target's folder and its subfolders, except hidden files, manifests, and
    /// what is in the folders of other targets and in other packages.
    static func files(of target: any Target, in package: Package) -> [URL] {
        let folder = target.directoryURL.standardizedFileURL
        // Targets may be nested.
        let otherFolders = Set(
            package.targets.map { $0.directoryURL.standardizedFileURL.path }.filter { $0 != folder.path })
        return walk(folder, except: otherFolders)
    }

    static func isModel(_ file: URL) -> Bool {
        ["xcdatamodeld", "xcdatamodel", "xcmappingmodel"].contains(file.pathExtension)
    }

    static func isFolder(_ file: URL) -> Bool {
        (try? file.resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory ?? false
    }

    /// Returns whether a file is a manifest: `Package.swift`, or `Package@swift-6.2.swift` for one version of Swift.
    private static func isManifest(_ name: String) -> Bool {
        name == "Package.swift" || name.hasPrefix("Package@swift-") && name.hasSuffix(".swift")
    }

    private static func walk(_ folder: URL, except otherFolders: Set<String>) -> [URL] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().filter { !$0.hasPrefix(".") && !isManifest($0) }.flatMap { name -> [URL] in
            let file = folder.appending(path: name).standardizedFileURL
            guard !otherFolders.contains(file.path) else { return [] }
            guard isFolder(file), !isModel(file) else { return [file] }
            let isPackage = FileManager.default.fileExists(atPath: file.appending(path: "Package.swift").path)
            return isPackage ? [] : walk(file, except: otherFolders)
        }
    }
}
