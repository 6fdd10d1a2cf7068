import CSQLite3
import CompiledModel
import CoreData
import Foundation
import ModelMigration
import ModelSchema
import ModelcDriver
import Testing

@testable import StoreTools

/// A temporary folder with a model, in which commands run.
final class StoreScratch {
    let folder: URL
    private(set) var output = ""
    private(set) var errorOutput = ""

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-store-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    func url(_ name: String) -> URL { folder.appendingPathComponent(name) }

    func write(_ bytes: Data, to name: String) throws {
        try FileManager.default.createDirectory(
            at: url(name).deletingLastPathComponent(), withIntermediateDirectories: true)
        try bytes.write(to: url(name))
    }

    /// Writes a model with the given entities.
    func writeModel(_ entities: String, to name: String = "Model.xcdatamodel") throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="24299" \
            systemVersion="25A362" minimumToolsVersion="Automatic" sourceLanguage="Swift" \
            userDefinedModelVersionIdentifier="">
            \(entities)
            </model>
            """
        try write(Data(text.utf8), to: "\(name)/contents")
    }

    private var environment: DriverEnvironment {
        (output, errorOutput) = ("", "")
        return DriverEnvironment(
            files: POSIXFileSystem(workingDirectory: folder.path), output: { self.output += $0 },
            errorOutput: { self.errorOutput += $0 }, usesColor: false)
    }

    @discardableResult
    func make(
        _ model: String = "Model.xcdatamodel", rows: Int = 50, seed: UInt64 = 1, to path: String = "a.sqlite",
        replaces: Bool = false
    ) -> Int32 {
        let arguments =
            [model, "--rows", "\(rows)", "--seed", "\(seed)", "--output", path] + (replaces ? ["--force"] : [])
        let command = try? StoreMakeCommand.parse(arguments)
        return command?.run(in: environment).rawValue ?? -1
    }

    func diff(
        _ old: String = "a.sqlite", _ new: String = "b.sqlite", _ configure: (inout StoreDiffCommand) -> Void = { _ in }
    ) -> Int32 {
        guard var command = try? StoreDiffCommand.parse([old, new]) else { return -1 }
        configure(&command)
        return command.run(in: environment).rawValue
    }

    /// Runs `modelc store migrate`.
    func migrate(_ arguments: String...) -> Int32 { migrate(arguments) }

    func migrate(_ arguments: [String]) -> Int32 {
        (try? StoreMigrateCommand.parse(arguments))?.run(in: environment).rawValue ?? -1
    }

    /// Runs `modelc store migrate-test`.
    func migrateTest(_ arguments: String...) -> Int32 {
        (try? StoreMigrateTestCommand.parse(arguments))?.run(in: environment).rawValue ?? -1
    }

    /// Runs `modelc store check`.
    func check(_ arguments: String...) -> Int32 {
        (try? StoreCheckCommand.parse(arguments))?.run(in: environment).rawValue ?? -1
    }

    /// Runs `modelc store repair`.
    func repair(_ arguments: String...) -> Int32 { repair(arguments) }

    func repair(_ arguments: [String]) -> Int32 {
        (try? StoreRepairCommand.parse(arguments))?.run(in: environment).rawValue ?? -1
    }

    /// Runs `modelc store compact`.
    func compact(_ arguments: [String]) -> Int32 {
        (try? StoreCompactCommand.parse(arguments))?.run(in: environment).rawValue ?? -1
    }

    /// Runs `modelc store recover`.
    func recover(_ arguments: String...) -> Int32 {
        (try? StoreRecoverCommand.parse(arguments))?.run(in: environment).rawValue ?? -1
    }

    /// Runs `modelc store export`.
    ///
    /// - Parameter stopsAfter: The number of bytes after which the reader of the output closes it.
    func export(_ arguments: [String], stopsAfter limit: Int = .max) -> Int32 {
        var environment = environment
        environment.outputHasFailed = { self.output.utf8.count > limit }
        return (try? StoreExportCommand.parse(arguments))?.run(in: environment).rawValue ?? -1
    }

    func export(_ arguments: String...) -> Int32 { export(arguments) }

    /// Runs `modelc store import`.
    func importStore(_ arguments: String...) -> Int32 { importStore(arguments) }

    func importStore(_ arguments: [String]) -> Int32 {
        (try? StoreImportCommand.parse(arguments))?.run(in: environment).rawValue ?? -1
    }

    /// Returns the text of a file.
    func text(_ name: String) throws -> String { try String(contentsOf: url(name), encoding: .utf8) }

    /// Runs `modelc store info`.
    func info(_ arguments: String...) -> Int32 {
        (try? StoreInfoCommand.parse(arguments))?.run(in: environment).rawValue ?? -1
    }

    /// Runs `modelc sql`.
    func sql(_ arguments: String...) -> Int32 { sql(arguments) }

    func sql(_ arguments: [String]) -> Int32 {
        ((try? SQLCommand<NoDatabaseClient>.parseAsRoot(arguments)) as? any DriverCommand)?.run(in: environment)
            .rawValue ?? -1
    }

    /// Runs modelc; returns whether it succeeds.
    func modelc(_ arguments: String...) throws -> Bool {
        let result = try ToolProcess.run("modelc", arguments, in: folder)
        return result.code == 0
    }

    /// Writes `Books.xcdatamodeld` with versions V1, V2 and so on, the last of which is current.
    func writeVersions(_ versions: [String]) throws {
        for (index, entities) in versions.enumerated() {
            try writeModel(entities, to: "Books.xcdatamodeld/V\(index + 1).xcdatamodel")
        }
        let current = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict><key>_XCCurrentVersionName</key><string>V\(versions.count).xcdatamodel</string></dict>\
            </plist>
            """
        try write(Data(current.utf8), to: "Books.xcdatamodeld/.xccurrentversion")
    }

    /// Returns the model passed to commands, indexed.
    func indexedModel(_ name: String = "Model.xcdatamodel") throws -> IndexedModel {
        IndexedModel(try #require(try model(name)))
    }

    /// Changes a store as another program would.
    func execute(_ sql: String, in name: String, creates: Bool = false) throws {
        var handle: OpaquePointer?
        defer { sqlite3_close_v2(handle) }
        guard
            sqlite3_open_v2(url(name).path, &handle, SQLITE_OPEN_READWRITE | (creates ? SQLITE_OPEN_CREATE : 0), nil)
                == SQLITE_OK,
            sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK
        else { throw CocoaError(.fileWriteUnknown) }
    }

    /// Writes a compiled model.
    func writeCompiled(_ model: Model, to name: String = "M.mom") throws {
        try write(Data(try EncodedModel(model).bytes), to: name)
    }

    /// Returns the first value of a query as text.
    func value(_ sql: String, in name: String) throws -> String? {
        var (handle, statement): (OpaquePointer?, OpaquePointer?)
        defer {
            sqlite3_finalize(statement)
            sqlite3_close_v2(handle)
        }
        guard sqlite3_open_v2(url(name).path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK,
            sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, sqlite3_step(statement) == SQLITE_ROW
        else { throw CocoaError(.fileReadUnknown) }
        return sqlite3_column_text(statement, 0).map { String(cString: $0) }
    }

    /// Returns the model passed to commands.
    func model(_ name: String = "Model.xcdatamodel") throws -> Model? {
        try? EvolutionReader(files: POSIXFileSystem(workingDirectory: folder.path)).modelSet(name).versions.first?.model
    }

    /// Returns the bytes of all files in the folder, by relative path.
    func files() throws -> [String: Data] {
        var result: [String: Data] = [:]
        let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        for path in paths {
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: url(path).path, isDirectory: &isFolder)
            if !isFolder.boolValue { result[path] = try Data(contentsOf: url(path)) }
        }
        return result
    }

    /// Opens a store with the model that it was created with, and returns all its objects by entity.
    func objects(
        of name: String, _ modelName: String = "Model.xcdatamodel"
    ) throws -> (context: NSManagedObjectContext, byEntity: [String: [NSManagedObject]]) {
        let schema = try #require(try self.model(modelName))
        let model = try NSManagedObjectModel(try DecodedModel(try EncodedModel(schema).bytes, name: "Model"))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url(name),
            options: [NSReadOnlyPersistentStoreOption: true])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        var result: [String: [NSManagedObject]] = [:]
        for entity in model.entities where !entity.isAbstract {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
            request.includesSubentities = false
            result[entity.name ?? ""] = try context.performAndWait { try context.fetch(request) }
        }
        return (context, result)
    }
}
