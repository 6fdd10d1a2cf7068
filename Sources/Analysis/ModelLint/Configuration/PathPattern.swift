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
        var places = Set([0])
        close(&places)
        for character in path {
            if places.contains(characters.count), character == "/" { return true }
            var next: Set<Int> = []
            for place in places where place < characters.count {
                switch characters[place] {
                case "*":
                    let isDeep = place + 1 < characters.count && characters[place + 1] == "*"
                    if isDeep || character != "/" { next.insert(place) }
                case "?": if character != "/" { next.insert(place + 1) }
                default: if characters[place] == character { next.insert(place + 1) }
                }
            }
            close(&next)
            if next.isEmpty { return false }
            places = next
        }
        return places.contains(characters.count)
    }

    /// Adds the positions that can be reached without consuming a character: those after a star. `**/` also matches an
    /// empty text.
    private func close(_ places: inout Set<Int>) {
        var waiting = Array(places)
        while let place = waiting.popLast() {
            guard place < characters.count, characters[place] == "*" else { continue }
            let isDeep = place + 1 < characters.count && characters[place + 1] == "*"
            let behind = place + (isDeep ? 2 : 1)
            var reached = [behind]
            if isDeep, behind < characters.count, characters[behind] == "/" { reached.append(behind + 1) }
            for next in reached where places.insert(next).inserted { waiting.append(next) }
        }
    }
}
