package import ModelMigration
package import ModelSchema

/// The kind of difference between elements of two versions.
package enum ChangeKind: String, Hashable, Sendable {
    case added
    case removed
    /// Both versions have the element with the same name and different settings.
    case changed
    /// The element has another name, and a renaming identifier identifies it.
    case renamed
    /// An element was removed and a similar one was added, without a renaming identifier: probably a rename, which
    /// migration will treat as a removal and an addition.
    case suspectedRename
    /// A property is declared by another entity of the same hierarchy.
    case moved

    fileprivate var inverted: ChangeKind {
        switch self {
        case .added: .removed
        case .removed: .added
        default: self
        }
    }
}

/// An element that differs between two versions. Names and locations are `nil` for a version that does not have it.
package struct ElementChange: Hashable, Sendable {
    package var kind: ChangeKind
    /// Its name in the first version.
    package var oldName: String?
    /// Its name in the second version.
    package var newName: String?
    /// The settings that differ, for elements that both versions have.
    package var fields: [FieldChange]
    /// The location in the first version.
    package var oldOrigin: ElementOrigin?
    /// The location in the second version.
    package var newOrigin: ElementOrigin?

    /// The name in the second version, or else in the first one.
    package var name: String { newName ?? oldName ?? "" }

    package var inverted: ElementChange {
        ElementChange(
            kind: kind.inverted, oldName: newName, newName: oldName, fields: fields.map(\.inverted),
            oldOrigin: newOrigin, newOrigin: oldOrigin)
    }
}

/// A property that differs between two versions.
package struct PropertyChange: Hashable, Sendable {
    package var change: ElementChange
    /// The kind of property in the first version.
    package var oldKind: Property.Kind?
    /// The kind of property in the second version.
    package var newKind: Property.Kind?
    /// The type or destination, for the description of an added or removed property.
    package var summary: String
    /// The entity that declared the property in the first version, for a moved property.
    package var oldOwner: String?
    /// The entity that declares the property in the second version, for a moved property.
    package var newOwner: String?

    package var inverted: PropertyChange {
        PropertyChange(
            change: change.inverted, oldKind: newKind, newKind: oldKind, summary: summary, oldOwner: newOwner,
            newOwner: oldOwner)
    }
}

/// A reason why the version hash of an entity changed (Documentation/Formats/VersionHashes.md, 3).
package enum HashTerm: Hashable, Sendable {
    /// A setting of the entity itself.
    case setting(Field)
    /// The parent or its hash changed.
    case parent(old: String?, new: String?)
    /// A stored property of the entity or of an ancestor is only in the first version.
    case removedProperty(String)
    /// A stored property of the entity or of an ancestor is only in the second version.
    case addedProperty(String)
    /// The hash of a property changed because of these settings.
    case property(String, [Field])

    fileprivate var inverted: HashTerm {
        switch self {
        case .parent(let old, let new): .parent(old: new, new: old)
        case .removedProperty(let name): .addedProperty(name)
        case .addedProperty(let name): .removedProperty(name)
        case .setting, .property: self
        }
    }
}

/// An entity that differs between two versions.
package struct EntityChange: Hashable, Sendable {
    /// The change of the entity itself.
    package var change: ElementChange
    /// The changes of its declared properties.
    package var properties: [PropertyChange]
    /// The version hash in the first version.
    package var oldHash: VersionHash?
    /// The version hash in the second version.
    package var newHash: VersionHash?
    /// The reasons why the version hashes differ, for an entity with the same name in both versions.
    package var hashTerms: [HashTerm]

    package var inverted: EntityChange {
        EntityChange(
            change: change.inverted, properties: properties.map(\.inverted).sorted(), oldHash: newHash,
            newHash: oldHash,
            hashTerms: hashTerms.map(\.inverted).sorted())
    }
}

// MARK: - Order

extension ElementChange {
    /// The sort key: both names, the smaller first, so that the order is the same for the inverted difference except
    /// for ties.
    fileprivate var sortKey: [String] {
        let names = [oldName, newName].compactMap { $0 }.sorted()
        return names + [oldName ?? "", kind.rawValue]
    }
}

extension PropertyChange: Comparable {
    package static func < (lhs: PropertyChange, rhs: PropertyChange) -> Bool {
        (lhs.change.sortKey + [lhs.newOwner ?? ""]).lexicographicallyPrecedes(
            rhs.change.sortKey + [rhs.newOwner ?? ""])
    }
}

extension EntityChange: Comparable {
    package static func < (lhs: EntityChange, rhs: EntityChange) -> Bool {
        lhs.change.sortKey.lexicographicallyPrecedes(rhs.change.sortKey)
    }
}

extension ElementChange: Comparable {
    package static func < (lhs: ElementChange, rhs: ElementChange) -> Bool {
        lhs.sortKey.lexicographicallyPrecedes(rhs.sortKey)
    }
}

extension HashTerm: Comparable {
    private var sortKey: (Int, String) {
        switch self {
        case .setting(let field): (0, field.rawValue)
        case .parent: (1, "")
        case .removedProperty(let name), .addedProperty(let name), .property(let name, _): (2, name)
        }
    }

    package static func < (lhs: HashTerm, rhs: HashTerm) -> Bool { lhs.sortKey < rhs.sortKey }
}
