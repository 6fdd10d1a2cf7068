import ModelcDriver
import StudioSession

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
    func refresh() -> Int {
        _ = service.session.poll()
        return service.session.revision
    }
}
