extension Expression {
    /// The expression as Apple's compiler stores it for a derived attribute, whose version hash is the SHA-256 of the
    /// ``predicateFormat`` of the result (Documentation/Formats/VersionHashes.md, 2.3): collection operators become
    /// function calls.
    ///
    /// - Proven by Apple's files (Documentation/Formats/CompiledModel.md, 2.8): `rel.@count` as the whole expression
    ///   becomes `count:(rel)`; `now()` and `canonical:(name)` are unchanged.
    /// - Likely, but without a sample: `rel.@sum.price` becomes `sum:(rel.price)`, and so on for `@min` and `@max`;
    ///   `@avg` becomes `average:`; a plain key path is unchanged; operators within a larger expression are converted
    ///   in the same way.
    ///
    /// Other operators (`@distinctUnionOfObjects`) have no function and are unchanged, as is a key path with more than
    /// one operator.
    package var asDerivation: Expression {
        mapExpressions { expression in
            guard case .keyPath(var path) = expression,
                let position = path.keyPath.collectionOperatorIndex,
                let selector = Expression.derivationSelectors[path.keyPath.keys[position]]
            else { return expression }
            path.keyPath.keys.remove(at: position)
            guard path.keyPath.collectionOperatorIndex == nil else { return expression }
            // `@count` without other keys counts its operand.
            let collection = path.keyPath.keys.isEmpty ? path.operand ?? .evaluatedObject : .keyPath(path)
            return .call(selector, collection)
        }
    }

    private static let derivationSelectors = [
        "@count": "count:", "@sum": "sum:", "@min": "min:", "@max": "max:", "@avg": "average:",
    ]
}
