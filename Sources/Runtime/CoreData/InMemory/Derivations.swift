internal import Foundation
internal import PredicateSyntax

/// The derived attributes of a model, and which of them must be recomputed when an object changes.
///
/// Guarded by the lock of the store's coordinator.
final class Derivations {
    /// A derived attribute of an entity and its subentities.
    fileprivate final class Derivation {
        let slot: Int
        let type: NSAttributeType
        let evaluator: ExpressionEvaluator

        init(slot: Int, type: NSAttributeType, evaluator: ExpressionEvaluator) {
            self.slot = slot
            self.type = type
            self.evaluator = evaluator
        }
    }

    /// A path along inverse relationships from a changed object to those whose attribute depends on it.
    private struct Dependent {
        let derivation: Derivation
        let way: [Int]
    }

    /// Objects with attributes that must be recomputed.
    struct Affected {
        fileprivate var derivations: [ObjectIdentifier: (object: MemoryObject, all: [Derivation])] = [:]

        var objects: [MemoryObject] { derivations.values.map(\.object) }

        fileprivate mutating func insert(_ object: MemoryObject, _ derivation: Derivation) {
            let recorded = derivations[ObjectIdentifier(object)]?.all ?? []
            guard !recorded.contains(where: { $0 === derivation }) else { return }
            derivations[ObjectIdentifier(object)] = (object, recorded + [derivation])
        }

        mutating func remove(_ object: MemoryObject) {
            derivations[ObjectIdentifier(object)] = nil
        }
    }

    private var own: [String: [Derivation]] = [:]
    private var dependents: [String: [Dependent]] = [:]

    var isEmpty: Bool { own.isEmpty }

    init(_ entities: [NSEntityDescription]) {
        for entity in entities {
            let layout = entity.objectLayout()
            for slot in layout.derivedSlots {
                guard let attribute = layout.slots[slot].property as? NSDerivedAttributeDescription,
                    let expression = attribute.derivationExpression
                else { continue }
                let tree = expression.tree
                let derivation = Derivation(
                    slot: slot, type: attribute.attributeType,
                    evaluator: ExpressionEvaluator(ExpressionTree(tree.syntax.asDerivation, boxes: tree.boxes)))
                own[layout.name, default: []].append(derivation)
                for keys in derivation.evaluator.reads.paths { addWays(keys, layout: layout, derivation: derivation) }
            }
        }
    }

    /// Records for every relationship on a path how to get back from its other end.
    private func addWays(_ keys: [String], layout: EntityLayout, derivation: Derivation) {
        var (current, way) = (layout, [Int]())
        for key in keys {
            guard let slot = current.index(of: key),
                let relationship = current.slots[slot].property as? NSRelationshipDescription,
                let destination = relationship.destinationEntity, current.slots[slot].inverse >= 0
            else { continue }
            way.insert(current.slots[slot].inverse, at: 0)
            current = destination.objectLayout()
            add(Dependent(derivation: derivation, way: way), destination)
        }
    }

    private func add(_ dependent: Dependent, _ entity: NSEntityDescription) {
        dependents[entity.name ?? "", default: []].append(dependent)
        for subentity in entity.subentities { add(dependent, subentity) }
    }

    /// Adds the objects whose attributes depend on objects that are about to change or have changed.
    func collect(_ objects: some Sequence<MemoryObject>, into affected: inout Affected) {
        for object in objects {
            for dependent in dependents[object.layout.name] ?? [] {
                var reached = [object]
                for slot in dependent.way { reached = reached.flatMap { $0.related(at: slot) } }
                for object in reached { affected.insert(object, dependent.derivation) }
            }
        }
    }

    /// Computes the attributes of written objects and of objects that depend on them.
    func recompute(_ written: [MemoryObject], _ affected: Affected) {
        for object in written { recompute(object, own[object.layout.name] ?? []) }
        for (object, derivations) in affected.derivations.values where !object.isDeleted {
            recompute(object, derivations)
        }
    }

    private func recompute(_ object: MemoryObject, _ derivations: [Derivation]) {
        guard !derivations.isEmpty else { return }
        var values = Array(object.row.values)
        for derivation in derivations {
            let value = derivation.evaluator.predicateValue(with: object).any
            values[derivation.slot] = value.flatMap { ValueConversion.slotValue($0, derivation.type) } ?? .null
        }
        object.row = Row.make(values, version: object.row.version)
    }
}
