internal import ModelSchema

/// A `.momd` bundle in memory: the names of its files with their bytes (Documentation/Formats/CompiledModel.md, 3).
///
/// The optimized form of the current version (`.omo`), which Core Data does not require, is neither read nor written.
package struct CompiledBundle: Sendable {
    /// The files by name: a `.mom` for each version, and `VersionInfo.plist`.
    package let files: [String: [UInt8]]
    /// The contents of `VersionInfo.plist`; `nil` if the bundle has none.
    package let versionInfo: VersionInfo?

    /// Creates a bundle of compiled versions.
    ///
    /// - Parameters:
    ///   - versions: The versions, each with the name of its model.
    ///   - currentVersionName: The current version if the source has an `.xccurrentversion` that names one; otherwise
    ///     `nil`.
    ///   - writesChecksums: Whether the models' checksums are written, as since Xcode 15.
    /// - Throws: `CompiledBundleError` if there are no versions, two have the same name, one has an invalid file name,
    ///   or the current one is missing.
    package init(
        versions: [EncodedModel], currentVersionName: String?, writesChecksums: Bool = true
    ) throws(CompiledBundleError) {
        guard !versions.isEmpty else { throw CompiledBundleError(.noVersions, "there is no version to compile") }
        var files: [String: [UInt8]] = [:]
        for version in versions {
            let name = try Self.fileName(ofVersion: version.name)
            guard files.updateValue(version.bytes, forKey: name) == nil else {
                throw CompiledBundleError(.unusableName, "two versions have the name “\(version.name)”")
            }
        }
        if let currentVersionName, !versions.contains(where: { $0.name == currentVersionName }) {
            throw CompiledBundleError(.missingVersion, "the current version “\(currentVersionName)” does not exist")
        }
        let info = VersionInfo(
            currentVersionName: currentVersionName,
            versions: versions.map {
                VersionInfo.Version(
                    name: $0.name, hashes: $0.hashes, checksum: writesChecksums ? $0.hashes.checksum : nil)
            })
        files[VersionInfo.fileName] = info.binaryBytes()
        self.files = files
        versionInfo = info
    }

    /// Creates a bundle from its files. Unknown files are ignored.
    ///
    /// A caller that needs one version of many can leave the bytes of the others empty: they are read only when they
    /// are decoded.
    ///
    /// - Throws: `CompiledBundleError` if `VersionInfo.plist` cannot be read, or if there is no version.
    package init(files: [String: [UInt8]]) throws(CompiledBundleError) {
        self.files = files
        if let bytes = files[VersionInfo.fileName] {
            versionInfo = try VersionInfo(bytes)
        } else {
            versionInfo = nil
        }
        guard !versionNames.isEmpty else {
            throw CompiledBundleError(.noVersions, "the bundle contains no compiled model (.mom)")
        }
    }

    /// The names of the versions without extension, sorted by name.
    package var versionNames: [String] {
        files.keys.filter { $0.hasSuffix(Self.suffix) && $0.utf8.count > Self.suffix.utf8.count }
            .map { String($0.dropLast(Self.suffix.count)) }.sortedByName(\.self)
    }

    /// Returns the name of the version that Core Data loads: the current one, or else the only one.
    ///
    /// - Throws: `CompiledBundleError` if the current version is missing or unknown.
    package func currentVersionName() throws(CompiledBundleError) -> String {
        let names = versionNames
        if let current = versionInfo?.currentVersionName {
            guard names.contains(current) else {
                throw CompiledBundleError(
                    .missingVersion,
                    "the bundle has no “\(current)\(Self.suffix)”, which its VersionInfo.plist calls current")
            }
            return current
        }
        guard names.count == 1, let only = names.first else {
            throw CompiledBundleError(
                .noCurrentVersion,
                "the bundle has \(names.count) versions, and its VersionInfo.plist names no current one")
        }
        return only
    }

    /// Returns the bytes of a version.
    ///
    /// - Throws: `CompiledBundleError` if there is no such version.
    package func bytes(ofVersion name: String) throws(CompiledBundleError) -> [UInt8] {
        guard let bytes = files[name + Self.suffix] else {
            throw CompiledBundleError(.missingVersion, "the bundle has no version “\(name)”")
        }
        return bytes
    }

    /// Returns the name of a version's file.
    ///
    /// - Throws: `CompiledBundleError` if the version's name is not a valid file name.
    package static func fileName(ofVersion name: String) throws(CompiledBundleError) -> String {
        guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")), !name.utf8.contains(0) else {
            throw CompiledBundleError(.unusableName, "a version cannot have the name “\(name)”")
        }
        return name + suffix
    }

    private static let suffix = ".mom"
}
