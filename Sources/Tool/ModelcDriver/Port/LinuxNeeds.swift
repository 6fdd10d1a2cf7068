internal import CodeGeneration
internal import Diagnostics
internal import ModelSchema
internal import ModelSource
internal import SwiftSources

/// A group of files that were read, with the copies that modelc would make of its Swift files on Linux.
struct PortedGroup: Sendable {
    let group: SourceGroup
    /// The Swift files that could be read.
    let sources: [ManagedSource]
    /// The reasons why others could not be read, by path.
    let problems: [String: String]
    let rewriter: SourceRewriter
    private let models: [Model]

    /// The maximum size of a source file, in bytes. Only generated tables are larger.
    private static let sizeLimit = 16 << 20

    /// Reads the models and sources of a group, on all cores.
    init(_ group: SourceGroup, _ files: any FileSystem) {
        self.group = group
        let contents = ParallelMap.map(group.sources) {
            name -> (source: ManagedSource?, path: String, problem: String) in
            let path = PathName.joined(group.folder, name)
            guard case .file(let size)? = files.kind(of: path), size <= Self.sizeLimit else {
                return (nil, path, "the file is larger than \(Self.sizeLimit >> 20) MiB")
            }
            do throws(FileSystemError) {
                return (ManagedSource(path: path, bytes: try files.read(path), isExcluded: true), path, "")
            } catch {
                return (nil, path, error.reason)
            }
        }
        sources = contents.compactMap(\.source)
        problems = Dictionary(
            contents.filter { $0.source == nil }.map { ($0.path, $0.problem) }, uniquingKeysWith: { first, _ in first })
        // A model with errors is reported when it is compiled.
        let models = group.models.compactMap { name in
            try? ModelInputReader(files: files).read(PathName.joined(group.folder, name), version: nil).document.model
        }
        let available = Set(SourceRewriter.combineModules.prefix(1))
        rewriter = SourceRewriter(
            moduleName: group.name, models: models, sources: sources, availableModules: available)
        self.models = models
    }

    /// Returns the paths of the sources that modelc would reject unless they are excluded.
    func pathsToExclude() -> Set<String> {
        let compiled = sources.map { source in
            var source = source
            source.isExcluded = false
            return source
        }
        let findings = ManagedCode(moduleName: group.name, models: models, sources: compiled).diagnostics()
        return Set(findings.filter { TargetBuild.answeredByExclusion.contains($0.rule) }.compactMap(\.file))
    }
}

/// The needs of a target's Swift file on Linux.
struct LinuxNeeds: Sendable {
    /// The path relative to the target's folder.
    var path: String
    /// Whether the file imports or names Core Data, or has `@NSManaged` declarations.
    var usesCoreData: Bool
    /// Whether the file has `@NSManaged` declarations.
    var hasManagedDeclarations: Bool
    /// Whether the file has a construct that the compiler rejects on Linux and that a copy would not have.
    var needsCopy: Bool
    /// Whether the file uses Core Data without importing it.
    var lacksImport: Bool
    /// Whether the copy imports a package in place of Combine.
    var usesCombine: Bool
    /// Whether the file imports SwiftData.
    var usesSwiftData: Bool
    /// The first framework that the file requires and that Linux does not have.
    var missingFramework: String?
    /// The first construct, apart from frameworks, for which there is no copy of the file.
    var obstacle: Diagnostic?

    /// - Parameter isRejected: Whether modelc would reject the source unless it is excluded.
    init(_ source: ManagedSource, path: String, _ rewriter: SourceRewriter, isRejected: Bool) {
        self.path = path
        hasManagedDeclarations = source.hasManagedDeclarations
        lacksImport = source.lacksCoreDataImport
        usesCoreData =
            hasManagedDeclarations || source.file.namesCoreData
            || source.file.imports.contains { $0.module == "CoreData" }
        let file = PortedFile(source, rewriter) { _ in false }
        needsCopy = !file.rewrites.isEmpty || isRejected
        usesCombine = file.usesCombine
        usesSwiftData = source.file.importsSwiftData
        missingFramework = file.missingImports.first?.module
        obstacle = file.obstacle
    }
}
