import Dispatch
import Testing

@testable import SwiftData

/// The reference of an object to its model, which does not retain it.
@Suite struct ModelLinkTests {
    private final class Target {
        var willRelease: () -> Void = {}
        let value = 7

        deinit { willRelease() }
    }

    private final class Holder: @unchecked Sendable {
        var link = ModelLink()
        var isSeen = false
    }

    @Test func linksDoNotRetainTheirModel() {
        let holder = Holder()
        var target: Target? = Target()
        #expect(holder.link.model == nil)
        holder.link.model = target
        #expect(holder.link.model === target && target != nil)
        target = nil
        #expect(holder.link.model == nil)
        #expect(!String(reflecting: Mirror(reflecting: holder).children.map(\.value)).isEmpty)
        target = Target()
        holder.link.model = target
        #expect(holder.link.model === target && target != nil)
        holder.link.model = nil
        #expect(holder.link.model == nil)
    }

    @Test func linksAreNilWhileTheirModelIsDestroyed() {
        let holder = Holder()
        var target: Target? = Target()
        holder.link.model = target
        target?.willRelease = { holder.isSeen = holder.link.model != nil }
        target = nil
        #expect(!holder.isSeen && holder.link.model == nil)
    }

    /// The last reference to a model may be released by another thread while its context reads the link.
    @Test func otherThreadsMayReleaseTheModel() {
        let holder = Holder()
        for _ in 0..<2_000 {
            nonisolated(unsafe) var target: Target? = Target()
            holder.link.model = target
            let done = DispatchSemaphore(value: 0)
            DispatchQueue.global().async {
                target = nil
                done.signal()
            }
            while let found = holder.link.model as? Target { #expect(found.value == 7) }
            done.wait()
        }
        #expect(holder.link.model == nil)
    }
}
