/// The paths in the headers of patches.
enum PatchPath {
    /// Returns a path with its prefix as a header shows it: as it is, or quoted as git and GNU patch do if it could end
    /// the header's line or look like a quoted path.
    static func header(_ path: String) -> String {
        func isSpecial(_ byte: UInt8) -> Bool {
            byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
        }
        guard path.utf8.contains(where: isSpecial) else { return path }
        var bytes = Array("\"".utf8)
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case _ where isSpecial(byte):
                let digits = String(byte, radix: 8)
                bytes += Array("\\\(String(repeating: "0", count: 3 - digits.count))\(digits)".utf8)
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self) + "\""
    }

    /// Returns a path that `patch -p1` and `git apply` accept behind `a/` and `b/`: relative to the working directory
    /// for files below it, otherwise relative to the root of the file system.
    static func path(of file: String, in files: any FileSystem) -> String {
        var parts = file.split(separator: "/").filter { $0 != "." }
        guard file.hasPrefix("/") || parts.contains("..") else { return parts.joined(separator: "/") }
        // A folder that does not exist yet is below one that does.
        var tail = parts.popLast().map { [$0] } ?? []
        let root = file.hasPrefix("/") ? "/" : ""
        var folder = files.canonicalPath(root + parts.joined(separator: "/"))
        while folder == nil, let part = parts.popLast() {
            tail.insert(part, at: 0)
            folder = files.canonicalPath(root + parts.joined(separator: "/"))
        }
        let whole = (folder ?? "/").split(separator: "/") + tail
        let working = (files.canonicalPath(".") ?? "/").split(separator: "/")
        let isBelow = whole.count > working.count && whole.starts(with: working)
        return whole.dropFirst(isBelow ? working.count : 0).joined(separator: "/")
    }
}

extension DriverEnvironment {
    /// Prints the difference between two versions of a file as a patch for the working directory.
    ///
    /// - Parameters:
    ///   - old: The current text; `nil` if the file is new.
    ///   - new: The new text; `nil` if the file is removed.
    ///   - file: The path of the file.
    func outputPatch(_ old: String?, _ new: String?, of file: String) {
        outputData(UnifiedDiff.between(old, new, path: PatchPath.path(of: file, in: files)))
    }
}
