internal import CodeGeneration
internal import Diagnostics
internal import ModelLint
internal import SwiftSources

/// Reads the Swift sources of a target, and the classes in its Objective-C sources.
struct SourceReader {
    let files: any FileSystem

    /// The maximum size of a source file, in bytes. Only generated tables are larger.
    static let sizeLimit = 16 << 20

    init(files: any FileSystem) {
        self.files = files
    }

    /// Returns the classes that are declared in files or in files below folders, in Swift or Objective-C, without those
    /// in files that modelc generates.
    func classes(in paths: [String]) throws(InputFailure) -> SourceClasses {
        var result = SourceClasses(declarations: [:])
        try read(paths, withExtensions: [".swift"] + Self.objectiveCExtensions) { bytes, path in
            result.add(bytes, path: path)
        }
        return result
    }

    static let objectiveCExtensions = [".h", ".m", ".mm"]

    /// Returns the declarations in files or in files below folders.
    func files(in paths: [String]) throws(InputFailure) -> [SwiftFile] {
        var result: [SwiftFile] = []
        try read(paths, withExtensions: [".swift"]) { bytes, _ in result.append(SwiftFile(bytes)) }
        return result
    }

    private func read(
        _ paths: [String], withExtensions extensions: [String], _ visit: ([UInt8], _ path: String) -> Void
    ) throws(InputFailure) {
        try InputFailure.wrapping { () throws(FileSystemError) in
            var walk = FolderWalk(files: files)
            for path in paths.map(PathName.withoutTrailingSlashes) {
                switch files.kind(of: path) {
                case .directory?:
                    try walk.walk(path) { (path, name) throws(FileSystemError) -> Bool in
                        guard !name.hasPrefix(".") else { return false }
                        // A dangling link, a pipe or a socket is not a source, regardless of its name.
                        guard extensions.contains(where: name.hasSuffix), case .file? = files.kind(of: path) else {
                            return true
                        }
                        try read(path, visit)
                        return false
                    } unreadable: { (error) throws(FileSystemError) -> Void in
                        throw error
                    }
                default: try read(path, visit)
                }
            }
        }
    }

    private func read(_ path: String, _ visit: ([UInt8], _ path: String) -> Void) throws(FileSystemError) {
        guard case .file(let size)? = files.kind(of: path) else {
            throw FileSystemError(path: path, action: "read sources", reason: "there is no such file or folder")
        }
        guard size <= Self.sizeLimit else { return }
        visit(try files.read(path), path)
    }
}

extension SourceClasses {
    /// Adds the classes of a Swift or Objective-C file, unless modelc generates it.
    mutating func add(_ bytes: [UInt8], path: String) {
        guard !GeneratedHeader.isRegenerated(bytes, fileName: PathName.name(of: path)) else { return }
        if SourceReader.objectiveCExtensions.contains(where: path.hasSuffix) {
            hasOnlySwift = false
            add(objectiveC: bytes, path: path)
        } else {
            if hasOnlySwift { addVariables(of: bytes) }
            // Most sources have no managed object, and need not be parsed.
            guard isNamed || !bytes.ranges(of: Array("NSManaged".utf8)).isEmpty else { return }
            let file = SwiftFile(bytes)
            add(file, path: path)
            addProperties(of: file, bytes, path: path)
        }
    }

    /// Adds the properties marked `@NSManaged`.
    private mutating func addProperties(of file: SwiftFile, _ bytes: [UInt8], path: String) {
        let lines = LineIndex(bytes)
        for property in file.managedProperties
        where property.context.path.count == 1 && !property.isStatic && !property.isUncertain {
            var isOptional = false
            var type = property.type
            if case .optional(let wrapped)? = type { (isOptional, type) = (true, wrapped) }
            var name: String?
            if case .named(let components)? = type { name = components.last?.name }
            properties[property.context.path[0], default: [:]][property.name] = Property(
                type: name, isOptional: isOptional, file: path,
                line: lines.position(at: property.nameRange.lowerBound).line)
        }
    }

    /// Adds the names of all variables.
    private mutating func addVariables(of bytes: [UInt8]) {
        let words = bytes.split { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x80...0xFF,
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                false
            default: true
            }
        }
        for (word, next) in zip(words, words.dropFirst()) where word.elementsEqual("var".utf8) {
            variables.insert(String(decoding: next, as: UTF8.self))
        }
    }

    /// Adds the classes of a file that an entity can name: classes inside types and functions cannot be found at run
    /// time.
    mutating func add(_ file: SwiftFile, path: String) {
        for type in file.types where type.kind == .class && type.path.count == 1 && !type.isLocal {
            for name in Set([type.path.first, type.objectiveCName].compactMap(\.self)) {
                if let earlier = declarations[name] {
                    if earlier.file != path { repeated.insert(name) }
                } else {
                    declarations[name] = Declaration(file: path, line: type.line)
                }
            }
        }
    }

    /// Adds the classes that an Objective-C file declares or implements. Categories and forward declarations are left
    /// out.
    mutating func add(objectiveC bytes: [UInt8], path: String) {
        let lines = String(decoding: bytes, as: UTF8.self).split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            var words = line.split(omittingEmptySubsequences: true) {
                !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "@" && $0 != "("
            }
            .makeIterator()
            guard let first = words.next(), first == "@interface" || first == "@implementation", let name = words.next()
            else { continue }
            // `@interface Book (CoreDataProperties)` is a category.
            let rest = line[name.endIndex...].drop { $0 == " " }
            guard rest.first != "(", !name.contains("(") else { continue }
            let key = String(name)
            if declarations[key] == nil { declarations[key] = Declaration(file: path, line: index + 1) }
        }
    }
}
