/// The request line and headers of an HTTP request, with the bytes that were read after them.
public struct RequestHead: Sendable, Equatable {
    /// The outcome of reading.
    public enum Outcome: Sendable, Equatable {
        /// The head has arrived.
        case complete(RequestHead)
        /// The head is larger than the limit.
        case tooLarge
        /// A line does not end with CR LF, so that two programs could disagree about where the head ends.
        case malformed
        /// The connection ended before the head did.
        case ended
    }

    /// The request to send to a server: the server closes the connection after its answer, or upgrades it.
    public let forwarded: [UInt8]

    /// Reads a head.
    ///
    /// - Parameters:
    ///   - limit: The maximum size of the head in bytes.
    ///   - read: Reads at most a number of bytes: none at the end, and `nil` after an error.
    public static func read(limit: Int, _ read: (Int) -> [UInt8]?) -> Outcome {
        var bytes: [UInt8] = []
        var checked = 0
        while true {
            guard bytes.count <= limit, let more = read(limit + 1 - bytes.count) else {
                return bytes.count > limit ? .tooLarge : .ended
            }
            guard !more.isEmpty else { return .ended }
            bytes += more
            while let feed = bytes[checked...].firstIndex(of: UInt8(ascii: "\n")) {
                guard feed > 0, bytes[feed - 1] == UInt8(ascii: "\r") else { return .malformed }
                if feed - checked == 1, checked > 0 {
                    return .complete(RequestHead(lines: bytes[..<checked], rest: bytes[(feed + 1)...]))
                }
                checked = feed + 1
            }
        }
    }

    private init(lines: ArraySlice<UInt8>, rest: ArraySlice<UInt8>) {
        let headers = lines.split(separator: UInt8(ascii: "\n")).map { $0.dropLast() }
        func name(_ header: ArraySlice<UInt8>) -> String {
            String(decoding: header.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
                .filter { !$0.isWhitespace }.lowercased()
        }
        let upgrades = headers.dropFirst().contains { name($0) == "upgrade" }
        let kept = headers.prefix(1) + headers.dropFirst().filter { name($0) != "connection" }
        var result: [UInt8] = []
        for line in kept { result += line + Array("\r\n".utf8) }
        result += Array("Connection: \(upgrades ? "Upgrade, " : "")close\r\n\r\n".utf8)
        forwarded = result + rest
    }
}
