/// Lexical operations on paths.
package enum PathName {
    /// Returns the path without trailing slashes. The root keeps its slash.
    package static func withoutTrailingSlashes(_ path: String) -> String {
        guard path.utf8.last == slash else { return path }
        var bytes = path.utf8[...]
        while bytes.dropFirst().last == slash { bytes = bytes.dropLast() }
        return String(Substring(bytes))
    }

    /// Returns the last component.
    package static func name(of path: String) -> String {
        let path = withoutTrailingSlashes(path)
        guard let last = path.utf8.lastIndex(of: slash) else { return path }
        return String(path[path.utf8.index(after: last)...])
    }

    /// Returns the last component without its extension.
    package static func stem(of path: String) -> String {
        let name = name(of: path)
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return name }
        return String(name[..<dot])
    }

    /// Returns the path before the last component; empty for a plain name.
    package static func parent(of path: String) -> String {
        let path = withoutTrailingSlashes(path)
        guard let last = path.utf8.lastIndex(of: slash) else { return "" }
        return last == path.startIndex ? "/" : withoutTrailingSlashes(String(path[..<last]))
    }

    /// Returns the path of a name inside a directory. An empty or `.` directory adds nothing.
    package static func joined(_ directory: String, _ name: String) -> String {
        if directory.isEmpty || directory == "." { return name }
        return directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
    }

    /// Returns the last component without an extension, or `nil` if it does not have that extension. Case-sensitive.
    ///
    /// Empty for a component that is only the extension: Xcode opens a bundle `.xcdatamodeld` as any other.
    static func name(of path: String, withoutExtension fileExtension: String) -> String? {
        let name = name(of: path)
        let (bytes, suffix) = (name.utf8, fileExtension.utf8)
        guard bytes.count >= suffix.count, bytes.suffix(suffix.count).elementsEqual(suffix) else { return nil }
        return String(Substring(bytes.dropLast(suffix.count)))
    }

    /// Returns the descriptor of the process that a path names, or `nil` for any other path.
    static func descriptor(of path: String) -> Int32? {
        switch path {
        case "/dev/stdin": return 0
        case "/dev/stdout": return 1
        case "/dev/stderr": return 2
        default: break
        }
        for folder in ["/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"] where path.hasPrefix(folder) {
            return Int32(path.dropFirst(folder.count)).flatMap { $0 >= 0 ? $0 : nil }
        }
        return nil
    }

    /// Returns the components of an absolute path, with `.` and `..` resolved lexically.
    static func normalizedComponents(_ path: String) -> [Substring] {
        var result: [Substring] = []
        for component in path.split(separator: "/") where component != "." {
            if component == ".." { _ = result.popLast() } else { result.append(component) }
        }
        return result
    }

    /// Returns a path relative to a folder that contains it, both absolute and canonical; empty for the folder itself,
    /// and `nil` for a path outside of it.
    static func relative(_ path: String, to folder: String) -> String? {
        if path.utf8.elementsEqual(folder.utf8) { return "" }
        let prefix = folder.utf8.last == slash ? folder : folder + "/"
        return path.utf8.starts(with: prefix.utf8) ? String(path.utf8.dropFirst(prefix.utf8.count)) : nil
    }

    private static let slash = UInt8(ascii: "/")

    /// Returns the innermost folder that contains two folders, or is one of them; empty for the working directory.
    static func sharedFolder(_ first: String, _ second: String) -> String {
        let parts = zip(first.split(separator: "/"), second.split(separator: "/")).prefix { $0 == $1 }.map {
            String($0.0)
        }
        let isAbsolute = first.hasPrefix("/") && second.hasPrefix("/")
        return (isAbsolute ? "/" : "") + parts.joined(separator: "/")
    }
}
