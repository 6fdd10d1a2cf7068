internal import ModelEvolution
internal import ModelGraph
internal import ModelSchema

/// A difference, as marks in the graphs of both versions.
struct GraphDifference {
    /// The marks in the first version's graph.
    private(set) var old = GraphMarks()
    /// The marks in the second version's graph.
    private(set) var new = GraphMarks()

    init(_ difference: ModelDifference, from oldModel: Model, to newModel: Model) {
        for entity in difference.entities {
            let details = DiffPhrases.shownFields(entity.change).map(DiffPhrases.text)
            let mark = Self.marks(entity.change, details: details)
            if let name = entity.change.oldName, entity.change.kind != .added { old.entities[name] = mark.old }
            if let name = entity.change.newName, entity.change.kind != .removed { new.entities[name] = mark.new }
            for property in entity.properties { add(property, of: entity.change) }
            switch entity.change.kind {
            case .added: new.markAll(of: entity.change.newName, in: newModel, .added)
            case .removed: old.markAll(of: entity.change.oldName, in: oldModel, .removed)
            default: break
            }
        }
    }

    private mutating func add(_ property: PropertyChange, of entity: ElementChange) {
        let change = property.change
        var details = DiffPhrases.shownFields(change).map(DiffPhrases.text)
        if property.oldKind != property.newKind, change.kind == .changed {
            details.append(DiffPhrases.phrase(property))
        }
        var mark = Self.marks(change, details: details)
        if change.kind == .moved, let oldOwner = property.oldOwner, let newOwner = property.newOwner {
            mark.old.otherName = "now \(newOwner).\(change.newName ?? "")"
            mark.new.otherName = "was \(oldOwner).\(change.oldName ?? "")"
        }
        if let owner = property.oldOwner ?? entity.oldName, let name = change.oldName, change.kind != .added {
            old.properties[owner, default: [:]][name] = mark.old
        }
        if let owner = property.newOwner ?? entity.newName, let name = change.newName, change.kind != .removed {
            new.properties[owner, default: [:]][name] = mark.new
        }
    }

    private static func marks(_ change: ElementChange, details: [String]) -> (old: GraphMark, new: GraphMark) {
        let kind: GraphMark.Kind =
            switch change.kind {
            case .added: .added
            case .removed: .removed
            case .changed: .changed
            case .renamed, .moved: .renamed
            case .suspectedRename: .suspectedRename
            }
        var (old, new) = (GraphMark(kind, details: details), GraphMark(kind, details: details))
        if let oldName = change.oldName, let newName = change.newName, oldName != newName {
            old.otherName = "now \(newName)"
            new.otherName = "was \(oldName)"
        }
        return (old, new)
    }
}

extension GraphMarks {
    /// Marks all properties of an entity that only one version has.
    fileprivate mutating func markAll(of entityName: String?, in model: Model, _ kind: GraphMark.Kind) {
        guard let entity = model.entities.first(where: { $0.name == entityName }) else { return }
        for property in entity.properties { properties[entity.name, default: [:]][property.name] = GraphMark(kind) }
    }
}
