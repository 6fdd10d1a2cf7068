import CLibrary
import Foundation
import Testing

@Suite struct LockedTests {
    private struct Failure: Error {}

    @Test func oneThreadAtATimeChangesTheValue() {
        let count = Locked(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<50_000 { count.withLock { $0 += 1 } }
        }
        #expect(count.withLock { $0 } == 400_000)
    }

    @Test func anErrorReleasesTheLock() {
        let count = Locked(0)
        #expect(throws: Failure.self) {
            try count.withLock { count throws(Failure) in
                count = 1
                throw Failure()
            }
        }
        #expect(count.withLock { $0 } == 1)
    }
}
