internal import CompiledModel
package import CoreData
internal import Diagnostics
internal import Foundation

/// Creates a store from an export in JSON Lines.
///
/// Values are stored as they were in the exported store. They are not validated: `StoreDoctor` does that.
package struct StoreImporter {
    /// The reason why there is no new store.
    package struct Failure: Error {
        /// The kind of problem.
        package enum Kind: Sendable {
            /// The data cannot be read, or are not an export.
            case data
            /// The store cannot be written.
            case store
        }

        /// The kind of problem.
        package var kind: Kind
        /// The problem, in one sentence.
        package var message: String
        /// What to do about it.
        package var help: String
        /// The name of the file with the problem; `nil` if no file is affected.
        package var file: String?
        /// The line of the problem.
        package var line: Int?
    }

    /// The files with objects: their names, for messages, and their paths.
    private let files: [(name: String, path: String)]
    /// The folder of the export, with the files of large values; `nil` for a single file.
    private let folder: String?
    private let model: NSManagedObjectModel
    private let ignoresUnknown: Bool

    /// Creates an importer.
    ///
    /// - Parameters:
    ///   - files: The files with objects: their names, for messages, and their paths.
    ///   - folder: The folder of the export, with the files of large values; `nil` for a single file.
    ///   - model: The model of the new store: any version of the exported one.
    ///   - ignoresUnknown: Whether entities and properties that the model does not have are skipped.
    package init(
        files: [(name: String, path: String)], folder: String?, model: NSManagedObjectModel, ignoresUnknown: Bool
    ) {
        self.files = files
        self.folder = folder
        self.model = model
        self.ignoresUnknown = ignoresUnknown
    }

    /// Writes the store. There must be no file at the path.
    ///
    /// - Returns: The number of objects by entity, and the references to objects that the export does not contain.
    package func write(to path: String) throws(Failure) -> StoreExporter.Summary {
        let description = try exportDescription()
        let source = try exportedModel()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        do {
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: path),
                options: [
                    // Only the finished file matters, so there is no need to wait for the disk.
                    NSSQLitePragmasOption: ["journal_mode": "MEMORY", "synchronous": "OFF", "cache_size": "-65536"]
                ])
            var summary = StoreExporter.Summary()
            try coordinator.insertRows(into: store) { rows in
                let importing = ImportedRows(
                    rows: rows, model: model, source: source, folder: folder,
                    hasNumericDates: description?["dates"]?.text == "seconds", ignoresUnknown: ignoresUnknown)
                try forEachObject { try importing.insert($0) }
                try forEachObject { try importing.link($0) }
                summary.counts = importing.counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
                summary.problems = missingFiles(description) + importing.problems
            }
            try coordinator.remove(store)
            try StoreFinishing.useLog(path)
            return summary
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure(
                kind: .store, message: "the store cannot be made: \((error as NSError).localizedDescription)",
                help: "Nothing was changed.")
        }
    }

    /// Returns the contents of a file of the export; `nil` if there is none.
    private func contents(of name: String) throws(Failure) -> Data? {
        guard let folder, FileManager.default.fileExists(atPath: "\(folder)/\(name)") else { return nil }
        guard let data = FileManager.default.contents(atPath: "\(folder)/\(name)") else {
            throw Failure(
                kind: .data, message: "the file cannot be read", help: "Check that you may read the file.", file: name)
        }
        return data
    }

    /// Returns what `schema.json` says about the export; `nil` if there is no such file.
    private func exportDescription() throws(Failure) -> ParsedJSON? {
        guard let data = try contents(of: "schema.json") else { return nil }
        let description: ParsedJSON?
        do throws(ParsedJSON.Failure) {
            description = try ParsedJSON.parse([UInt8](data))["x-modelc"]
        } catch {
            throw Failure(
                kind: .data, message: error.message, help: "Restore or remove the file.", file: "schema.json")
        }
        if let version = description?["version"], case .number(let text) = version,
            text != "\(ExportSchema.formatVersion)"
        {
            throw Failure(
                kind: .data, message: "the export has version \(text) of the format, which this modelc does not know",
                help: "Use a newer modelc.", file: "schema.json")
        }
        if let format = description?["format"]?.text, format != "jsonl" {
            throw Failure(
                kind: .data, message: "the export has the format \(format), which loses types",
                help: "Export with --format jsonl.", file: "schema.json")
        }
        if description?["dates"]?.text == "unix" {
            throw Failure(
                kind: .data, message: "the export has dates in seconds since 1970, which lose digits",
                help: "Export with --dates iso or seconds.", file: "schema.json")
        }
        return description
    }

    /// Returns the entities whose objects are in files that the folder lacks, according to `schema.json`.
    private func missingFiles(_ description: ParsedJSON?) -> [StoreExporter.Problem] {
        guard case .array(let entities)? = description?["entities"] else { return [] }
        let names = Set(files.map { $0.path.split(separator: "/").last.map(String.init) ?? "" })
        return entities.compactMap { entity in
            guard let name = entity["name"]?.text, let file = entity["file"]?.text, !names.contains(file),
                case .number(let text)? = entity["rows"], let rows = Int(text), rows > 0
            else { return nil }
            return StoreExporter.Problem(entity: name, property: "", reason: .missingFile, count: rows)
        }
    }

    /// Returns the model in the export; `nil` if there is none.
    private func exportedModel() throws(Failure) -> NSManagedObjectModel? {
        guard let data = try contents(of: "model.mom") else { return nil }
        do {
            return try NSManagedObjectModel(try DecodedModel([UInt8](data), name: "model.mom"))
        } catch {
            throw Failure(
                kind: .data, message: "the model cannot be read: \(error)", help: "Restore or remove the file.",
                file: "model.mom")
        }
    }

    private func forEachObject(_ body: (ParsedJSON) throws -> Void) throws {
        for file in files {
            guard let reader = LineReader(file.path) else {
                throw Failure(
                    kind: .data, message: "the file cannot be read", help: "Check its permissions.", file: file.name)
            }
            do {
                while let line = try reader.next() {
                    if line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { continue }
                    try body(try ParsedJSON.parse(line))
                }
            } catch let error as ParsedJSON.Failure {
                throw Self.failure(error.message, file.name, reader.line)
            } catch let error as ImportedRows.Failure {
                throw Failure(
                    kind: .data, message: error.message, help: error.help, file: file.name, line: reader.line)
            } catch let error as RestoredTable.Failure {
                throw Self.failure(error.message, file.name, reader.line)
            }
        }
    }

    private static func failure(_ message: String, _ file: String, _ line: Int) -> Failure {
        Failure(kind: .data, message: message, help: "Correct the line.", file: file, line: line)
    }
}
