/// The methods of the migration manager that expressions of mapping models call.
enum MigrationSelectors {
    static let instancesOfMapping = "destinationInstancesForEntityMappingNamed:sourceInstances:"
    static let instancesOfRelationship = "destinationInstancesForSourceRelationshipNamed:sourceInstances:"
    static let sourceInstances = "sourceInstancesForEntityMappingNamed:destinationInstances:"
    static let fetchRequest = "fetchRequestForSourceEntityNamed:predicateString:"

    static let all: Set<String> = [instancesOfMapping, instancesOfRelationship, sourceInstances, fetchRequest]

    /// The variables of an evaluation.
    static let variables: Set<String> = [
        NSMigrationManagerKey, NSMigrationSourceObjectKey, NSMigrationDestinationObjectKey, NSMigrationEntityMappingKey,
        NSMigrationPropertyMappingKey, NSMigrationEntityPolicyKey,
    ]
}
