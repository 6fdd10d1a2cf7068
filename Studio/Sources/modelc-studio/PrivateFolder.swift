import Foundation

/// A temporary folder of this process that no other user can open. A signal that ends the process removes it; the exit
/// code is then 0.
final class PrivateFolder {
    let path: String
    private let sources: [any DispatchSourceSignal]

    /// Creates the folder.
    ///
    /// - Throws: The system's error.
    init() throws {
        // The path of a socket has at most about 100 bytes.
        var template = Array("/tmp/modelc-XXXXXX".utf8CString)
        guard let created = mkdtemp(&template) else { throw POSIXError(.EACCES) }
        let path = String(cString: created)
        self.path = path
        sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler {
                try? FileManager.default.removeItem(atPath: path)
                _exit(0)
            }
            signal(number, SIG_IGN)
            source.activate()
            return source
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
