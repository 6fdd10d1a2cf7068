internal import Foundation
internal import RuntimeSupport

extension PredicateValue {
    /// Creates a predicate value from any value. Optionals are unwrapped, and numbers of all types become integers,
    /// real numbers or decimals.
    package init(any value: Any?) {
        guard let value else {
            self = .null
            return
        }
        // The most common kinds, by their exact type, which only takes a pointer comparison each.
        let type = type(of: value)
        if type == String.self, let text = value as? String {
            self = .string(text)
        } else if type == Int.self, let number = value as? Int {
            self = .integer(Int64(number))
        } else if type == Double.self, let number = value as? Double {
            self = .real(number)
        } else if type == Bool.self, let flag = value as? Bool {
            self = .boolean(flag)
        } else if type == Date.self, let date = value as? Date {
            self = .date(date.timeIntervalSinceReferenceDate)
        } else if type == [String: Any].self, let dictionary = value as? [String: Any] {
            self = .dictionary(PredicateDictionary(dictionary))
        } else if let type = type as? AnyObject.Type {
            // Only objects may get here: other values would be boxed to check what they can be cast to.
            self.init(object: value as AnyObject, type)
        } else {
            self.init(swift: value)
        }
    }

    /// Creates a predicate value from an object.
    private init(object: AnyObject, _ type: AnyObject.Type) {
        switch object {
        case let slotted as any SlotReadable: self = .slotted(slotted)
        case let readable as any KeyValueReadable: self = .readable(readable)
        case let object as NSObject where type is NSObject.Type: self.init(foundation: object)
        case let collection as PredicateCollection: self = .collection(collection)
        default: self = .other(OtherValue(object))
        }
    }

    /// Creates a predicate value from an instance of a Foundation class or subclass.
    private init(foundation object: NSObject) {
        switch object {
        case is NSNull: self = .null
        case let decimal as NSDecimalNumber: self = .decimal(decimal)
        case let number as NSNumber: self.init(number: number)
        case let text as NSString: self = .string(String(describing: text))
        case let date as NSDate: self = .date(date.timeIntervalSinceReferenceDate)
        case let array as NSArray:
            self = .collection(PredicateCollection(array, count: array.count, kind: .array, source: array))
        case let set as NSSet: self = .collection(PredicateCollection(set, count: set.count, kind: .set, source: set))
        case let set as NSOrderedSet:
            self = .collection(PredicateCollection(set, count: set.count, kind: .orderedSet, source: set))
        case let dictionary as NSDictionary: self = .dictionary(PredicateDictionary(dictionary))
        case let uuid as NSUUID: self = UUID(uuidString: uuid.uuidString).map { .uuid($0) } ?? .null
        case let data as NSData: self = .data(Data(referencing: data))
        case let url as NSURL: self = .other(OtherValue((url as URL?) ?? url))
        default: self = .other(OtherValue(object))
        }
    }

    /// Creates a predicate value from a number, by its `objCType`.
    private init(number: NSNumber) {
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "c"), UInt8(ascii: "B"):
            // A Boolean, or a number of 8 bits.
            self = number.isBoolean ? .boolean(number.boolValue) : .integer(number.int64Value)
        case UInt8(ascii: "d"), UInt8(ascii: "f"): self = .real(number.doubleValue)
        case UInt8(ascii: "Q") where number.uint64Value > UInt64(Int64.max):
            self = .decimal(NSDecimalNumber(value: number.uint64Value))
        default: self = .integer(number.int64Value)
        }
    }

    /// Creates a predicate value from a value that is not an object.
    private init(swift value: Any) {
        switch value {
        case let hashable as AnyHashable where type(of: value) == AnyHashable.self: self.init(any: hashable.base)
        case let text as any StringProtocol: self = .string(String(text))
        case let number as any BinaryInteger: self.init(integer: number)
        case let number as Float where type(of: value) == Float.self: self = .real(Double(number))
        case let number as any BinaryFloatingPoint: self = .real(Double(number))
        case let character as Character: self = .string(String(character))
        case let number as Decimal where type(of: value) == Decimal.self:
            self = .decimal(NSDecimalNumber(decimal: number))
        case let uuid as UUID where type(of: value) == UUID.self: self = .uuid(uuid)
        case let data as Data where type(of: value) == Data.self: self = .data(data)
        case let url as URL where type(of: value) == URL.self: self = .other(OtherValue(url))
        case let optional as any OptionalValue: self.init(any: optional.anyValue)
        case let dictionary as [String: Any]: self = .dictionary(PredicateDictionary(dictionary))
        case let collection as any Collection: self.init(collection: collection)
        case let raw as any RawRepresentable: self.init(any: raw.rawValue)
        default: self = .other(OtherValue(value))
        }
    }

    private init(integer number: some BinaryInteger) {
        if let value = Int64(exactly: number) {
            self = .integer(value)
        } else if let value = UInt64(exactly: number) {
            self = .decimal(NSDecimalNumber(value: value))
        } else {
            self = .real(Double(number))
        }
    }

    private init(collection: any Collection) {
        if let dictionary = collection as? NSDictionary {
            self = .dictionary(PredicateDictionary(dictionary))
            return
        }
        self.init(collection, kind: collection is any SetAlgebra ? .set : .array)
    }

    private init(_ collection: some Collection, kind: PredicateCollection.Kind) {
        self = .collection(PredicateCollection(collection, count: collection.count, kind: kind, source: collection))
    }
}

extension NSNumber {
    /// Whether a number of the type "c" is a Boolean. Foundation does not distinguish it from an 8-bit number that is 0
    /// or 1, which compares the same anyway.
    var isBoolean: Bool { (0...1).contains(int64Value) }
}
