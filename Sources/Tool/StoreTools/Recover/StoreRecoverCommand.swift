internal import CoreData
internal import Diagnostics
internal import Foundation
internal import ModelMigration
package import ModelcDriver
internal import StoreDoctor

extension StoreRecoverCommand {
    /// Runs the command. The exit code is 1 if something could not be saved.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { _ throws(InputFailure) in
            try environment.files.requireStore(path)
            let model = try givenModel(environment)
            return findsDeleted ? try findDeleted(model, environment) : try recover(model, environment)
        }
    }

    private func givenModel(_ environment: DriverEnvironment) throws(InputFailure) -> NSManagedObjectModel? {
        guard let modelPath else { return nil }
        let set = try ModelSetReader(files: environment.files).read(modelPath)
        // The hashes of a damaged store may be unreadable.
        if let matching = try? StoreModelChoice.model(of: path, in: set, environment.files) { return matching }
        let version = try set.version(named: nil, option: "--model")
        return try version.managedObjectModel(try version.indexedModel())
    }

    private func failure(_ error: StoreDoctor.Failure, _ environment: DriverEnvironment) -> InputFailure {
        StoreModelChoice.failure(error, path: path, environment: environment)
    }

    // MARK: Damaged stores

    private func recover(
        _ model: NSManagedObjectModel?, _ environment: DriverEnvironment
    ) throws(InputFailure) -> ExitCode {
        let output = outputPath ?? ""
        let location = try StoreCopyLocation(
            for: output, of: path, replaces: replaces, hint: "Choose another --output. Nothing was changed.",
            environment)
        defer { location.discard() }
        let result: StoreRecovery.Result
        do throws(StoreDoctor.Failure) {
            result = try StoreRecovery(path: environment.files.systemPath(path), model: model)
                .write(to: location.temporaryPath)
        } catch {
            throw failure(error, environment)
        }
        try location.commit()
        show(result, output, environment)
        return result.isComplete ? .success : .findings
    }

    private func show(_ result: StoreRecovery.Result, _ output: String, _ environment: DriverEnvironment) {
        let width = result.saved.map(\.entity.count).max() ?? 0
        for (entity, rows) in result.saved {
            let losses = result.losses.filter { $0.entities.contains(entity) }
            let pages = losses.reduce(0) { $0 + $1.pages }
            let damaged = losses.reduce(0) { $0 + $1.rows }
            var line = entity + String(repeating: " ", count: width - entity.count) + "  \(rows) saved"
            if pages + damaged > 0 {
                let lost = [
                    pages > 0 ? "\(counted(pages, "page"))" : nil,
                    damaged > 0 ? "\(counted(damaged, "row"))" : nil,
                ].compactMap { $0 }.joined(separator: " and ")
                line += ", \(lost) of its table not readable"
            }
            environment.outputLine(line)
        }
        for loss in result.losses where !loss.keys.isEmpty {
            environment.outputLine("\(loss.table): lost keys: \(loss.keys.joined(separator: ", "))")
        }
        for name in result.unusualTables {
            environment.errorLine(
                "modelc: the table \(name) was not saved, because Core Data does not define such tables")
        }
        for name in result.missingTables {
            environment.errorLine(
                "modelc: the table \(name) is not in the schema of the file; its rows were assigned by their form")
        }
        if !result.hasSchema {
            environment.errorLine("modelc: the schema of the file cannot be read; rows were assigned by their form")
        }
        if result.reassigned > 0 {
            environment.errorLine(
                "modelc: \(counted(result.reassigned, "row")) \(result.reassigned == 1 ? "was" : "were") found on pages "
                    + "that no table refers to any more; some may have been deleted before")
        }
        for finding in result.remaining {
            environment.errorLine("modelc: left: \(finding.message) [\(finding.rule.rawValue)]")
        }
        environment.errorLine("modelc: \(output) written")
    }

    // MARK: Deleted rows

    private func findDeleted(
        _ model: NSManagedObjectModel?, _ environment: DriverEnvironment
    ) throws(InputFailure) -> ExitCode {
        var lines: [UInt8] = []
        var counts: [String: Int] = [:]
        let search = DeletedRowSearch(
            path: environment.files.systemPath(path), model: model, includesVersions: includesVersions)
        do throws(StoreDoctor.Failure) {
            try search.run { row in
                guard row.confidence >= confidence else { return }
                counts[row.entity, default: 0] += 1
                let line = Self.json(row).line + "\n"
                if outputPath == nil { environment.outputData(line) } else { lines += Array(line.utf8) }
            }
        } catch {
            throw failure(error, environment)
        }
        if let outputPath {
            try InputFailure.wrapping { () throws(FileSystemError) in
                try environment.files.create(outputPath, lines, like: nil)
            }
        }
        let total = counts.values.reduce(0, +)
        let list = counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        environment.errorLine("modelc: \(counted(total, "deleted row"))\(total == 0 ? "" : ": \(list)")")
        return .success
    }

    private static func json(_ row: DeletedRow) -> JSONValue {
        .compact([
            ("entity", .string(row.entity)),
            ("key", row.key.flatMap { Int(exactly: $0) }.map { .integer($0) } ?? .null),
            ("confidence", .string(row.confidence.rawValue)), ("source", .string(row.source.rawValue)),
            ("page", .integer(row.page)), ("isOlderVersion", row.isOlderVersion ? .bool(true) : .null),
            ("values", .object(row.values.map { ($0.property, JSONValue($0.value)) })),
        ])
    }
}
