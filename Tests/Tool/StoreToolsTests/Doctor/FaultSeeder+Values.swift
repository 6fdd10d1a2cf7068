import CoreData
import Diagnostics
import Foundation

extension FaultSeeder {
    func addValueFaults(
        _ entity: StoreLayout.Entity, _ property: StoreLayout.Property, _ attribute: StoreLayout.Attribute
    ) throws {
        let scope = "t.Z_ENT IN \(Self.list(entity.numbers))"
        guard let anyRow = try key(entity.table, scope) else { return }
        let column = "\"\(attribute.column)\""
        func set(_ rule: RuleID, _ value: String, in row: Int64? = nil, _ consequences: Set<RuleID> = []) {
            add(
                rule, "UPDATE \"\(entity.table)\" SET \(column) = \(value) WHERE Z_PK = \(row ?? anyRow)",
                consequences.union([.validation, .derivedDrift]))
        }
        if attribute.isDerived {
            switch attribute.type {
            case .integer64AttributeType: set(.derivedDrift, "ifnull(\(column), 0) + 3")
            default: break
            }
            return
        }
        if !property.isOptional, !attribute.isElement { set(.requiredValueMissing, "NULL") }
        if attribute.hasConditions, let value = Self.invalidValue(attribute) { set(.validation, value) }
        switch attribute.type {
        case .booleanAttributeType:
            // The repair sets 1, which a uniqueness constraint may forbid unless the row had it.
            if let row = try key(entity.table, "\(scope) AND t.\(column) = 1") { set(.booleanRange, "2", in: row) }
            set(.storageClass, "'yes'")
        case .integer16AttributeType:
            set(.integerRange, "40000")
            set(.storageClass, "'abc'")
        case .integer32AttributeType:
            set(.integerRange, "-3000000000")
            set(.storageClass, "1.5")
        case .integer64AttributeType: set(.storageClass, "x'01'")
        case .doubleAttributeType, .floatAttributeType: set(.storageClass, "'abc'")
        case .decimalAttributeType:
            set(.decimalText, "'abc'")
            set(.storageClass, "x'01'")
        case .stringAttributeType:
            set(.storageClass, "x'6162'")
            set(.textEncoding, "CAST(x'41ff42' AS TEXT)")
            set(.textEncoding, "CAST(x'410042' AS TEXT)")
        case .URIAttributeType:
            set(.storageClass, "x'6162'")
            set(.uriInvalid, "''")
            set(.textEncoding, "CAST(x'41ff42' AS TEXT)", [.uriInvalid])
        case .UUIDAttributeType:
            set(.uuidLength, "x'0102'")
            set(.storageClass, "'E621E1F8-C36C-495A-93FC-0C247A3E6E5F'")
        case .binaryDataAttributeType:
            set(.storageClass, "'abc'")
            guard attribute.isExternal else { break }
            for bytes in ["x'0561'", "x'02616263'", "x'02' || zeroblob(37)"] {
                set(.externalMark, "CAST(\(bytes) AS BLOB)", [.externalFileOrphaned])
            }
        case .dateAttributeType:
            set(.dateRange, "1e14")
            set(.storageClass, "'abc'")
            if try database.integer(
                "SELECT count(*) FROM \"\(entity.table)\" AS t WHERE \(scope)") ?? 0 >= 20
            {
                add(
                    .dateEpoch,
                    "UPDATE \"\(entity.table)\" AS t SET \(column) = 1700000000 + Z_PK WHERE \(scope)", [.validation])
            }
        case .transformableAttributeType:
            set(.storageClass, "'abc'")
            if attribute.isSecureArchive, !attribute.isExternal {
                set(.archiveUnreadable, "x'62706c697374303000'")
                set(.archiveUnreadable, "x'0102'")
            }
        default: break
        }
    }

