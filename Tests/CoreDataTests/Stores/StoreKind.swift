import CoreData
import Testing

/// The kinds of stores that behaviour is tested over.
enum StoreKind: String, CaseIterable, Sendable {
    case inMemory
    case sqlite

    /// The kind that the test which is running uses.
    @TaskLocal static var current = StoreKind.inMemory
    /// Where the test which is running may make files.
    @TaskLocal static var folder: URL?

    var type: String { self == .sqlite ? NSSQLiteStoreType : NSInMemoryStoreType }

    /// A place for a store of the kind.
    func makeURL() -> URL? {
        guard self == .sqlite else { return nil }
        let folder = Self.folder ?? FileManager.default.temporaryDirectory
        return folder.appendingPathComponent("\(UUID().uuidString).sqlite")
    }

    /// A new store of the kind that the test which is running uses.
    @discardableResult
    static func add(
        to coordinator: NSPersistentStoreCoordinator, options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        try coordinator.addPersistentStore(
            ofType: current.type, configurationName: nil, at: current.makeURL(), options: options)
    }
}

/// Runs tests once for each kind of store: over one in memory and over a SQLite file.
struct OverAllStores: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        for kind in StoreKind.allCases {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            await StoreKind.$current.withValue(kind) {
                await StoreKind.$folder.withValue(folder) {
                    do {
                        try await function()
                        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
                        for name in names.sorted() where name.hasSuffix(".sqlite") {
                            StoreIntegrity.expectSound(folder.appendingPathComponent(name))
                        }
                    } catch {
                        Issue.record(error, "over a store of the kind \(kind)")
                    }
                }
            }
        }
    }
}

extension Trait where Self == OverAllStores {
    /// Runs tests once for each kind of store.
    static var overAllStores: Self { OverAllStores() }
}
