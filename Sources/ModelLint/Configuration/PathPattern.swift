/// A pattern for paths: `*` stands for anything in a name, `**` for anything, `?` for one character.
///
/// A pattern names a path, and everything below it: `Pods` and `Pods/**` are the same. One that begins with neither `/` nor
/// `**` is meant from the folder of the configuration.
package struct PathPattern: Hashable, Sendable {
    /// The pattern as written.
    package let text: String
    private let characters: [Character]

    /// Keeps a pattern.
    package init(_ text: String) {
        self.text = text
        var trimmed = text
        while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed.removeLast() }
        if trimmed.hasPrefix("./") { trimmed.removeFirst(2) }
        characters = Array(trimmed)
    }

    /// Whether a path, relative to the folder of the configuration, or a folder above it is meant.
    package func matches(_ path: String) -> Bool {
        let path = Array(path)
        // The possible places in the pattern, moved on for each character: no pattern takes long.
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

    /// Adds the positions that can be reached without a character: after a star. `**/` may stand for nothing at all.
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
