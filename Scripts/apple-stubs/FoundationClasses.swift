// Classes that Objective-C has on Apple's platforms and Linux's Foundation declares in Swift only. They belong to the
// module of the generated code, where they hide those of Foundation.

public import Foundation

@objc(NSObject) open class NSObject: Foundation.NSObject {}
@objc(NSIndexSet) public class NSIndexSet: Foundation.NSObject {}
@objc(NSOrderedSet) public class NSOrderedSet: Foundation.NSObject {}
@objc(NSDictionary) public class NSDictionary: Foundation.NSObject {}
@objc(NSAttributedString) public class NSAttributedString: Foundation.NSObject {}
@objc(NSDate) public class NSDate: Foundation.NSObject {}
@objc(NSData) public class NSData: Foundation.NSObject {}
@objc(NSValue) open class NSValue: Foundation.NSObject {}

@objc(NSSet) public class NSSet: Foundation.NSObject {
    @nonobjc public convenience init(array: [Any]) { self.init() }
}

@objc(NSArray) public class NSArray: Foundation.NSObject {
    @nonobjc public convenience init(array: [Any]) { self.init() }
}

@objc(NSNumber) open class NSNumber: NSValue {
    @nonobjc public convenience init(value: Int16) { self.init() }
    @nonobjc public convenience init(value: Int32) { self.init() }
    @nonobjc public convenience init(value: Int64) { self.init() }
    @nonobjc public convenience init(value: Double) { self.init() }
    @nonobjc public convenience init(value: Float) { self.init() }
    @nonobjc public convenience init(value: Bool) { self.init() }
    @nonobjc public final var int16Value: Int16 { 0 }
    @nonobjc public final var int32Value: Int32 { 0 }
    @nonobjc public final var int64Value: Int64 { 0 }
    @nonobjc public final var doubleValue: Double { 0 }
    @nonobjc public final var floatValue: Float { 0 }
    @nonobjc public final var boolValue: Bool { false }
}

@objc(NSDecimalNumber) public class NSDecimalNumber: NSNumber {}
