import CoreData
import Diagnostics
import Foundation
import ModelSchema
import StoreDoctor
import TestSupport
import Testing

@testable import CompiledModel
@testable import StoreTools

/// `modelc store repair` repairs the faults that `FaultSeeder` plants, and changes nothing else.
@Suite struct StoreRepairTests {
    /// Repairs that may be impossible: a default value that a uniqueness constraint forbids.
    private static let partial: Set<RuleID> = [.requiredValueMissing]

    /// Faults that are not repaired: damage is for `store recover`, and a store with another model needs an option.
    private static let excluded: Set<RuleID> = [.truncatedFile, .damagedPage, .modelMismatch]

    /// Plants faults, repairs each, and checks that the findings are gone and that only the announced values differ.
    ///
    /// - Returns: The number of faults by the rules whose findings were repaired.
    private func repair(
        _ scratch: StoreScratch, _ model: Model, limit: Int, _ generator: inout SeededGenerator
    ) throws -> [RuleID: Int] {
        let path = scratch.url("a.sqlite").path
        let original = try SeedDatabase(path)
        let content = try original.content()
        let layout = try StoreLayout(
            of: try StoreDoctorTests.runtimeModel(model), tables: content.tables, numbers: content.numbers)
        let seeder = FaultSeeder(layout, original, generator)
        var faults = try seeder.allFaults().filter { !Self.excluded.contains($0.rule) }
        generator = seeder.generator
        faults.shuffle(using: &generator)
        var planted: [RuleID: Int] = [:]
        for fault in faults.prefix(limit) where runsLongForms || planted[fault.rule, default: 0] < 2 {
            for name in [
                "seeded.sqlite", ".seeded_SUPPORT", "fixed.sqlite", ".fixed_SUPPORT", "fixed.sqlite.orphans",
            ] {
                try? FileManager.default.removeItem(at: scratch.url(name))
            }
            try FileManager.default.copyItem(at: scratch.url("a.sqlite"), to: scratch.url("seeded.sqlite"))
            try? FileManager.default.copyItem(at: scratch.url(".a_SUPPORT"), to: scratch.url(".seeded_SUPPORT"))
            guard try fault.plant(in: scratch.url("seeded.sqlite")) else { continue }
            let before = try StoreDoctorTests.check(scratch.url("seeded.sqlite").path)
            let found = before.findings.filter { $0.rule == fault.rule && $0.rows.repair != nil }
            guard !found.isEmpty else { continue }
            planted[fault.rule, default: 0] += 1
            let isSafe = found.allSatisfy { $0.rows.repair == .safe }
            let bytes = try Data(contentsOf: scratch.url("seeded.sqlite"))
            let arguments =
                ["seeded.sqlite", "--output", "fixed.sqlite", "--format", "json"] + (isSafe ? [] : ["--unsafe-fixes"])
            let code = scratch.repair(arguments)
            #expect(code == 0 || code == 1, "\(fault): \(scratch.errorOutput)")
            #expect(try Data(contentsOf: scratch.url("seeded.sqlite")) == bytes)
            guard code == 0 || code == 1 else { continue }
            let announced = try changes(in: scratch.output)
            let after = try StoreDoctorTests.check(scratch.url("fixed.sqlite").path)
            if !Self.partial.contains(fault.rule) {
                let repairable = after.findings.filter {
                    $0.rule == fault.rule && $0.severity > .note && $0.rows.repair != nil
                }
                #expect(repairable.isEmpty, "\(fault): \(repairable)")
            }
            let left = after.findings.filter { $0.rows.repair == .safe && $0.severity > .note }
            #expect(left.isEmpty, "\(fault): \(left)")
            try expectAnnounced(announced, in: scratch, fault)
            // A repaired store has nothing to repair.
            #expect(try StoreDoctorTests.check(scratch.url("fixed.sqlite").path).findings.count == after.findings.count)
        }
        return planted
    }

    private struct Announced {
        var kind: String
        var object: String
        var property: String?
        var column: String?
    }

