import CoreData
import Testing

/// Staged migrations: the behavior of Apple's framework as measured by a developer (Documentation/Formats/Migration.md,
/// 6).
@Suite struct StagedMigrationTests {
    /// A stage in a table row, given by version numbers.
    enum Stage: Sendable {
        case light([Int])
        case custom(Int, Int)
    }

    private final class Fixture {
        let folder: URL
        /// Four versions. After the second, an attribute changes its type from text to bytes, so that migration from
        /// the first two to the others cannot be inferred without the custom stage, which replaces the attribute.
        let versions: [NSManagedObjectModel]

        init() throws {
            folder = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            func attribute(_ name: String, _ type: NSAttributeType, _ identifier: String? = nil)
                -> NSAttributeDescription
            {
                let attribute = MappingFixture.attribute(name, type)
                attribute.renamingIdentifier = identifier
                return attribute
            }
            // From 1 to 2, a new attribute is added. From 2 to 3, the old one is removed and the new one gets its
            // name.
            let properties: [[NSAttributeDescription]] = [
                [attribute("code", .stringAttributeType)],
                [attribute("code", .stringAttributeType), attribute("code2", .binaryDataAttributeType)],
                [attribute("code", .binaryDataAttributeType, "code2")],
                [attribute("code", .binaryDataAttributeType, "code2"), attribute("note", .stringAttributeType)],
            ]
            versions = properties.map { properties in
                let entity = NSEntityDescription()
                entity.name = "Item"
                entity.properties = properties
                let model = NSManagedObjectModel()
                model.entities = [entity]
                return model
            }
            let context = try MappingFixture.open(url, versions[0])
            try context.performAndWait {
                let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
                item.setValue("seven", forKey: "code")
                try context.save()
            }
            try MappingFixture.close(context)
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        var url: URL { folder.appendingPathComponent("Items.sqlite") }

        func reference(_ version: Int) -> NSManagedObjectModelReference {
            let model = versions[version - 1]
            return NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
        }

        func stages(_ stages: [Stage], calls: Recorder<String> = Recorder()) -> [NSMigrationStage] {
            stages.map { stage in
                switch stage {
                case .light(let numbers):
                    return NSLightweightMigrationStage(numbers.map { versions[$0 - 1].versionChecksum })
                case .custom(let from, let to):
                    let stage = NSCustomMigrationStage(migratingFrom: reference(from), to: reference(to))
                    stage.willMigrateHandler = { manager, stage in
                        calls.values.append("will \(from)")
                        guard from == 2, let context = manager.container?.newBackgroundContext() else { return }
                        try context.performAndWait {
                            for item in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Item")) {
                                let text = item.value(forKey: "code") as? String
                                item.setValue(text.map { Data($0.utf8) }, forKey: "code2")
                            }
                            try context.save()
                        }
                    }
                    stage.didMigrateHandler = { manager, _ in
                        calls.values.append("did \(to) \(manager.container?.managedObjectModel.versionChecksum ?? "")")
                    }
                    return stage
                }
            }
        }

        func open(_ stages: [NSMigrationStage], version: Int) throws -> NSManagedObjectContext {
            let manager = NSStagedMigrationManager(stages)
            defer { #expect(manager.container == nil) }
            return try MappingFixture.open(
                url, versions[version - 1],
                options: [
                    NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
                    NSPersistentStoreStagedMigrationManagerOptionKey: manager,
                ])
        }
    }

    /// The stages, the version of the app, and the error code, or 0 for none. The store has version 1.
    private static let table: [([Stage], Int, Int)] = [
        ([.custom(1, 2), .light([3])], 3, 0),
        ([.light([1]), .custom(2, 3)], 3, 0),
        ([.custom(1, 2), .custom(2, 3)], 3, 0),
        ([.custom(1, 2), .light([3, 4])], 4, 0),
        ([.light([1]), .custom(2, 3), .light([4])], 4, 0),
        ([.custom(2, 3), .light([1, 4])], 4, NSMigrationMissingMappingModelError),
        ([.light([3, 4]), .custom(1, 2)], 4, NSStagedMigrationBackwardMigrationError),
    ]

    @Test(arguments: table.indices)
    func stagesMigrateTheStoreOrFailWithTheirError(row: Int) throws {
        let (stages, version, code) = Self.table[row]
        let fixture = try Fixture()
        if code == 0 {
            let context = try fixture.open(fixture.stages(stages), version: version)
            try context.performAndWait {
                let item = try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Item")).first)
                let isConverted = stages.contains { if case .custom(2, 3) = $0 { true } else { false } }
                #expect(item.value(forKey: "code") as? Data == (isConverted ? Data("seven".utf8) : nil))
            }
            try MappingFixture.close(context)
        } else {
            let error = try #require(nsError { _ = try fixture.open(fixture.stages(stages), version: version) })
            #expect(error.code == code)
            let text = "A store file cannot be migrated backwards with staged migration."
            #expect(error.localizedDescription.hasPrefix(text) == (code == NSStagedMigrationBackwardMigrationError))
        }
    }

