package import ModelSchema

/// One change that lightweight migration makes to a store.
package enum MigrationStep: Hashable, Sendable {
    case addEntity(String)
    case removeEntity(String)
    case renameEntity(old: String, new: String)
    /// The entity's parent changes; `nil` stands for no parent.
    case changeParent(entity: String, old: String?, new: String?)
    /// The new column has the default value in existing rows, or null if there is none.
    case addAttribute(entity: String, name: String, defaultValue: String?)
    case removeAttribute(entity: String, name: String)
    case renameAttribute(entity: String, old: String, new: String)
    case convertAttribute(entity: String, name: String, old: AttributeType, new: AttributeType)
    /// Rows without a value get the default value.
    case requireAttribute(entity: String, name: String, defaultValue: String?)
    case relaxAttribute(entity: String, name: String)
    case changeExternalStorage(entity: String, name: String, isExternal: Bool)
    /// The value of a derived attribute is recomputed.
    case deriveAttribute(entity: String, name: String)
    case addRelationship(entity: String, name: String)
    case removeRelationship(entity: String, name: String)
    case renameRelationship(entity: String, old: String, new: String)
    case makeToMany(entity: String, name: String)
    case changeOrdering(entity: String, name: String, isOrdered: Bool)
    /// Other settings that the version hash covers, but that do not change the store's columns.
    case changeSettings(entity: String, name: String?, [Field])

    /// The step as a phrase.
    package var text: String {
        switch self {
        case .addEntity(let name): "add entity “\(name)”"
        case .removeEntity(let name): "remove entity “\(name)” with its rows"
        case .renameEntity(let old, let new): "rename entity “\(old)” to “\(new)”"
        case .changeParent(let entity, let old, let new):
            switch (old, new) {
            case (nil, let new?): "make “\(entity)” inherit from “\(new)”"
            case (let old?, nil): "make “\(entity)” no longer inherit from “\(old)”"
            default: "make “\(entity)” inherit from “\(new ?? "")” instead of “\(old ?? "")”"
            }
        case .addAttribute(let entity, let name, let value):
            "add attribute “\(entity).\(name)”" + (value.map { " with the value \($0) in existing rows" } ?? "")
        case .removeAttribute(let entity, let name): "remove attribute “\(entity).\(name)” with its values"
        case .renameAttribute(let entity, let old, let new): "rename attribute “\(entity).\(old)” to “\(new)”"
        case .convertAttribute(let entity, let name, let old, let new):
            "convert “\(entity).\(name)” from \(old.xmlValue) to \(new.xmlValue)"
        case .requireAttribute(let entity, let name, let value):
            "make “\(entity).\(name)” required" + (value.map { "; rows without a value get \($0)" } ?? "")
        case .relaxAttribute(let entity, let name): "make “\(entity).\(name)” optional"
        case .changeExternalStorage(let entity, let name, let isExternal):
            isExternal
                ? "allow external storage of “\(entity).\(name)”" : "keep “\(entity).\(name)” in the database"
        case .deriveAttribute(let entity, let name): "recompute derived attribute “\(entity).\(name)”"
        case .addRelationship(let entity, let name): "add relationship “\(entity).\(name)”"
        case .removeRelationship(let entity, let name): "remove relationship “\(entity).\(name)”"
        case .renameRelationship(let entity, let old, let new):
            "rename relationship “\(entity).\(old)” to “\(new)”"
        case .makeToMany(let entity, let name): "make relationship “\(entity).\(name)” to-many"
        case .changeOrdering(let entity, let name, let isOrdered):
            "make relationship “\(entity).\(name)” \(isOrdered ? "ordered" : "unordered")"
        case .changeSettings(let entity, let name, let fields):
            "change \(fields.map(\.title).joined(separator: ", ")) of “\(entity)\(name.map { "." + $0 } ?? "")”"
        }
    }

    /// Whether the step discards values that a store may hold.
    package var losesData: Bool {
        switch self {
        case .removeEntity, .removeAttribute, .removeRelationship: true
        default: false
        }
    }
}