    private func changes(in text: String) throws -> [Announced] {
        let root = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        return try #require(root["changes"] as? [[String: Any]]).map { change in
            Announced(
                kind: change["kind"] as? String ?? "", object: change["object"] as? String ?? "",
                property: change["property"] as? String, column: change["column"] as? String)
        }
    }

    /// Compares every table of both files: each difference must be announced, except versions, and each announced
    /// change must be one.
    private func expectAnnounced(_ announced: [Announced], in scratch: StoreScratch, _ fault: SeededFault) throws {
        let database = try SeedDatabase(scratch.url("fixed.sqlite").path)
        try database.execute("ATTACH '\(scratch.url("seeded.sqlite").path)' AS before")
        let names = try database.texts("SELECT Z_NAME FROM Z_PRIMARYKEY")
        func isEntity(_ name: String) -> Bool { names.contains(name) }
        var differences: Set<String> = []
        let tables = try database.texts(
            "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name IN (SELECT name FROM before.sqlite_master)"
        )
        // An index has only copies of values.
        for table in tables where table != "sqlite_stat1" && !table.hasPrefix("Z_RT_") {
            let columns = try database.texts("SELECT name FROM pragma_table_info('\(table)', 'before')")
            for column in columns where column != "Z_OPT" {
                let rows = try database.texts(
                    """
                    SELECT o.rowid FROM before."\(table)" AS o JOIN main."\(table)" AS n ON o.rowid = n.rowid \
                    WHERE o."\(column)" IS NOT n."\(column)" OR typeof(o."\(column)") <> typeof(n."\(column)")
                    """)
                for row in rows { differences.insert("\(table)/\(row)/\(column)") }
            }
            for row in try database.texts(
                "SELECT rowid FROM before.\"\(table)\" WHERE rowid NOT IN (SELECT rowid FROM main.\"\(table)\")")
            {
                differences.insert("\(table)/\(row)/")
            }
        }
        // Announced changes name the entity; those of the model's tables end with the key.
        let keys = Set(
            announced.filter { ["changed", "deleted"].contains($0.kind) && $0.column != "Z_OPT" }.map { change in
                let key = change.object.split(separator: "/").last.map(String.init) ?? ""
                return "\(key)/\(change.kind == "deleted" ? "" : change.column ?? "")"
            })
        let found = Set(
            differences.map { difference in
                let parts = difference.split(separator: "/", omittingEmptySubsequences: false)
                return "\(parts[1])/\(parts[2])"
            })
        #expect(keys == found, "\(fault): announced \(keys.sorted()), found \(differences.sorted())")
    }

    @Test(.randomized) func seededFaultsOfEveryRepairableRuleAreRepaired() throws {
        var generator = Seeds.generator()
        let scratch = try StoreScratch()
        try scratch.writeModel(SampleModel.entities)
        #expect(scratch.make(rows: 40) == 0)
        var repaired = Set(try repair(scratch, try #require(try scratch.model()), limit: .max, &generator).keys)
        for entities in [StoreDoctorTests.shapes, StoreFileFaultTests.folders] {
            let scratch = try StoreScratch()
            try scratch.writeModel(entities)
            #expect(scratch.make(rows: 20) == 0)
            repaired.formUnion(try repair(scratch, try #require(try scratch.model()), limit: .max, &generator).keys)
        }
        let expected: Set<RuleID> = [
            .uuidInvalid, .entityParent, .maxBehind, .tableMissing, .columnMissing, .indexMissing, .uniqueIndexMissing,
            .derivedTriggerMissing, .unknownEntity, .abstractEntity, .versionInvalid, .danglingReference,
            .entityColumn, .oneToOneHalf, .joinDangling, .joinDuplicate, .orderMissing, .orderDuplicate,
            .requiredReferenceMissing, .requiredValueMissing, .storageClass, .booleanRange, .textEncoding,
            .externalMark, .derivedDrift, .metadataMissing, .metadataUnreadable, .uniqueViolated, .ownerDangling,
            .orderWithoutOwner, .externalFileMissing, .externalFileOrphaned, .historyOrphan, .historyEntity,
            .historyString, .historyMax, .rtreeDrift,
        ]
        #expect(expected.subtracting(repaired).isEmpty, "\(expected.subtracting(repaired))")
    }

    /// Copies an object of each entity, and has the copies merged: only the announced values differ from before.
    /// Objects of a subentity are equal only if the values that it adds are, too.
    @Test func objectsOfSubentitiesAreComparedByAllValues() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(
            """
            <entity name="Person" syncable="YES">
                <attribute name="name" optional="YES" attributeType="String"/>
            </entity>
            <entity name="Employee" parentEntity="Person" syncable="YES">
                <attribute name="salary" optional="YES" attributeType="Integer 64" usesScalarValueType="NO"/>
            </entity>
            """)
        #expect(scratch.make(rows: 3) == 0)
        try scratch.execute("UPDATE ZPERSON SET ZNAME = 'Ada', ZSALARY = Z_PK", in: "a.sqlite")
        func groups() throws -> Int {
            try StoreDoctorTests.check(scratch.url("a.sqlite").path) { $0.duplicates = [.init("Person")] }.findings
                .count { $0.rule == .duplicateRows && $0.entity == "Person" }
        }
        let people = try SeedDatabase(scratch.url("a.sqlite").path).integer(
            "SELECT count(*) FROM ZPERSON WHERE Z_ENT = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Employee')")
        #expect(people ?? 0 > 1)
        #expect(try groups() == 0)
        try scratch.execute("UPDATE ZPERSON SET ZSALARY = 1", in: "a.sqlite")
        #expect(try groups() == 1)
    }

    @Test(.randomized) func requestedEqualObjectsAreMerged() throws {
        var generator = Seeds.generator()
        var merged = 0
        for round in 0..<(runsLongForms ? 200 : 3) {
            let scratch = try StoreScratch()
            var name = "Model.xcdatamodel"
            var model: Model?
            if round == 0 {
                try scratch.writeModel(SampleModel.entities)
                model = try scratch.model()
            } else {
                let random = RandomStoreModel.make(using: &generator)
                (name, model) = ("M.mom", random)
                try scratch.write(Data(try EncodedModel(random).bytes), to: name)
            }
            guard let model, scratch.make(name, rows: Int.random(in: 1...30, using: &generator)) == 0 else { continue }
            let content = try SeedDatabase(scratch.url("a.sqlite").path).content()
            let layout = try StoreLayout(
                of: try StoreDoctorTests.runtimeModel(model), tables: content.tables, numbers: content.numbers)
            for entity in layout.entities where !entity.isAbstract {
                for name in ["seeded.sqlite", ".seeded_SUPPORT", "fixed.sqlite", ".fixed_SUPPORT"] {
                    try? FileManager.default.removeItem(at: scratch.url(name))
                }
                try FileManager.default.copyItem(at: scratch.url("a.sqlite"), to: scratch.url("seeded.sqlite"))
                try? FileManager.default.copyItem(at: scratch.url(".a_SUPPORT"), to: scratch.url(".seeded_SUPPORT"))
                guard try Self.copyObject(of: entity, in: scratch.url("seeded.sqlite").path) else { continue }
                let request = StoreDoctor.Duplicates(entity.name)
                func count(_ name: String) throws -> Int {
                    try StoreDoctorTests.check(scratch.url(name).path) { $0.duplicates = [request] }.findings
                        .count { $0.rule == .duplicateRows }
                }
                guard try count("seeded.sqlite") == 1 else { continue }
                let arguments = [
                    "seeded.sqlite", "--output", "fixed.sqlite", "--format", "json", "--duplicates", entity.name,
                    "--only", "duplicate-rows", "--unsafe-fixes",
                ]
                let code = scratch.repair(arguments)
                #expect(code == 0 || code == 1, "\(entity.name): \(scratch.errorOutput)")
                guard code == 0 || code == 1 else { continue }
                #expect(try count("fixed.sqlite") == 0)
                try expectAnnounced(
                    try changes(in: scratch.output), in: scratch,
                    SeededFault(rule: .duplicateRows, statements: [], consequences: []))
                merged += 1
            }
        }
        if runsLongForms { print("equal objects merged: \(merged)") }
        #expect(merged > 3)
    }

    /// Inserts a copy of an entity's first object.
    ///
    /// - Returns: Whether the store allows it.
    private static func copyObject(of entity: StoreLayout.Entity, in path: String) throws -> Bool {
        let database = try SeedDatabase(path)
        let list = try database.texts("SELECT name FROM pragma_table_info('\(entity.table)') WHERE name <> 'Z_PK'")
            .map { "\"\($0)\"" }.joined(separator: ", ")
        let table = "\"\(entity.table)\""
        do {
            try database.execute(
                """
                INSERT INTO \(table) (Z_PK, \(list)) SELECT (SELECT max(Z_PK) + 1 FROM \(table)), \(list) FROM \(table) \
                WHERE Z_ENT = \(entity.number) LIMIT 1;
                UPDATE Z_PRIMARYKEY SET Z_MAX = max(Z_MAX, (SELECT max(Z_PK) FROM \(table))) \
                WHERE Z_ENT = \(entity.rootNumber)
                """)
            return true
        } catch {
            return false
        }
    }

    @Test(.randomized) func seededFaultsInRandomModelsAreRepaired() throws {
        var generator = Seeds.generator()
        var repaired: [RuleID: Int] = [:]
        var made = 0
        while made < (runsLongForms ? 1000 : 3) {
            let model = RandomStoreModel.make(using: &generator)
            let scratch = try StoreScratch()
            try scratch.write(Data(try EncodedModel(model).bytes), to: "M.mom")
            guard scratch.make("M.mom", rows: Int.random(in: 1...30, using: &generator)) == 0 else { continue }
            made += 1
            repaired.merge(try repair(scratch, model, limit: 20, &generator), uniquingKeysWith: +)
        }
        if runsLongForms { print("seeded faults repaired: \(FaultSeeder.counts(repaired))") }
        #expect(repaired.count > 5)
    }
}
