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
}
