import Foundation
import RuntimeSupport
import Testing

/// Invariants of storage that does not count references (Sources/Runtime/RuntimeSupport/README.md).
@Suite struct UnsafeStorageTests {
    private final class Target: WeakLinkTarget {
        let weakLinkAnchor = WeakLinkAnchor()
        var willRelease: () -> Void = {}

        init() {
            weakLinkAnchor.hold(self)
        }

        deinit {
            willRelease()
            weakLinkAnchor.release()
        }
    }

    private final class LinkHolder {
        @WeakLink var target: Target?
        var isSeen = false
    }

    @Test func weakLinksDoNotRetainTheirTarget() {
        let holder = LinkHolder()
        var target: Target? = Target()
        holder.target = target
        #expect(holder.target === target && target != nil)
        target = nil
        #expect(holder.target == nil)
    }

    /// Another thread may read a link while its target is being destroyed.
    @Test func weakLinksAreNilWhileTheirTargetIsDestroyed() {
        let holder = LinkHolder()
        var target: Target? = Target()
        holder.target = target
        target?.willRelease = { holder.isSeen = holder.target != nil }
        target = nil
        #expect(!holder.isSeen && holder.target == nil)
    }

    /// A counter guarded by a brief lock.
    private final class Counter: @unchecked Sendable {
        let lock = BriefLock()
        let value = UnsafeMutablePointer<Int>.allocate(capacity: 1)

        init() {
            value.initialize(to: 0)
        }

        deinit {
            value.deallocate()
        }

        func increment() {
            lock.lock()
            defer { lock.unlock() }
            value.pointee += 1
        }
    }

    @Test func briefLocksExcludeOtherThreads() {
        let counter = Counter()
        DispatchQueue.concurrentPerform(iterations: 8) { _ in for _ in 0..<50_000 { counter.increment() } }
        #expect(counter.value.pointee == 400_000)
    }

    private class Item {}
    private final class SpecialItem: Item {}

    @Test func onlyValuesOfExactlyTheClassAreFound() {
        let item = Item()
        let special: Item = SpecialItem()
        #expect(ExactClass.object(item, like: Item())?.takeUnretainedValue() === item)
        #expect(ExactClass.object(special, like: item) == nil)
        #expect(ExactClass.object(special, like: special)?.takeUnretainedValue() === special)
        #expect(ExactClass.object(nil, like: item) == nil)
        #expect(ExactClass.object(1, like: item) == nil)
        #expect(ExactClass.object(Item?.some(item) as Any?, like: item)?.takeUnretainedValue() === item)
    }

    @Test func uncountedLoopsVisitEachObjectInOrder() {
        let items = (0..<5).map { _ in Item() }
        var seen: [ObjectIdentifier] = []
        items.forEachUncounted { seen.append(ObjectIdentifier($0)) }
        #expect(seen == items.map { ObjectIdentifier($0) })
        seen = []
        #expect(
            !items.allSatisfyUncounted {
                seen.append(ObjectIdentifier($0))
                return $0 !== items[2]
            })
        #expect(seen.count == 3)
        // The result retains its objects.
        weak var first: Item?
        let kept: [Item]
        do {
            let all = (0..<5).map { _ in Item() }
            first = all[0]
            kept = all.filterUncounted { $0 !== all[1] }
        }
        #expect(kept.count == 4 && first === kept[0])
    }
}
