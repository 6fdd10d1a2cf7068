internal import CoreData
internal import Foundation
internal import PostgreSQLClient
internal import PostgreSQLSchema

/// The execution of a plan in an open transaction.
struct PostgreSQLMigrationRun {
    private let plan: PostgreSQLMigrationPlan
    private let session: PostgreSQLConnection

    init(_ plan: PostgreSQLMigrationPlan, _ session: PostgreSQLConnection) {
        self.plan = plan
        self.session = session
    }

    /// The number of calls of the closure in `run(_:)`.
    var passes: Int { plan.steps.count + 1 }

    /// Returns the first check that rows of the store do not pass, with their number.
    func failedCheck() throws -> (check: RowCheck, count: Int64)? {
        for check in plan.before.checks {
            let text = PostgreSQLLiterals.text(of: check.query)
            let count = try session.run([Statement(text)])[0].integer(0, 0) ?? 0
            if count > 0 { return (check, count) }
        }
        return nil
    }

    /// Runs the statements, and computes what the server cannot.
    ///
    /// - Parameter progress: Called with the number of finished passes. An error ends the migration.
    func run(_ progress: (Int) throws -> Void) throws {
        for (index, step) in plan.steps.enumerated() {
            _ = try session.run([Statement(step.statement)])
            try progress(index + 1)
        }
        try computeValues()
        try progress(passes)
    }

    /// Computes the values that the server cannot, after the statements.
    func computeValues() throws {
        let rows = PostgreSQLMigratedRows(
            versions: plan.versions, schema: plan.destination, session: session)
        for (pair, slots) in plan.computations { try rows.compute(slots, pair) }
        try rows.moveTombstones()
    }
}
