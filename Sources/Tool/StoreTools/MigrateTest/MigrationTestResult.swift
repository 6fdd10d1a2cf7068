internal import Diagnostics

/// The result of one migration of a store to the target.
struct MigrationTestResult: Sendable {
    enum Outcome: Sendable {
        /// The store has the schema of the target and all compared values. The text says what was compared.
        case passed(String)
        /// The migration failed or lost values.
        case failed([String])
        /// A step needs a mapping model that does not exist.
        case impossible([String])
        /// A step needs code of the app.
        case needsCode(String)
    }

    /// The route to the target.
    enum Route: Sendable {
        case direct
        /// Through all versions between, with the number of steps.
        case steps(Int)

        /// The route in words.
        var title: String {
            switch self {
            case .direct: "directly"
            case .steps(let count): "in \(counted(count, "step"))"
            }
        }
    }

    /// The name of the version, or the path of the store.
    var store: String
    var route: Route
    var outcome: Outcome
    var seconds: Double
}
