/// The version hashes of the entities of a model or a store, and the checksums computed from them.
package struct EntityVersionHashes: Hashable, Sendable {
    /// An entity's name with its hash.
    package struct Element: Hashable, Sendable {
        /// The entity's name.
        package var name: String
        package var hash: VersionHash
    }

    /// The entities, sorted by name in code-point order.
    package let elements: [Element]

    /// Creates a value from hashes by entity name, for example those in a store's metadata.
    package init(_ hashes: [String: VersionHash]) {
        elements = hashes.map { Element(name: $0.key, hash: $0.value) }
            .sorted { $0.name.precedesByCodePoints($1.name) }
    }

    /// The hash of an entity, or `nil`.
    package subscript(_ name: String) -> VersionHash? {
        // Binary search, since the elements are sorted.
        var (low, high) = (0, elements.count)
        while low < high {
            let middle = (low + high) / 2
            if elements[middle].name.precedesByCodePoints(name) { low = middle + 1 } else { high = middle }
        }
        return low < elements.count && elements[low].name == name ? elements[low].hash : nil
    }

    /// The model's checksum, as in `NSManagedObjectModel_VersionChecksums` and `NSStoreModelVersionChecksumKey`: the
    /// base64 of the SHA-256 of all entity hashes in the order of the names (Documentation/Formats/VersionHashes.md,
    /// 2.5; proven).
    package var checksum: String {
        var hasher = SHA256()
        for element in elements { hasher.update(element.hash) }
        return Base64.encode(hasher.finalize())
    }

    /// The digest that a store keeps as `NSStoreModelVersionHashesDigest`: the base64 of the SHA-512 of all entity
    /// names and hashes in the order of the names (Documentation/Formats/VersionHashes.md, 2.6; proven).
    package var storeDigest: String {
        var hasher = SHA512()
        for element in elements {
            hasher.update(element.name)
            hasher.update(element.hash.bytes)
        }
        return Base64.encode(hasher.finalize())
    }
}

extension String {
    /// Returns whether the text precedes another one in the order of Unicode code points.
    ///
    /// This is the order of names in a hash. It is proven for ASCII, where uppercase comes first; for other names it is
    /// the plain reading of "code-point order" (Documentation/Formats/VersionHashes.md, 2.7). Swift's own order looks
    /// at canonical equivalence first.
    func precedesByCodePoints(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}
