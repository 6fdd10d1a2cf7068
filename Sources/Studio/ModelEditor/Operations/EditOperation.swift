/// A change to a model. Operations are values that the page sends and the journal stores.
package indirect enum EditOperation: Codable, Hashable, Sendable {
    /// Sets an XML attribute of an element, or removes it with `nil`, and makes the changes that Xcode makes along with
    /// it: an inverse is set on both sides, a changed destination removes the inverse, and a changed type removes
    /// settings that the new type does not have.
    case set(element: ElementReference, attribute: String, value: String?)
    /// Adds an element, with Xcode's defaults for values that are not given. Without a name, it gets an unused one.
    ///
    /// Entries of `userInfo`, constraints and compound indexes are added to the entity or property itself. `members`
    /// are the properties of a constraint or index.
    case add(parent: ElementReference, kind: String, values: [String: String], members: [String])
    /// Renames an element and everything that refers to it.
    case rename(element: ElementReference, name: String)
    /// Duplicates elements, under unused names.
    case duplicate(elements: [ElementReference])
    /// Deletes elements, and other elements that cannot exist without them.
    case delete(elements: [ElementReference])
    /// Inserts elements that were copied from this or another model.
    case paste(parent: ElementReference, text: String)
    /// Moves an element to another position among its siblings of the same kind.
    case move(element: ElementReference, position: Int)
    /// Positions entities on the canvas of the graph editor.
    case arrange(version: String, boxes: [CanvasBox])
    /// Adds a relationship from an entity to another one, with its inverse.
    case connect(from: ElementReference, to: ElementReference)
    /// Sets the inverse of a relationship to the one that points back, or to a new one.
    case addInverse(element: ElementReference)
    /// Sets the current version.
    case makeCurrent(version: String)
    /// Performs several operations that are undone together.
    case group(operations: [EditOperation], title: String)

    /// The name of the operation, as Edit ▸ Undo shows it.
    package var title: String {
        switch self {
        case .set(_, let attribute, _): "Change \(InspectorVocabulary.label(of: attribute))"
        case .add(_, let kind, _, _): "Add \(InspectorVocabulary.kindName(kind))"
        case .rename: "Rename"
        case .duplicate: "Duplicate"
        case .delete: "Delete"
        case .paste: "Paste"
        case .move: "Move"
        case .arrange(_, let boxes): boxes.count == 1 ? "Move Box" : "Move Boxes"
        case .connect: "Add Relationship"
        case .addInverse: "Add Inverse"
        case .makeCurrent: "Set Current Version"
        case .group(_, let title): title
        }
    }
}

extension EditOperation {
    /// The versions that the operation names.
    var versions: [String] {
        switch self {
        case .set(let element, _, _), .rename(let element, _), .move(let element, _), .addInverse(let element):
            [element.version]
        case .add(let parent, _, _, _), .paste(let parent, _): [parent.version]
        case .duplicate(let elements), .delete(let elements): elements.map(\.version)
        case .arrange(let version, _): [version]
        case .connect(let source, let target): [source.version, target.version]
        case .makeCurrent: []
        case .group(let operations, _): operations.flatMap(\.versions)
        }
    }
}

/// An operation that cannot be performed. The model has not changed.
package struct EditRejection: Error, Hashable, Sendable {
    /// The problem.
    package var message: String
    /// What to do instead.
    package var help: String?

    /// Creates a rejection.
    package init(_ message: String, help: String? = nil) {
        self.message = message
        self.help = help
    }
}
