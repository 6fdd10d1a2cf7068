internal import CodeGeneration
internal import Diagnostics
internal import SwiftSources

/// Which sources of an app become part of a package, and why the others do not.
struct LaneSelection {
    /// The reason why a source is left out.
    struct Omission: Equatable {
        /// The line of the reason; `nil` if it is the whole file.
        var line: Int?
        var reason: String
    }

    /// A source of the project.
    struct File {
        /// The index of its target.
        var target: Int
        /// The path from the folder of the project.
        var path: String
        /// The path in the package.
        var destination: String
        /// The bytes; empty if the file cannot be read.
        var bytes: [UInt8] = []
        /// Whether it imports Core Data or SwiftData.
        var importsPersistence = false
        /// Whether it imports a framework for user interfaces.
        var importsInterface = false
        /// The names of the types that it declares.
        var types: Set<String> = []
        var omission: Omission?
    }

    /// The sources, in the order of targets and paths.
    private(set) var files: [File] = []

    private static let interfaceModules: Set = [
        "AppKit", "Charts", "Cocoa", "SwiftUI", "UIKit", "WatchKit", "WidgetKit",
    ]

    /// Reads the sources, and leaves out those that cannot compile on Linux regardless of the rest of the package.
    init(_ targets: [LaneTarget], _ fileSystem: any FileSystem) {
        let modules = Set(targets.map(\.name))
        var destinations: [String: String] = [:]
        for (index, target) in targets.enumerated() {
            let read = PortedGroup(target.group, fileSystem)
            let types = Set(read.sources.flatMap { $0.file.types.compactMap(\.path.last) })
            let sources = Dictionary(read.sources.map { ($0.path, $0) }) { first, _ in first }
            for path in target.group.sources.sorted() {
                var file = File(target: index, path: path, destination: Self.destination(of: path, in: target))
                let full = PathName.joined(target.group.folder, path)
                if let other = destinations.updateValue(path, forKey: file.destination), other != path {
                    file.omission = Omission(reason: "\(other) has the same path in the package")
                } else if let source = sources[full] {
                    file.add(source, interface: Self.interfaceModules)
                    let ported = PortedFile(source, read.rewriter) { types.contains($0) || modules.contains($0) }
                    file.omission = Self.omission(source, ported, modules: modules)
                } else {
                    file.omission = Omission(reason: "it cannot be read: \(read.problems[full] ?? "it does not exist")")
                }
                files.append(file)
            }
            for path in target.group.others.sorted() {
                var file = File(target: index, path: path, destination: Self.destination(of: path, in: target))
                file.omission = Omission(reason: "it is not written in Swift")
                files.append(file)
            }
        }
    }

    /// Returns the path of a file in the package.
    static func destination(of path: String, in target: LaneTarget) -> String {
        let parts = path.split(separator: "/").filter { $0 != ".." && $0 != "." }
        return "\(target.isTest ? "Tests" : "Sources")/\(target.name)/\(parts.joined(separator: "/"))"
    }

    /// Returns the reason why a source cannot compile in any package for Linux that has only these modules.
    private static func omission(_ source: ManagedSource, _ file: PortedFile, modules: Set<String>) -> Omission? {
        if let missing = file.missingImports.first {
            return Omission(line: missing.position.line, reason: "imports “\(missing.module)”")
        }
        let lines = LineIndex(source.bytes)
        let available = modules.union(SourceRewriter.combineModules).union(["os", "OSLog"])
        let unknown = source.file.importSites.first { site in
            !site.isUncertain && LinuxModules.isAvailable(site.module) == nil && !available.contains(site.module)
        }
        if let unknown {
            return Omission(
                line: lines.position(at: unknown.moduleRange.lowerBound).line,
                reason: "imports “\(unknown.module)”, which is not in the package")
        }
        if PathName.name(of: source.path) == "main.swift" {
            return Omission(line: 1, reason: "is the main program")
        }
        let tokens = LinuxCode.tokens(in: source.bytes)
        let entries: Set = ["NSApplicationMain", "UIApplicationMain", "main"]
        for (index, token) in tokens.enumerated().dropFirst() where entries.contains(token.text) {
            guard token.kind == .word, tokens[index - 1].is("@") else { continue }
            return Omission(
                line: lines.position(at: token.range.lowerBound).line, reason: "declares the main program")
        }
        // A source that needs no copy is compiled as it is.
        guard !file.rewrites.isEmpty, let obstacle = file.obstacle else { return nil }
        return Omission(line: obstacle.range?.start.line ?? 1, reason: obstacle.message)
    }

    /// The sources of the package.
    var included: [File] { files.filter { $0.omission == nil } }
    /// The sources that are left out.
    var omitted: [File] { files.filter { $0.omission != nil } }

    // MARK: Errors

    /// Leaves out the sources that errors are in.
    ///
    /// If some errors are about symbols that do not exist, only sources with such errors are left out: leaving out
    /// others cannot correct those, but the other errors may be consequences of them.
    ///
    /// - Parameters:
    ///   - errors: The errors of a build of the included sources, sorted.
    ///   - root: The canonical path of the package that was built.
    /// - Returns: The number of sources that were left out.
    mutating func omit(_ errors: [CompilerError], inPackage root: String) -> Int {
        let prefix = root.hasSuffix("/") ? root : root + "/"
        var places: [String: Int] = [:]
        for (index, file) in files.enumerated() where file.omission == nil { places[prefix + file.destination] = index }
        let located = errors.compactMap { error in places[error.path].map { (index: $0, error: error) } }
        let missing = located.filter(\.error.namesMissingSymbol)
        var count = 0
        let declared = declarations
        for (index, error) in missing.isEmpty ? located : missing where files[index].omission == nil {
            var reason = error.message
            if let owner = error.names.lazy.compactMap({ declared[$0] }).first {
                reason += " (declared in \(owner), which is left out)"
            }
            files[index].omission = Omission(line: error.line, reason: reason)
            count += 1
        }
        return count
    }

    /// The path of the source that declares a type, for types that only omitted sources declare.
    private var declarations: [String: String] {
        var result: [String: String] = [:]
        for file in omitted {
            for type in file.types where result[type] == nil { result[type] = file.path }
        }
        for file in included {
            for type in file.types { result[type] = nil }
        }
        return result
    }
}

extension LaneSelection.File {
    /// Adds what is known of the source.
    fileprivate mutating func add(_ source: ManagedSource, interface: Set<String>) {
        bytes = source.bytes
        let imports = Set(source.file.imports.map(\.module))
        importsPersistence = imports.contains("CoreData") || imports.contains("SwiftData")
        importsInterface = !imports.isDisjoint(with: interface)
        types = Set(source.file.types.filter { !$0.isLocal && !$0.isPrivate }.compactMap(\.path.last))
    }
}
