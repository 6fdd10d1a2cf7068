internal import Foundation

/// The progress and the cancellation of a migration. Thread-safe.
package final class MigrationStatus: @unchecked Sendable {
    private static let units: Int64 = 1000

    private let lock = NSLock()
    private var finished = 0.0
    private var passes = 1.0
    private var error: (any Error)?
    private var report: Progress?

    package init() {}

    /// The finished fraction.
    var progress: Float { lock.withLock { Float(min(1, finished / passes)) } }

    /// Begins a migration of a number of passes over entity mappings.
    package func begin(passes: Int) {
        // A child of the thread's current progress.
        let report = Progress(totalUnitCount: Self.units)
        lock.withLock {
            self.passes = Double(max(1, passes))
            finished = 0
            error = nil
            self.report = report
        }
    }

    /// Records the number of finished passes.
    package func record(_ finished: Double) {
        let (report, units) = lock.withLock {
            self.finished = finished
            return (self.report, Int64(Double(Self.units) * finished / passes))
        }
        report?.completedUnitCount = min(Self.units, units)
    }

    /// Ends the migration.
    package func end() { record(lock.withLock { passes }) }

    func cancel(_ error: any Error) { lock.withLock { self.error = self.error ?? error } }

    /// Throws the error that the migration was canceled with.
    package func check() throws {
        let (error, report) = lock.withLock { (self.error, self.report) }
        if let error { throw MigrationCancellation(error: error) }
        guard report?.isCancelled == true else { return }
        throw MigrationCancellation(
            error: MigrationErrors.error(.migrationCancelled, reason: "its progress was canceled"))
    }
}

/// The error of `cancelMigrationWithError(_:)`, which `migrateStore` throws unchanged.
package struct MigrationCancellation: Error {
    package var error: any Error
}
