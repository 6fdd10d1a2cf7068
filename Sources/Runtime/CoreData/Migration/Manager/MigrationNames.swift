/// The variable of the migration manager in expressions of mapping models.
public let NSMigrationManagerKey = "manager"
/// The variable of the source object in expressions of mapping models.
public let NSMigrationSourceObjectKey = "source"
/// The variable of the destination object in expressions of mapping models.
public let NSMigrationDestinationObjectKey = "destination"
/// The variable of the entity mapping in expressions of mapping models.
public let NSMigrationEntityMappingKey = "entityMapping"
/// The variable of the property mapping in expressions of mapping models.
public let NSMigrationPropertyMappingKey = "propertyMapping"
/// The variable of the migration policy in expressions of mapping models.
public let NSMigrationEntityPolicyKey = "entityPolicy"
