/// The URIs that SQLite accepts as file names.
package enum DatabaseURI {
    /// Returns a path with the characters escaped that have a meaning in such a URI.
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
