public import Foundation

/// Removes passwords from printable output: errors, log messages and descriptions.
public enum Redaction {
    /// Returns a URL without the passwords in its authority and query.
    public static func url(_ url: URL) -> URL {
        guard !url.isFileURL else { return url }
        let original = url.absoluteString
        let text = text(original)
        return text == original ? url : URL(string: text) ?? URL(fileURLWithPath: "/dev/null")
    }

    /// Returns a text without the passwords of the URLs and connection strings in it.
    public static func text(_ text: String) -> String {
        guard text.contains("@") || text.range(of: "pass", options: .caseInsensitive) != nil || text.contains("%")
        else { return text }
        var result = ""
        var rest = Substring(text)
        while let mark = rest.range(of: "://") {
            let end = rest[mark.upperBound...].firstIndex(where: endsURL) ?? rest.endIndex
            let scheme = rest[..<mark.lowerBound]
            result += rest[..<mark.upperBound]
            result += location(rest[mark.upperBound..<end], isDatabase: isDatabase(scheme))
            rest = rest[end...]
        }
        return hidingParameters(in: result + rest)
    }

    /// Returns a value of an error's dictionary without passwords. Values other than strings, URLs and collections are
    /// unchanged.
    public static func value(_ value: Any) -> Any {
        switch value {
        case let url as URL: Self.url(url)
        case let text as String: Self.text(text)
        case let list as [Any] where list.contains(where: { $0 is String || $0 is URL }): list.map(Self.value)
        case let dictionary as [String: Any]: dictionary.mapValues(Self.value)
        default: value
        }
    }

    private static func endsURL(_ character: Character) -> Bool {
        character.isWhitespace || "\"“”<>'".contains(character)
    }

    private static func isDatabase(_ scheme: Substring) -> Bool {
        ["postgresql", "postgres"].contains { scheme.lowercased().hasSuffix($0) }
    }

    /// Returns the part after the scheme, without passwords.
    ///
    /// In the URL of a database, everything between the first colon and the last “@” counts as a password, even if it
    /// contains characters that should have been percent-encoded.
    private static func location(_ text: Substring, isDatabase: Bool) -> String {
        let query = text.firstIndex(of: "?") ?? text.endIndex
        let path = text[..<query].firstIndex { "/#".contains($0) } ?? query
        let limit = isDatabase ? text.endIndex : path
        var result = String(text[..<query])
        var parameters = text[query...]
        if let at = text[..<limit].lastIndex(of: "@"), let colon = text[..<at].firstIndex(of: ":"),
            colon < query || !isDatabase
        {
            let host = text[at...]
            let hostQuery = host.firstIndex(of: "?") ?? host.endIndex
            result = String(text[..<colon] + host[..<hostQuery])
            parameters = host[hostQuery...]
        }
        guard !parameters.isEmpty else { return result }
        let items = parameters.dropFirst().split(separator: "&", omittingEmptySubsequences: false).map { item in
            let name = item.prefix { $0 != "=" }
            let plain = name.removingPercentEncoding ?? String(name)
            return plain.lowercased().hasSuffix("password") ? "\(name)=" : String(item)
        }
        return result + "?" + items.joined(separator: "&")
    }

    /// Returns a text without the values of `password=` and `sslpassword=`.
    private static func hidingParameters(in text: String) -> String {
        var result = ""
        var rest = Substring(text)
        while let mark = rest.range(of: "password=", options: .caseInsensitive) {
            result += rest[..<mark.upperBound]
            rest = rest[mark.upperBound...]
            if rest.first == "'" {
                rest = rest.dropFirst().drop { $0 != "'" }.dropFirst()
            } else {
                rest = rest.drop { !endsURL($0) && $0 != "&" }
            }
        }
        return result + rest
    }
}
