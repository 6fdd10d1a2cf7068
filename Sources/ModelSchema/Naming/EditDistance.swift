/// The distance between two words.
package enum EditDistance {
    /// Returns the number of characters to insert, remove or replace (Levenshtein).
    package static func between(_ first: String, _ second: String) -> Int {
        let (left, right) = (Array(first), Array(second))
        var row = Array(0...right.count)
        for (position, character) in left.enumerated() {
            var diagonal = row[0]
            row[0] = position + 1
            for column in right.indices {
                let above = row[column + 1]
                row[column + 1] = min(
                    above + 1, row[column] + 1, diagonal + (character == right[column] ? 0 : 1))
                diagonal = above
            }
        }
        return row[right.count]
    }

    /// Returns the candidate closest to a misspelled name, or `nil` if none is close. Case counts less than a wrong letter.
    ///
    /// - Parameters:
    ///   - name: The misspelled name. Names of more than 64 characters get no suggestion, because the time to compare grows with
    ///     the length.
    ///   - limit: The maximum number of edits; by default one for every three characters, and at least two.
    package static func closest(to name: String, among candidates: some Sequence<String>, limit: Int? = nil) -> String?
    {
        guard !name.isEmpty, name.count <= 64 else { return nil }
        let limit = limit ?? max(2, name.count / 3)
        let lowercased = name.lowercased()
        let ranked = candidates.map { (candidate: $0, edits: between(lowercased, $0.lowercased())) }
        guard let nearest = ranked.min(by: { $0.edits < $1.edits }) else { return nil }
        // Half of a short name must be right: “x” is not a misspelled “id”.
        guard nearest.edits <= limit, nearest.edits * 2 <= max(name.count, nearest.candidate.count) else { return nil }
        return nearest.candidate
    }

    /// Returns “Did you mean “…”? ” for a misspelled name, to precede other advice; empty if no candidate is close.
    package static func question(for name: String, among candidates: some Sequence<String>) -> String {
        closest(to: name, among: candidates).map { "Did you mean “\($0)”? " } ?? ""
    }
}

/// Suggests entity names for the first few unknown names of a model, so that the time does not grow with the product of entities
/// and errors.
struct EntityNameGuess {
    private let names: [String]
    private var remaining = 20

    init(_ names: [String]) {
        self.names = names
    }

    /// Returns the closest name, or `nil` if none is close or the limit of suggestions is reached.
    mutating func closest(to name: String) -> String? {
        guard remaining > 0 else { return nil }
        remaining -= 1
        return EditDistance.closest(to: name, among: names)
    }
}
