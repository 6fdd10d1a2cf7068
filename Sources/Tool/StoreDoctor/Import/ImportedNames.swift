internal import CoreData

/// Maps exported entities and properties to those of the model.
///
/// Renaming identifiers count before names, as in a migration: a name can be that of another property in an earlier
/// version.
struct ImportedNames {
    /// The model of the export; `nil` if it is unknown.
    let source: NSManagedObjectModel?
    let model: NSManagedObjectModel

    private typealias Failure = ImportedRows.Failure
    private typealias Name = (name: String, identifier: String)

    /// Returns the entity of an exported one; `nil` if there is none.
    func entity(_ name: String) throws -> NSEntityDescription? {
        let all = model.entities.map { Self.name($0.name, $0.renamingIdentifier) }
        let identifier = source?.entitiesByName[name].map { Self.name($0.name, $0.renamingIdentifier).identifier }
        let byName = Self.index(of: name, identifier, in: all, prefersNames: true)
        guard byName == Self.index(of: name, identifier, in: all, prefersNames: false) || source != nil else {
            throw Self.ambiguous("“\(name)”")
        }
        return Self.index(of: name, identifier, in: all, prefersNames: false).map { model.entities[$0] }
    }

    /// Returns the stored properties of exported ones by their exported names, where there is one.
    func properties(
        _ names: [String], of entity: NSEntityDescription, exportedAs exported: String
    ) throws -> [String: NSPropertyDescription] {
        let properties = entity.properties.filter { !$0.isTransient && !($0 is NSFetchedPropertyDescription) }
        let all = properties.map { Self.name($0.name, $0.renamingIdentifier) }
        let known = source?.entitiesByName[exported]?.propertiesByName ?? [:]
        func found(prefersNames: Bool) -> [Int?] {
            names.map { name in
                let identifier = known[name].map { Self.name($0.name, $0.renamingIdentifier).identifier }
                return Self.index(of: name, identifier, in: all, prefersNames: prefersNames)
            }
        }
        func isUnique(_ indices: [Int?]) -> Bool {
            let present = indices.compactMap(\.self)
            return Set(present).count == present.count
        }
        let choices = [found(prefersNames: false), found(prefersNames: true)].filter(isUnique)
        guard let choice = choices.first else {
            throw Failure(
                message: "several properties of “\(exported)” would become the same property of “\(entity.name ?? "")”",
                help: "Choose the --version of the model that the export was made with.")
        }
        if source == nil, let other = choices.last, other != choice {
            let index = choice.indices.first { choice[$0] != other[$0] } ?? 0
            throw Self.ambiguous("“\(exported).\(names[index])”")
        }
        return Dictionary(zip(names, choice).compactMap { name, index in index.map { (name, properties[$0]) } }) {
            first, _ in first
        }
    }

    private static func name(_ name: String?, _ identifier: String?) -> Name { (name ?? "", identifier ?? name ?? "") }

    private static func index(
        of key: String, _ identifier: String?, in all: [Name], prefersNames: Bool
    ) -> Int? {
        let byName = all.firstIndex { $0.name == key }
        if let identifier {
            // Several elements can have the same identifier.
            if let byName, all[byName].identifier == identifier { return byName }
            if let index = all.firstIndex(where: { $0.identifier == identifier }) { return index }
        }
        let renamed = all.firstIndex { $0.identifier == key && $0.name != key }
        return prefersNames ? byName ?? renamed : renamed ?? byName
    }

    private static func ambiguous(_ name: String) -> Failure {
        Failure(
            message: "\(name) can be two things: the model has this name, and something else was renamed from it",
            help: "Import the folder of an export, which contains its model.")
    }
}
