/// A pattern for paths: `*` matches anything within a name, `**` matches anything, and `?` matches one character.
///
/// A pattern matches a path and everything below it: `Pods` and `Pods/**` are equivalent. A pattern that begins with
/// neither `/` nor `**` is relative to the folder of the configuration.
package struct PathPattern: Hashable, Sendable {
    /// The pattern as written.
    package let text: String
    private let characters: [Character]

    /// Creates a pattern.
    package init(_ text: String) {
        self.text = text
        var trimmed = text
        while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed.removeLast() }
        if trimmed.hasPrefix("./") { trimmed.removeFirst(2) }
        characters = Array(trimmed)
    }

    /// Returns whether the pattern matches a path, relative to the folder of the configuration, or a folder that
    /// contains it.
    package func matches(_ path: String) -> Bool {
        let path = Array(path)
        // The set of possible positions in the pattern, advanced for each character, so that matching needs no
        // backtracking.
        var positions = Set([0])
        close(&positions)
        for character in path {
            if positions.contains(characters.count), character == "/" { return true }
            var next: Set<Int> = []
            for position in positions where position < characters.count {
                switch characters[position] {
                case "*":
                    let isDeep = position + 1 < characters.count && characters[position + 1] == "*"
                    if isDeep || character != "/" { next.insert(position) }
                case "?": if character != "/" { next.insert(position + 1) }
                default: if characters[position] == character { next.insert(position + 1) }
                }
            }
            close(&next)
            if next.isEmpty { return false }
            positions = next
        }
        return positions.contains(characters.count)
    }

    /// Adds the positions that can be reached without consuming a character: those after a star. `**/` also matches an
    /// empty text.
    private func close(_ positions: inout Set<Int>) {
        var waiting = Array(positions)
        while let position = waiting.popLast() {
            guard position < characters.count, characters[position] == "*" else { continue }
            let isDeep = position + 1 < characters.count && characters[position + 1] == "*"
            let next = position + (isDeep ? 2 : 1)
            var reached = [next]
            if isDeep, next < characters.count, characters[next] == "/" { reached.append(next + 1) }
            for position in reached where positions.insert(position).inserted { waiting.append(position) }
        }
    }
}
