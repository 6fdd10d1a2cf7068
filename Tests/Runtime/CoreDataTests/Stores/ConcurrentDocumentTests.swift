import CoreData
import Testing

/// XML and binary stores that two processes save.
@Suite struct ConcurrentDocumentTests {
    /// Another process holds the lock of the file from the comparison of its version until it has replaced it.
    @Test(arguments: FormatStoreTests.types) func savesWaitForAReplacementByAnotherProcess(_ type: String) throws {
        let stack = try FormatStack(type)
        defer { stack.remove() }
        let context = try stack.context()
        try context.performAndWait {
            _ = context.make("Tag", ["name": "both"])
            try context.save()
        }
        let copy = stack.folder.appendingPathComponent("copy")
        try FileManager.default.copyItem(at: stack.url, to: copy)
        let other = try FormatStack(type, copy)
        defer { other.remove() }
        let otherContext = try other.context()
        try otherContext.performAndWait {
            _ = otherContext.make("Tag", ["name": "theirs"])
            try otherContext.save()
        }
        let theirs = try Data(contentsOf: copy)
        let descriptor = open(stack.url.path, O_RDONLY | O_CLOEXEC)
        try #require(descriptor >= 0 && flock(descriptor, LOCK_EX) == 0)
        let done = DispatchSemaphore(value: 0)
        let outcome = Recorder<NSError?>()
        Thread.detachNewThread {
            outcome.values.append(
                nsError {
                    try context.performAndWait {
                        _ = context.make("Tag", ["name": "ours"])
                        try context.save()
                    }
                })
            done.signal()
        }
        #expect(done.wait(timeout: .now() + 0.5) == .timedOut)
        #expect(rename(copy.path, stack.url.path) == 0)
        close(descriptor)
        done.wait()
        #expect(outcome.values.map { $0?.code } == [NSPersistentStoreSaveError])
        #expect(try Data(contentsOf: stack.url) == theirs)
    }
}
