/// The URIs that SQLite takes as names of files.
package enum DatabaseURI {
    /// A path with those characters escaped that mean something in such a URI.
    package static func escaped(_ path: String) -> String {
        var result = ""
        for character in path {
            switch character {
            case "%": result += "%25"
            case "?": result += "%3f"
            case "#": result += "%23"
            default: result.append(character)
            }
        }
        return result
    }
}
