internal import CSQLite3
internal import CoreData
internal import Diagnostics
internal import Foundation

/// An attribute whose values are repaired.
private struct RepairedAttribute {
    let finding: StoreFinding
    let entity: StoreLayout.Entity
    let property: StoreLayout.Property
    let attribute: StoreLayout.Attribute

    init?(_ finding: StoreFinding, _ layout: StoreLayout) {
        guard let entity = finding.entity.flatMap({ layout.entity(named: $0) }),
            let property = entity.properties.first(where: { $0.name == finding.property }),
            case .attribute(let attribute) = property.position
        else { return nil }
        (self.finding, self.entity, self.property, self.attribute) = (finding, entity, property, attribute)
    }

    var table: String { SQLName.inQuotes(entity.table) }
    var column: String { SQLName.inQuotes(attribute.column) }
    /// The beginning of a condition for the entity's rows; empty if it has its table to itself.
    var scope: String { entity.sharesTable ? "\(SQLName.isIn("Z_ENT", entity.numbers)) AND " : "" }

    /// Returns the repair that sets the attribute of the rows that meet a condition; `nil` without a condition.
    func repair(
        _ value: String, where condition: String?, _ safety: FixIt.Safety, phase: StoreRepair.Phase = .values
    ) -> StoreRepair? {
        guard let condition else { return nil }
        return StoreRepair(
            rule: finding.rule, safety: safety, phase: phase,
            statements: ["UPDATE \(table) SET \(column) = \(value) WHERE \(condition)"])
    }
}

/// Repairs of attribute values.
extension StoreExamination {
    func valueRepair(
        _ finding: StoreFinding, _ layout: StoreLayout
    ) throws(DoctorDatabase.Failure) -> StoreRepair? {
        guard let values = RepairedAttribute(finding, layout) else { return nil }
        let column = values.column
        switch finding.rule {
        case .requiredValueMissing:
            guard let value = defaultValue(values.entity.name, values.property.name) else { return nil }
            return values.repair(value, where: isAffected(finding), .unsafe)
        case .booleanRange: return values.repair("1", where: isAffected(finding), .unsafe)
        case .storageClass, .uuidLength: return try conversion(of: values)
        case .textEncoding:
            return values.repair(
                "modelc_text(\(column))",
                where: "\(values.scope)typeof(\(column)) = 'text' AND modelc_text(\(column)) IS NOT NULL", .unsafe)
        case .externalMark: return try markRepair(of: values)
        case .externalFileMissing: return try missingFileRepair(of: values)
        case .derivedDrift: return derivedRepair(of: values, layout)
        default: return nil
        }
    }

    /// Returns the conversion of values where the value follows exactly from what is stored.
    private func conversion(of values: RepairedAttribute) throws(DoctorDatabase.Failure) -> StoreRepair? {
        guard let value = Self.converted(values.attribute, values.column), let affected = isAffected(values.finding)
        else { return nil }
        let condition = "\(affected) AND \(value) IS NOT NULL"
        guard try database.integer("SELECT 1 FROM \(values.table) WHERE \(condition) LIMIT 1") != nil else {
            return nil
        }
        return values.repair(value, where: condition, .safe)
    }

    private func markRepair(of values: RepairedAttribute) throws(DoctorDatabase.Failure) -> StoreRepair? {
        let value = "t.\(values.column)"
        let marked =
            "SELECT 1 FROM \(values.table) AS t WHERE \(values.scope)typeof(\(value)) = 'blob' AND "
            + "(substr(\(value), 1, 1) = x'01' OR \(ExternalName.isReference(value))) LIMIT 1"
        if try database.integer(marked) == nil {
            // Written before the attribute allowed external storage.
            return values.repair(
                "CAST(x'01' || \(values.column) AS BLOB)", where: isAffected(values.finding), .safe)
        }
        return values.property.isOptional ? values.repair("NULL", where: isAffected(values.finding), .unsafe) : nil
    }

    private func missingFileRepair(of values: RepairedAttribute) throws(DoctorDatabase.Failure) -> StoreRepair? {
        guard values.property.isOptional, external.exists else { return nil }
        let external = external
        let isMissing = try database.addFunction { cell in
            !external.has(String(decoding: cell.bytes.dropFirst().prefix(36), as: UTF8.self))
        }
        let column = values.column
        return values.repair(
            "NULL",
            where: "\(values.scope)typeof(\(column)) = 'blob' AND \(ExternalName.isReference(column)) "
                + "AND \(isMissing)(\(column))", .unsafe)
    }

    private func derivedRepair(of values: RepairedAttribute, _ layout: StoreLayout) -> StoreRepair? {
        guard let sql = values.finding.rows.sql else { return nil }
        let condition = "Z_PK IN (SELECT Z_PK FROM (\(sql)))"
        if let derived = layout.derived.first(where: {
            $0.entity == values.entity.name && $0.attribute == values.property.name
        }) {
            return StoreRepair(
                rule: values.finding.rule, safety: .safe, phase: .derived,
                statements: [
                    "UPDATE \(values.table) AS owner SET \(values.column) = \(derived.value) WHERE owner.\(condition)"
                ])
        }
        guard let derivation = values.attribute.ownDerivation,
            case .attribute(let source)? = values.entity.properties.first(where: { $0.name == derivation.source })?
                .position
        else { return nil }
        let function = derivation.function == "uppercase:" ? "upper" : "lower"
        return values.repair(
            "\(function)(\(SQLName.inQuotes(source.column)))", where: condition, .safe, phase: .derived)
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
