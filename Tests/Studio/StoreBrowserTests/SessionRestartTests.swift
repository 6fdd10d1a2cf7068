import Foundation
import Testing

@testable import StudioServer

/// The handler of fatal signals.
@Suite struct SessionRestartTests {
    @Test func aStackOverflowIsHandled() async {
        await #expect(processExitsWith: .exitCode(7)) {
            SessionRestart.install { _ in _exit(7) }
            let thread = Thread {
                SessionRestart.protectThread()
                _ = Self.overflow(1)
            }
            thread.start()
            sleep(60)
        }
    }

    private static func overflow(_ depth: Int) -> Int {
        depth == 0 ? 0 : withUnsafeTemporaryAllocation(of: Int.self, capacity: 64) { $0.count + overflow(depth + 1) }
    }

    @Test func aThreadHasOneStackForTheHandler() async {
        let stacks = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var stacks: [UInt] = []
                for _ in 0..<2 {
                    SessionRestart.protectThread()
                    var stack = stack_t()
                    sigaltstack(nil, &stack)
                    stacks.append(UInt(bitPattern: stack.ss_sp))
                }
                continuation.resume(returning: stacks)
            }
        }
        #expect(stacks[0] != 0 && stacks[0] == stacks[1])
    }
}
