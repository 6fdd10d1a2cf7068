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

    func respond(to data: [UInt8]) async -> [UInt8] {
        let start = ContinuousClock.now
        guard let request = StoreService.request(data) else { return service.respond(to: nil) }
        if request.waitsForLock { await waitForLock() }
        if case .findings = request, let check = service.check() { return await findings(check) }
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

    /// The last check, and the state of the file that it was started for.
    private var lastCheck: (stamp: String, reply: Task<StoreReply?, Never>)?

    /// Returns the findings of a check. It runs in the background, after the one before it, and only once for a state
    /// of the file.
    private func findings(_ check: StoreCheck) async -> [UInt8] {
        let task: Task<StoreReply?, Never>
        if let lastCheck, lastCheck.stamp == check.stamp {
            task = lastCheck.reply
        } else {
            let previous = lastCheck?.reply
            // A check that has not started is of a state that the file no longer has.
            previous?.cancel()
            task = Task.detached {
                _ = await previous?.value
                guard !Task.isCancelled else { return nil }
                return await check.reply()
            }
            lastCheck = (check.stamp, task)
        }
        guard let reply = await task.value else {
            guard let newer = service.check() else { return StoreService.encoded(StoreReply()) }
            return await findings(newer)
        }
        // What could not be read may be readable the next time.
        if reply.problem != nil, lastCheck?.stamp == check.stamp { lastCheck = nil }
        return StoreService.encoded(reply)
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

    /// Returns the bytes of an attribute and their media type; `nil` if they no longer exist.
    ///
    /// - Throws: `StoreProblem` if there is no such attribute, or if it has no bytes.
    func blob(uri: String, key: String) throws(StoreProblem) -> (bytes: [UInt8], type: String)? {
        try service.blob(uri: uri, key: key)
    }

    /// Replaces the value of a binary attribute, and returns the answer in JSON.
    func replaceBytes(uri: String, key: String, with bytes: [UInt8]) async -> [UInt8] {
        await waitForLock()
        return service.replaceBytes(uri: uri, key: key, with: bytes)
    }

    /// Opens an export.
    ///
    /// - Throws: `StoreProblem` if the query is invalid.
    func export(_ query: ListQuery, as format: ExportFormat) async throws(StoreProblem) -> StoreExport {
        await waitForLock()
        return try service.export(query, as: format)
    }
}

extension StoreCheck {
    /// The serial queue that checks run on while requests are answered.
    private static let queue = DispatchQueue(label: "modelc.studio.check", qos: .utility)

    /// Checks the store.
    fileprivate func reply() async -> StoreReply {
        await withCheckedContinuation { continuation in
            Self.queue.async {
                var reply = StoreReply()
                do throws(StoreProblem) {
                    reply.findings = try self.run()
                } catch {
                    reply.problem = error
                }
                continuation.resume(returning: reply)
            }
        }
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
