internal import Foundation

/// The names that files have for entities: XML stores write them in upper case.
struct StoredEntityNames {
    /// Whether names are in upper case, and those of properties in lower case.
    let isFolded: Bool
    private var entities: [String: NSEntityDescription] = [:]
    private var storedNames: [String: String] = [:]

    init(_ entities: [NSEntityDescription], isFolded: Bool) {
        self.isFolded = isFolded
        let names = entities.compactMap(\.name)
        storedNames = isFolded ? Self.folded(names) { $0.uppercased() } : [:]
        for entity in entities {
            guard let name = entity.name else { continue }
            self.entities[storedName(name)] = entity
        }
    }

    /// Returns the entity that a file means; nil for none, or an abstract one.
    func entity(_ stored: String) -> NSEntityDescription? {
        guard let entity = entities[stored], !entity.isAbstract else { return nil }
        return entity
    }

    /// Returns the name of an entity in a file.
    func storedName(_ name: String) -> String { storedNames[name] ?? name }

    /// Returns the names in one case. Those that differ by case only stay as they are.
    static func folded(_ names: [String], _ fold: (String) -> String) -> [String: String] {
        let groups = Dictionary(grouping: names, by: fold)
        return Dictionary(
            groups.compactMap { folded, names in names.count == 1 ? (names[0], folded) : nil }
        ) { first, _ in first }
    }
}
