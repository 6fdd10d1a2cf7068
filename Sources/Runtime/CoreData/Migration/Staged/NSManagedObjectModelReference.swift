public import Foundation
internal import RuntimeSupport

/// A reference to a version of a model for a staged migration: the model itself, or its location.
///
/// ```swift
/// let second = NSManagedObjectModelReference(name: "Library 2", in: .main, versionChecksum: "bMpud6…")
/// ```
///
/// The checksum of a version is in `VersionInfo.plist` of the `.momd`, and `NSManagedObjectModel.versionChecksum`.
open class NSManagedObjectModelReference: NSObject {
    /// The location of the model.
    private enum Position {
        case model(NSManagedObjectModel)
        case file(URL)
        case hashes([String: Data], Bundle?)
        case name(String, Bundle?)
    }

    private let position: Position
    private let checksum: String
    private var resolved: NSManagedObjectModel?

    /// The checksum of the version, which the model must have.
    open var versionChecksum: String { checksum }

    /// Creates a reference to a loaded model.
    public init(model: NSManagedObjectModel, versionChecksum: String) {
        position = .model(model)
        checksum = versionChecksum
        super.init()
    }

    /// Creates a reference to a `.mom` file, or to the version of a `.momd` with the checksum.
    public init(fileURL: URL, versionChecksum: String) {
        position = .file(fileURL)
        checksum = versionChecksum
        super.init()
    }

    /// Creates a reference to the model with given version hashes in a bundle.
    ///
    /// - Parameters:
    ///   - versionHash: The hash of each entity by name, as in a store's metadata.
    ///   - bundle: Where to look; `nil` for the main bundle.
    ///   - versionChecksum: The checksum of the version.
    public init(entityVersionHashes versionHash: [AnyHashable: Any], in bundle: Bundle?, versionChecksum: String) {
        var hashes: [String: Data] = [:]
        for (name, hash) in versionHash {
            if let name = name.base as? String, let hash = hash as? Data { hashes[name] = hash }
        }
        position = .hashes(hashes, bundle)
        checksum = versionChecksum
        super.init()
    }

    /// Creates a reference to the model or version with a name in a bundle.
    ///
    /// - Parameters:
    ///   - modelName: The name, without extension, of a `.mom` file, which may be in a `.momd`; or of a `.momd`, of
    ///     which the version with the checksum is used.
    ///   - bundle: Where to look; `nil` for the main bundle.
    ///   - versionChecksum: The checksum of the version.
    public init(name modelName: String, in bundle: Bundle?, versionChecksum: String) {
        position = .name(modelName, bundle)
        checksum = versionChecksum
        super.init()
    }

    /// The model. Traps if there is none with the checksum; a staged migration throws an error with the code 134504
    /// instead.
    open var resolvedModel: NSManagedObjectModel {
        do {
            return try resolve()
        } catch {
            misuse("NSInvalidArgumentException", (error as NSError).localizedDescription)
        }
    }

    /// Returns the model.
    ///
    /// - Throws: An error with the code 134504 if there is none with the checksum.
    final func resolve() throws -> NSManagedObjectModel {
        if let resolved { return resolved }
        let candidates = candidates()
        guard let model = candidates.first(where: { $0.versionChecksum == checksum }) else {
            let found = candidates.map { "“\($0.versionChecksum)”" }.joined(separator: ", ")
            throw MigrationErrors.error(
                .managedObjectModelReferenceNotFound,
                reason: "there is no model with the version checksum “\(checksum)” \(positionText)"
                    + (found.isEmpty ? "" : "; the checksum there is \(found)"),
                help: "Keep every released version in the .momd, and copy the checksum from its VersionInfo.plist")
        }
        resolved = model
        return model
    }

    private func candidates() -> [NSManagedObjectModel] {
        switch position {
        case .model(let model): return [model]
        case .file(let url): return ModelLoader.loadAllVersions(url)
        case .hashes(let hashes, let bundle):
            return ModelLocator.models(in: bundle.map { [$0] }).flatMap { ModelLoader.loadAllVersions($0) }.filter {
                $0.entityVersionHashesByName == hashes
            }
        case .name(let name, let bundle):
            return ModelLocator.models(in: bundle.map { [$0] }).flatMap { url -> [NSManagedObjectModel] in
                if url.deletingPathExtension().lastPathComponent == name { return ModelLoader.loadAllVersions(url) }
                let version = url.appendingPathComponent(name + ".mom")
                guard url.pathExtension == "momd", FileManager.default.fileExists(atPath: version.path) else {
                    return []
                }
                return ModelLoader.loadAllVersions(version)
            }
        }
    }

    private var positionText: String {
        switch position {
        case .model: "in the reference"
        case .file(let url): "at \(url.path)"
        case .hashes(_, let bundle): "and these entity version hashes in \((bundle ?? .main).bundlePath)"
        case .name(let name, let bundle): "and the name “\(name)” in \((bundle ?? .main).bundlePath)"
        }
    }

    /// The checksum, for debugging.
    open override var description: String { "NSManagedObjectModelReference: \(checksum) \(positionText)" }
}
