internal import Foundation
internal import ModelcDriver
internal import StoreBrowser

/// The data browser's service, with the requests of several tabs serialized.
actor StoreServiceActor {
    private let service: StoreService

    /// Opens a store.
    init(
        path: String, modelPath: String?, journalFolder: String?, isWritable: Bool, isReadOnly: Bool,
        escapesFormulas: Bool, isRestarted: Bool, files: any FileSystem
    ) {
        service = StoreService(
            path: path, modelPath: modelPath, journalFolder: journalFolder, isWritable: isWritable,
            isReadOnly: isReadOnly, escapesFormulas: escapesFormulas, isRestarted: isRestarted, files: files)
    }

    /// The maximum time to wait for another program that has locked the store.
    private static let timeout = Duration.seconds(2)
    /// The maximum time that a save waits. Only the page that has asked for it waits with it.
    private static let saveTimeout = Duration.seconds(10)

    /// Responds to a request.
    func respond(to data: [UInt8]) async -> [UInt8] {
        let start = ContinuousClock.now
        guard let request = StoreService.request(data) else { return service.respond(to: nil) }
        if request.readsStore { await waitForLock() }
        let limit = request.isSave ? Self.saveTimeout : Self.timeout
        while true {
            let reply = service.reply(to: request)
            // A program that writes may leave readers alone, so that only a save notices it.
            guard reply.problem?.isBusy == true, request.isRepeatable, ContinuousClock.now - start < limit else {
                return StoreService.encoded(reply)
            }
            try? await Task.sleep(for: .milliseconds(50))
        }
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

    /// Opens an export.
    ///
    /// - Throws: `StoreProblem` if the query is invalid.
    func export(_ query: ListQuery, as format: ExportFormat) async throws(StoreProblem) -> StoreExport {
        await waitForLock()
        return try service.export(query, as: format)
    }
}

extension StoreExport {
    /// The serial queue that exports are written on while requests are answered.
    private static let queue = DispatchQueue(label: "modelc.studio.export", qos: .utility)

    /// Returns the text, which is complete before the first chunk is.
    ///
    /// - Throws: `StoreProblem` if the store cannot be read.
    func chunks() async throws -> @Sendable () -> AsyncThrowingStream<Data, any Error> {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            Self.queue.async { continuation.resume(with: Result { try self.prepare() }) }
        }
        return { AsyncThrowingStream { try self.next().map { Data($0) } } }
    }
}
