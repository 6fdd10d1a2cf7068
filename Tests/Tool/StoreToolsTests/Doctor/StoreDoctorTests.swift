import CompiledModel
import CoreData
import Diagnostics
import Foundation
import ModelSchema
import StoreDoctor
import TestSupport
import Testing

@testable import StoreTools

/// `StoreDoctor` finds every fault of its catalog, and nothing in intact stores.
@Suite struct StoreDoctorTests {
    /// Returns what the doctor finds in a store, notes included.
    static func check(
        _ path: String, _ configure: (inout StoreDoctor.Options) -> Void = { _ in }
    ) throws -> StoreDoctor.Result {
        var options = StoreDoctor.Options()
        options.includesNotes = true
        configure(&options)
        return try StoreDoctor(path: path, options: options).check()
    }

    static func runtimeModel(_ model: Model) throws -> NSManagedObjectModel {
        try NSManagedObjectModel(try DecodedModel(try EncodedModel(model).bytes, name: "M"))
    }

    /// Plants faults in a store that was made for a model, and checks that each is found, and nothing else.
    ///
    /// - Returns: The number of faults by the rules that found them.
    private func seed(
        _ scratch: StoreScratch, _ model: Model, limit: Int, _ generator: inout SeededGenerator
    ) throws -> [RuleID: Int] {
        let path = scratch.url("a.sqlite").path
        let clean = try Self.check(path)
        #expect(clean.findings.isEmpty, "\(clean.findings)")
        #expect(clean.missingModel == nil)
        let original = try SeedDatabase(path)
        let content = try original.content()
        let layout = try StoreLayout(of: try Self.runtimeModel(model), tables: content.tables, numbers: content.numbers)
        let seeder = FaultSeeder(layout, original, generator)
        var faults = try seeder.allFaults()
        generator = seeder.generator
        faults.shuffle(using: &generator)
        var planted: [RuleID: Int] = [:]
        for fault in faults.prefix(limit) where runsLongForms || planted[fault.rule, default: 0] < 3 {
            let copy = scratch.url("seeded.sqlite")
            try? FileManager.default.removeItem(at: copy)
            try FileManager.default.copyItem(at: scratch.url("a.sqlite"), to: copy)
            let support = scratch.url(".seeded_SUPPORT")
            try? FileManager.default.removeItem(at: support)
            try? FileManager.default.copyItem(at: scratch.url(".a_SUPPORT"), to: support)
            guard try fault.plant(in: copy) else { continue }
            for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: copy.path + suffix) }
            let result = try Self.check(copy.path)
            let rules = Set(result.findings.map(\.rule))
            #expect(rules.contains(fault.rule), "\(fault): \(result.findings.map(\.message))")
            let others = rules.subtracting(fault.consequences).subtracting([fault.rule])
            #expect(others.isEmpty, "\(fault): \(result.findings.filter { others.contains($0.rule) })")
            planted[fault.rule, default: 0] += 1
        }
        return planted
    }

    @Test(.randomized) func seededFaultsInRandomModelsAreFound() throws {
        var generator = Seeds.generator()
        var found: [RuleID: Int] = [:]
        var made = 0
        while made < (runsLongForms ? 1000 : 4) {
            let model = RandomStoreModel.make(using: &generator)
            let scratch = try StoreScratch()
            try scratch.write(Data(try EncodedModel(model).bytes), to: "M.mom")
            guard scratch.make("M.mom", rows: Int.random(in: 1...30, using: &generator)) == 0 else { continue }
            made += 1
            found.merge(try seed(scratch, model, limit: 25, &generator), uniquingKeysWith: +)
        }
        if runsLongForms { print("seeded faults found: \(FaultSeeder.counts(found))") }
        #expect(found.count > 10)
    }

    /// Relationships to an entity with subentities, and to one of them.
    static let shapes = """
        <entity name="Shape" syncable="YES">
            <attribute name="name" optional="YES" attributeType="String"/>
            <relationship name="items" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Item" \
        inverseName="shape" inverseEntity="Item"/>
        </entity>
        <entity name="Circle" parentEntity="Shape" syncable="YES">
            <relationship name="groups" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Group" \
        inverseName="circles" inverseEntity="Group"/>
        </entity>
        <entity name="Square" parentEntity="Shape" syncable="YES"/>
        <entity name="Group" syncable="YES">
            <relationship name="circles" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Circle" \
        inverseName="groups" inverseEntity="Circle"/>
        </entity>
        <entity name="Item" syncable="YES">
            <relationship name="shape" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Shape" \
        inverseName="items" inverseEntity="Shape"/>
        </entity>
        """

    /// A fixed model has every kind of property, so that faults of (almost) every rule can be planted.
    @Test(.randomized) func seededFaultsOfEveryRuleAreFound() throws {
        var generator = Seeds.generator()
        let scratch = try StoreScratch()
        try scratch.writeModel(SampleModel.entities)
        #expect(scratch.make(rows: 40) == 0)
        let model = try #require(try scratch.model())
        var found = Set(try seed(scratch, model, limit: .max, &generator).keys)
        for entities in [Self.shapes, StoreFileFaultTests.folders] {
            let scratch = try StoreScratch()
            try scratch.writeModel(entities)
            #expect(scratch.make(rows: 20) == 0)
            found.formUnion(try seed(scratch, try #require(try scratch.model()), limit: .max, &generator).keys)
        }
        let expected: Set<RuleID> = [
            .missingLog, .freePages, .sparsePages, .noAutoVacuum, .metadataMissing, .metadataUnreadable, .uuidInvalid,
            .entityRowMissing, .entityRowExtra, .entityParent, .maxBehind, .maxInSubentity, .tableMissing,
            .columnMissing, .columnType, .unknownTable, .unknownColumn, .indexMissing, .uniqueIndexMissing,
            .derivedTriggerMissing, .unknownEntity, .abstractEntity, .versionInvalid, .keyNotPositive,
            .danglingReference, .wrongDestination, .entityColumn, .oneToOneHalf, .oneToOneConflict, .twoOwners,
            .joinDangling, .joinWrongEntity, .joinDuplicate, .orderMissing, .orderDuplicate, .tooFew, .tooMany,
            .requiredReferenceMissing, .requiredValueMissing, .storageClass, .booleanRange, .integerRange, .uuidLength,
            .decimalText, .dateRange, .dateEpoch, .textEncoding, .uriInvalid, .uniqueViolated, .externalMark,
            .archiveUnreadable, .derivedDrift, .truncatedFile, .damagedPage, .modelMismatch, .modelCacheUnreadable,
            .rtreeDrift, .ownerDangling, .orderWithoutOwner, .unownedRow, .validation, .externalFileMissing,
            .externalFileOrphaned, .historyBloat, .historyOrphan, .historyEntity, .historyString, .historyMax,
            .historyUndead, .historyTombstone, .historyPartial, .cloudkitRecord,
        ]
        #expect(expected.subtracting(found).isEmpty, "\(expected.subtracting(found))")
    }
}
