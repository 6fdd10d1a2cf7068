internal import CoreData
internal import Diagnostics
internal import Foundation

/// The values of attributes.
extension StoreExamination {
    /// The limits of dates: `distantPast` and `distantFuture`.
    private static let dates = (first: "-63114076800.0", last: "64092211200.0")

    func addValueConditions(
        _ entity: StoreLayout.Entity, property: StoreLayout.Property, attribute: StoreLayout.Attribute,
        scope: String, scan: inout TableScan
    ) throws(DoctorDatabase.Failure) {
        let value = "t.\(SQLName.inQuotes(attribute.column))"
        let path = "“\(entity.name).\(property.name)”"
        func add(
            _ rule: RuleID, sql: String, isPlain: Bool = true,
            total: (sql: String, share: Double, least: Int64)? = nil,
            message: @escaping (Int64) -> String
        ) {
            scan.add(
                RowCondition(
                    rule: rule, entity: entity.name, property: property.name, column: attribute.column,
                    sql: "\(scope)(\(sql))", isPlain: isPlain, message: message, total: total))
        }
        if !property.isOptional, !attribute.isDerived, !attribute.isElement {
            add(.requiredValueMissing, sql: "\(value) IS NULL") {
                "\(counted($0, "object")) of “\(entity.name)” \($0 == 1 ? "has" : "have") no \(path), which is required"
            }
        }
        if let isOther = Self.isOfOtherClass(value, attribute.type) {
            add(.storageClass, sql: isOther) {
                "\(counted($0, "value")) of \(path) \($0 == 1 ? "has" : "have") the storage class of another type"
            }
        }
        switch attribute.type {
        case .booleanAttributeType:
            add(.booleanRange, sql: "\(value) NOT IN (0, 1) AND typeof(\(value)) = 'integer'") {
                "\(counted($0, "value")) of \(path) \($0 == 1 ? "is" : "are") neither 0 nor 1"
            }
        case .integer16AttributeType, .integer32AttributeType:
            let isShort = attribute.type == .integer16AttributeType
            let limits = isShort ? "-32768 AND 32767" : "-2147483648 AND 2147483647"
            add(.integerRange, sql: "\(value) NOT BETWEEN \(limits) AND typeof(\(value)) = 'integer'") {
                "\(counted($0, "value")) of \(path) \($0 == 1 ? "does" : "do") not fit \(isShort ? 16 : 32) bits"
            }
        case .decimalAttributeType:
            add(.decimalText, sql: "+\(value) >= '' AND +\(value) < x'' AND \(value) <> 'NaN'") {
                "\(counted($0, "value")) of \(path) \($0 == 1 ? "is" : "are") stored as text"
            }
        case .UUIDAttributeType:
            add(.uuidLength, sql: "+\(value) >= x'' AND length(\(value)) <> 16") {
                "\(counted($0, "value")) of \(path) \($0 == 1 ? "does" : "do") not have 16 bytes"
            }
        case .dateAttributeType:
            let isNumber = "+\(value) < ''"
            add(.dateRange, sql: "\(isNumber) AND \(value) NOT BETWEEN \(Self.dates.first) AND \(Self.dates.last)") {
                "\(counted($0, "date")) of \(path) \($0 == 1 ? "is" : "are") before distantPast or after distantFuture"
            }
            add(
                .dateEpoch, sql: "\(isNumber) AND \(value) BETWEEN 1.2e9 AND 1e10",
                total: ("\(scope)\(value) IS NOT NULL", 0.8, 20)
            ) {
                "\(counted($0, "date")) of \(path) \($0 == 1 ? "is" : "are") after 2039; they were probably counted from 1970"
            }
        default: break
        }
        try addContentConditions(attribute, value: value, path: path, add: add)
    }

