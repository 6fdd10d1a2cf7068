/// A store whose lightweight migration may leave work for later. Called under the coordinator's lock.
protocol MigrationDeferring: AnyObject {
    /// Executes one step of the work that a migration has deferred.
    ///
    /// - Returns: whether there was a step to execute.
    func finishMigrationStep() throws -> Bool
}
