package import ModelSchema

/// The elements of a composite attribute in two versions, paired level by level as attributes are.
///
/// Apple documents nothing about the elements of composite attributes in a migration. They follow the rules of
/// attributes.
package struct CompositeMatch<Element: Renameable> {
    /// An element that is not composite itself, with the names on the path to it.
    package struct Leaf {
        /// The names on the path.
        package var path: [String]
        package var element: Element
        /// The path as text, such as `address.city`.
        package var name: String { path.joined(separator: ".") }
    }

    /// The elements of both versions.
    package private(set) var pairs: [(source: Leaf, destination: Leaf)] = []
    /// The elements that only the source has.
    package private(set) var removed: [Leaf] = []
    /// The elements that only the destination has.
    package private(set) var added: [Leaf] = []

    private let isUnchanged: Bool
    private let sourceParts: (Element) -> [Element]?
    private let destinationParts: (Element) -> [Element]?

    /// - Parameters:
    ///   - source: The composite attribute in the source.
    ///   - destination: The composite attribute in the destination.
    ///   - isUnchanged: Whether the entity that declares the attribute is the same in both versions: elements that keep
    ///     their names are then the same, regardless of their renaming identifiers, except in a chain of renamings.
    ///   - sourceParts: Returns the elements of a composite attribute or element of the source, `nil` for others.
    ///   - destinationParts: The same for the destination.
    package init(
        source: Element, destination: Element, isUnchanged: Bool, sourceParts: @escaping (Element) -> [Element]?,
        destinationParts: @escaping (Element) -> [Element]?
    ) {
        self.isUnchanged = isUnchanged
        self.sourceParts = sourceParts
        self.destinationParts = destinationParts
        match(sourceParts(source) ?? [], new: destinationParts(destination) ?? [], oldPath: [], newPath: [])
    }

    private mutating func match(_ old: [Element], new: [Element], oldPath: [String], newPath: [String]) {
        guard max(oldPath.count, newPath.count) <= Attribute.maximumCompositeDepth else { return }
        let chains = isUnchanged ? RenamingChains(old, new) : nil
        let level = ElementMatch(source: old, destination: new) { before, after in
            chains.map { !$0.contain(before, renamed: after) } ?? false
        }
        for pair in level.pairs {
            let (before, after) = (oldPath + [pair.source.name], newPath + [pair.destination.name])
            switch (sourceParts(pair.source), destinationParts(pair.destination)) {
            case (let inner?, let other?): match(inner, new: other, oldPath: before, newPath: after)
            case (nil, nil):
                pairs.append(
                    (Leaf(path: before, element: pair.source), Leaf(path: after, element: pair.destination)))
            default:
                removed += Self.leaves(pair.source, path: oldPath, parts: sourceParts)
                added += Self.leaves(pair.destination, path: newPath, parts: destinationParts)
            }
        }
        for element in level.removed { removed += Self.leaves(element, path: oldPath, parts: sourceParts) }
        for element in level.added { added += Self.leaves(element, path: newPath, parts: destinationParts) }
    }

    fileprivate static func leaves(_ element: Element, path: [String], parts: (Element) -> [Element]?) -> [Leaf] {
        let own = path + [element.name]
        guard let inner = parts(element) else { return [Leaf(path: own, element: element)] }
        guard own.count <= Attribute.maximumCompositeDepth else { return [] }
        return inner.flatMap { leaves($0, path: own, parts: parts) }
    }
}

extension CompositeMatch where Element == Attribute {
    /// Pairs the elements of a composite attribute of two models.
    ///
    /// - Parameter isUnchanged: Whether the entity that declares the attribute is the same in both versions.
    package init(
        source: Attribute, old: IndexedModel, destination: Attribute, new: IndexedModel, isUnchanged: Bool
    ) {
        self.init(
            source: source, destination: destination, isUnchanged: isUnchanged, sourceParts: old.parts,
            destinationParts: new.parts)
    }
}

extension Attribute: Renameable {}

extension IndexedModel {
    /// Returns the elements of a composite attribute or element, none if its type is missing; `nil` for other
    /// attributes.
    func parts(of attribute: Attribute) -> [Attribute]? {
        guard attribute.type == .composite else { return nil }
        return attribute.compositeName.flatMap { composites[$0] }?.attributes ?? []
    }

    /// Returns the elements of a composite attribute that are not composite themselves, each with its path; empty if
    /// its type is missing.
    package func leaves(of attribute: Attribute) -> [CompositeMatch<Attribute>.Leaf] {
        (parts(of: attribute) ?? []).flatMap { CompositeMatch.leaves($0, path: [], parts: parts) }
    }
}