    /// The stages behind the app's version, for example of an older app, do not run.
    @Test(arguments: [[Stage.light([1]), .custom(2, 3)], [.light([1, 2]), .custom(3, 4)]])
    func stagesBehindTheCurrentVersionDoNotRun(_ stages: [Stage]) throws {
        let fixture = try Fixture()
        let calls = Recorder<String>()
        let context = try fixture.open(fixture.stages(stages, calls: calls), version: 2)
        try context.performAndWait {
            let item = try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Item")).first)
            #expect(item.value(forKey: "code") as? String == "seven")
        }
        try MappingFixture.close(context)
        #expect(calls.values == [])
    }

    /// The error of a handler reaches the caller, and nothing that follows runs.
    @Test(arguments: ["will 1", "did 2", "will 2", "did 3"])
    func errorsOfHandlersEndTheMigration(_ failing: String) throws {
        let fixture = try Fixture()
        let calls = Recorder<String>()
        let stages = fixture.stages([.custom(1, 2), .custom(2, 3)]).compactMap { $0 as? NSCustomMigrationStage }
        for (stage, from) in zip(stages, [1, 2]) {
            func handler(
                _ name: String, _ known: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?
            ) -> (NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void {
                { manager, stage in
                    calls.values.append(name)
                    if name == failing { throw CocoaError(.featureUnsupported) }
                    try known?(manager, stage)
                }
            }
            stage.willMigrateHandler = handler("will \(from)", stage.willMigrateHandler)
            stage.didMigrateHandler = handler("did \(from + 1)", nil)
        }
        let error = try #require(nsError { _ = try fixture.open(stages, version: 3) })
        #expect(error.code == CocoaError.Code.featureUnsupported.rawValue)
        let all = ["will 1", "did 2", "will 2", "did 3"]
        #expect(calls.values == Array(all.prefix { $0 != failing }) + [failing])
    }

    /// A handler that failed is called again when the store is opened the next time, even by an app of its version; one
    /// that succeeded is not.
    @Test(arguments: ["will 1", "did 2", "will 2", "did 3"])
    func handlersThatFailedRunAgain(_ failing: String) throws {
        let fixture = try Fixture()
        let calls = Recorder<String>()
        let stages = fixture.stages([.custom(1, 2), .custom(2, 3)]).compactMap { $0 as? NSCustomMigrationStage }
        for (stage, from) in zip(stages, [1, 2]) {
            func call(_ name: String) throws {
                calls.values.append(name)
                if name == failing, calls.values.count(where: { $0 == name }) < 3 {
                    throw CocoaError(.featureUnsupported)
                }
            }
            stage.willMigrateHandler = { _, _ in try call("will \(from)") }
            stage.didMigrateHandler = { manager, stage in
                let model = manager.container?.managedObjectModel
                #expect(model?.versionChecksum == stage.nextModel.versionChecksum)
                try call("did \(from + 1)")
            }
        }
        func metadata() throws -> Set<String> {
            Set(
                try NSPersistentStoreCoordinator.metadataForPersistentStore(
                    ofType: NSSQLiteStoreType, at: fixture.url, options: nil
                ).keys)
        }
        let keys = try metadata()
        let all = ["will 1", "did 2", "will 2", "did 3"]
        for _ in 0..<2 {
            let error = try #require(nsError { _ = try fixture.open(stages, version: 3) })
            #expect(error.code == CocoaError.Code.featureUnsupported.rawValue)
        }
        #expect(calls.values == Array(all.prefix { $0 != failing }) + [failing, failing])
        // Without the stages, only a store of the current version can be opened, and nothing is due.
        if failing == "did 3" { try MappingFixture.close(try MappingFixture.open(fixture.url, fixture.versions[2])) }
        calls.values = [failing, failing]
        try MappingFixture.close(try fixture.open(stages, version: 3))
        #expect(calls.values.dropFirst(2) == all.drop { $0 != failing })
        #expect(try metadata() == keys)
        calls.values = []
        try MappingFixture.close(try fixture.open(stages, version: 3))
        #expect(calls.values.isEmpty)
    }

    /// A migration that fails leaves no handler due.
    @Test func aFailedMigrationLeavesNoHandlerDue() throws {
        let fixture = try Fixture()
        func metadata() throws -> NSDictionary {
            NSDictionary(
                dictionary: try NSPersistentStoreCoordinator.metadataForPersistentStore(
                    ofType: NSSQLiteStoreType, at: fixture.url, options: nil))
        }
        let before = try metadata()
        // A text attribute that becomes bytes cannot be inferred.
        fixture.versions[3].entitiesByName["Item"]?.attributesByName["code"]?.renamingIdentifier = nil
        let stage = NSCustomMigrationStage(migratingFrom: fixture.reference(1), to: fixture.reference(4))
        stage.didMigrateHandler = { _, _ in Issue.record("the handler runs without a migration") }
        #expect(nsError { _ = try fixture.open([stage], version: 4) }?.code == NSMigrationMissingMappingModelError)
        #expect(try metadata() == before)
    }

    /// Consecutive lightweight stages are not performed model by model.
    @Test(arguments: [[[1, 2, 3]], [[1], [2], [3]]])
    func lightweightStagesAreOneStep(numbers: [[Int]]) throws {
        let fixture = try Fixture()
        // The third version refers to the text attribute as its byte attribute.
        let third = fixture.versions[2].copy() as? NSManagedObjectModel
        let model = try #require(third)
        model.entitiesByName["Item"]?.attributesByName["code"]?.renamingIdentifier = nil
        let checksums = numbers.map {
            $0.map { $0 == 3 ? model.versionChecksum : fixture.versions[$0 - 1].versionChecksum }
        }
        let manager = NSStagedMigrationManager(checksums.map { NSLightweightMigrationStage($0) })
        let error = try #require(
            nsError {
                _ = try MappingFixture.open(
                    fixture.url, model,
                    options: [
                        NSMigratePersistentStoresAutomaticallyOption: true,
                        NSInferMappingModelAutomaticallyOption: true,
                        NSPersistentStoreStagedMigrationManagerOptionKey: manager,
                    ])
            })
        #expect(error.code == NSMigrationMissingMappingModelError)
    }

