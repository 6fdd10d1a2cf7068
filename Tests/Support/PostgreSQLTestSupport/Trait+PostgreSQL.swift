package import Testing

extension Trait where Self == ConditionTrait {
    /// Skips tests where no PostgreSQL server can be started, with the reason.
    package static var needsPostgreSQL: Self {
        switch PostgreSQLCluster.shared {
        case .success: .enabled(if: true)
        case .failure(let error): .disabled("\(error)")
        }
    }
}
