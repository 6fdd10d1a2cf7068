internal import Foundation

/// The file of an atomic store that is not open.
struct AtomicStoreFile {
    private let url: URL

    init(_ url: URL) throws {
        guard url.isFileURL else {
            throw CoreDataError.error(
                .persistentStoreOperation, text: "the store is in no file: \(url.absoluteString)",
                userInfo: [NSURLErrorKey: url])
        }
        self.url = url
    }

    /// Removes the file, if there is one.
    func remove() throws {
        do {
            try FileManager.default.removeItem(at: url)
        } catch CocoaError.fileNoSuchFile {
            return
        } catch {
            throw failed("removed", error)
        }
    }

    /// Replaces the file with a copy of another. A failure leaves it unchanged.
    func replace(with source: AtomicStoreFile) throws {
        do {
            try Data(contentsOf: source.url).write(to: url, options: .atomic)
        } catch {
            throw failed("replaced", error)
        }
    }

    private func failed(_ what: String, _ error: any Error) -> NSError {
        CoreDataError.error(
            .persistentStoreOperation, text: "the store cannot be \(what): \(url.path)",
            userInfo: [NSURLErrorKey: url, NSUnderlyingErrorKey: error])
    }
}
