package import Foundation

/// A file system in memory, of a few megabytes, for a server.
package final class ServerDisk: Sendable {
    /// Whether this process may mount file systems.
    package static let isAvailable: Bool = {
        guard geteuid() == 0 else { return false }
        return (try? Shell.run("d=$(mktemp -d) && mount -t tmpfs -o size=1m none $d && umount $d && rmdir $d")) != nil
    }()

    /// The folder at which it is mounted.
    package let folder: URL

    /// Mounts a file system that belongs to the user of a server, in the server's folder.
    package init(of cluster: PostgreSQLCluster, megabytes: Int) throws(PostgreSQLCluster.Unavailable) {
        folder = cluster.folder.appendingPathComponent("disk")
        let path = Shell.quoted(folder.path)
        try Shell.run("mkdir \(path) && mount -t tmpfs -o size=\(megabytes)m none \(path)")
        if let owner = ServerPrograms.owner { try Shell.run("chown \(owner) \(path)") }
    }

    /// Gives the file system another size.
    package func grow(megabytes: Int) throws(PostgreSQLCluster.Unavailable) {
        try Shell.run("mount -o remount,size=\(megabytes)m \(Shell.quoted(folder.path))")
    }

    /// Unmounts the file system.
    package func remove() { try? Shell.run("umount -l \(Shell.quoted(folder.path))") }
}