    @Test func handlersReceiveAContainerOfTheirVersion() throws {
        let fixture = try Fixture()
        let calls = Recorder<String>()
        let context = try fixture.open(fixture.stages([.custom(1, 2), .custom(2, 3)], calls: calls), version: 3)
        try MappingFixture.close(context)
        #expect(
            calls.values == [
                "will 1", "did 2 \(fixture.versions[1].versionChecksum)", "will 2",
                "did 3 \(fixture.versions[2].versionChecksum)",
            ])
        // A store of the current version needs no stage.
        calls.values = []
        try MappingFixture.close(
            try fixture.open(fixture.stages([.custom(1, 2), .custom(2, 3)], calls: calls), version: 3))
        #expect(calls.values.isEmpty)
    }

    /// Stores of old frameworks have no checksum.
    @Test func aStoreWithoutAVersionChecksumIsRejected() throws {
        let fixture = try Fixture()
        let database = try TestDatabase(path: fixture.url.path)
        let hex = try #require(try database.rows("SELECT hex(Z_PLIST) FROM Z_METADATA").first?.first ?? nil)
        let bytes = stride(from: 0, to: hex.count, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
        let plist = try PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
        var metadata = try #require(plist as? [String: Any])
        #expect(metadata.removeValue(forKey: "NSStoreModelVersionChecksumKey") != nil)
        let edited = try PropertyListSerialization.data(fromPropertyList: metadata, format: .binary, options: 0)
        try database.run("UPDATE Z_METADATA SET Z_PLIST = x'\(edited.map { String(format: "%02x", $0) }.joined())'")
        let error = try #require(nsError { _ = try fixture.open(fixture.stages([.custom(1, 2)]), version: 2) })
        #expect(error.code == 134505)
        #expect(error.localizedDescription.contains("has no version checksum"), "\(error.localizedDescription)")
        #expect(error.localizedDescription.contains("Open it once with the model that it was made with"))
    }

    @Test func aVersionInTwoStagesIsAnError() throws {
        let fixture = try Fixture()
        let error = try #require(
            nsError { _ = try fixture.open(fixture.stages([.light([1]), .light([1, 2])]), version: 2) })
        #expect(error.userInfo["reason"] as? String ?? "" != "")
        #expect(error.localizedDescription.contains("Duplicate version checksums across stages detected"))
    }

    @Test func referencesAreResolvedByEveryForm() throws {
        let fixture = try Fixture()
        let model = fixture.versions[1]
        let folder = fixture.folder.appendingPathComponent("Bundle")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("Items 2.mom")
        try MappingArchive.model(model).write(to: file)
        let bundle = try #require(Bundle(path: folder.path))
        let checksum = model.versionChecksum
        let references = [
            NSManagedObjectModelReference(model: model, versionChecksum: checksum),
            NSManagedObjectModelReference(fileURL: file, versionChecksum: checksum),
            NSManagedObjectModelReference(name: "Items 2", in: bundle, versionChecksum: checksum),
            NSManagedObjectModelReference(
                entityVersionHashes: model.entityVersionHashesByName, in: bundle, versionChecksum: checksum),
        ]
        for reference in references {
            #expect(reference.resolvedModel.versionChecksum == checksum)
            #expect(reference.versionChecksum == checksum)
        }
    }

    @Test func anUnresolvedReferenceIsReported() throws {
        let fixture = try Fixture()
        let missing = NSManagedObjectModelReference(
            fileURL: fixture.folder.appendingPathComponent("None.mom"),
            versionChecksum: fixture.versions[1].versionChecksum)
        let stage = NSCustomMigrationStage(migratingFrom: fixture.reference(1), to: missing)
        let error = try #require(nsError { _ = try fixture.open([stage], version: 2) })
        #expect(error.code == NSManagedObjectModelReferenceNotFoundError)
        #expect(error.localizedDescription.contains("None.mom"))
    }
}
