internal import CompiledModel
internal import Foundation

/// Conversion of property lists between Foundation objects, which apps use, and plain values, which files contain.
extension PropertyListValue {
    /// Converts a value from an app's dictionary, or returns `nil` if property lists cannot contain it.
    package init?(foundation value: Any) {
        switch value {
        case let text as String: self = .string(text)
        case let data as Data: self = .data([UInt8](data))
        case let date as Date: self = .date(date.timeIntervalSinceReferenceDate)
        case let number as NSNumber: self.init(number)
        case let flag as Bool: self = .boolean(flag)
        case let number as any BinaryInteger where Int64(exactly: number) != nil:
            self = .integer(Int64(truncatingIfNeeded: number))
        case let number as any BinaryFloatingPoint: self = .real(Double(number))
        case let uuid as UUID: self = .string(uuid.uuidString)
        case let list as [Any]: self.init(list)
        case let list as NSArray: self.init(list.map { $0 })
        case let dictionary as [String: Any]: self.init(dictionary)
        case let dictionary as NSDictionary:
            guard let dictionary = dictionary as? [String: Any] else { return nil }
            self.init(dictionary)
        default: return nil
        }
    }

    private init(_ number: NSNumber) {
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "c") where number.int64Value == 0 || number.int64Value == 1:
            self = .boolean(number.boolValue)
        case UInt8(ascii: "d"), UInt8(ascii: "f"): self = .real(number.doubleValue)
        case UInt8(ascii: "Q") where number.uint64Value > UInt64(Int64.max): self = .unsigned(number.uint64Value)
        default: self = .integer(number.int64Value)
        }
    }

    private init?(_ list: [Any]) {
        var values: [PropertyListValue] = []
        for element in list {
            guard let value = PropertyListValue(foundation: element) else { return nil }
            values.append(value)
        }
        self = .array(values)
    }

    private init?(_ dictionary: [String: Any]) {
        var entries: [Entry] = []
        for (key, element) in dictionary.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            guard let value = PropertyListValue(foundation: element) else { return nil }
            entries.append(Entry(key, value))
        }
        self = .dictionary(entries)
    }

    /// The value as a Foundation object.
    package var foundationValue: Any {
        switch self {
        case .boolean(let value): NSNumber(value: value)
        case .integer(let value): NSNumber(value: value)
        case .unsigned(let value): NSNumber(value: value)
        case .real(let value): NSNumber(value: value)
        case .float(let value): NSNumber(value: value)
        case .date(let value): Date(timeIntervalSinceReferenceDate: value)
        case .data(let bytes): Data(bytes)
        case .string(let text): text
        case .uid(let number): NSNumber(value: number)
        case .array(let values), .set(let values): values.map(\.foundationValue)
        case .dictionary(let entries): foundationDictionary(entries)
        }
    }

    private func foundationDictionary(_ entries: [Entry]) -> [String: Any] {
        Dictionary(entries.map { ($0.key, $0.value.foundationValue) }) { first, _ in first }
    }
}
