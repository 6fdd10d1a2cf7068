internal import CompiledModel
internal import Diagnostics
internal import Foundation
internal import ModelSchema
internal import RuntimeSupport

/// Loads compiled models from files.
enum ModelLoader {
    /// The reason why a model cannot be loaded, in one sentence that names the file.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// Fills an empty model from a `.momd`, a `.mom` or any other file that contains a compiled model.
    ///
    /// A model with an unreadable part is rejected as a whole: half a model would open a store with half of its data.
    static func load(_ url: URL, into model: NSManagedObjectModel) throws(Failure) {
        if isFolder(url) {
            let name = try currentVersionName(of: try openBundle(url), at: url)
            let file = version(name, in: url)
            try load(try bytes(of: file), name: name, at: file, into: model)
        } else {
            try load(try bytes(of: url), name: url.deletingPathExtension().lastPathComponent, at: url, into: model)
        }
    }

    /// Returns all versions in a `.momd`, or the only model in a file. Omits and logs unreadable ones.
    static func loadAllVersions(_ url: URL) -> [NSManagedObjectModel] {
        guard isFolder(url) else { return NSManagedObjectModel(contentsOf: url).map { [$0] } ?? [] }
        do throws(Failure) {
            return try openBundle(url).versionNames.compactMap { name in
                NSManagedObjectModel(contentsOf: version(name, in: url))
            }
        } catch {
            Log.error("Failed to load the model at \(error)")
            return []
        }
    }

    /// Returns the checksum of each version in a `.momd`, from its `VersionInfo.plist`.
    static func checksums(_ url: URL) throws(Failure) -> [String: String] {
        let bundle = try openBundle(url)
        var result: [String: String] = [:]
        for version in bundle.versionInfo?.versions ?? [] {
            result[version.name] = version.checksum ?? version.hashes.checksum
        }
        return result
    }

    private static func currentVersionName(of bundle: CompiledBundle, at url: URL) throws(Failure) -> String {
        do throws(CompiledBundleError) {
            return try bundle.currentVersionName()
        } catch {
            throw Failure(description: "\(url.path): \(error)")
        }
    }

    private static func version(_ name: String, in bundle: URL) -> URL {
        bundle.appendingPathComponent(name).appendingPathExtension("mom")
    }

    private static func isFolder(_ url: URL) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) && isFolder.boolValue
    }

    private static func bytes(of url: URL) throws(Failure) -> [UInt8] {
        do {
            return [UInt8](try Data(contentsOf: url))
        } catch {
            throw Failure(description: "\(url.path): \(error.localizedDescription)")
        }
    }

    /// Returns the names of a bundle's files, and the contents of its `VersionInfo.plist`. Versions are read on demand.
    private static func openBundle(_ url: URL) throws(Failure) -> CompiledBundle {
        if ["xcdatamodeld", "xcdatamodel"].contains(url.pathExtension) {
            throw Failure(
                description: "\(url.path): this is the source of a model; compile it with modelc’s build plugin, or by "
                    + "“modelc compile”, and load the .momd")
        }
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: url.path)
        } catch {
            throw Failure(description: "\(url.path): \(error.localizedDescription)")
        }
        var files: [String: [UInt8]] = [:]
        for name in names { files[name] = [] }
        if names.contains(VersionInfo.fileName) {
            files[VersionInfo.fileName] = try bytes(of: url.appendingPathComponent(VersionInfo.fileName))
        }
        do throws(CompiledBundleError) {
            return try CompiledBundle(files: files)
        } catch {
            throw Failure(description: "\(url.path): \(error)")
        }
    }

    private static func load(
        _ bytes: [UInt8], name: String, at url: URL, into model: NSManagedObjectModel
    ) throws(Failure) {
        let decoded: DecodedModel
        do throws(ModelArchiveError) {
            decoded = try DecodedModel(bytes, name: name)
        } catch {
            throw Failure(description: "\(url.path): \(error)")
        }
        if let finding = decoded.findings.first(where: { $0.severity == .error }) {
            throw Failure(description: "\(url.path): \(finding.message)")
        }
        var builder = ModelBuilder(decoded.model)
        builder.build(into: model, versionIdentifiers: decoded.versionIdentifiers)
        if let problem = builder.problems.first { throw Failure(description: "\(url.path): \(problem)") }
    }
}
