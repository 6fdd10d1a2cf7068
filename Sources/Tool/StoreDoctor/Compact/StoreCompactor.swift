internal import CSQLite3
internal import CoreData
internal import Foundation
internal import StoreFile

/// Compacts a store's file.
package struct StoreCompactor {
    private let plan: CompactionPlan
    private let options: CompactionPlan.Options
    /// Called before the log of a step is moved into the file, when the most disk space is in use.
    private let didStep: () -> Void
    private let steps = Steps()

    /// The transactions that were committed.
    private final class Steps {
        var count = 0
    }

    /// Creates a compactor.
    ///
    /// - Parameter didStep: Called when the most disk space is in use.
    package init(
        _ plan: CompactionPlan, _ options: CompactionPlan.Options, didStep: @escaping () -> Void = {}
    ) {
        self.plan = plan
        self.options = options
        self.didStep = didStep
    }

    // MARK: In place

    /// Compacts a store in its file. Each step is a transaction, so a run that is killed leaves a whole store, and the
    /// next run continues.
    ///
    /// - Throws: `StoreDoctor.Failure` if the store is damaged, or the disk is full.
    package func compact(_ hold: ExclusiveStoreAccess) throws(StoreDoctor.Failure) {
        do {
            try requireIntact(hold.database)
            try compact(hold.database)
        } catch {
            throw changeFailure(error)
        }
    }

    /// Purges the history of a store that is then copied, and deletes its objects without an owner.
    package func purge(_ hold: ExclusiveStoreAccess) throws(StoreDoctor.Failure) {
        do {
            try requireIntact(hold.database)
            try prepare(hold.database)
            try purge(hold.database, progress(hold.database))
        } catch {
            throw changeFailure(error)
        }
    }

    /// Writes what is in use to a new file, and replaces the content of the store by it.
    ///
    /// - Parameter target: The path of the new file.
    package func rebuild(_ hold: ExclusiveStoreAccess, by target: String) throws(StoreDoctor.Failure) {
        do {
            try rebuild(hold.database, path: hold.path, to: target, usesLog: false)
        } catch {
            throw changeFailure(error)
        }
        try hold.replaceContent(withDatabaseAt: target, didWrite: didStep)
    }

    /// Writes a compact copy of a store, with its external files. The store may be in use; it stays as it is.
    ///
    /// - Parameters:
    ///   - path: The path of the store.
    ///   - target: The path of the copy, at which there is no file.
    package func copy(_ path: String, to target: String) throws(StoreDoctor.Failure) {
        do {
            try DoctorDatabase.readOneState(of: path) { source in
                try? FileManager.default.removeItem(atPath: target)
                try rebuild(source, path: path, to: target, usesLog: source.isInLogMode)
            }
            let copy = try DoctorDatabase(changing: target)
            try compact(copy)
            try StoreSnapshot.copyExternalFiles(of: path, to: target)
        } catch {
            throw StoreDoctor.changeFailure(error)
        }
    }

    // MARK: Steps

    private func changeFailure(_ error: any Error) -> StoreDoctor.Failure {
        var failure = StoreDoctor.changeFailure(error)
        if failure.kind == .unchangeable, steps.count > 0 { failure.kind = .interrupted }
        return failure
    }

    private func requireIntact(_ database: DoctorDatabase) throws {
        var message: String?
        try database.forEach("PRAGMA quick_check(1)") { row in
            if row.text(0) != "ok" { message = row.text(0) }
        }
        guard let message else { return }
        throw DoctorDatabase.Failure(code: SQLITE_CORRUPT, message: message)
    }

    private func prepare(_ database: DoctorDatabase) throws(DoctorDatabase.Failure) {
        // Without it, freed pages are neither overwritten nor in the log.
        try database.execute("PRAGMA secure_delete = \(options.isSecure ? 1 : 0); PRAGMA wal_autocheckpoint = 0")
        // A log of a step must not stay in memory.
        try database.execute("PRAGMA cache_size = -8000")
    }

    private func progress(_ database: DoctorDatabase) throws(DoctorDatabase.Failure) -> Progress {
        let pageSize = try database.integer("PRAGMA page_size") ?? 4096
        let objects = plan.unowned.reduce(0) { $0 + $1.count }
        return Progress(totalUnitCount: max(1, plan.changes + plan.transactions + objects + plan.freeBytes / pageSize))
    }

    private func compact(_ database: DoctorDatabase) throws(DoctorDatabase.Failure) {
        try prepare(database)
        let progress = try progress(database)
        try purge(database, progress)
        guard try database.integer("PRAGMA auto_vacuum") == 2 else { return }
        while let free = try database.integer("PRAGMA freelist_count"), free > 0 {
            // Each step of the statement frees one page.
            let query = try database.query("PRAGMA incremental_vacuum(\(plan.pageStep))")
            while try query.step() {}
            try end(database)
            let left = try database.integer("PRAGMA freelist_count") ?? 0
            progress.completedUnitCount += free - left
            guard left < free else { break }
        }
    }

    private func purge(_ database: DoctorDatabase, _ progress: Progress) throws(DoctorDatabase.Failure) {
        let purge = HistoryPurge(options.history)
        if try purge.exists(in: database) {
            for step in try purge.steps(in: database, rows: plan.rowStep) {
                progress.completedUnitCount += Int64(try step.run(database))
                try end(database)
            }
        }
        guard let deletion = plan.deletion else { return }
        try RepairFunctions.register(on: database)
        let writer = try deletion.historyWriter(database)
        for rows in deletion.rows {
            var last: Int64?
            while let step = try deletion.nextStep(rows, after: last, in: database) {
                progress.completedUnitCount += Int64(try deletion.run(step, recording: writer, database))
                try end(database)
                last = step.last
            }
        }
    }

    /// Ends a step: its log becomes part of the file.
    private func end(_ database: DoctorDatabase) throws(DoctorDatabase.Failure) {
        steps.count += 1
        didStep()
        try database.checkpoint()
    }

    private func rebuild(_ database: DoctorDatabase, path: String, to target: String, usesLog: Bool) throws {
        // The new file gets the mode of Core Data's files.
        if try database.integer("PRAGMA auto_vacuum") == 0 { try database.execute("PRAGMA auto_vacuum = 2") }
        try database.vacuum(into: target)
        didStep()
        if usesLog {
            let copy = try DoctorDatabase(changing: target)
            try copy.execute("PRAGMA journal_mode = WAL")
        }
        StoreSnapshot.setMode(of: target, like: path, isWritable: true)
    }
}

extension ExclusiveStoreAccess {
    /// Returns the plan of compacting the store, as it is now.
    ///
    /// - Parameter link: The link by which the store was named; `nil` for none.
    package func compactionPlan(
        _ options: CompactionPlan.Options, link: String? = nil
    ) throws(StoreDoctor.Failure) -> CompactionPlan {
        do {
            let external = ExternalFileList(ofStoreAt: link ?? path)
            return try CompactionPlan(database, path: path, isInPlace: true, external: external, options)
        } catch {
            throw StoreDoctor.changeFailure(error)
        }
    }
}
