internal import CLibrary

/// Another executable of this package. It is searched for in the environment, beside this program and in `PATH`.
struct SiblingProgram {
    let name: String
    /// The environment variable that names it.
    let variable: String

    /// Returns the program that the environment names, the one beside this program, or else the name alone, for `PATH`.
    func locate(_ files: any FileSystem) -> String {
        if let named = DriverProcess.value(variable), !named.isEmpty { return named }
        if let own = Self.ownPath {
            let sibling = PathName.joined(PathName.parent(of: own), name)
            if case .file? = files.kind(of: sibling) { return sibling }
        }
        return name
    }

    /// The path of the running program, without links.
    static var ownPath: String? {
        #if canImport(Darwin)
        var size = UInt32(PATH_MAX)
        var buffer = [CChar](repeating: 0, count: Int(size))
        guard _NSGetExecutablePath(&buffer, &size) == 0 else { return nil }
        let path = buffer.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
        return POSIXFileSystem().canonicalPath(path) ?? path
        #else
        return POSIXFileSystem().linkTarget(of: "/proc/self/exe")
        #endif
    }
}
