import CoreData
import Diagnostics
import Foundation

extension FaultSeeder {
    // MARK: The file

    /// Everything else may follow from a page that cannot be read.
    private static let allRules = Set(RuleID.allCases)

    func addFileFaults() throws {
        let pageSize = try database.integer("PRAGMA page_size") ?? 4096
        let pages = try database.integer("PRAGMA page_count") ?? 0
        let free = try database.integer("PRAGMA freelist_count") ?? 0
        add(.truncatedFile, Self.allRules) { store in
            let file = try FileHandle(forWritingTo: store)
            defer { try? file.close() }
            try file.truncate(atOffset: UInt64((pages - 1) * pageSize))
        }
        // Zeros in an overflow page may be a value: only the page of a tree is surely damaged.
        let roots = try database.texts("SELECT rootpage FROM sqlite_master WHERE rootpage > 1 ORDER BY rootpage")
        guard free == 0, let page = roots.compactMap(Int64.init).randomElement(using: &generator) else { return }
        add(.damagedPage, Self.allRules) { store in
            let file = try FileHandle(forWritingTo: store)
            defer { try? file.close() }
            try file.seek(toOffset: UInt64((page - 1) * pageSize))
            try file.write(contentsOf: Data(count: Int(pageSize)))
        }
    }

    /// The folder of a store's external files.
    private static func externalFolder(of store: URL) -> URL {
        URL(fileURLWithPath: StoreLayout.externalFolder(ofStoreAt: store.path))
    }

