package import ModelSchema

/// A difference between a schema in production and what a model needs.
package struct DeploymentFinding: Hashable, Sendable {
    package enum Remedy: Hashable, Sendable {
        /// Deploy a record type, or a field of a record type, with the given name.
        case deploy(String)
        /// There is no remedy: production can never match the model.
        case impossible
        /// Nothing needs to be done.
        case none
    }

    /// The finding, at its location in the model if it has one.
    package var finding: ModelFinding
    package var remedy: Remedy
    /// The names of the affected entity and property, or of the record type and field if the model does not have them.
    package var components: [String]
    /// The kind of element that `components` name, in Core Data's or CloudKit's terms.
    package var kind: String
    /// The affected location in the schema, if any.
    package var location: SchemaLocation?
}
