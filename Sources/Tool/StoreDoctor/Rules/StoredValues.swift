internal import CompiledModel
internal import CoreData
internal import Diagnostics
internal import Foundation

/// Strings as SQLite stores them.
enum StoredText {
    /// Returns whether bytes are UTF-8 without U+0000.
    static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = PlainText.prefix(of: bytes)
        var isPlain = true
        while index < bytes.count {
            let byte = bytes[index]
            if byte == 0 { return false }
            if byte >= 0x80 { isPlain = false }
            index += 1
        }
        return isPlain || String(validUTF8: bytes) != nil
    }
}

/// Values as validation rules see them.
enum PropertyValue {
    /// Returns whether values of a type are checked.
    static func isValidated(_ type: NSAttributeType) -> Bool {
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .booleanAttributeType,
            .doubleAttributeType, .floatAttributeType, .decimalAttributeType, .stringAttributeType, .dateAttributeType:
            true
        default: false
        }
    }

    /// Returns the value of an attribute, or `nil` if its storage class is that of another type.
    static func value(_ cell: CellValue, _ type: NSAttributeType) -> Any? {
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            cell.isInteger ? NSNumber(value: cell.integer) : nil
        case .booleanAttributeType: cell.isInteger ? NSNumber(value: cell.integer != 0) : nil
        case .doubleAttributeType: cell.isInteger || cell.isReal ? NSNumber(value: cell.real) : nil
        case .floatAttributeType: cell.isInteger || cell.isReal ? NSNumber(value: Float(cell.real)) : nil
        case .decimalAttributeType:
            // A column keeps 15 digits of a decimal number.
            cell.isInteger
                ? NSDecimalNumber(decimal: Decimal(cell.integer))
                : cell.isReal ? NSDecimalNumber(string: String(format: "%.15g", cell.real)) : nil
        case .stringAttributeType: cell.isText ? cell.text : nil
        case .dateAttributeType:
            cell.isInteger || cell.isReal ? Date(timeIntervalSinceReferenceDate: cell.real) : nil
        default: nil
        }
    }
}

/// Keyed archives, as far as they must be for any class to be decoded from them.
enum KeyedArchiveCheck {
    /// Returns whether bytes are a keyed archive whose references lead to objects.
    static func isArchive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.starts(with: Array("bplist00".utf8)),
            let list = try? PropertyListValue(binary: [UInt8](bytes)),
            list["$archiver"]?.string == "NSKeyedArchiver", case .array(let objects)? = list["$objects"],
            let top = list["$top"]?.dictionary, !objects.isEmpty
        else { return false }
        return top.allSatisfy { isIntact($0.value, objects.count) }
            && objects.allSatisfy { isIntact($0, objects.count) }
    }

    private static func isIntact(_ value: PropertyListValue, _ count: Int) -> Bool {
        switch value {
        case .uid(let number): (0..<count).contains(number)
        case .array(let values), .set(let values): values.allSatisfy { isIntact($0, count) }
        case .dictionary(let entries): entries.allSatisfy { isIntact($0.value, count) }
        default: true
        }
    }
}
