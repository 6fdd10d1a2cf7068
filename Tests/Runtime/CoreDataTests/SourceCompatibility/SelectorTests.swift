import Foundation
import Testing

@testable import CoreData
@testable import CoreDataFoundationExtras

/// Selectors that carry a method, in place of the Objective-C runtime.
@Suite struct SelectorTests {
    private let center = NotificationCenter()
    private let name = Notification.Name("SelectorTests")

    private class Observer {
        var calls: [String] = []
        func plain() { calls.append("plain") }
        func record(_ notification: Notification) { calls.append("note \(notification.object as? String ?? "")") }
        func reference(_ notification: NSNotification) -> Int {
            calls.append("reference \(notification.name.rawValue)")
            return 3
        }
        func any(_ value: Any?) { calls.append("any") }
    }

    private final class Derived: Observer {
        override func plain() { calls.append("derived") }
    }

    @MainActor private final class Screen {
        var calls = 0
        func receive(_ notification: Notification) { calls += 1 }
        func refresh() { calls += 10 }
    }

    @Test func methodsAreCalledWithTheNotification() {
        let observer = Observer()
        for selector in [
            Selector("plain", calling: Observer.plain), Selector("note:", calling: Observer.record(_:)),
            Selector("reference:", calling: Observer.reference(_:)), Selector("any:", calling: Observer.any(_:)),
        ] {
            center.addObserver(observer, selector: selector, name: name, object: nil)
        }
        center.post(name: name, object: "a")
        #expect(Set(observer.calls) == ["plain", "note a", "reference SelectorTests", "any"])
        #expect(observer.calls.count == 4)
    }

    @Test func anOverrideIsCalled() {
        let observer = Derived()
        center.addObserver(observer, selector: Selector("plain", calling: Observer.plain), name: nil, object: nil)
        center.post(name: name, object: nil)
        #expect(observer.calls == ["derived"])
    }

    @Test @MainActor func methodsOfTheMainActorAreCalled() {
        let screen = Screen()
        center.addObserver(screen, selector: Selector("receive:", calling: Screen.receive(_:)), name: name, object: nil)
        center.addObserver(screen, selector: Selector("refresh", calling: Screen.refresh), name: name, object: nil)
        center.post(name: name, object: nil)
        #expect(screen.calls == 11)
    }

    @Test func observersAreRemovedByNameAndSender() {
        let observer = Observer()
        let (one, other) = (NSObject(), NSObject())
        let selector = Selector("plain", calling: Observer.plain)
        for sender in [one, other] { center.addObserver(observer, selector: selector, name: name, object: sender) }
        center.removeObserver(observer, name: name, object: one)
        center.removeObserver(observer, name: Notification.Name("other"), object: nil)
        center.post(name: name, object: one)
        #expect(observer.calls.isEmpty)
        center.post(name: name, object: other)
        #expect(observer.calls.count == 1)
        NotificationCenter().removeObserver(observer)
        center.post(name: name, object: other)
        #expect(observer.calls.count == 2)
        center.removeObserver(observer)
        center.post(name: name, object: other)
        #expect(observer.calls.count == 2)
    }

    @Test func tokensOfBlocksAreStillRemoved() {
        nonisolated(unsafe) var calls = 0
        let token = center.addObserver(forName: name, object: nil, queue: nil) { _ in calls += 1 }
        center.removeObserver(token)
        center.post(name: name, object: nil)
        #expect(calls == 0)
    }

    @Test func observersAreNotRetained() {
        final class Leaving {
            let center: NotificationCenter
            init(_ center: NotificationCenter) { self.center = center }
            func f() {}
            deinit { center.removeObserver(self) }
        }
        var observer: Observer? = Observer()
        center.addObserver(observer!, selector: Selector("plain", calling: Observer.plain), name: name, object: nil)
        weak var released: Observer?
        released = observer
        observer = nil
        #expect(released == nil)
        center.post(name: name, object: nil)
        center.addObserver(Leaving(center), selector: Selector("f", calling: Leaving.f), name: name, object: nil)
        center.post(name: name, object: nil)
    }

    @Test func releasedObserversCostNoMemory() {
        let before = SelectorObservers.shared.count
        for _ in 0..<10_000 {
            center.addObserver(
                Observer(), selector: Selector("plain", calling: Observer.plain), name: name, object: nil)
        }
        #expect(SelectorObservers.shared.count < before + 1_000)
    }

    @Test func selectorsAreEqualByName() {
        #expect(Selector("note", calling: Observer.record(_:)) == Selector("note:"))
        #expect(Selector("plain", calling: Observer.plain).description == "plain")
        #expect(Set([Selector("note:"), Selector("note:", calling: Observer.record(_:))]).count == 1)
    }

    @Test func timersCallMethods() {
        let observer = Observer()
        let timer = Timer(
            timeInterval: 60, target: observer, selector: Selector("plain", calling: Observer.plain), userInfo: nil,
            repeats: false)
        timer.fire()
        #expect(observer.calls == ["plain"])
    }

    @Test func timersCarryTheirValueUntilTheyAreInvalidated() throws {
        final class Clock {
            var ticks: [String?] = []
            func tick(_ timer: Timer) { ticks.append(timer.userInfo as? String) }
        }
        let clock = Clock()
        let tick = Selector("tick:", calling: Clock.tick(_:))
        let timer = Timer(timeInterval: 60, target: clock, selector: tick, userInfo: "made", repeats: true)
        timer.fire()
        let scheduled = Timer.scheduledTimer(
            timeInterval: 60, target: clock, selector: tick, userInfo: "scheduled", repeats: true)
        scheduled.fire()
        #expect(clock.ticks == ["made", "scheduled"])
        weak var value: NSObject?
        let other: Timer
        do {
            let object = NSObject()
            value = object
            other = Timer(timeInterval: 60, target: clock, selector: tick, userInfo: [object], repeats: true)
        }
        #expect(value != nil && (other.userInfo as? [NSObject])?.first === value)
        other.invalidate()
        #expect(value == nil && other.userInfo == nil)
        timer.invalidate()
        scheduled.invalidate()
    }

    @Test func aSelectorThatIsOnlyANameTraps() async {
        await #expect(processExitsWith: .failure) {
            NotificationCenter.default.addObserver(
                NSObject(), selector: Selector("didSave:"), name: nil, object: nil)
        }
    }
}
