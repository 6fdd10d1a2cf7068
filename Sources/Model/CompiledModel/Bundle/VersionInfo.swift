package import ModelSchema

/// The contents of a `.momd`'s `VersionInfo.plist` (Documentation/Formats/CompiledModel.md, 3).
package struct VersionInfo: Hashable, Sendable {
    /// One version.
    package struct Version: Hashable, Sendable {
        /// Its name without extension.
        package var name: String
        /// The hashes of all entities.
        package var hashes: EntityVersionHashes
        /// The checksum as written; `nil` in files from before Xcode 15.
        package var checksum: String?

        /// Creates a version.
        package init(name: String, hashes: EntityVersionHashes, checksum: String?) {
            self.name = name
            self.hashes = hashes
            self.checksum = checksum
        }
    }

    /// The name of the file in a bundle.
    package static let fileName = "VersionInfo.plist"

    /// The name of the current version; `nil` if the source has no `.xccurrentversion`.
    package var currentVersionName: String?
    /// The versions, sorted by name.
    package var versions: [Version]

    /// Creates the contents for some versions.
    package init(currentVersionName: String?, versions: [Version]) {
        self.currentVersionName = currentVersionName
        self.versions = versions.sortedByName(\.name)
    }

    private enum Key {
        static let currentVersionName = "NSManagedObjectModel_CurrentVersionName"
        static let hashes = "NSManagedObjectModel_VersionHashes"
        static let checksums = "NSManagedObjectModel_VersionChecksums"
    }

    /// Reads the file, in the binary format or, as some files from 2012, in XML.
    ///
    /// - Throws: `CompiledBundleError` if the file is not a property list, or if its contents are invalid.
    package init(_ bytes: [UInt8]) throws(CompiledBundleError) {
        let list: PropertyListValue
        do {
            list = try PropertyListValue(bytes)
        } catch {
            throw CompiledBundleError(.propertyList(error.kind), "\(Self.fileName): \(error)")
        }
        try self.init(list)
    }

    /// Reads the file's contents.
    private init(_ list: PropertyListValue) throws(CompiledBundleError) {
        guard list.dictionary != nil else { throw Self.malformed("it is not a dictionary") }
        if let name = list[Key.currentVersionName] {
            guard let text = name.string else { throw Self.malformed("\(Key.currentVersionName) is not a string") }
            currentVersionName = text
        }
        let checksums = list[Key.checksums]
        var versions: [Version] = []
        if let hashes = list[Key.hashes] {
            guard let entries = hashes.dictionary else { throw Self.malformed("\(Key.hashes) is not a dictionary") }
            for entry in entries {
                guard let entities = entry.value.dictionary else {
                    throw Self.malformed("\(Key.hashes), “\(entry.key)” is not a dictionary")
                }
                var byName: [String: VersionHash] = [:]
                for entity in entities {
                    guard let bytes = entity.value.data, let hash = VersionHash(bytes: bytes) else {
                        throw Self.malformed("\(Key.hashes), “\(entry.key)”, “\(entity.key)” is not a hash of 32 bytes")
                    }
                    byName[entity.key] = hash
                }
                versions.append(
                    Version(
                        name: entry.key, hashes: EntityVersionHashes(byName), checksum: checksums?[entry.key]?.string))
            }
        }
        self.versions = versions.sortedByName(\.name)
    }

    /// Returns the file as Apple's compiler writes it: with checksums only if every version has one.
    package func binaryBytes() -> [UInt8] {
        var entries: [PropertyListValue.Entry] = []
        if let currentVersionName {
            entries.append(PropertyListValue.Entry(Key.currentVersionName, .string(currentVersionName)))
        }
        let hashes = versions.map { version in
            PropertyListValue.Entry(
                version.name,
                .dictionary(version.hashes.elements.map { PropertyListValue.Entry($0.name, .data($0.hash.bytes)) }))
        }
        let checksums = versions.compactMap { version in
            version.checksum.map { PropertyListValue.Entry(version.name, .string($0)) }
        }
        if checksums.count == versions.count {
            entries.append(PropertyListValue.Entry(Key.checksums, .dictionary(checksums)))
        }
        entries.append(PropertyListValue.Entry(Key.hashes, .dictionary(hashes)))
        return PropertyListValue.dictionary(entries).binaryBytes()
    }

    private static func malformed(_ message: String) -> CompiledBundleError {
        CompiledBundleError(.malformedVersionInfo, "\(fileName): \(message)")
    }
}