    /// Returns the condition that a value has a storage class that its type does not allow; `nil` if it allows any.
    ///
    /// In SQLite's order, numbers come before strings, and strings before blobs. These comparisons take half the time
    /// of `typeof`, whose results are strings. The sign keeps the column's affinity from converting a value.
    private static func isOfOtherClass(_ value: String, _ type: NSAttributeType) -> String? {
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .booleanAttributeType:
            "CASE typeof(\(value)) WHEN 'integer' THEN 0 WHEN 'null' THEN 0 ELSE 1 END"
        case .dateAttributeType, .doubleAttributeType, .floatAttributeType: "+\(value) >= ''"
        // Not a number is stored as text.
        case .decimalAttributeType: "+\(value) >= x''"
        case .stringAttributeType, .URIAttributeType: "+\(value) < '' OR +\(value) >= x''"
        case .UUIDAttributeType, .binaryDataAttributeType, .transformableAttributeType: "+\(value) < x''"
        default: nil
        }
    }

    private func addContentConditions(
        _ attribute: StoreLayout.Attribute, value: String, path: String,
        add: (RuleID, String, Bool, (sql: String, share: Double, least: Int64)?, @escaping (Int64) -> String) -> Void
    ) throws(DoctorDatabase.Failure) {
        if attribute.type == .stringAttributeType || attribute.type == .URIAttributeType,
            options.includes(.textEncoding)
        {
            let function = try database.addFunction { $0.isText && !StoredText.isValid($0.bytes) }
            add(.textEncoding, "\(function)(\(value))", false, nil) {
                "\(counted($0, "text")) of \(path) \($0 == 1 ? "is" : "are") not valid UTF-8, or \($0 == 1 ? "contains" : "contain") U+0000"
            }
        }
        if attribute.type == .URIAttributeType, options.includes(.uriInvalid) {
            let function = try database.addFunction { $0.isText && URL(string: $0.text) == nil }
            add(.uriInvalid, "\(function)(\(value))", false, nil) {
                "\(counted($0, "value")) of \(path) \($0 == 1 ? "is" : "are") no valid URI"
            }
        }
        if attribute.hasConditions, !attribute.isDerived, options.includes(.validation),
            PropertyValue.isValidated(attribute.type)
        {
            let function = try database.addFunction { cell in
                PropertyValue.value(cell, attribute.type).map { !attribute.isValid($0) } ?? false
            }
            add(.validation, "\(function)(\(value))", false, nil) {
                "\(counted($0, "value")) of \(path) \($0 == 1 ? "breaks" : "break") a validation rule of the model"
            }
        }
        if attribute.isExternal, attribute.type != .stringAttributeType {
            let isBlob = "+\(value) >= x'' AND length(\(value)) > 0"
            add(
                .externalMark,
                "\(isBlob) AND CASE substr(\(value), 1, 1) WHEN x'01' THEN 0 "
                    + "WHEN x'02' THEN NOT \(ExternalName.isReference(value)) ELSE 1 END",
                true, nil
            ) { "\(counted($0, "value")) of \(path) \($0 == 1 ? "has" : "have") no valid mark of external storage" }
        } else if attribute.isSecureArchive, options.includes(.archiveUnreadable) {
            let function = try database.addFunction { !$0.isText && !KeyedArchiveCheck.isArchive($0.bytes) }
            add(.archiveUnreadable, "+\(value) >= x'' AND \(function)(\(value))", false, nil) {
                "\(counted($0, "value")) of \(path) \($0 == 1 ? "is not a keyed archive" : "are not keyed archives")"
            }
        }
    }
}

/// References to external files.
enum ExternalName {
    /// The pattern of a UUID. Core Data writes upper case, and reads any.
    private static let pattern = [8, 4, 4, 4, 12].map { String(repeating: "[0-9A-Fa-f]", count: $0) }
        .joined(separator: "-")

    /// Returns the condition in SQL that a blob is a reference to a file.
    static func isReference(_ value: String) -> String {
        "(length(\(value)) = 38 AND substr(\(value), 1, 1) = x'02' AND substr(\(value), 38, 1) = x'00' "
            + "AND CAST(substr(\(value), 2, 36) AS TEXT) GLOB '\(pattern)')"
    }
}
