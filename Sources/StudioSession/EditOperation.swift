/// A change of a model. Operations are values: the page sends them, and the journal keeps them.
package indirect enum EditOperation: Codable, Hashable, Sendable {
    /// Sets an XML attribute of an element, or removes it with `nil`, with everything that Xcode changes along with it: an inverse
    /// is set on both sides, another destination ends the inverse, another type removes what the type does not have.
    case set(element: ElementReference, attribute: String, value: String?)
    /// Adds an element, with Xcode's values for what is not given. Without a name it gets a free one.
    ///
    /// Entries of `userInfo`, constraints and compound indexes are added to the entity or property itself. `members` are the
    /// properties of a constraint or index.
    case add(parent: ElementReference, kind: String, values: [String: String], members: [String])
    /// Renames an element and everything that refers to it.
    case rename(element: ElementReference, name: String)
    /// Copies elements beside themselves, under free names.
    case duplicate(elements: [ElementReference])
    /// Deletes elements and what cannot exist without them.
    case delete(elements: [ElementReference])
    /// Inserts elements that were copied from this or another model.
    case paste(parent: ElementReference, text: String)
    /// Moves an element to another position among its siblings of the same kind.
    case move(element: ElementReference, position: Int)
    /// Places entities on the canvas of the graph editor.
    case arrange(version: String, boxes: [CanvasBox])
    /// Adds a relationship from an entity to another one, with its inverse.
    case connect(from: ElementReference, to: ElementReference)
    /// Makes a version current.
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
        case .makeCurrent: "Set Current Version"
        case .group(_, let title): title
        }
    }
}

/// An operation that cannot be performed. The model has not changed.
package struct EditRejection: Error, Hashable, Sendable {
    /// What is wrong.
    package var message: String
    /// What to do instead.
    package var help: String?

    /// Creates a rejection.
    package init(_ message: String, help: String? = nil) {
        self.message = message
        self.help = help
    }
}
