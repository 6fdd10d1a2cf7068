/// A change of the name by which references find an element.
package struct IdentityChange: Codable, Hashable, Sendable {
    /// The name of the version.
    package var version: String
    /// The path to the element before the change.
    package var from: [ElementReference.Step]
    /// The path to the element after the change.
    package var to: [ElementReference.Step]

    /// The change that undoes this one.
    var reversed: IdentityChange { IdentityChange(version: version, from: to, to: from) }

    /// Returns a reference that was made before the change, to the element or one inside it, as it is after the change.
    func updated(_ element: ElementReference) -> ElementReference {
        guard element.version == version, element.steps.starts(with: from) else { return element }
        return ElementReference(version: version, to + element.steps.dropFirst(from.count))
    }
}

extension EditorRequest {
    /// Returns a request that was made before changes, with the references as they are after the changes.
    func updated(by changes: [IdentityChange]) -> EditorRequest {
        guard !changes.isEmpty else { return self }
        func updated(_ element: ElementReference) -> ElementReference {
            changes.reduce(element) { $1.updated($0) }
        }
        switch self {
        case .edit(let operation): return .edit(operation: operation.mappingElements(updated))
        case .copy(let elements): return .copy(elements: elements.map(updated))
        default: return self
        }
    }
}

extension EditOperation {
    /// Returns the operation with other references to the elements that exist before it.
    func mappingElements(_ transform: (ElementReference) -> ElementReference) -> EditOperation {
        switch self {
        case .set(let element, let attribute, let value):
            .set(element: transform(element), attribute: attribute, value: value)
        case .add(let parent, let kind, let values, let members):
            .add(parent: transform(parent), kind: kind, values: values, members: members)
        case .rename(let element, let name): .rename(element: transform(element), name: name)
        case .duplicate(let elements): .duplicate(elements: elements.map(transform))
        case .delete(let elements): .delete(elements: elements.map(transform))
        case .paste(let parent, let text): .paste(parent: transform(parent), text: text)
        case .move(let element, let position): .move(element: transform(element), position: position)
        case .connect(let source, let target): .connect(from: transform(source), to: transform(target))
        case .addInverse(let element): .addInverse(element: transform(element))
        case .group(let operations, let title):
            .group(operations: operations.map { $0.mappingElements(transform) }, title: title)
        case .arrange(let version, let boxes):
            .arrange(
                version: version,
                boxes: boxes.map { box in
                    let entity = transform(ElementReference(version: version, [.init("entity", box.name)]))
                    var box = box
                    box.name = entity.steps.first?.name ?? box.name
                    return box
                })
        case .makeCurrent: self
        }
    }
}
