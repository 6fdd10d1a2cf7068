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
        var locations = Set([0])
        close(&locations)
        for character in path {
            if locations.contains(characters.count), character == "/" { return true }
            var next: Set<Int> = []
            for location in locations where location < characters.count {
                switch characters[location] {
                case "*":
                    let isDeep = location + 1 < characters.count && characters[location + 1] == "*"
                    if isDeep || character != "/" { next.insert(location) }
                case "?": if character != "/" { next.insert(location + 1) }
                default: if characters[location] == character { next.insert(location + 1) }
                }
            }
            close(&next)
            if next.isEmpty { return false }
            locations = next
        }
        return locations.contains(characters.count)
    }

    /// Adds the positions that can be reached without consuming a character: those after a star. `**/` also matches an
    /// empty text.
    private func close(_ locations: inout Set<Int>) {
        var waiting = Array(locations)
        while let location = waiting.popLast() {
            guard location < characters.count, characters[location] == "*" else { continue }
            let isDeep = location + 1 < characters.count && characters[location + 1] == "*"
            let behind = location + (isDeep ? 2 : 1)
            var reached = [behind]
            if isDeep, behind < characters.count, characters[behind] == "/" { reached.append(behind + 1) }
            for next in reached where locations.insert(next).inserted { waiting.append(next) }
        }
    }
}
