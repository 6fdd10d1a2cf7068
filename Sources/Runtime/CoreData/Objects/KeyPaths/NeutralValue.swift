internal import CCoreDataSupport
internal import Foundation
internal import RuntimeSupport

/// Placeholder values for properties while a Swift key path is followed. Accessors must return a value; it is
/// discarded.
enum NeutralValue {
    /// Returns a value of a type, or `nil` for types that cannot be instantiated: existentials and structures with
    /// references.
    static func make<Value>(_ type: Value.Type) -> Value? {
        if let optional = type as? any OptionalValue.Type { return optional.noValue as? Value }
        if let empty = type as? any EmptyWithoutValue.Type { return empty.init() as? Value }
        if let objectClass = type as? NSManagedObject.Type { return KeyRecorder.object(objectClass) as? Value }
        for object in objects { if let value = object() as? Value { return value } }
        if let objectClass = type as? AnyClass { return blank(objectClass) as? Value }
        // Numbers, dates, UUIDs and enumerations without associated values: all bits zero is a valid value of each, and
        // the first case of an enumeration is zero.
        guard _isPOD(type) else { return nil }
        return withUnsafeTemporaryAllocation(
            byteCount: max(MemoryLayout<Value>.size, 1), alignment: MemoryLayout<Value>.alignment
        ) { buffer in
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            return buffer.load(as: Value.self)
        }
    }

    /// Returns an object of an arbitrary class whose stored properties are zero. It is never released, because its
    /// `deinit` may not expect such values.
    private static func blank(_ objectClass: AnyClass) -> AnyObject {
        let object = cd_allocate_zeroed(unsafeBitCast(objectClass, to: UnsafeRawPointer.self))
        return Unmanaged<AnyObject>.fromOpaque(object).takeUnretainedValue()
    }

    /// Factories of objects of the classes of attribute values.
    private static let objects: [@Sendable () -> AnyObject] = [
        { NSNumber(value: 0) }, { NSDecimalNumber.zero }, { NSString() }, { NSDate() }, { NSData() }, { NSUUID() },
        { NSSet() },
        { NSOrderedSet() }, { NSArray() }, { NSDictionary() }, { NSURL(fileURLWithPath: "/") },
        { NSMutableSet() }, { NSMutableOrderedSet() }, { NSMutableArray() }, { NSMutableDictionary() },
        { NSAttributedString(string: "") },
    ]
}

/// Types for which Apple's bridging returns an empty value instead of `nil`.
protocol EmptyWithoutValue {
    init()
}

extension String: EmptyWithoutValue {}
extension Data: EmptyWithoutValue {}
extension Array: EmptyWithoutValue {}
extension Dictionary: EmptyWithoutValue {}
extension Set: EmptyWithoutValue {}

extension AnyKeyPath {
    /// The key-value coding key path that corresponds to a Swift key path from a managed object class, such as
    /// `author.name` for `\Book.author?.name`, or `nil` if the key path does not consist of properties.
    ///
    /// The standard library's property of this name, which libraries use, is always `nil` without Objective-C. A file
    /// that imports CoreData uses this one instead.
    public var _kvcKeyPathString: String? { PropertyKeyPath.property(of: self) }
}
