internal import ModelcDriver
internal import StudioSession

/// The service, with the requests of several tabs serialized.
actor StudioServiceActor {
    private let service: StudioService

    /// Opens a model.
    init(path: String, journalFolder: String?, isReadOnly: Bool, files: any FileSystem) throws(InputFailure) {
        service = try StudioService(path: path, journalFolder: journalFolder, isReadOnly: isReadOnly, files: files)
    }

    /// Responds to a request.
    func respond(to data: [UInt8]) -> [UInt8] { service.respond(to: data) }

    /// Checks for changes on disk.
    ///
    /// - Returns: The number of changes so far.
    private func refresh() -> Int {
        _ = service.session.poll()
        return service.session.revision
    }

    /// Returns the number of changes in JSON whenever it changes, through edits in any tab or on disk.
    nonisolated func changes() -> AsyncStream<String> {
        AsyncStream { continuation in
            let task = Task {
                var last = -1
                while !Task.isCancelled {
                    let revision = await refresh()
                    if revision != last { continuation.yield("{\"revision\":\(revision)}") }
                    last = revision
                    try? await Task.sleep(nanoseconds: 1_000_000_000)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
