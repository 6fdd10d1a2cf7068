internal import Foundation

/// Retains Foundation's compound predicates that are nested so deeply that releasing them would overflow the stack.
///
/// `NSCompoundPredicate` releases its parts in its deinitializer, which uses stack at every level: about 20 000 levels
/// in 8 MB. Here every part is retained, so that an unused predicate can be released from the outside in.
enum DeepPredicates {
    /// The depth from which predicates are retained. Below it, releasing needs less than 512 KB of stack.
    static let threshold = 1000

    private static let retained = RetainedObjects()

    private final class RetainedObjects: @unchecked Sendable {
        private let lock = NSLock()
        /// Predicates with all their parts, each before its own parts.
        private var predicates: [[NSPredicate]] = []
        private var roots: Set<ObjectIdentifier> = []

        func add(_ parts: [NSPredicate]) {
            lock.withLock {
                releaseUnused()
                guard let root = parts.first, roots.insert(ObjectIdentifier(root)).inserted else { return }
                predicates.append(parts)
            }
        }

        /// Releases predicates that nothing else refers to, from the outside in.
        private func releaseUnused() {
            predicates = predicates.compactMap { parts in
                var parts = Array(parts.reversed())
                while let last = parts.indices.last, isKnownUniquelyReferenced(&parts[last]) {
                    roots.remove(ObjectIdentifier(parts[last]))
                    parts.removeLast()
                }
                if let rest = parts.last { roots.insert(ObjectIdentifier(rest)) }
                return parts.isEmpty ? nil : parts.reversed()
            }
        }
    }

    /// Retains a predicate if it nests deeply. For any other, only its parts are examined.
    static func record(_ predicate: NSPredicate) {
        guard type(of: predicate) == NSCompoundPredicate.self else { return }
        var parts: [NSPredicate] = []
        var seen: Set<ObjectIdentifier> = []
        var open = [(predicate, 1)]
        var isDeep = false
        while let (next, depth) = open.popLast() {
            guard seen.insert(ObjectIdentifier(next)).inserted else { continue }
            parts.append(next)
            isDeep = isDeep || depth > threshold
            guard let compound = next as? NSCompoundPredicate else { continue }
            open += compound.subpredicates.map { ($0, depth + 1) }
        }
        if isDeep { retained.add(parts) }
    }
}
