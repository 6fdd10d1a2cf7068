import CoreData
import CoreDataPostgreSQL
import Foundation
import PostgreSQLTestSupport
import Testing

/// The kinds of stores with which behavior is tested.
enum StoreKind: String, CaseIterable, Sendable {
    case inMemory
    case sqlite
    case postgreSQL

    /// The kind used by the running test.
    @TaskLocal static var current = StoreKind.inMemory
    /// The folder in which the running test may create files.
    @TaskLocal static var folder: URL?

    var type: String {
        switch self {
        case .inMemory: NSInMemoryStoreType
        case .sqlite: NSSQLiteStoreType
        case .postgreSQL: NSPostgreSQLStoreType
        }
    }

    /// The lowest character that a string in the current kind of store may contain: PostgreSQL rejects U+0000.
    static var leastCharacter: String { current == .postgreSQL ? "\u{1}" : "\u{0}" }

    /// The kinds that tests run with, including PostgreSQL if a server can be started.
    static let available: [StoreKind] = {
        guard case .failure(let reason) = PostgreSQLCluster.shared else { return allCases }
        print("tests over PostgreSQL are skipped: \(reason)")
        return allCases.filter { $0 != .postgreSQL }
    }()

    /// The database of all PostgreSQL stores, each of which has its own schema.
    private static let database = Result { try PostgreSQLCluster.shared.get().createDatabase() }

    /// Returns a URL for a store of this kind.
    func makeURL() throws -> URL? {
        switch self {
        case .inMemory: return nil
        case .sqlite:
            let folder = Self.folder ?? FileManager.default.temporaryDirectory
            return folder.appendingPathComponent("\(UUID().uuidString).sqlite")
        case .postgreSQL: return try PostgreSQLCluster.shared.get().url(database: Self.database.get())
        }
    }

    /// Adds a new store of the kind used by the running test.
    @discardableResult
    static func add(
        to coordinator: NSPersistentStoreCoordinator, options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        var options = options
        if current == .postgreSQL {
            options = (options ?? [:]).merging([NSPostgreSQLSchemaOption: UUID().uuidString]) { $1 }
        }
        return try coordinator.addPersistentStore(
            ofType: current.type, configurationName: nil, at: current.makeURL(), options: options)
    }
}

/// Runs tests once for each kind of store: in memory, in a SQLite file, and in a PostgreSQL database where a server can
/// be started.
struct OverAllStores: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true
    /// The kinds that the tests run with, if available.
    var kinds = StoreKind.allCases

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        for kind in StoreKind.available where kinds.contains(kind) {
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

    /// Runs tests once with SQLite, and once with PostgreSQL if a server can be started.
    static var overDatabases: Self { OverAllStores(kinds: [.sqlite, .postgreSQL]) }

    /// Runs tests once for each of the given kinds of store, if available.
    static func over(_ kinds: StoreKind...) -> Self { OverAllStores(kinds: kinds) }
}
