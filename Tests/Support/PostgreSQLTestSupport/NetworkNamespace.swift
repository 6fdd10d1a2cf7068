import Foundation

/// A network namespace with a link to that of this process, as between two hosts.
package final class NetworkNamespace: Sendable {
    /// Whether this process may create namespaces.
    package static let isAvailable: Bool = {
        guard geteuid() == 0, (try? Shell.run("ip netns add modelc-probe")) != nil else { return false }
        return (try? Shell.run("ip netns delete modelc-probe")) != nil
    }()

    /// The name, as `ip netns` takes it.
    package let name: String
    /// The address of the far end of the link.
    package let serverAddress: String
    private let link: String

    /// Creates a namespace with a link that is up.
    package init() throws(PostgreSQLCluster.Unavailable) {
        let number = Int(getpid()) % 60_000
        name = "modelc-\(number)"
        link = "mc\(number)"
        let subnet = "10.\(200 + number / 256 % 50).\(number % 256)"
        serverAddress = "\(subnet).2"
        try Shell.run(
            """
            set -e; ip netns add \(name)
            ip link add \(link) type veth peer name \(link)p
            ip link set \(link)p netns \(name)
            ip addr add \(subnet).1/24 dev \(link)
            ip link set \(link) up
            ip netns exec \(name) ip addr add \(serverAddress)/24 dev \(link)p
            ip netns exec \(name) ip link set \(link)p up
            ip netns exec \(name) ip link set lo up
            """)
    }

    /// Takes the far end of the link down or up. Neither end is told about packets that are lost.
    package func setLink(up isUp: Bool) {
        try? Shell.run("ip netns exec \(name) ip link set \(link)p \(isUp ? "up" : "down")")
    }

    /// Removes the namespace and the link.
    package func remove() {
        try? Shell.run("ip link delete \(link); ip netns delete \(name)")
    }
}
