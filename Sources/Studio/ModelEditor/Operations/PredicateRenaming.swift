internal import PredicateSyntax

/// Renames a property in the text of predicates and expressions.
struct PredicateRenaming {
    let index: PropertyIndex
    /// The entity that declares the property.
    let entity: String
    let oldName: String
    let newName: String

    /// Returns a predicate with the property renamed in every key path that leads to it.
    ///
    /// - Parameters:
    ///   - root: The entity of the evaluated objects.
    ///   - source: The entity of `$FETCH_SOURCE`, if there is one.
    /// - Returns: `nil` if nothing changes, or if the text is not a predicate.
    func predicate(_ text: String, root: String, source: String? = nil) -> String? {
        guard text.contains(oldName), let old = try? PredicateParser.parsePredicate(text) else { return nil }
        var variables = source.map { ["FETCH_SOURCE": $0] } ?? [:]
        old.visitExpressions { record($0, root: root, variables: &variables) }
        let new = old.mapKeyPaths { renamed($0, root: root, variables: variables) }
        guard new != old else { return nil }
        return edited(text) { (try? PredicateParser.parsePredicate($0)) == new } ?? new.predicateFormat
    }

    /// Returns an expression with the property renamed; `nil` if nothing changes, or if the text is not an expression.
    func expression(_ text: String, root: String) -> String? {
        guard text.contains(oldName), let old = try? PredicateParser.parseExpression(text) else { return nil }
        var variables: [String: String] = [:]
        old.visitExpressions { record($0, root: root, variables: &variables) }
        let new = old.mapKeyPaths { renamed($0, root: root, variables: variables) }
        guard new != old else { return nil }
        return edited(text) { (try? PredicateParser.parseExpression($0)) == new } ?? new.predicateFormat
    }

    /// Records the entity of a subquery's variable.
    private func record(_ expression: PredicateSyntax.Expression, root: String, variables: inout [String: String]) {
        guard case .subquery(let subquery) = expression, case .keyPath(let path) = subquery.collection else { return }
        var current = start(of: path, root, variables)
        for key in path.keyPath.keys where !key.hasPrefix("@") {
            current = current.flatMap { index.destination(of: key, in: $0) }
        }
        variables[subquery.variable] = current
    }

    private func start(of path: KeyPathExpression, _ root: String, _ variables: [String: String]) -> String? {
        if path.startsAtEvaluatedObject { return root }
        if case .variable(let name)? = path.operand { return variables[name] }
        return nil
    }

    private func renamed(
        _ path: KeyPathExpression, root: String, variables: [String: String]
    ) -> KeyPathExpression {
        var result = path
        var current = start(of: path, root, variables)
        for (position, key) in path.keyPath.keys.enumerated() {
            guard let here = current else { break }
            if key.hasPrefix("@") || key == "self" || key == "SELF" { continue }
            if key == oldName, index.declaringEntity(of: key, in: here) == entity {
                result.keyPath.keys[position] = newName
            }
            current = index.destination(of: key, in: here)
        }
        return result
    }

    /// Returns the text with some occurrences of the old name replaced so that it parses as expected; `nil` if no
    /// choice of occurrences does. This preserves the rest of the text as its author wrote it.
    private func edited(_ text: String, _ isRight: (String) -> Bool) -> String? {
        let positions = occurrences(in: text)
        guard !positions.isEmpty, positions.count <= 10 else { return nil }
        // Tries all occurrences first, which is nearly always right.
        for choice in (1..<(1 << positions.count)).reversed() {
            var candidate = text
            for (number, position) in positions.enumerated().reversed() where choice & (1 << number) != 0 {
                candidate.replaceSubrange(position, with: newName)
            }
            if isRight(candidate) { return candidate }
        }
        return nil
    }

    private func occurrences(in text: String) -> [Range<String.Index>] {
        func isWord(_ character: Character) -> Bool { character.isLetter || character.isNumber || character == "_" }
        return text.ranges(of: oldName).filter { range in
            let isFree = range.lowerBound == text.startIndex || !isWord(text[text.index(before: range.lowerBound)])
            return isFree && (range.upperBound == text.endIndex || !isWord(text[range.upperBound]))
        }
    }
}
