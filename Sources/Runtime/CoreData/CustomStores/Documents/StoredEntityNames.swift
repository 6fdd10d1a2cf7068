internal import Foundation

/// The names of entities in files: XML stores write them in upper case.
struct StoredEntityNames {
    /// Whether names of entities are in upper case, and those of properties in lower case.
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

    /// Returns the entity for a name in a file; `nil` if there is none or it is abstract.
    func entity(_ stored: String) -> NSEntityDescription? {
        guard let entity = entities[stored], !entity.isAbstract else { return nil }
        return entity
    }

    /// Returns the name of an entity in a file.
    func storedName(_ name: String) -> String { storedNames[name] ?? name }

    /// Returns the names converted to one case. Names that only differ in case are unchanged.
    static func folded(_ names: [String], _ fold: (String) -> String) -> [String: String] {
        let groups = Dictionary(grouping: names, by: fold)
        return Dictionary(
            groups.compactMap { folded, names in names.count == 1 ? (names[0], folded) : nil }
        ) { first, _ in first }
    }
}