    /// Returns a value of an attribute's type that does not meet its conditions, as an SQL expression.
    private static func invalidValue(_ attribute: StoreLayout.Attribute) -> String? {
        switch attribute.type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .doubleAttributeType,
            .floatAttributeType:
            [-30_000, 30_000].first { !attribute.isValid(NSNumber(value: $0)) }.map(String.init)
        case .stringAttributeType:
            ["", "#", String(repeating: "x", count: 99)].first { !attribute.isValid($0) }.map { "'\($0)'" }
        case .dateAttributeType:
            [-50_000.0, 50_000.0].first { !attribute.isValid(Date(timeIntervalSinceReferenceDate: $0)) }
                .map { "\($0)" }
        default: nil
        }
    }

    // MARK: The store's description of itself, and its schema

    func addDescriptionFaults() throws {
        add(.metadataMissing, "DELETE FROM Z_METADATA", [.modelMismatch])
        add(.metadataMissing, "DROP TABLE Z_METADATA", [.modelMismatch])
        add(.metadataMissing, "UPDATE Z_METADATA SET Z_PLIST = NULL")
        add(.metadataUnreadable, "UPDATE Z_METADATA SET Z_PLIST = x'00'")
        add(.uuidInvalid, "UPDATE Z_METADATA SET Z_UUID = lower(Z_UUID)")
        add(.uuidInvalid, "UPDATE Z_METADATA SET Z_UUID = NULL")
        add(.entityRowExtra, "INSERT INTO Z_PRIMARYKEY VALUES (9999, 'Ghost', 0, 0)")
        add(.noAutoVacuum, ["PRAGMA auto_vacuum = 0", "VACUUM"])
        add(.freePages, ["CREATE TABLE junk (a)", "INSERT INTO junk VALUES (zeroblob(4000000))", "DROP TABLE junk"])
        add(
            .sparsePages,
            [
                "CREATE TABLE junk (a)",
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 8000) \
                INSERT INTO junk SELECT zeroblob(600) FROM n
                """, "DELETE FROM junk WHERE rowid % 2 = 0",
            ], [.unknownTable])
        for entity in layout.entities {
            let row = "WHERE Z_ENT = \(entity.number)"
            add(.entityRowMissing, "DELETE FROM Z_PRIMARYKEY \(row)")
            add(.entityParent, "UPDATE Z_PRIMARYKEY SET Z_SUPER = Z_SUPER + 77 \(row)")
            if !entity.isRoot {
                add(.maxInSubentity, "UPDATE Z_PRIMARYKEY SET Z_MAX = 5 \(row)")
            } else if let max = try database.integer("SELECT max(Z_PK) FROM \"\(entity.table)\"") {
                add(.maxBehind, "UPDATE Z_PRIMARYKEY SET Z_MAX = \(max - 1) \(row)")
            }
        }
        if try layout.entities.filter(\.isRoot).count(where: {
            try database.integer("SELECT max(Z_PK) FROM \"\($0.table)\"") ?? 0 > 0
        }) > 1 {
            add(.missingLog, "UPDATE Z_PRIMARYKEY SET Z_MAX = 0", [.maxBehind])
        }
    }

    func addSchemaFaults() throws {
        add(.unknownTable, "CREATE TABLE ZGHOST (Z_PK INTEGER PRIMARY KEY)")
        for table in layout.tables {
            add(.unknownColumn, "ALTER TABLE \"\(table.name)\" ADD COLUMN ZGHOST INTEGER")
            let consequences: Set<RuleID> = table.isJoin ? [.tooFew, .derivedTriggerMissing] : [.derivedTriggerMissing]
            add(.tableMissing, "DROP TABLE \"\(table.name)\"", consequences)
            guard let column = table.columns.first(where: { $0.type == "VARCHAR" }) else { continue }
            add(
                .columnType,
                [
                    "PRAGMA writable_schema = ON",
                    "UPDATE sqlite_master SET sql = replace(sql, '\(column.name) VARCHAR', '\(column.name) CHARACTER') "
                        + "WHERE name = '\(table.name)'",
                ])
        }
        for entity in layout.entities {
            for property in entity.properties where property.isDeclared {
                guard case .attribute(let attribute) = property.position, !attribute.isDerived,
                    !entity.constraints.contains(where: { $0.columns.contains(attribute.column) })
                else { continue }
                add(
                    .columnMissing, "ALTER TABLE \"\(entity.table)\" DROP COLUMN \"\(attribute.column)\"")
            }
            for constraint in entity.constraints {
                let requested = Set(constraint.columns)
                let names = try database.texts(
                    "SELECT name FROM pragma_index_list('\(entity.table)') WHERE \"unique\" = 1")
                for name in names
                where Set(try database.texts("SELECT name FROM pragma_index_info('\(name)')")) == requested {
                    add(.uniqueIndexMissing, "DROP INDEX \"\(name)\"")
                    guard constraint.columns.count == 1,
                        let row = try key(
                            entity.table,
                            "t.Z_ENT IN \(Self.list(entity.numbers)) AND t.\"\(constraint.columns[0])\" IS NOT NULL"),
                        let other = try key(
                            entity.table, "t.Z_ENT IN \(Self.list(entity.numbers)) AND t.Z_PK <> \(row)")
                    else { continue }
                    let column = "\"\(constraint.columns[0])\""
                    add(
                        .uniqueViolated,
                        [
                            "DROP INDEX \"\(name)\"",
                            "UPDATE \"\(entity.table)\" SET \(column) = (SELECT \(column) FROM \"\(entity.table)\" "
                                + "WHERE Z_PK = \(row)) WHERE Z_PK = \(other)",
                        ], [.uniqueIndexMissing, .validation, .derivedDrift])
                }
            }
        }
        // It is unknown whether Apple's stores have an index on the column of a relationship without an inverse.
        let virtualKeys = layout.entities.flatMap(\.properties).compactMap { property -> [String]? in
            guard case .members(let members) = property.position, members.lacksInverse else { return nil }
            return [members.key]
        }
        for name in try database.texts(
            """
            SELECT name FROM sqlite_master WHERE type = 'index' AND sql NOT NULL AND sql NOT LIKE 'CREATE UNIQUE%' \
            AND name NOT LIKE '%\\_Z\\_ENT\\_INDEX' ESCAPE '\\'
            """)
        where !virtualKeys.contains(try database.texts("SELECT name FROM pragma_index_info('\(name)')")) {
            add(.indexMissing, "DROP INDEX \"\(name)\"")
        }
        // Tables of one concrete entity need no index on the entity.
        for root in layout.entities
        where root.isRoot && layout.entities.count(where: { $0.rootNumber == root.number && !$0.isAbstract }) > 1 {
            for name in try database.texts(
                "SELECT l.name FROM pragma_index_list('\(root.table)') AS l JOIN pragma_index_info(l.name) AS i "
                    + "WHERE i.name = 'Z_ENT'")
            {
                add(.indexMissing, "DROP INDEX \"\(name)\"")
            }
        }
        for name in try database.texts("SELECT name FROM sqlite_master WHERE type = 'trigger'") {
            add(.derivedTriggerMissing, "DROP TRIGGER \"\(name)\"")
        }
    }
}
