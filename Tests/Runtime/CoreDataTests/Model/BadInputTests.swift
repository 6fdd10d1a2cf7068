import CoreData
import TestSupport
import Testing

/// Anything that is not a model yields `nil`.
@Suite struct BadInputTests {
    private let fixture: CompiledFixture

    init() throws {
        fixture = try CompiledFixture()
    }

    private func url(_ name: String) -> URL { fixture.folder.appendingPathComponent(name) }

    @Test func missingFilesYieldNil() {
        #expect(NSManagedObjectModel(contentsOf: url("None.momd")) == nil)
    }

    @Test func otherFilesYieldNil() throws {
        try Data("bplist00 this is not a property list".utf8).write(to: url("Model.mom"))
        #expect(NSManagedObjectModel(contentsOf: url("Model.mom")) == nil)
        try Data().write(to: url("Empty.mom"))
        #expect(NSManagedObjectModel(contentsOf: url("Empty.mom")) == nil)
    }

    @Test func truncatedFilesYieldNil() throws {
        let file = try fixture.compile("Model", versions: ["Model": CompiledFixture.library], current: nil)
            .appendingPathComponent("Model.mom")
        let bytes = try Data(contentsOf: file)
        for length in stride(from: 0, to: bytes.count, by: 211) {
            try bytes.prefix(length).write(to: url("Short.mom"))
            #expect(NSManagedObjectModel(contentsOf: url("Short.mom")) == nil)
        }
    }

    @Test func bundlesWithoutTheirCurrentVersionYieldNil() throws {
        let bundle = try fixture.compile(
            "Model", versions: ["A": CompiledFixture.library, "B": CompiledFixture.library], current: "B")
        try FileManager.default.removeItem(at: bundle.appendingPathComponent("B.mom"))
        #expect(NSManagedObjectModel(contentsOf: bundle) == nil)
    }

    @Test func emptyBundlesYieldNil() throws {
        try FileManager.default.createDirectory(at: url("Empty.momd"), withIntermediateDirectories: true)
        #expect(NSManagedObjectModel(contentsOf: url("Empty.momd")) == nil)
        #expect(throws: CocoaError.self) {
            try NSManagedObjectModel.checksumsForVersionedModel(at: url("Empty.momd"))
        }
    }

    @Test func uncompiledModelsYieldNil() throws {
        try FileManager.default.createDirectory(at: url("Model.xcdatamodeld"), withIntermediateDirectories: true)
        #expect(NSManagedObjectModel(contentsOf: url("Model.xcdatamodeld")) == nil)
    }

    /// Changes random single bytes of a valid file: whatever the result, nothing traps.
    @Test func damagedFilesNeverTrap() throws {
        let file = try fixture.compile("Model", versions: ["Model": CompiledFixture.library], current: nil)
            .appendingPathComponent("Model.mom")
        let bytes = try Data(contentsOf: file)
        var generator = SeededGenerator(seed: 7)
        let rounds = ProcessInfo.processInfo.environment["MODELC_FUZZ_SECONDS"] == nil ? 80 : 20_000
        for _ in 0..<rounds {
            var damaged = bytes
            for _ in 0...Int.random(in: 0..<4, using: &generator) {
                damaged[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            try damaged.write(to: url("Damaged.mom"))
            let model = NSManagedObjectModel(contentsOf: url("Damaged.mom"))
            for entity in model?.entities ?? [] {
                for property in entity.properties { #expect(property.versionHash.count == 32) }
            }
        }
    }
}
