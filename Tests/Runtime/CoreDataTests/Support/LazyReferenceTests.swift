import Foundation
import Testing

@testable import CoreData

@Suite struct LazyReferenceTests {
    private final class Value {
        let number: Int

        init(_ number: Int) { self.number = number }
    }

    @Test func theFirstValueIsKeptAndReleasedAtTheEnd() {
        weak var first: Value?
        weak var second: Value?
        do {
            let reference = LazyReference<Value>()
            let value = reference.value { Value(1) }
            first = value
            #expect(reference.value { Value(2) } === value)
            // Another thread has been faster.
            let nested = LazyReference<Value>()
            let kept = nested.value {
                let other = nested.value { Value(3) }
                let late = Value(4)
                second = late
                #expect(other.number == 3)
                return late
            }
            #expect(kept.number == 3 && second == nil)
        }
        #expect(first == nil)
    }

    @Test func allThreadsGetTheSameValue() {
        for _ in 0..<200 {
            let reference = LazyReference<Value>()
            nonisolated(unsafe) let seen = UnsafeMutablePointer<ObjectIdentifier?>.allocate(capacity: 8)
            seen.initialize(repeating: nil, count: 8)
            defer { seen.deallocate() }
            nonisolated(unsafe) let shared = reference
            DispatchQueue.concurrentPerform(iterations: 8) { index in
                seen[index] = ObjectIdentifier(shared.value { Value(index) })
            }
            #expect(Set((0..<8).map { seen[$0] }).count == 1)
        }
    }
}
