internal import CoreData
internal import Diagnostics
internal import Foundation
internal import ModelMigration
package import ModelcDriver
internal import StoreDoctor

extension StoreRepairCommand {
    /// The format of the output.
    package enum Format: String, CaseIterable, Sendable {
        /// Human-readable text.
        case text
        /// JSON, for programs.
        case json
    }

    /// Runs the command. The exit code is 1 if faults are left.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { _ throws(InputFailure) in
            let model = try StoreModelChoice.given(modelPath, store: path, environment.files)
            let options = try options()
            if isDryRun { return try runDry(model: model, options: options, in: environment) }
            let location: StoreCopyLocation
            if let output = output.path {
                location = try StoreCopyLocation(
                    copying: path, to: output, replaces: self.output.replaces, environment)
            } else {
                location = try StoreCopyLocation(replacing: path, backup: backupPath, environment)
            }
            let printer = RepairPrinter(environment, format: format)
            let result: StoreRepairer.Result
            var orphanFailure: InputFailure?
            do throws(InputFailure) {
                result = try repair(
                    location.temporaryPath, model: model, options: options, printer: printer, in: environment)
                if !isInPlace || result.changeCount > 0 { try location.commit() }
            } catch {
                location.discard()
                throw error
            }
            // The store is in use until its files are in the folder. It is changed already, which is reported first.
            do throws(InputFailure) { try setAside(result.orphans, environment) } catch { orphanFailure = error }
            location.discard()
            let written = isInPlace ? path : output.path ?? path
            let code = printer.end(result, path: path, did: "\(written) \(isInPlace ? "repaired" : "written")")
            if let orphanFailure { throw orphanFailure }
            return code
        }
    }

    private func setAside(_ orphans: OrphanedFiles, _ environment: DriverEnvironment) throws(InputFailure) {
        let files = environment.files
        let folder = (output.path ?? path) + ".orphans"
        do throws(StoreDoctor.Failure) {
            let count = try orphans.setAside(
                ofStoreAt: files.systemPath(path), in: files.systemPath(folder), copies: !isInPlace)
            guard count > 0 else { return }
            environment.errorLine(
                "modelc: \(counted(count, "external file")) \(isInPlace ? "moved" : "copied") to \(folder)")
        } catch {
            throw StoreModelChoice.failure(error, path: path, environment: environment)
        }
    }

    private func runDry(
        model: NSManagedObjectModel?, options: StoreRepairer.Options, in environment: DriverEnvironment
    ) throws(InputFailure) -> ExitCode {
        try environment.files.requireStore(path)
        let folder = try TemporaryFolder.scratch(for: path, environment.files)
        defer { folder.discard() }
        let copy = folder.store(environment.files)
        do throws(StoreDoctor.Failure) {
            try StoreSnapshot.copy(environment.files.systemPath(path), to: copy, withFiles: false)
        } catch {
            throw StoreModelChoice.failure(error, path: path, environment: environment)
        }
        let printer = RepairPrinter(environment, format: format)
        let result = try repair(copy, model: model, options: options, printer: printer, in: environment)
        return printer.end(result, path: path, did: "nothing was written")
    }

    private func options() throws(InputFailure) -> StoreRepairer.Options {
        var options = StoreRepairer.Options()
        options.only = try StoreRuleNames.rules(only)
        options.except = try StoreRuleNames.rules(except)
        options.includesUnsafe = includesUnsafe
        options.includesMirrored = includesMirrored
        options.keptDuplicate = keep
        options.unowned = unowned
        options.duplicates = duplicates.map { StoreDoctor.Duplicates($0) }
        return options
    }

    private func repair(
        _ copy: String, model: NSManagedObjectModel?, options: StoreRepairer.Options, printer: RepairPrinter,
        in environment: DriverEnvironment
    ) throws(InputFailure) -> StoreRepairer.Result {
        let repairer = StoreRepairer(
            path: copy, original: environment.files.systemPath(path), model: model, options: options)
        do throws(StoreDoctor.Failure) {
            return try repairer.run { printer.add($0) }
        } catch {
            throw StoreModelChoice.failure(error, path: path, environment: environment)
        }
    }
}

/// Prints the changes of a repair when they were made.
final class RepairPrinter {
    private let environment: DriverEnvironment
    private let format: StoreRepairCommand.Format
    private var changes: [JSONValue] = []
    private var lines: [String] = []

    init(_ environment: DriverEnvironment, format: StoreRepairCommand.Format) {
        self.environment = environment
        self.format = format
    }

    /// Records a change.
    func add(_ change: StoreChange) {
        switch format {
        case .text: lines.append(Self.line(change))
        case .json: changes.append(Self.json(change))
        }
    }

    private static func line(_ change: StoreChange) -> String {
        let sign =
            switch change.kind {
            case .changed: "~"
            case .deleted: "-"
            case .inserted, .schema: "+"
            case .moved: ">"
            }
        var line = "\(sign) \(change.object)"
        if let column = change.column {
            // A relationship has up to three columns.
            line += " \(change.property.map { isKey(change, $0) ? $0 : "\($0) (\(column))" } ?? column)"
            line += ": \(change.old.shown(besides: change.new))"
            if change.kind == .changed { line += " → \(change.new.shown(besides: change.old))" }
        }
        return line + " [\(change.rule.rawValue)]"
    }

    /// Returns whether a column has the name of its property.
    private static func isKey(_ change: StoreChange, _ property: String) -> Bool {
        change.column?.lowercased().hasPrefix("z\(property.lowercased())") ?? false
    }

    private static func json(_ change: StoreChange) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("kind", .string(change.kind.rawValue)), ("rule", .string(change.rule.rawValue)),
            ("object", .string(change.object)),
        ]
        for (name, text) in [("uri", change.uri), ("property", change.property), ("column", change.column)] {
            if let text { members.append((name, .string(text))) }
        }
        if change.column != nil { members.append(("old", JSONValue(change.old))) }
        if change.column != nil, change.kind == .changed { members.append(("new", JSONValue(change.new))) }
        return .object(members)
    }

    /// Prints the changes and the summary, and returns the exit code.
    func end(_ result: StoreRepairer.Result, path: String, did: String) -> ExitCode {
        for line in lines { environment.outputLine(line) }
        if format == .json {
            environment.output(
                JSONValue.object([
                    ("changes", .array(changes)),
                    (
                        "remaining",
                        .array(
                            result.remaining.map { finding in
                                .compact([
                                    ("rule", .string(finding.rule.rawValue)), ("entity", .optional(finding.entity)),
                                    ("property", .optional(finding.property)), ("message", .string(finding.message)),
                                ])
                            })
                    ),
                ]).text + "\n")
        }
        if let reason = result.missingModel {
            environment.errorLine("modelc: \(path): repaired without a model, because \(reason)")
        }
        for finding in result.remaining {
            environment.errorLine("modelc: left: \(finding.message) [\(finding.rule.rawValue)]")
        }
        if result.mirroredCount > 0 {
            environment.errorLine(
                "modelc: CloudKit mirrors the store: \(counted(result.mirroredCount, "finding")) left, because the repair would "
                    + "change all devices; --mirrored repairs \(result.mirroredCount == 1 ? "it" : "them")")
        }
        if result.unsafeCount > 0 {
            environment.errorLine("modelc: --unsafe-fixes repairs \(counted(result.unsafeCount, "more finding"))")
        }
        environment.errorLine(
            "modelc: \(counted(result.changeCount + result.orphans.names.count, "change")); \(did)")
        return result.remaining.isEmpty ? .success : .findings
    }
}
