/// Takes paths apart and puts them together, as text.
enum PathName {
    /// The path without trailing slashes; the root stays.
    static func withoutTrailingSlashes(_ path: String) -> String {
        var path = Substring(path)
        while path.count > 1, path.last == "/" { path = path.dropLast() }
        return String(path)
    }

    /// The last component.
    static func name(of path: String) -> String {
        let path = withoutTrailingSlashes(path)
        guard let slash = path.lastIndex(of: "/") else { return path }
        return String(path[path.index(after: slash)...])
    }

    /// The last component without what follows its last dot.
    static func stem(of path: String) -> String {
        let name = name(of: path)
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return name }
        return String(name[..<dot])
    }

    /// What is before the last component: empty for a plain name.
    static func parent(of path: String) -> String {
        let path = withoutTrailingSlashes(path)
        guard let slash = path.lastIndex(of: "/") else { return "" }
        return slash == path.startIndex ? "/" : withoutTrailingSlashes(String(path[..<slash]))
    }

    /// A name inside a directory. An empty or `.` directory adds nothing.
    static func joined(_ directory: String, _ name: String) -> String {
        if directory.isEmpty || directory == "." { return name }
        return directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
    }

    /// The name without an extension, or nil when it does not have it. Upper and lower case are told apart.
    static func name(of path: String, withoutExtension fileExtension: String) -> String? {
        let name = name(of: path)
        guard name.hasSuffix(fileExtension), name.count > fileExtension.count else { return nil }
        return String(name.dropLast(fileExtension.count))
    }
}
