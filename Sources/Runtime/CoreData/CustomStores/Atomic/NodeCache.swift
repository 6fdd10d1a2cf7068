internal import Foundation

/// The nodes of an atomic store, by ID and, in order of insertion, by entity. Guarded by the coordinator's lock.
final class NodeCache {
    private var nodes: [NSManagedObjectID: NSAtomicStoreCacheNode] = [:]
    private var idsByEntity: [String: [NSManagedObjectID]] = [:]

    subscript(id: NSManagedObjectID) -> NSAtomicStoreCacheNode? { nodes[id] }

    var all: [NSAtomicStoreCacheNode] { Array(nodes.values) }

    /// Returns the IDs of an entity's own objects.
    func ids(ofEntity name: String) -> [NSManagedObjectID] { idsByEntity[name] ?? [] }

    /// Adds nodes of a set in the order of their references, so that the order is deterministic.
    func add(_ added: Set<NSAtomicStoreCacheNode>) {
        for node in added.sorted(by: { Self.isBefore($0.objectID, $1.objectID) }) { add(node) }
    }

    func add(_ node: NSAtomicStoreCacheNode) {
        let id = node.objectID
        if nodes.updateValue(node, forKey: id) == nil { idsByEntity[id.entity.name ?? "", default: []].append(id) }
    }

    func remove(_ ids: [NSManagedObjectID]) {
        var entities: Set<String> = []
        for id in ids where nodes.removeValue(forKey: id) != nil { entities.insert(id.entity.name ?? "") }
        for name in entities { idsByEntity[name]?.removeAll { nodes[$0] == nil } }
    }

    private static func isBefore(_ one: NSManagedObjectID, _ other: NSManagedObjectID) -> Bool {
        switch (one.reference, other.reference) {
        case (.number(let one), .number(let other)): one < other
        case (.number, _): true
        case (_, .number): false
        case (.text(let one), .text(let other)): one < other
        default: "\(one.reference)" < "\(other.reference)"
        }
    }
}
