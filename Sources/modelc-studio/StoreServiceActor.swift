#if Studio
import FlyingSocks
import ModelcDriver
import StudioStore

/// The data browser's service, with the requests of several tabs serialized.
actor StoreServiceActor {
    private let service: StoreService

    /// Opens a store.
    init(
        path: String, modelPath: String?, journalFolder: String?, isWritable: Bool, isReadOnly: Bool,
        files: any FileSystem
    ) {
        service = StoreService(
            path: path, modelPath: modelPath, journalFolder: journalFolder, isWritable: isWritable,
            isReadOnly: isReadOnly, files: files)
    }

    /// The maximum time to wait for another program that has locked the store.
    private static let timeout = Duration.seconds(2)

    /// Responds to a request.
    func respond(to data: [UInt8]) async -> [UInt8] {
        let request = StoreService.request(data)
        if request?.readsStore == true { await waitForLock() }
        return service.respond(to: request)
    }

    /// Whether another program has locked the store.
    var isLocked: Bool { service.isLocked }

    /// Waits until no other program locks the store, or the time is over. Other requests are answered in the meantime.
    private func waitForLock() async {
        let start = ContinuousClock.now
        while service.isLocked, ContinuousClock.now - start < Self.timeout {
            try? await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Returns the bytes of an attribute and their media type.
    func blob(uri: String, key: String) -> (bytes: [UInt8], type: String)? { service.blob(uri: uri, key: key) }

    /// Replaces the value of a binary attribute, and returns the answer in JSON.
    func replaceBytes(uri: String, key: String, with bytes: [UInt8]) -> [UInt8] {
        service.replaceBytes(uri: uri, key: key, with: bytes)
    }

    /// Returns a part of an export.
    func export(
        _ query: ListQuery, as format: ExportFormat, from offset: Int, limit: Int
    ) async throws(StoreProblem) -> String? {
        await waitForLock()
        return try service.export(query, as: format, from: offset, limit: limit)
    }
}

/// The text of an export, read from the store while being sent.
struct ExportBody: AsyncBufferedSequence {
    typealias Element = UInt8

    let service: StoreServiceActor
    let query: ListQuery
    let format: ExportFormat

    /// The number of objects read at a time.
    private static let step = 500

    /// Reads parts of the text on demand.
    struct AsyncIterator: AsyncBufferedIteratorProtocol {
        fileprivate let body: ExportBody
        fileprivate var offset = 0
        fileprivate var rest: [UInt8] = []

        mutating func next() async throws -> UInt8? {
            guard let buffer = try await nextBuffer(suggested: 1) else { return nil }
            return buffer.first
        }

        mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
            if rest.isEmpty {
                let text = try await body.service.export(
                    body.query, as: body.format, from: offset, limit: ExportBody.step)
                guard let text else { return nil }
                offset += ExportBody.step
                rest = Array(text.utf8)
            }
            let result = Array(rest.prefix(Swift.max(count, 1 << 16)))
            rest.removeFirst(result.count)
            return result
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: self) }
}
#endif
