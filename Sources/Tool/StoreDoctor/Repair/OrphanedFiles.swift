internal import CoreData
internal import Foundation

/// External files that no row of a store refers to. They are set aside, never deleted.
package struct OrphanedFiles: Sendable {
    /// The names of the files, sorted.
    package let names: [String]

    init(_ names: Set<String> = []) {
        self.names = names.sorted()
    }

    /// Moves or copies the files into a folder. Skips names that exist there.
    ///
    /// - Parameters:
    ///   - path: The path of the store.
    ///   - folder: The path of the folder, which is created.
    ///   - copies: Whether the files also stay where they are, because the store is not changed.
    /// - Returns: The number of files.
    /// - Throws: `StoreDoctor.Failure` of the kind `interrupted` if not all files could be moved.
    package func setAside(
        ofStoreAt path: String, in folder: String, copies: Bool
    ) throws(StoreDoctor.Failure) -> Int {
        guard !names.isEmpty else { return 0 }
        let source = StoreLayout.externalFolder(ofStoreAt: path)
        var count = 0
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for name in names {
                let target = "\(folder)/\(name)"
                guard !FileManager.default.fileExists(atPath: target) else { continue }
                if copies {
                    try StoreSnapshot.copyFile("\(source)/\(name)", to: target)
                } else {
                    try FileManager.default.moveItem(atPath: "\(source)/\(name)", toPath: target)
                }
                count += 1
            }
            try StoreSnapshot.synchronize(folder)
        } catch {
            throw StoreDoctor.Failure(
                kind: .interrupted,
                message: "external files without a row cannot be \(copies ? "copied" : "moved") to the folder "
                    + "“\(folder.split(separator: "/").last ?? "")”: \(error.localizedDescription)")
        }
        return count
    }
}
