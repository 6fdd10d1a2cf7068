internal import Dispatch
internal import ModelEditor
internal import ModelcDriver

/// The service, with the requests of several tabs serialized.
actor EditorServiceActor {
    private let service: EditorService
    /// The serial queue for slow requests, so that edits do not wait for them.
    private let derivations = DispatchQueue(label: "modelc.studio.derivations", qos: .utility)

    /// Opens a model.
    init(
        path: String, journalFolder: String?, isReadOnly: Bool, isRestarted: Bool, files: any FileSystem
    ) throws(InputFailure) {
        service = try EditorService(
            path: path, journalFolder: journalFolder, isReadOnly: isReadOnly, isRestarted: isRestarted, files: files)
    }

    func respond(to data: [UInt8]) async -> [UInt8] {
        let message = EditorService.message(data)
        guard let message, message.request.isDerived else { return service.respond(to: message) }
        let content = service.session.content
        // Earlier requests are slow, and the model may be edited while this one waits.
        await withCheckedContinuation { continuation in derivations.async { continuation.resume() } }
        guard service.session.revision == content.revision else {
            var reply = EditorReply()
            reply.isOutdated = true
            return EditorService.encoded(reply)
        }
        return await withCheckedContinuation { continuation in
            derivations.async {
                continuation.resume(returning: EditorService.encoded(content.reply(to: message)))
            }
        }
    }

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
