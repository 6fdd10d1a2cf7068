/// The renamings by which names are passed on: from an element whose name is gone, over names that both versions have,
/// to a new name.
struct RenamingChains {
    private let sourceIdentifiers: [String: String]
    /// The names in the source, by canonical name.
    private let sourceNames: [String: String]
    private let destinationNames: Set<String>
    /// The renaming identifiers in the destination, by name.
    private let identifiers: [String: String]
    /// The names of renamed elements in the destination, by renaming identifier.
    private let heirs: [String: String]

    init<Element: Renameable>(_ source: [Element], _ destination: [Element]) {
        func table(_ pairs: [(String, String)]) -> [String: String] { Dictionary(pairs) { first, _ in first } }
        let renamed = destination.filter { $0.renamingIdentifier != nil }
        sourceIdentifiers = table(source.map { ($0.name, $0.canonicalName) })
        sourceNames = table(source.map { ($0.canonicalName, $0.name) })
        destinationNames = Set(destination.map(\.name))
        identifiers = table(renamed.map { ($0.name, $0.canonicalName) })
        heirs = table(renamed.map { ($0.canonicalName, $0.name) })
    }

    /// Returns whether a chain passes on the name of two elements.
    func contain<Element: Renameable>(_ old: Element, renamed new: Element) -> Bool {
        guard new.canonicalName != old.canonicalName else { return false }
        return startsWithRemovedName(new.canonicalName) && endsWithNewName(old.canonicalName)
    }

    private func startsWithRemovedName(_ identifier: String) -> Bool {
        var (identifier, steps) = (identifier, 0)
        while let name = sourceNames[identifier], steps <= sourceNames.count {
            if !destinationNames.contains(name) { return true }
            guard let next = identifiers[name] else { return false }
            (identifier, steps) = (next, steps + 1)
        }
        return false
    }

    private func endsWithNewName(_ identifier: String) -> Bool {
        var (identifier, steps) = (identifier, 0)
        while let heir = heirs[identifier], steps <= heirs.count {
            guard let next = sourceIdentifiers[heir] else { return true }
            (identifier, steps) = (next, steps + 1)
        }
        return false
    }
}
