import CoreDataFoundationExtras
import Foundation
import Testing

@Suite struct AssociatedObjectTests {
    private final class Owner {}
    private final class Value {}

    private nonisolated(unsafe) static var first: UInt8 = 0
    private nonisolated(unsafe) static var second: UInt8 = 0

    @Test func valuesBelongToAnObjectAndAKey() {
        let (one, other) = (Owner(), Owner())
        objc_setAssociatedObject(one, &Self.first, "a", .OBJC_ASSOCIATION_RETAIN)
        objc_setAssociatedObject(one, &Self.second, 2, .OBJC_ASSOCIATION_COPY)
        #expect(objc_getAssociatedObject(one, &Self.first) as? String == "a")
        #expect(objc_getAssociatedObject(one, &Self.second) as? Int == 2)
        #expect(objc_getAssociatedObject(other, &Self.first) == nil)
        objc_setAssociatedObject(one, &Self.first, nil, .OBJC_ASSOCIATION_RETAIN)
        #expect(objc_getAssociatedObject(one, &Self.first) == nil)
        objc_removeAssociatedObjects(one)
        #expect(objc_getAssociatedObject(one, &Self.second) == nil)
    }

    @Test func anUnretainedValueBecomesNil() {
        let owner = Owner()
        var value: Value? = Value()
        objc_setAssociatedObject(owner, &Self.first, value, .OBJC_ASSOCIATION_ASSIGN)
        #expect(objc_getAssociatedObject(owner, &Self.first) as? Value === value)
        value = nil
        #expect(objc_getAssociatedObject(owner, &Self.first) == nil)
    }

    /// Later objects are often at the address of an earlier one.
    @Test func laterObjectsDoNotInheritValuesAndValuesAreReleased() {
        weak var first: Value?
        for index in 0..<10_000 {
            let owner = Owner()
            #expect(objc_getAssociatedObject(owner, &Self.first) == nil)
            let value = Value()
            if index == 0 { first = value }
            objc_setAssociatedObject(owner, &Self.first, value, .OBJC_ASSOCIATION_RETAIN)
        }
        #expect(first == nil)
    }
}
