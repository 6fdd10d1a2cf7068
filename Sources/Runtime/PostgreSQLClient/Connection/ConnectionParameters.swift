import CLibPQ

/// The parameters of a connection to a PostgreSQL server.
///
/// libpq interprets them, so URLs, service files, `.pgpass`, TLS modes, and lists of hosts with `target_session_attrs`
/// work as in `psql`. No description of the value, including its debug description and its mirror, contains a password.
package struct ConnectionParameters: Sendable, Hashable {
    /// The values by keyword, including secrets.
    let values: [String: String]
    /// The keywords whose values libpq marks as passwords.
    private let secretKeywords: Set<String>

    /// Parses a libpq URL or `keyword=value` string, such as
    /// `postgresql://user@host:5432/database?sslmode=verify-full`.
    ///
    /// - Throws: An error of kind `invalidParameters`, which quotes no part of the string that may contain a password.
    package init(_ text: String) throws(PostgreSQLError) {
        guard !text.utf8.contains(0) else { throw .invalidParameters("the connection URL contains a NUL character") }
        var message: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(text, &message) else {
            defer { PQfreemem(message) }
            let reason = message.map { Self.message(String(cString: $0), about: text) } ?? "out of memory"
            throw .invalidParameters("invalid connection URL: \(reason)")
        }
        defer { PQconninfoFree(options) }
        var values: [String: String] = [:]
        for option in Options(first: options) where option.val != nil {
            values[String(cString: option.keyword)] = String(cString: option.val)
        }
        // A “/” in a password ends the part of the URL that libpq parses as the server, so the port would be the first
        // part of the password.
        guard (values["port"] ?? "").utf8.allSatisfy({ (48...57).contains($0) || $0 == UInt8(ascii: ",") }) else {
            throw .invalidParameters(
                "invalid connection URL: the port is not a number; percent-encode special characters in passwords")
        }
        self.values = values
        secretKeywords = Self.keywords().secret
    }

    /// Creates parameters from libpq keywords and their values.
    ///
    /// - Throws: An error of kind `invalidParameters` if libpq does not know a keyword, or a value contains a NUL
    ///   character.
    package init(keywords: [String: String]) throws(PostgreSQLError) {
        let known = Self.keywords()
        for (keyword, value) in keywords.sorted(by: { $0.key < $1.key }) {
            guard known.all.contains(keyword) else {
                throw .invalidParameters("invalid connection parameter “\(keyword)”")
            }
            guard !value.utf8.contains(0) else {
                throw .invalidParameters("the value of “\(keyword)” contains a NUL character")
            }
        }
        values = keywords
        secretKeywords = known.secret
    }

    private init(values: [String: String], secretKeywords: Set<String>) {
        self.values = values
        self.secretKeywords = secretKeywords
    }

    /// Returns a copy in which the values of keywords are replaced or added.
    package func merging(_ other: [String: String]) throws(PostgreSQLError) -> ConnectionParameters {
        let checked = try ConnectionParameters(keywords: other)
        return ConnectionParameters(
            values: values.merging(checked.values) { $1 }, secretKeywords: secretKeywords)
    }

    /// The value of a keyword, or `nil` if it was not given or is a secret.
    package subscript(keyword keyword: String) -> String? { secretKeywords.contains(keyword) ? nil : values[keyword] }

    /// The values used to open connections: the given ones, and defaults that detect a dead connection.
    ///
    /// An attempt to reach a server is abandoned after ten seconds, and an interrupted connection after thirty.
    var effectiveValues: [(keyword: String, value: String)] {
        var result = values
        let defaults = [
            "connect_timeout": "10", "tcp_user_timeout": "30000", "keepalives_idle": "10", "keepalives_interval": "5",
            "keepalives_count": "4", "fallback_application_name": "CoreDataPostgreSQL",
        ]
        result.merge(defaults) { given, _ in given }
        result["client_encoding"] = "UTF8"
        return result.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
    }

    /// Returns whether a server is on another machine.
    ///
    /// - Parameters:
    ///   - host: The name, or the folder of a Unix socket.
    ///   - address: The IP address; empty for a Unix socket.
    package static func isRemote(host: String, address: String) -> Bool {
        func isLocal(_ text: String) -> Bool {
            text == "localhost" || text.hasPrefix("127.") || text == "::1" || text.hasPrefix("/") || text.hasPrefix("@")
        }
        return !(address.isEmpty ? host.isEmpty || isLocal(host) : isLocal(address))
    }

    /// Returns the value of a keyword in a list of libpq, which is freed.
    static func value(of keyword: String, in options: UnsafeMutablePointer<PQconninfoOption>?) -> String? {
        guard let options else { return nil }
        defer { PQconninfoFree(options) }
        for option in Options(first: options) where option.val != nil && String(cString: option.keyword) == keyword {
            return String(cString: option.val)
        }
        return nil
    }

    /// Returns all keywords that libpq knows, and the keywords whose values are passwords.
    private static func keywords() -> (all: Set<String>, secret: Set<String>) {
        guard let options = PQconninfoParse("", nil) else { return ([], ["password", "sslpassword"]) }
        defer { PQconninfoFree(options) }
        var all: Set<String> = []
        var secret: Set<String> = ["password", "sslpassword"]
        for option in Options(first: options) {
            let keyword = String(cString: option.keyword)
            all.insert(keyword)
            if option.dispchar.map({ String(cString: $0) }) == "*" { secret.insert(keyword) }
        }
        return (all, secret)
    }

    /// Returns a message of libpq's parser without quoted parts of the input that might belong to a password.
    private static func message(_ message: String, about input: String) -> String {
        let line = message.split(whereSeparator: \.isNewline).first.map(String.init) ?? message
        guard input.contains("@") || input.contains("pass") else { return line }
        let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
        return parts.enumerated().map { $0.offset % 2 == 0 ? String($0.element) : "“…”" }.joined()
    }
}

