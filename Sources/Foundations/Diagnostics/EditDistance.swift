/// The distance between two words.
package enum EditDistance {
    /// Returns the number of characters to insert, remove, replace or exchange with the next one (optimal string
    /// alignment).
    package static func between(_ first: String, _ second: String) -> Int {
        let (left, right) = (Array(first), Array(second))
        var (beforeLast, last) = ([Int](), Array(0...right.count))
        for (row, character) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                var edits = min(
                    last[column + 1] + 1, current[column] + 1, last[column] + (character == other ? 0 : 1))
                if row > 0, column > 0, character == right[column - 1], left[row - 1] == other {
                    edits = min(edits, beforeLast[column - 1] + 1)
                }
                current.append(edits)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }

    /// Returns the candidate closest to a misspelled name, or `nil` if none is close. Case counts less than a wrong
    /// letter.
    ///
    /// - Parameters:
    ///   - name: The misspelled name. Names of more than 64 characters get no suggestion, because the time to compare
    ///     grows with the length.
    ///   - limit: The maximum number of edits; by default one for every three characters, and at least two.
    package static func closest(to name: String, among candidates: some Sequence<String>, limit: Int? = nil) -> String?
    {
        guard !name.isEmpty, name.count <= 64 else { return nil }
        let limit = limit ?? max(2, name.count / 3)
        let lowercased = name.lowercased()
        let ranked = candidates.map { candidate in
            let other = candidate.lowercased()
            // The first letter is rarely the wrong one.
            return (
                candidate: candidate, edits: between(lowercased, other), startsWrong: other.first != lowercased.first
            )
        }
        guard
            let nearest = ranked.min(by: { ($0.edits, $0.startsWrong ? 1 : 0) < ($1.edits, $1.startsWrong ? 1 : 0) })
        else { return nil }
        // Half of a short name must be right: “x” is not a misspelled “id”.
        guard nearest.edits <= limit, nearest.edits * 2 <= max(name.count, nearest.candidate.count) else { return nil }
        return nearest.candidate
    }

    /// Returns “Did you mean “…”? ” for a misspelled name, to precede other advice; empty if no candidate is close.
    package static func question(for name: String, among candidates: some Sequence<String>) -> String {
        closest(to: name, among: candidates).map { "Did you mean “\($0)”? " } ?? ""
    }
}
