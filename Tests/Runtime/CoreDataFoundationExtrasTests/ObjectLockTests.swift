import CoreDataFoundationExtras
import Foundation
import Testing

@Suite struct ObjectLockTests {
    private final class Counter: @unchecked Sendable {
        var value = 0
    }

    @Test func threadsWaitForTheObject() {
        let counter = Counter()
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<500 {
                objc_sync_enter(counter)
                objc_sync_enter(counter)
                counter.value += 1
                objc_sync_exit(counter)
                objc_sync_exit(counter)
            }
        }
        #expect(counter.value == 4000)
        #expect(objc_sync_exit(counter) == OBJC_SYNC_NOT_OWNING_THREAD_ERROR)
    }

    @Test func fileProtectionIsAnObject() {
        let option = FileProtectionType.complete as NSObject
        #expect(option == NSString(string: FileProtectionType.complete.rawValue))
        let type = option as? FileProtectionType
        #expect(type?.rawValue == FileProtectionType.complete.rawValue)
    }

    @Test func appGroupContainersAreNil() {
        #expect(FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: "group.a") == nil)
    }
}