    func addExternalFileFaults() throws {
        add(.externalFileOrphaned) { store in
            let folder = Self.externalFolder(of: store)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let file = folder.appendingPathComponent(UUID().uuidString)
            try Data("orphan".utf8).write(to: file)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -2 * 86_400)], ofItemAtPath: file.path)
        }
        for entity in layout.entities {
            for property in entity.properties where property.isDeclared {
                guard case .attribute(let attribute) = property.position, attribute.isExternal,
                    let name = try database.texts(
                        "SELECT CAST(substr(\"\(attribute.column)\", 2, 36) AS TEXT) FROM \"\(entity.table)\" "
                            + "WHERE substr(\"\(attribute.column)\", 1, 1) = x'02' ORDER BY Z_PK LIMIT 1"
                    ).first
                else { continue }
                add(.externalFileMissing) { store in
                    try FileManager.default.removeItem(at: Self.externalFolder(of: store).appendingPathComponent(name))
                }
            }
        }
    }

    // MARK: The cached model, and indexes that SQLite maintains

    func addModelFaults() throws {
        add(.modelCacheUnreadable, "UPDATE Z_MODELCACHE SET Z_CONTENT = x'0102'")
        let list = try database.texts("SELECT hex(Z_PLIST) FROM Z_METADATA").first ?? ""
        guard
            var metadata = try PropertyListSerialization.propertyList(from: Self.data(hex: list), format: nil)
                as? [String: Any],
            var hashes = metadata["NSStoreModelVersionHashes"] as? [String: Data],
            let name = hashes.keys.sorted().randomElement(using: &generator), var hash = hashes[name]
        else { return }
        hash[hash.startIndex] ^= 1
        hashes[name] = hash
        metadata["NSStoreModelVersionHashes"] = hashes
        let changed = try PropertyListSerialization.data(fromPropertyList: metadata, format: .binary, options: 0)
        let hex = changed.map { String(format: "%02X", $0) }.joined()
        add(.modelMismatch, "UPDATE Z_METADATA SET Z_PLIST = x'\(hex)'")
    }

    private static func data(hex: String) -> Data {
        let digits = hex.compactMap(\.hexDigitValue)
        return Data(stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }

    func addSpatialFaults() throws {
        let entity = try layout.entities.first { entity in
            try entity.isRoot && database.integer("SELECT count(*) FROM \"\(entity.table)\"") ?? 0 > 0
        }
        guard let entity else { return }
        let index = "\"Z_RT_\(entity.name)_place\""
        let create = [
            "CREATE VIRTUAL TABLE \(index) USING rtree(Z_PK INTEGER, Z_OPT_MIN, Z_OPT_MAX)",
            "INSERT INTO \(index) SELECT Z_PK, Z_OPT, Z_OPT FROM \"\(entity.table)\"",
        ]
        add(.rtreeDrift, create + ["INSERT INTO \(index) VALUES (999999, 1, 2)"])
        let rows = "\"Z_RT_\(entity.name)_place_rowid\""
        add(.rtreeDrift, create + ["DELETE FROM \(rows) WHERE rowid = (SELECT min(rowid) FROM \(rows))"])
    }

    // MARK: History

    /// The statements that add history to a store: two transactions, and changes of an entity's objects.
    static func history(of entity: String) -> String {
        let number = "(SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = '\(entity)')"
        return """
            CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, \
            ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB, ZTOMBSTONE0 VARCHAR);
            CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER, \
            ZBUNDLEIDTS INTEGER, ZTIMESTAMP FLOAT);
            CREATE TABLE ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
            INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 3), (16002, 'TRANSACTION', 0, 2), \
            (16003, 'TRANSACTIONSTRING', 0, 1);
            INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, 1, 'org.example.app');
            INSERT INTO ATRANSACTION VALUES (1, 16002, NULL, NULL, 1, 700000000), (2, 16002, NULL, 1, 1, 700000100);
            INSERT INTO ACHANGE VALUES (1, 16001, NULL, 0, \(number), 1, 1, NULL, NULL), \
            (2, 16001, NULL, 1, \(number), 1, 2, x'01', NULL), (3, 16001, NULL, 2, \(number), 5000, 2, NULL, 'x');
            """
    }

    func addHistoryFaults() throws {
        for entity in layout.entities where !entity.isAbstract {
            guard let key = try key(entity.table, "t.Z_ENT = \(entity.number) AND t.Z_PK > 1") else { continue }
            let history = Self.history(of: entity.name)
            func add(_ rule: RuleID, _ statement: String) { self.add(rule, [history, statement]) }
            add(.historyOrphan, "DELETE FROM ATRANSACTION WHERE Z_PK = 2")
            add(.historyEntity, "UPDATE ACHANGE SET ZENTITY = 9998 WHERE Z_PK = 2")
            add(.historyString, "UPDATE ATRANSACTION SET ZAUTHORTS = 77 WHERE Z_PK = 2")
            add(.historyMax, "UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_ENT = 16001")
            add(.historyUndead, "UPDATE ACHANGE SET ZENTITYPK = \(key) WHERE Z_PK = 3")
            add(.historyTombstone, "UPDATE ACHANGE SET ZTOMBSTONE0 = 'x' WHERE Z_PK = 2")
            add(.historyPartial, "DROP TABLE ATRANSACTIONSTRING")
            add(
                .historyBloat,
                "WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < 10100) "
                    + "INSERT INTO ATRANSACTION SELECT i, 16002, NULL, NULL, 1, 700000200 FROM n; "
                    + "UPDATE Z_PRIMARYKEY SET Z_MAX = 10100 WHERE Z_ENT = 16002")
            self.add(
                .cloudkitRecord,
                [
                    "CREATE TABLE ANSCKRECORDMETADATA (ZENTITYID INTEGER, ZENTITYPK INTEGER)",
                    "INSERT INTO ANSCKRECORDMETADATA VALUES (\(entity.number), 5000)",
                ])
            return
        }
    }

    // MARK: Owners

    /// Takes the owner from all objects but one of an entity that is reached through one relationship only.
    func addOwnerFault(_ entity: StoreLayout.Entity) throws {
        let relationships = entity.properties.filter { property in
            if case .attribute = property.position { false } else { true }
        }
        guard entity.isRoot, entity.numbers.count == 1, relationships.count == 1, relationships[0].isOptional,
            case .toOne(let owner) = relationships[0].position, owner.isCascadedTo, !owner.isOneToOne,
            owner.destination != entity.number,
            let kept = try key(entity.table, "t.\"\(owner.key)\" IS NOT NULL"),
            try database.integer("SELECT count(*) FROM \"\(entity.table)\"") ?? 0 > 2
        else { return }
        let columns = [owner.key, owner.entity, owner.order].compactMap { $0 }.map { "\"\($0)\" = NULL" }
        add(
            .unownedRow, "UPDATE \"\(entity.table)\" SET \(columns.joined(separator: ", ")) WHERE Z_PK <> \(kept)",
            [.tooFew, .derivedDrift])
    }
}
