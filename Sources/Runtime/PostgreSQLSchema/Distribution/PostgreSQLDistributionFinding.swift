/// A reason why a model cannot be distributed, or a constraint that has another meaning in a distributed schema.
package struct PostgreSQLDistributionFinding: Error {
    package enum Kind: Sendable {
        /// A constraint that holds within each tenant only.
        case note
        /// A constraint that a distributed schema lacks.
        case warning
        /// Keeps the model from being distributed.
        case refusal
    }

    /// The error for a model that cannot be distributed.
    package struct Refusal: Error {
        /// The reasons.
        package var findings: [PostgreSQLDistributionFinding]
    }

    package var kind: Kind
    /// The name of the entity; `nil` if the model has no such entity.
    package var entity: String?
    /// The name of the property; `nil` for the entity as a whole.
    package var property: String?
    package var problem: String
    /// The fix; `nil` if none is needed.
    package var help: String?
}
