internal import Foundation

/// The files of a store's external data, for reading only.
struct ContentFiles {
    let store: String
    let folder: URL

    /// Returns the value that a column contains or refers to.
    ///
    /// - Throws: `StoreContents.Failure` if it is in a missing file.
    func data(in content: [UInt8], _ what: String) throws(StoreContents.Failure) -> [UInt8] {
        let name = content.withUnsafeBytes { ExternalStorage.fileName(in: $0) }
        guard let name else { return content.first == 1 ? Array(content.dropFirst()) : content }
        let url = folder.appendingPathComponent(name)
        do {
            return [UInt8](try Data(contentsOf: url))
        } catch {
            throw StoreContents.Failure(
                message: "the external data of \(what) cannot be read: \(url.lastPathComponent)", path: store,
                isMissingFile: true)
        }
    }
}