extension ConnectionParameters: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The user, hosts, ports and database as a URL, without passwords and without parameters that do not select a
    /// database.
    package var description: String {
        var text = "postgresql://"
        if let user = values["user"] { text += Self.escaped(user) + "@" }
        text += hosts
        if let database = values["dbname"] { text += "/" + Self.escaped(database) }
        let query = ["service", "target_session_attrs"].compactMap { keyword in
            values[keyword].map { "\(keyword)=\(Self.escaped($0))" }
        }
        return query.isEmpty ? text : text + "?" + query.joined(separator: "&")
    }

    package var debugDescription: String { description }

    package var customMirror: Mirror { Mirror(self, children: ["description": description]) }

    /// The list of hosts with their ports, as in a URL.
    private var hosts: String {
        let hosts = (values["host"] ?? values["hostaddr"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
        let ports = (values["port"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
        return hosts.enumerated().map { index, host in
            let port = ports.count == 1 ? ports[0] : index < ports.count ? ports[index] : ""
            let name = host.contains(":") ? "[\(host)]" : Self.escaped(String(host))
            return port.isEmpty ? name : "\(name):\(port)"
        }.joined(separator: ",")
    }

    /// Returns a string with all characters except unreserved ones percent-encoded.
    private static func escaped(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF")
        return text.utf8.reduce(into: "") { result, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.append(Character(UnicodeScalar(byte)))
            default:
                result += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }
    }
}

/// The options of a libpq list, whose terminator is an option without a keyword.
private struct Options: Sequence, IteratorProtocol {
    private var current: UnsafeMutablePointer<PQconninfoOption>

    init(first: UnsafeMutablePointer<PQconninfoOption>) {
        current = first
    }

    mutating func next() -> PQconninfoOption? {
        guard current.pointee.keyword != nil else { return nil }
        defer { current += 1 }
        return current.pointee
    }
}
