import Foundation

/// Temporary folders whose paths are short enough for sockets in them: the path of a socket has at most 107 bytes.
enum SocketFolder {
    /// Where folders with the data of servers are created: in memory if there is room, because a database has 300
    /// files.
    private static let dataParent: String = {
        var status = statvfs()
        guard statvfs("/dev/shm", &status) == 0, access("/dev/shm", W_OK) == 0,
            status.f_bavail * UInt(status.f_frsize) > 4 << 30
        else { return "/tmp" }
        return "/dev/shm"
    }()

    /// Creates an empty folder.
    ///
    /// - Parameter holdsData: Whether a server keeps its data in the folder.
    static func create(holdsData: Bool = false) throws(PostgreSQLCluster.Unavailable) -> URL {
        var template = Array("\(holdsData ? dataParent : "/tmp")/mpg-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw PostgreSQLCluster.Unavailable(description: "no temporary folder can be created")
        }
        return URL(
            fileURLWithPath: String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
}
