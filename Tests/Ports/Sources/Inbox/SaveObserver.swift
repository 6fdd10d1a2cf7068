import Foundation
import os

/// Counts what a context and a timer do, as it was done before blocks.
class SaveObserver: NSObject {
    private var lock = os_unfair_lock()
    private let context: NSManagedObjectContext
    private var counts: [String: Int] = [:]
    private lazy var timer = Timer(timeInterval: 0.01, target: self, selector: #selector(tick), userInfo: nil, repeats: false)

    init(_ context: NSManagedObjectContext) {
        self.context = context
        super.init()
        let center = NotificationCenter.default
        center.addObserver(
            self, selector: #selector(willSave), name: .NSManagedObjectContextWillSave, object: context)
        center.addObserver(
            self, selector: #selector(SaveObserver.didSave(_:)), name: .NSManagedObjectContextDidSave, object: context)
        center.addObserver(self, selector: #selector(self.other(note:)), name: SaveObserver.other, object: nil)
    }

    deinit { NotificationCenter.default.removeObserver(self) }

    static let other = Notification.Name("SaveObserver.other")

    func count(_ name: String) -> Int {
        os_unfair_lock_lock(&lock)
        defer { os_unfair_lock_unlock(&lock) }
        return counts[name, default: 0]
    }

    fileprivate func add(_ name: String) {
        os_unfair_lock_lock(&lock)
        counts[name, default: 0] += 1
        os_unfair_lock_unlock(&lock)
    }

    func runTimer() {
        RunLoop.current.add(timer, forMode: .default)
        RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.5))
    }

    func stop() {
        NotificationCenter.default.removeObserver(self, name: .NSManagedObjectContextDidSave, object: nil)
    }

    @objc private func willSave() { add("willSave") }

    @objc func didSave(_ notification: Notification) {
        let inserted = notification.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>
        add("didSave \(inserted?.count ?? 0)")
    }
}

extension SaveObserver {
    @objc func other(note: NSNotification) { add("other \(note.object as? String ?? "")") }
    @objc fileprivate func tick() { add("tick") }
}

@MainActor final class ScreenObserver {
    private(set) var names: [String] = []

    func start() {
        NotificationCenter.default.addObserver(
            self, selector: #selector(receive(_:)), name: SaveObserver.other, object: nil)
    }

    @objc func receive(_ notification: Notification) { names.append(notification.name.rawValue) }
}
