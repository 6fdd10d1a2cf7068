internal import PredicateSyntax

// The hashes of single properties (Documentation/Formats/VersionHashes.md, 2.1 to 2.4), from which an entity's hash is
// computed.

extension Attribute {
    /// Returns the attribute's version hash.
    ///
    /// - Plain attributes: proven; covers the name, flags, modifier, type, external storage and preservation after
    ///   deletion, and nothing else.
    /// - Derived attributes: the hash of the printed derivation alone, proven for `now()`, `canonical:(x)` and
    ///   `rel.@count`; likely for the other functions. Sources cannot express a filter predicate, and the hash does not
    ///   cover one.
    /// - Composite attributes: proven by SwiftData stores; the hashes of all leaves, sorted by name. The attribute's
    ///   name and flags are not covered.
    ///
    /// - Parameter composites: The composite types of the model.
    /// - Throws: `InvalidDerivation` if the derivation cannot be parsed.
    package func versionHash(composites: [CompositeType] = []) throws(InvalidDerivation) -> VersionHash {
        var hasher = SHA256()
        if type == .composite, let leaves = leaves(composites, depth: 0) {
            for leaf in leaves.sorted(by: { $0.name.precedesByCodePoints($1.name) }) {
                hasher.update(try leaf.versionHash())
            }
            return VersionHash(hasher)
        }
        if isDerived {
            hasher.update(try derivationFormat())
            return VersionHash(hasher)
        }
        hasher.update(
            basedOn: name, isOptional: isOptional, isTransient: isTransient, isReadOnly: false,
            modifier: versionHashModifier)
        hasher.update(littleEndian: type.rawValue)
        if allowsExternalBinaryStorage { hasher.update(1) }
        if isPreservedAfterDeletion { hasher.update(1) }
        return VersionHash(hasher)
    }

    /// Returns the plain attributes that a composite attribute consists of, or `nil` if a type is missing or contains
    /// itself.
    package func leaves(_ composites: [CompositeType], depth: Int = 0) -> [Attribute]? {
        guard type == .composite else { return [self] }
        guard depth < Self.maximumCompositeDepth, let composite = composites.first(where: { $0.name == compositeName })
        else { return nil }
        var leaves: [Attribute] = []
        for element in composite.attributes {
            guard let inner = element.leaves(composites, depth: depth + 1), leaves.count < 10_000 else { return nil }
            leaves += inner
        }
        return leaves
    }

    /// The number of composite types that may be nested in each other.
    package static let maximumCompositeDepth = 16

    /// Returns the text of the derivation in the form that Apple's compiler stores, `count:(pages)` for `pages.@count`;
    /// empty if the source has no expression.
    func derivationFormat() throws(InvalidDerivation) -> String {
        guard let derivationExpression, !derivationExpression.isEmpty else { return "" }
        do {
            return try PredicateParser.parseExpression(derivationExpression).asDerivation.predicateFormat
        } catch {
            throw InvalidDerivation(expression: derivationExpression, message: error.message, column: error.column)
        }
    }
}

/// A derivation that is not a valid expression, so that the attribute has no version hash.
package struct InvalidDerivation: Error, Hashable, Sendable {
    /// The expression as written.
    package var expression: String
    /// The problem.
    package var message: String
    /// The one-based number of the character at which the problem is.
    package var column: Int
}

extension Relationship {
    /// Returns the relationship's version hash. A relationship that is its own inverse is hashed without the inverse's
    /// name. Contrary to Apple's guide, the hash does not cover the delete rule.
    ///
    /// - Parameter entityName: The name of the entity that declares the relationship; `nil` if no entity does.
    package func versionHash(declaredIn entityName: String?) -> VersionHash {
        var hasher = SHA256()
        hasher.update(
            basedOn: name, isOptional: isOptional, isTransient: isTransient, isReadOnly: false,
            modifier: versionHashModifier)
        hasher.update(destinationName ?? "")
        if !isOwnInverse(declaredIn: entityName) { hasher.update(inverseName ?? "") }
        hasher.update(littleEndian: compiledMaximumCount)
        hasher.update(littleEndian: compiledMinimumCount)
        if isOrdered { hasher.update([1, 0]) }
        return VersionHash(hasher)
    }

    /// Returns whether the relationship is its own inverse, like the friends of a person.
    ///
    /// - Parameter entityName: The name of the entity that declares the relationship.
    private func isOwnInverse(declaredIn entityName: String?) -> Bool {
        inverseName == name && destinationName != nil && destinationName == entityName
    }

    /// The maximum count in a compiled model: as written, or else 1 for a to-one relationship and 0, which means no
    /// limit, for a to-many one (Documentation/Formats/CompiledModel.md, 2.5).
    package var compiledMaximumCount: Int { maximumCount ?? (isToMany ? 0 : 1) }

    /// The minimum count in a compiled model: as written, or else 0, even for a required relationship
    /// (Documentation/Formats/CompiledModel.md, 2.5).
    package var compiledMinimumCount: Int { minimumCount ?? 0 }
}

extension FetchedProperty {
    /// Returns the fetched property's version hash, which no entity's hash covers: proven by the optimized models
    /// (`.omo`) of Apple's compiler. Fetched properties are always transient and read-only.
    package func versionHash() -> VersionHash {
        var hasher = SHA256()
        hasher.update(
            basedOn: name, isOptional: isOptional, isTransient: true, isReadOnly: true, modifier: versionHashModifier)
        return VersionHash(hasher)
    }
}

extension SHA256 {
    /// Adds the hash that begins the hash of every property except derived ones.
    fileprivate mutating func update(
        basedOn name: String, isOptional: Bool, isTransient: Bool, isReadOnly: Bool, modifier: String?
    ) {
        var base = SHA256()
        base.update(name)
        base.update((isOptional ? 1 : 0) | (isTransient ? 2 : 0) | (isReadOnly ? 4 : 0))
        base.update(0)
        base.update(modifier ?? "")
        for word in base.finish() { update(bigEndian: word) }
    }

    /// Adds the lower 32 bits of a number, least significant byte first.
    fileprivate mutating func update(littleEndian number: Int) {
        for shift in stride(from: 0, to: 32, by: 8) { update(UInt8(truncatingIfNeeded: number >> shift)) }
    }
}
