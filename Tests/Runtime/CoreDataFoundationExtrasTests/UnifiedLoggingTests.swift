import Foundation
import Testing

@testable import UnifiedLogging

@Suite struct UnifiedLoggingTests {
    private func text(_ message: OSLogMessage) -> String { message.text }

    @Test func textsAreHiddenAndNumbersShown() {
        let name = "Anna", error = CocoaError(.fileNoSuchFile)
        #expect(
            text("a \(name) \(3) \(name, privacy: .public) \(2.5, format: .fixed(precision: 1)) \(true)")
                == "a <private> 3 Anna 2.5 true")
        #expect(text("\(3, privacy: .private) \(error)") == "<private> <private>")
        #expect(text("\(255, format: .hex) \(7, format: .decimal(minDigits: 3)) \(Int.self)") == "ff 007 Int")
        #expect(text("|\(3, align: .right(columns: 3))|\(4, align: .left(columns: 3))|") == "|  3|4  |")
    }

    @Test(
        arguments: [
            ("%d of %{public}@", [3, "a"], "3 of a"),
            ("%@ %{private}d %s", ["a", 3, "b"], "<private> <private> <private>"),
            ("%.2f %5.1f %x %%", [1.5, 2.25, 255], "1.50   2.2 ff %"), ("%d %d", [1], "1 <decode: missing data>"),
            ("100%", [], "100%"), ("%{public, name=x}@", ["a"], "a"), ("%{public", [], "%{public"),
        ] as [(String, [any Sendable], String)])
    func formatsAreFilled(_ format: String, _ arguments: [any Sendable], _ expected: String) {
        #expect(OSLogFormat.text(format, arguments, showsPrivate: false) == expected)
    }

    @Test func privateValuesAreShownOnRequest() {
        #expect(OSLogFormat.text("%@ %{private}d", ["a", 3], showsPrivate: true) == "a 3")
        for setting in ["1", "YES", "enable"] { #expect(LogSink.shows(setting)) }
        #expect(!LogSink.shows(nil) && !LogSink.shows("0"))
    }

    @Test func linesNameTheSubsystemAndTheLevel() {
        #expect(LogSink.line("a", .error, subsystem: "s", category: "c") == "s [c] error: a\n")
        #expect(LogSink.line("a", .default, subsystem: "", category: "") == "a\n")
        #expect(!OSLog.disabled.isEnabled(type: .fault) && OSLog.default.isEnabled(type: .error))
    }

    @Test func locksExcludeOtherThreads() {
        var lock = os_unfair_lock()
        os_unfair_lock_lock(&lock)
        #expect(!os_unfair_lock_trylock(&lock))
        os_unfair_lock_unlock(&lock)
        let count = OSAllocatedUnfairLock(initialState: 0)
        DispatchQueue.concurrentPerform(iterations: 1_000) { _ in count.withLock { $0 += 1 } }
        #expect(count.withLock { $0 } == 1_000)
        let plain = OSAllocatedUnfairLock()
        plain.lock()
        #expect(!plain.lockIfAvailable())
        plain.unlock()
        #expect(plain.withLockIfAvailable { _ in 3 } == 3)
    }
}
