internal import CLibrary
internal import CSystemCalls

/// Another program of this package. It is searched for in the environment, in this executable, beside it and in `PATH`.
struct SiblingProgram {
    let name: String
    /// The environment variable that names it.
    let variable: String

    /// Returns the path of the executable, and the name by which it is called.
    ///
    /// The executable is the one that the environment names, this one if it contains the program, the one beside this
    /// one, or else the name alone, for `PATH`.
    func locate(in environment: DriverEnvironment) -> (path: String, name: String) {
        if let named = DriverProcess.value(variable), !named.isEmpty { return (named, named) }
        guard let own = Self.ownPath else { return (name, name) }
        if environment.containedPrograms.contains(name) { return (own, name) }
        let sibling = PathName.joined(PathName.parent(of: own), name)
        if case .file? = environment.files.kind(of: sibling) { return (sibling, sibling) }
        return (name, name)
    }

    /// The path of the running program, without links.
    static var ownPath: String? {
        #if canImport(Darwin)
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard modelc_executable_path(&buffer, UInt32(buffer.count)) == 0 else { return nil }
        let path = buffer.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
        return POSIXFileSystem().canonicalPath(path) ?? path
        #else
        return POSIXFileSystem().linkTarget(of: "/proc/self/exe")
        #endif
    }
}
