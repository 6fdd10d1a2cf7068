package import ModelSchema

/// What a schema in production lacks, or has in another form, for a model.
package struct DeploymentFinding: Hashable, Sendable {
    /// What can be done about it.
    package enum Remedy: Hashable, Sendable {
        /// Something can be added to production. The name of a record type, or of a record type and a field.
        case deploy(String)
        /// Production can never have what the model asks for.
        case impossible
        /// Nothing needs to be done.
        case none
    }

    /// What was found, at its place in the model if it has one.
    package var finding: ModelFinding
    /// What can be done about it.
    package var remedy: Remedy
    /// The names of the entity and property concerned, or of the record type and field if the model does not have them.
    package var components: [String]
    /// What `components` name, in Core Data's or CloudKit's words.
    package var kind: String
    /// The place in the schema that is concerned, if it has one.
    package var place: SchemaPlace?
}
