/// How one migration of a store to the target went.
struct MigrationTestResult: Sendable {
    /// How it ended.
    enum Outcome: Sendable {
        /// The store has the schema of the target and all values, as far as they were compared; what was compared.
        case passed(String)
        /// The migration failed or lost values.
        case failed([String])
        /// A step needs a mapping model that there is not.
        case impossible([String])
        /// A step needs code of the app.
        case needsCode(String)
    }

    /// The way to the target.
    enum Route: Sendable {
        case direct
        /// Through all versions between; the number of steps.
        case steps(Int)

        /// The way in words.
        var title: String {
            switch self {
            case .direct: "directly"
            case .steps(let count): "in \(count) steps"
            }
        }
    }

    /// The name of the version, or the path of the store.
    var store: String
    var route: Route
    var outcome: Outcome
    var seconds: Double
}
