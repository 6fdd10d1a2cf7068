internal import Foundation
internal import RuntimeSupport

/// An observation of a key path of an object. Each object along the key path is observed, and when one of them is
/// replaced, the rest of the key path is evaluated again.
///
/// Confined to the queue of the objects' context.
final class KeyPathObservation {
    /// A change, before it is converted to the type of the property.
    struct Change {
        var difference: MemberDifference?
        var new: Any?
        var old: Any?
        var isPrior = false
    }

    private let options: NSKeyValueObservingOptions
    private let read: () -> Any?
    private let handler: (Change) -> Void
    /// The key path, and the key paths that its value depends on.
    private let chains: [[String]]
    /// The observed objects of each chain, up to the first that is missing.
    private var watched: [[Weak]]
    private var oldValue: Any?
    private var difference: MemberDifference?
    /// The number of changes in progress. Of nested changes only the outermost is reported.
    private var depth = 0
    private var hasChanged = false
    private var isEnded = false

    private struct Weak {
        weak var observers: ObjectObservers?
    }

    /// Begins an observation.
    ///
    /// - Parameters:
    ///   - object: The object at which the key path begins.
    ///   - keys: The key path.
    ///   - read: Returns the value at the end of the key path; `nil` also after the object was deallocated.
    init(
        object: NSManagedObject, keys: [String], options: NSKeyValueObservingOptions, read: @escaping () -> Any?,
        handler: @escaping (Change) -> Void
    ) {
        self.options = options
        self.read = read
        self.handler = handler
        let others = keys.first.map { type(of: object).keyPathsForValuesAffectingValue(forKey: $0) } ?? []
        chains = [keys] + others.sorted().map { $0.split(separator: ".").map(String.init) }
        watched = chains.map { _ in [] }
        for chain in chains.indices { follow(chain, from: 0, object) }
        if options.contains(.initial) { handler(Change(new: options.contains(.new) ? read() : nil)) }
    }

    /// Observes the objects of a chain from a level on.
    private func follow(_ chain: Int, from level: Int, _ object: NSManagedObject?) {
        let keys = chains[chain]
        var next = object
        for level in level..<keys.count {
            guard let object = next else { return }
            let observers = object.startAnnouncing()
            observers.add(ObjectObservers.Link(observation: self, chain: chain, level: level), keys[level])
            watched[chain].append(Weak(observers: observers))
            guard level + 1 < keys.count else { return }
            switch object.value(forKey: keys[level]) {
            case let object as NSManagedObject: next = object
            case is NSSet, is NSOrderedSet:
                // Apple's collections reject observers with the same message.
                misuse(
                    "NSInvalidArgumentException",
                    "[<NSSet> addObserver:forKeyPath:options:context:] is not supported. Key path: "
                        + keys[(level + 1)...].joined(separator: "."))
            default: next = nil
            }
        }
    }

    /// Stops observing the objects of a chain from a level on.
    private func leave(_ chain: Int, from level: Int) {
        for (offset, weak) in watched[chain].enumerated().dropFirst(level) {
            weak.observers?.remove(self, chain: chain, level: offset, chains[chain][offset])
        }
        watched[chain].removeSubrange(min(level, watched[chain].count)...)
    }

    func end() {
        isEnded = true
        for chain in chains.indices { leave(chain, from: 0) }
    }

    // MARK: Changes

    /// Handles a property along the key path that is about to change.
    func willChange(_ link: ObjectObservers.Link, _ difference: MemberDifference?, isSure: Bool) {
        guard !isEnded else { return }
        depth += 1
        guard depth == 1 else { return }
        self.difference = link.chain == 0 && link.level + 1 == chains[0].count ? difference : nil
        if options.contains(.old) { oldValue = old }
        if isSure, options.contains(.prior) {
            handler(Change(difference: self.difference, old: oldValue, isPrior: true))
        }
    }

    /// Handles a property along the key path that has changed.
    func didChange(_ link: ObjectObservers.Link) {
        guard !isEnded, depth > 0 else { return }
        depth -= 1
        hasChanged = true
        if link.level + 1 < chains[link.chain].count, let object = watched[link.chain][link.level].observers?.owner {
            leave(link.chain, from: link.level + 1)
            let next = object.value(forKey: chains[link.chain][link.level]) as? NSManagedObject
            follow(link.chain, from: link.level + 1, next)
        }
        finish()
    }

    /// Handles an announced change of a property along the key path that did not happen.
    func didNotChange() {
        guard !isEnded, depth > 0 else { return }
        depth -= 1
        finish()
    }

    private func finish() {
        guard depth == 0, hasChanged else { return }
        hasChanged = false
        let change = Change(difference: difference, new: options.contains(.new) ? new : nil, old: oldValue)
        oldValue = nil
        difference = nil
        handler(change)
    }

    private var old: Any? {
        guard let difference else { return read() }
        return difference.kind == .insertion ? nil : difference.collection
    }

    private var new: Any? {
        guard let difference else { return read() }
        return difference.kind == .removal ? nil : difference.collection
    }
}
