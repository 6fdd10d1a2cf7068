internal import Diagnostics
internal import ModelMigration
internal import ModelSchema

/// Finds elements that were probably renamed: one was removed, and a similar one was added.
package enum RenameGuess {
    /// The minimum similarity of a pair, from 0 to 1.
    static let threshold = 0.6

    /// Pairs removed elements with added ones, the most similar first.
    ///
    /// - Parameters:
    ///   - removed: Elements of the first version, sorted by name.
    ///   - added: Elements of the second version, sorted by name.
    ///   - similarity: A symmetric measure from 0 to 1.
    /// - Returns: Positions in both arrays, each at most once.
    static func pairs<Element: Renameable>(
        removed: [Element], added: [Element], similarity: (Element, Element) -> Double
    ) -> [(removed: Int, added: Int)] {
        guard !removed.isEmpty, !added.isEmpty, removed.count * added.count <= 250_000 else { return [] }
        var candidates: [(score: Double, names: [String], removed: Int, added: Int)] = []
        for (position, old) in removed.enumerated() {
            for (other, new) in added.enumerated() {
                let score = similarity(old, new)
                if score >= threshold {
                    candidates.append((score, [old.name, new.name].sorted(), position, other))
                }
            }
        }
        candidates.sort { first, second in
            if first.score != second.score { return first.score > second.score }
            return first.names.lexicographicallyPrecedes(second.names)
        }
        var usedOld: Set<Int> = []
        var usedNew: Set<Int> = []
        var result: [(removed: Int, added: Int)] = []
        for candidate in candidates where !usedOld.contains(candidate.removed) && !usedNew.contains(candidate.added) {
            usedOld.insert(candidate.removed)
            usedNew.insert(candidate.added)
            result.append((candidate.removed, candidate.added))
        }
        return result
    }

    /// Returns the similarity of two properties: 0 for different kinds or types, otherwise by names and settings.
    static func similarity(_ first: Property, _ second: Property) -> Double {
        switch (first, second) {
        case (.attribute(let old), .attribute(let new)):
            guard old.type == new.type, old.isTransient == new.isTransient, old.isDerived == new.isDerived else {
                return 0
            }
            // A rare common type is stronger evidence than a frequent one.
            let typeWeight = old.type == .string || old.type == .boolean ? 0.25 : 0.35
            return typeWeight + (old.isOptional == new.isOptional ? 0.1 : 0) + 0.65 * nameSimilarity(old.name, new.name)
        case (.relationship(let old), .relationship(let new)):
            guard old.destinationName == new.destinationName, old.isToMany == new.isToMany else { return 0 }
            // With the same inverse, it is the same relationship under another name.
            if let inverse = old.inverseName, inverse == new.inverseName { return 1 }
            return 0.35 + 0.65 * nameSimilarity(old.name, new.name)
        case (.fetched(let old), .fetched(let new)):
            return old.fetchRequest == new.fetchRequest ? 1 : 0
        default: return 0
        }
    }

    /// Returns the similarity of two entities, by their properties and names.
    static func similarity(_ first: Entity, _ second: Entity) -> Double {
        let old = Set(first.properties.map(signature))
        let new = Set(second.properties.map(signature))
        let shared = old.intersection(new).count
        let all = old.union(new).count
        let properties = all == 0 ? 0 : Double(shared) / Double(all)
        let names = nameSimilarity(first.name, second.name)
        // Entities without properties are compared by name.
        return all == 0 ? names * 0.9 : 0.75 * properties + 0.25 * names
    }

    private static func signature(_ property: Property) -> String {
        switch property {
        case .attribute(let attribute): "\(attribute.name)\u{0}\(attribute.type.rawValue)"
        case .relationship(let relationship): "\(relationship.name)\u{0}\(relationship.isToMany)"
        case .fetched(let fetched): "\(fetched.name)\u{0}fetched"
        }
    }

    /// Returns the similarity of two names, from 0 to 1, by edit distance and common words.
    ///
    /// Words that both names have are not evidence: `isAdmin` is not `isPublic`, nor `siteID` `customerID`. What
    /// distinguishes the names must be similar.
    static func nameSimilarity(_ first: String, _ second: String) -> Double {
        let (words, others) = (words(first), words(second))
        let (rest, otherRest) = (words.filter { !others.contains($0) }, others.filter { !words.contains($0) })
        let (old, new) = (rest.joined(), otherRest.joined())
        if old == new { return 1 }
        // One name extends the other: `year` and `yearOfPublication`.
        if old.isEmpty || new.isEmpty { return max(0.6, letterSimilarity(first.lowercased(), second.lowercased())) }
        let similarity = letterSimilarity(old, new)
        return rest.count < words.count && similarity < 0.5 ? 0 : similarity
    }

    /// Returns the part of the letters that two names share, by edit distance.
    private static func letterSimilarity(_ first: String, _ second: String) -> Double {
        let length = max(first.count, second.count)
        let edits = length > 64 ? length : EditDistance.between(first, second)
        return 1 - Double(edits) / Double(max(1, length))
    }

    /// Returns the lowercased words of a name; a run of capitals is one word.
    private static func words(_ name: String) -> [String] {
        var words: [String] = []
        var current = ""
        var previous: Character?
        for character in name {
            let startsWord = character.isUppercase && previous?.isUppercase == false
            if character == "_" || startsWord, !current.isEmpty {
                words.append(current.lowercased())
                current = ""
            }
            if character != "_" { current.append(character) }
            previous = character
        }
        if !current.isEmpty { words.append(current.lowercased()) }
        return words
    }
}
