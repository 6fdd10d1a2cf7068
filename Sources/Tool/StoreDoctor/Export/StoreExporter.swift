package import CoreData
internal import Diagnostics
internal import Foundation
internal import StoreFile

/// Exports the objects of a store as typed data: JSON Lines, CSV, a normalized database, or views.
///
/// The exporter reads one state of the store, and changes neither the file nor its folder. It reads each table once, in
/// the order of the keys, so that its memory does not depend on the number of objects.
package struct StoreExporter {
    /// The form of the exported data.
    package enum Format: String, CaseIterable, Sendable {
        /// A JSON object on each line.
        case jsonl
        /// Comma-separated values (RFC 4180), with a line of column names.
        case csv
        /// A SQLite database with a table for each entity.
        case sqlite
        /// A SQL script that creates views over the tables of the store.
        case views
    }

    /// The form of relationships in JSON Lines.
    package enum Relationships: String, CaseIterable, Sendable {
        /// Keys, such as `Author/7`.
        case ids
        case none
        /// The attributes of the destinations.
        case nested
    }

    /// The form of dates.
    package enum Dates: String, CaseIterable, Sendable {
        /// ISO 8601 in UTC, with as many digits as the value has.
        case iso
        /// Seconds since 2001-01-01 00:00 UTC, as the store keeps them.
        case seconds
        /// Seconds since 1970-01-01 00:00 UTC.
        case unix
    }

    /// What to export, and in which form.
    package struct Options: Sendable {
        /// The form.
        package var format = Format.jsonl
        /// The entities, which include their subentities; empty for all.
        package var entities: [String] = []
        /// The predicates that objects of an entity and its subentities must match, as text.
        package var conditions: [(entity: String, predicate: String)] = []
        /// The properties to export, as `property` or `Entity.property`; empty for all.
        package var columns: [String] = []
        /// The form of relationships.
        package var relationships = Relationships.ids
        /// The form of dates.
        package var dates = Dates.iso
        /// The size in bytes above which a binary value is written to a separate file.
        package var inlineLimit = 65_536
        /// Whether JSON has integers that a `Double` cannot represent as text.
        package var writesBigIntegersAsText = false
        /// Whether a hierarchy is one file with all columns, rather than a file for each entity.
        package var mergesHierarchies = false
        /// The maximum number of objects of each entity.
        package var limit: Int?
        /// Whether strings that spreadsheets interpret as formulas get an apostrophe, in CSV.
        package var escapesFormulas = false

        /// Creates the default options.
        package init() {}
    }

    /// The reason why nothing was exported.
    package struct Failure: Error {
        /// The kind of problem.
        package enum Kind: Sendable {
            /// There is no store at the path, or it cannot be read.
            case notAStore
            /// Another process has locked the store.
            case locked
            /// Another process has changed the store while it was read.
            case changed
            /// There is no model, or the store lacks parts of it.
            case noModel
            /// The options name something that the model does not have.
            case unknownElement
            /// A predicate is invalid.
            case predicate
            /// The output cannot be written.
            case output
            /// The reader has closed the pipe.
            case closedOutput
        }

        /// The kind of problem.
        package var kind: Kind
        /// The problem, in one sentence.
        package var message: String
        /// What to do about it.
        package var help: String

        /// The reader has closed the pipe, or the output can no longer be written.
        package static let closedOutput = Failure(
            .closedOutput, "the output cannot be written", help: "The output is incomplete.")

        init(_ kind: Kind, _ message: String, help: String) {
            self.kind = kind
            self.message = message
            self.help = help
        }
    }

    /// What was exported.
    package struct Summary: Sendable {
        /// The number of objects by entity, in the order of their names.
        package var counts: [(entity: String, rows: Int)] = []
        /// The values that the output does not have as they are stored, by entity and property.
        package var problems: [Problem] = []

        /// The number of objects.
        package var rowCount: Int { counts.reduce(0) { $0 + $1.rows } }
    }

    private let path: String
    private let model: NSManagedObjectModel?
    private let options: Options
    /// Called after each reading of the store: in tests, to change the store at this moment.
    var didRead: () -> Void = {}

    /// Creates an exporter of a store.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - model: The model; `nil` for the one in the store.
    ///   - options: What to export.
    package init(path: String, model: NSManagedObjectModel? = nil, options: Options) {
        self.path = path
        self.model = model
        self.options = options
    }

    /// Exports the store.
    ///
    /// If an app starts to write to the store meanwhile, so that the rows are not those of one state, the export starts
    /// again.
    ///
    /// - Parameter target: The destination, which contains an incomplete export if the method throws.
    /// - Throws: `Failure` if the store cannot be read or the output cannot be written.
    package func export(to target: ExportTarget) throws(Failure) -> Summary {
        var options = StoreDoctor.Options()
        options.except = [.modelMismatch, .modelCacheUnreadable]
        var doctor = StoreDoctor(path: path, model: model, options: options)
        doctor.didRead = didRead
        let changed = Failure(
            .changed, "the store was changed while it was read",
            help: target.isStream
                ? "The output is incomplete. Export again when the app that uses the store does not write."
                : "Export again when the app that uses the store does not write.")
        // The outcome that no other reading of the store can change.
        var end: Failure?
        var isFirst = true
        do {
            return try doctor.read(isOnce: target.isStream) { examination in
                if let end { throw end }
                if !isFirst, try !target.empty() {
                    end = changed
                    throw changed
                }
                isFirst = false
                do throws(Failure) {
                    return try export(examination, to: target)
                } catch {
                    if error.kind == .closedOutput { end = error }
                    throw error
                }
            }
        } catch let error as Failure {
            throw end ?? error
        } catch let error as StoreDoctor.Failure {
            switch error.kind {
            case .changing:
                _ = try target.empty()
                throw end ?? changed
            case .locked: throw Self.locked
            default: throw Failure(.notAStore, error.message, help: "Specify a SQLite store of Core Data.")
            }
        } catch let error as DoctorDatabase.Failure {
            throw Self.failure(error)
        } catch {
            throw Failure(.notAStore, "\(error)", help: "Find out more with `modelc store check`.")
        }
    }

    private static let locked = Failure(
        .locked, "another process has locked the store",
        help: "Quit the app that uses the store, or name a copy of it.")

    private func export(
        _ examination: StoreExamination, to target: ExportTarget
    ) throws(Failure) -> Summary {
        guard let layout = examination.layout else {
            throw Failure(
                .noModel, examination.missingModel ?? "the store does not contain its model",
                help: "Specify the model with --model.")
        }
        if let missing = examination.missingPart(of: layout) {
            throw Failure(
                .noModel, "the store lacks \(missing), which the model has",
                help: "Find out more with `modelc store check`, and specify the model that the store was written with.")
        }
        do throws(DoctorDatabase.Failure) {
            if !options.conditions.isEmpty { try examination.database.registerPredicateFunctions() }
        } catch {
            throw Self.failure(error)
        }
        let plan = try ExportPlan(layout: layout, examination: examination, options: options)
        switch (options.format, target.kind) {
        case (.views, _): return try ViewScript(plan).export(to: target)
        case (.sqlite, .file(let path)): return try DatabaseExport(plan, path: path).run()
        case (.jsonl, _): return try TextExport(plan, target).run { JSONRowWriter(plan, $0) }
        case (.csv, _): return try TextExport(plan, target).run { CSVRowWriter(plan, $0) }
        case (.sqlite, _):
            throw Failure(.output, "a database cannot be written to a stream", help: "Specify a file with --output.")
        }
    }

    static func failure(_ error: DoctorDatabase.Failure) -> Failure {
        if error.isBusy { return locked }
        return Failure(
            .notAStore,
            error.isDamage
                ? "the database is damaged: \(error.message)" : "SQLite cannot read the file: \(error.message)",
            help: "Find out more with `modelc store check`.")
    }
}
