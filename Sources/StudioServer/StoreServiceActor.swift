internal import Foundation
internal import ModelcDriver
internal import StudioStore

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

    /// Returns the text of an export, which is read from the store while it is consumed.
    nonisolated func export(_ query: ListQuery, as format: ExportFormat) -> AsyncThrowingStream<Data, any Error> {
        let parts = ExportParts(service: self, query: query, format: format)
        return AsyncThrowingStream { try await parts.next() }
    }
}

/// The parts of an export's text, in order.
private actor ExportParts {
    private let service: StoreServiceActor
    private let query: ListQuery
    private let format: ExportFormat
    private var offset = 0

    /// The number of objects in a part.
    private static let size = 500

    init(service: StoreServiceActor, query: ListQuery, format: ExportFormat) {
        self.service = service
        self.query = query
        self.format = format
    }

    /// Returns the next part; `nil` after the last one.
    func next() async throws -> Data? {
        let text = try await service.export(query, as: format, from: offset, limit: Self.size)
        offset += Self.size
        return text.map { Data($0.utf8) }
    }
}
