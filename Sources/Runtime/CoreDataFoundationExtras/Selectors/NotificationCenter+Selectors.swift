public import Foundation

extension NotificationCenter {
    /// Calls a method of an object with each notification, on the thread that posts it. The center keeps only a weak
    /// reference to the observer, which is removed when it is released.
    ///
    /// ```swift
    /// final class Saves {
    ///     func didSave(_ notification: Notification) {}
    /// }
    /// let saves = Saves()
    /// NotificationCenter.default.addObserver(
    ///     saves, selector: Selector("didSave:", calling: Saves.didSave(_:)), name: .NSManagedObjectContextDidSave, object: nil)
    /// ```
    ///
    /// Traps if the selector is only a name.
    ///
    /// - Parameters:
    ///   - observer: The object whose method is called.
    ///   - aSelector: The method, without arguments or with the notification.
    ///   - aName: The name to observe; `nil` for all.
    ///   - anObject: The sender to observe; `nil` for all.
    public func addObserver(
        _ observer: Any, selector aSelector: Selector, name aName: NSNotification.Name?, object anObject: Any?
    ) {
        aSelector.requireMethod()
        SelectorObservers.shared.add(
            observer as AnyObject, aSelector, center: self, name: aName, object: anObject)
    }

    /// Removes an observer: an object whose methods are called, or the token of a block.
    public func removeObserver(_ observer: AnyObject) {
        SelectorObservers.shared.remove(observer, from: self, name: nil, object: nil)
        removeObserver(observer as Any)
    }

    /// Removes an observer from the notifications with a name and a sender.
    ///
    /// - Parameters:
    ///   - observer: The object whose methods are called, or the token of a block.
    ///   - aName: The name; `nil` for all.
    ///   - anObject: The sender; `nil` for all.
    public func removeObserver(_ observer: AnyObject, name aName: NSNotification.Name?, object anObject: Any?) {
        SelectorObservers.shared.remove(observer, from: self, name: aName, object: anObject)
        removeObserver(observer as Any, name: aName, object: anObject)
    }
}

/// The observers of all notification centers whose methods are called: Foundation on Linux knows blocks only.
final class SelectorObservers: @unchecked Sendable {
    static let shared = SelectorObservers()

    /// An observer, which is not retained, and the token of the block that calls it.
    private final class Registration: @unchecked Sendable {
        weak var observer: AnyObject?
        weak var center: NotificationCenter?
        let selector: Selector
        let name: NSNotification.Name?
        let sender: ObjectIdentifier?
        private let lock = NSLock()
        private var token: (any NSObjectProtocol)?

        init(
            _ observer: AnyObject, _ selector: Selector, center: NotificationCenter, name: NSNotification.Name?,
            sender: ObjectIdentifier?
        ) {
            self.observer = observer
            self.center = center
            self.selector = selector
            self.name = name
            self.sender = sender
        }

        func receive(_ notification: Notification) {
            guard let observer else { return end() }
            selector.perform(on: observer, with: notification)
        }

        var isLive: Bool { observer != nil && center != nil }

        func begin(_ token: any NSObjectProtocol) { lock.withLock { self.token = token } }

        /// Ends the block's observation, and releases the token, which may retain the block.
        func end() {
            let token = lock.withLock {
                defer { self.token = nil }
                return self.token
            }
            if let token { center?.removeObserver(token as Any) }
        }
    }

    /// Recursive, because looking at an observer may release it.
    private let lock = NSRecursiveLock()
    private var registrations: [ObjectIdentifier: [Registration]] = [:]
    /// The number of registrations.
    private(set) var count = 0
    /// The number of registrations at which released ones are dropped, so that observers that are never removed cost no
    /// memory.
    private var sweepCount = 64

    func add(
        _ observer: AnyObject, _ selector: Selector, center: NotificationCenter, name: NSNotification.Name?,
        object: Any?
    ) {
        let registration = Registration(
            observer, selector, center: center, name: name, sender: object.map { ObjectIdentifier($0 as AnyObject) })
        registration.begin(
            center.addObserver(forName: name, object: object, queue: nil) { registration.receive($0) })
        let released = lock.withLock {
            registrations[ObjectIdentifier(observer), default: []].append(registration)
            count += 1
            return sweep()
        }
        for registration in released { registration.end() }
    }

    /// Removes the registrations of released observers if there may be many.
    private func sweep() -> [Registration] {
        guard count >= sweepCount else { return [] }
        var released: [Registration] = []
        registrations = registrations.compactMapValues { list in
            let live = list.filter(\.isLive)
            if live.count < list.count {
                let kept = Set(live.map { ObjectIdentifier($0) })
                released += list.filter { !kept.contains(ObjectIdentifier($0)) }
            }
            return live.isEmpty ? nil : live
        }
        count -= released.count
        sweepCount = max(64, count * 2)
        return released
    }

    /// Removes registrations of an object, which may be in its deinitializer.
    func remove(_ observer: AnyObject, from center: NotificationCenter, name: NSNotification.Name?, object: Any?) {
        let id = ObjectIdentifier(observer)
        let sender = object.map { ObjectIdentifier($0 as AnyObject) }
        let removed = lock.withLock { () -> [Registration] in
            guard let list = registrations[id] else { return [] }
            func isRemoved(_ registration: Registration) -> Bool {
                registration.center === center && (name == nil || registration.name == name)
                    && (sender == nil || registration.sender == sender)
            }
            let kept = list.filter { !isRemoved($0) }
            registrations[id] = kept.isEmpty ? nil : kept
            count -= list.count - kept.count
            return kept.count == list.count ? [] : list.filter(isRemoved)
        }
        for registration in removed { registration.end() }
    }
}
