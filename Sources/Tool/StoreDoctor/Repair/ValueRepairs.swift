internal import CSQLite3
internal import CoreData
internal import Diagnostics
internal import Foundation

/// Repairs of attribute values.
extension StoreExamination {
    func valueRepair(
        _ finding: StoreFinding, _ layout: StoreLayout
    ) throws(DoctorDatabase.Failure) -> StoreRepair? {
        guard let entity = finding.entity.flatMap({ layout.entity(named: $0) }),
            let property = entity.properties.first(where: { $0.name == finding.property }),
            case .attribute(let attribute) = property.position
        else { return nil }
        let (table, column) = (SQL.name(entity.table), SQL.name(attribute.column))
        let scope = entity.sharesTable ? "\(SQL.isIn("Z_ENT", entity.numbers)) AND " : ""
        func repair(
            _ value: String, where condition: String?, _ safety: FixIt.Safety, phase: StoreRepair.Phase = .values
        ) -> StoreRepair? {
            guard let condition else { return nil }
            return StoreRepair(
                rule: finding.rule, safety: safety, phase: phase,
                statements: ["UPDATE \(table) SET \(column) = \(value) WHERE \(condition)"])
        }
        switch finding.rule {
        case .requiredValueMissing:
            guard let value = defaultValue(entity.name, property.name) else { return nil }
            return repair(value, where: isAffected(finding), .unsafe)
        case .booleanRange: return repair("1", where: isAffected(finding), .unsafe)
        case .storageClass, .uuidLength:
            // Where the value follows exactly from what is stored.
            guard let value = Self.converted(attribute, column), let affected = isAffected(finding) else { return nil }
            let condition = "\(affected) AND \(value) IS NOT NULL"
            guard try database.integer("SELECT 1 FROM \(table) WHERE \(condition) LIMIT 1") != nil else { return nil }
            return repair(value, where: condition, .safe)
        case .textEncoding:
            return repair(
                "modelc_text(\(column))",
                where: "\(scope)typeof(\(column)) = 'text' AND modelc_text(\(column)) IS NOT NULL", .unsafe)
        case .externalMark:
            let value = "t.\(column)"
            let marked =
                "SELECT 1 FROM \(table) AS t WHERE \(scope)typeof(\(value)) = 'blob' AND "
                + "(substr(\(value), 1, 1) = x'01' OR \(ExternalName.isReference(value))) LIMIT 1"
            if try database.integer(marked) == nil {
                // Written before the attribute allowed external storage.
                return repair("CAST(x'01' || \(column) AS BLOB)", where: isAffected(finding), .safe)
            }
            return property.isOptional ? repair("NULL", where: isAffected(finding), .unsafe) : nil
        case .externalFileMissing:
            guard property.isOptional, external.exists else { return nil }
            let external = external
            let isMissing = try database.addFunction { cell in
                !external.has(String(decoding: cell.bytes.dropFirst().prefix(36), as: UTF8.self))
            }
            return repair(
                "NULL",
                where: "\(scope)typeof(\(column)) = 'blob' AND \(ExternalName.isReference(column)) "
                    + "AND \(isMissing)(\(column))", .unsafe)
        case .derivedDrift:
            guard let sql = finding.rows.sql else { return nil }
            let condition = "Z_PK IN (SELECT Z_PK FROM (\(sql)))"
            if let derived = layout.derived.first(where: {
                $0.entity == entity.name && $0.attribute == property.name
            }) {
                return StoreRepair(
                    rule: finding.rule, safety: .safe, phase: .derived,
                    statements: ["UPDATE \(table) AS owner SET \(column) = \(derived.value) WHERE owner.\(condition)"])
            }
            guard let derivation = attribute.ownDerivation,
                case .attribute(let source)? = entity.properties.first(where: { $0.name == derivation.source })?
                    .position
            else { return nil }
            let function = derivation.function == "uppercase:" ? "upper" : "lower"
            return repair("\(function)(\(SQL.name(source.column)))", where: condition, .safe, phase: .derived)
        default: return nil
        }
    }

    /// Returns the value that a value with the storage class of another type stands for, as an expression that is NULL
    /// where there is none; `nil` if there never is.
    private static func converted(_ attribute: StoreLayout.Attribute, _ column: String) -> String? {
        switch attribute.type {
        case .UUIDAttributeType: "modelc_uuid(\(column))"
        case .binaryDataAttributeType where !attribute.isExternal,
            .transformableAttributeType where !attribute.isExternal:
            "CASE typeof(\(column)) WHEN 'text' THEN CAST(\(column) AS BLOB) END"
        case .stringAttributeType, .URIAttributeType: "modelc_string(\(column))"
        default: nil
        }
    }
}

enum RepairFunctions {
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    /// Registers the functions, and those of Core Data's triggers.
    static func register(on database: DoctorDatabase) throws(DoctorDatabase.Failure) {
        for name in [
            "NSCoreDataDATriggerUpdatedAffectedObjectValue", "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
            "NSCoreDataTriggerUpdateAffectedObjectValue",
        ] {
            try add(name, 5, to: database) { context, _, _ in sqlite3_result_null(context) }
        }
        // The bytes of a UUID that is stored as text.
        try add("modelc_uuid", 1, to: database) { context, _, values in
            guard let value = values?.pointee, let uuid = UUID(uuidString: CellValue(value).text),
                CellValue(value).bytes.count == 36
            else { return }
            withUnsafeBytes(of: uuid.uuid) {
                sqlite3_result_blob(context, $0.baseAddress, Int32($0.count), RepairFunctions.transient)
            }
        }
        // The text that a blob contains, if it is one.
        try add("modelc_string", 1, to: database) { context, _, values in
            guard let value = values?.pointee, sqlite3_value_type(value) == SQLITE_BLOB,
                StoredText.isValid(CellValue(value).bytes)
            else { return }
            RepairFunctions.result(CellValue(value).text, context)
        }
        // A text that is invalid, with U+FFFD in place of invalid bytes and of U+0000; NULL for a valid one.
        try add("modelc_text", 1, to: database) { context, _, values in
            guard let value = values?.pointee, CellValue(value).isText, !StoredText.isValid(CellValue(value).bytes)
            else { return }
            let scalars = CellValue(value).text.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 }
            RepairFunctions.result(String(String.UnicodeScalarView(scalars)), context)
        }
    }

    private static func result(_ text: String, _ context: OpaquePointer?) {
        var text = text
        text.withUTF8 {
            $0.withMemoryRebound(to: CChar.self) {
                sqlite3_result_text(context, $0.baseAddress, Int32($0.count), RepairFunctions.transient)
            }
        }
    }

    private static func add(
        _ name: String, _ count: Int32, to database: DoctorDatabase,
        _ body: @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void
    ) throws(DoctorDatabase.Failure) {
        let code = sqlite3_create_function_v2(
            database.handle, name, count, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil, body, nil, nil, nil)
        guard code == SQLITE_OK else { throw database.failure(code) }
    }
}
