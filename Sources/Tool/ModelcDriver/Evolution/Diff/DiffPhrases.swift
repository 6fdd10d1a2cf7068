internal import ModelEvolution
internal import ModelMigration
internal import ModelSchema

/// The wording of changes, shared by all formats of `modelc diff`.
enum DiffPhrases {
    /// Returns the character that precedes a change.
    static func mark(_ kind: ChangeKind) -> String {
        switch kind {
        case .added: "+"
        case .removed: "-"
        case .changed: "~"
        case .renamed, .moved: ">"
        case .suspectedRename: "?"
        }
    }

    /// Returns the description of an entity's change, which follows its name.
    static func phrase(_ entity: EntityChange) -> String {
        phrase(entity.change, what: "entity")
    }

    /// Returns the description of a property's change, which follows its name.
    static func phrase(_ property: PropertyChange) -> String {
        switch property.change.kind {
        case .added, .removed: property.summary
        case .moved: "moved from “\(property.oldOwner ?? "")” to “\(property.newOwner ?? "")”"
        case .changed where property.oldKind != property.newKind:
            "was \(property.oldKind?.rawValue ?? ""), is now \(property.newKind?.rawValue ?? "")"
        default: phrase(property.change, what: (property.newKind ?? .attribute).rawValue)
        }
    }

    private static func phrase(_ change: ElementChange, what: String) -> String {
        switch change.kind {
        case .added: "new \(what)"
        case .removed: "\(what) removed"
        case .changed, .moved: ""
        case .renamed: "renamed from “\(change.oldName ?? "")” by renaming identifier"
        case .suspectedRename:
            "probably renamed from “\(change.oldName ?? "")”, but without a renaming identifier"
        }
    }

    /// Returns a changed setting: `optional: no → yes`.
    static func text(_ field: FieldChange) -> String {
        let isFlag = [field.old, field.new].allSatisfy { $0 == nil || $0 == "yes" }
        let none = isFlag ? "no" : "none"
        return "\(field.field.title): \(field.old ?? none) → \(field.new ?? none)"
    }

    /// Returns the reason for a changed version hash, in a few words.
    static func text(_ term: HashTerm) -> String {
        switch term {
        case .setting(let field): field.title
        case .parent(let old, let new):
            old == new ? "hash of parent “\(new ?? "")”" : "parent entity"
        case .removedProperty(let name): "“\(name)” removed"
        case .addedProperty(let name): "“\(name)” added"
        case .property(let name, let fields):
            "“\(name)”" + (fields.isEmpty ? "" : " (\(fields.map(\.title).joined(separator: ", ")))")
        }
    }

    /// Returns the settings that are listed. A changed name is not: the phrase already mentions it.
    static func shownFields(_ change: ElementChange) -> [FieldChange] {
        change.fields.filter { $0.field != .name }
    }

    /// Returns the first digits of a version hash, which are enough to tell hashes apart.
    static func short(_ hash: VersionHash?) -> String { hash.map { String($0.hexString.prefix(12)) } ?? "none" }
}
