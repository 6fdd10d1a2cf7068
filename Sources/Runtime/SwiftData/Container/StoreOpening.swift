internal import CoreData
internal import Foundation
internal import RuntimeSupport

struct StoreOpening {
    let schema: Schema
    let plan: (any SchemaMigrationPlan.Type)?
    let configurations: [ModelConfiguration]
    /// The settings of custom stores.
    let others: [any DataStoreConfiguration]
    let model: NSManagedObjectModel
    /// The names of the configurations in the model, by position.
    private let names: [String]
    /// Whether each store has a part of the entities.
    private let isDivided: Bool

    /// Checks a schema and configurations.
    init(
        schema: Schema, plan: (any SchemaMigrationPlan.Type)?, configurations: [ModelConfiguration],
        others: [any DataStoreConfiguration] = []
    ) throws {
        self.schema = schema
        self.plan = plan
        self.configurations = configurations
        self.others = others
        if let problem = schema.problems.first(where: { !$0.isProvisional }) {
            throw SwiftDataError(.unknownSchema, problem.message)
        }
        let isDivided = configurations.count + others.count > 1
        self.isDivided = isDivided
        func part(of configuration: any DataStoreConfiguration) -> Schema {
            isDivided ? configuration.schema ?? schema : schema
        }
        for configuration in configurations where !configuration.isStoredInMemoryOnly {
            guard let problem = part(of: configuration).problems.first(where: \.isProvisional),
                !ProvisionalValues.areAllowed(in: configuration.url)
            else {
                continue
            }
            throw SwiftDataError(
                .unknownSchema,
                problem.message
                    + ", so that Apple's framework might not read the file \(configuration.url.path); store `Data`, "
                    + "or set the environment variable \(ProvisionalValues.variable) to 1 for a file that is used on Linux only"
            )
        }
        try Self.check(configurations, schema)
        model = schema.makeModel()
        Self.reportUnenforcedConstraints(of: model)
        let all: [any DataStoreConfiguration] = configurations + others
        names = Self.distinctNames(of: configurations, besides: others.map(\.name)) + others.map(\.name)
        for (configuration, name) in zip(all, names) {
            model.setEntities(
                part(of: configuration).entities.compactMap { model.entitiesByName[$0.name] },
                forConfigurationName: name)
        }
    }

    /// Returns the names of configurations, with different ones for those without a name.
    private static func distinctNames(
        of configurations: [ModelConfiguration], besides others: [String]
    ) -> [String] {
        var used = Set(configurations.filter(\.isNamed).map(\.name) + others)
        return configurations.map { configuration in
            guard !configuration.isNamed else { return configuration.name }
            var name = configuration.name
            var number = 1
            while !used.insert(name).inserted {
                number += 1
                name = "\(configuration.name) \(number)"
            }
            return name
        }
    }

    private static func check(_ configurations: [ModelConfiguration], _ schema: Schema) throws {
        var names: Set<String> = []
        var files: Set<String> = []
        for configuration in configurations {
            guard !configuration.isNamed || names.insert(configuration.name).inserted else {
                throw SwiftDataError(.duplicateConfiguration, "two configurations are named “\(configuration.name)”")
            }
            let file = configuration.url.standardizedFileURL.path
            guard configuration.isStoredInMemoryOnly || files.insert(file).inserted else {
                throw SwiftDataError(.duplicateConfiguration, "two configurations have the file \(file)")
            }
            if configuration.name.utf8.count > 200 {
                throw SwiftDataError(.configurationFileNameTooLong, configuration.name)
            }
            if configuration.name.contains("/") || configuration.name.contains("\0") {
                throw SwiftDataError(.configurationFileNameContainsInvalidCharacters, configuration.name)
            }
            for entity in configuration.schema?.entities ?? [] where schema.classes[entity.name] == nil {
                throw SwiftDataError(
                    .configurationSchemaNotFoundInContainerSchema,
                    "“\(entity.name)” of the configuration “\(configuration.name)” is not in the container's schema")
            }
        }
    }

    /// Opens the stores, after migrating them.
    func open() throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        for (index, configuration) in configurations.enumerated() {
            let name = isDivided ? names[index] : nil
            do {
                if let plan {
                    try PlannedMigration(plan, to: model, configuration, configurationName: name).run()
                } else {
                    try checkVersion(of: configuration, named: name)
                }
                try Self.add(configuration, to: coordinator, configurationName: name)
            } catch let error as SwiftDataError {
                throw error
            } catch {
                throw SwiftDataError(.loadIssueModelContainer, cause: error)
            }
        }
        for configuration in others {
            var configuration = configuration
            if configuration.schema == nil { configuration.schema = schema }
            try BridgeStore.add(
                AnyDataStore.open(configuration, plan), schema, to: coordinator,
                configuration: isDivided ? configuration.name : nil)
        }
        return coordinator
    }

    /// Checks that no newer version has written a store that would be migrated, which would drop what only that version
    /// has.
    private func checkVersion(of configuration: ModelConfiguration, named name: String?) throws {
        // What cannot be read is reported when the store is opened.
        guard !configuration.isStoredInMemoryOnly, FileManager.default.fileExists(atPath: configuration.url.path),
            let metadata = try? NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: configuration.url),
            !model.isConfiguration(withName: name, compatibleWithStoreMetadata: metadata),
            let identifiers = metadata[NSStoreModelVersionIdentifiersKey] as? [Any]
        else { return }
        let versions = identifiers.compactMap { ($0 as? String).flatMap(Schema.Version.init(text:)) }
        guard let newest = versions.max(), schema.version < newest else { return }
        throw SwiftDataError(
            .backwardMigration,
            "the store \(configuration.url.path) has the version \(newest), and the container's schema is \(schema.version)"
        )
    }

    /// Opens a store. Its lightweight migration is inferred if need be.
    static func add(
        _ configuration: ModelConfiguration, to coordinator: NSPersistentStoreCoordinator, configurationName: String?
    ) throws {
        let description = NSPersistentStoreDescription(url: configuration.url)
        description.configuration = configurationName
        description.isReadOnly = !configuration.allowsSave
        description.setOption(NSNumber(value: true), forKey: NSPersistentHistoryTrackingKey)
        description.setOption(NSNumber(value: true), forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey)
        var failure: (any Error)?
        coordinator.addPersistentStore(with: description) { _, error in failure = error }
        if let failure { throw failure }
    }

    /// Names the uniqueness constraints that no store enforces, as long as a composite attribute has no single column.
    private static func reportUnenforcedConstraints(of model: NSManagedObjectModel) {
        for entity in model.entities {
            for constraint in entity.uniquenessConstraints {
                let names = constraint.compactMap { $0 as? String }
                guard let name = names.first(where: { entity.attributesByName[$0] is NSCompositeAttributeDescription })
                else { continue }
                StandardError.write(
                    "SwiftData: the values of \(names.joined(separator: ", ")) of \(entity.name ?? "") can be stored twice: "
                        + "“\(name)” is an enumeration or a structure, which unique constraints do not support yet\n")
            }
        }
    }
}

/// Values whose form in Apple's files is not known.
enum ProvisionalValues {
    static let variable = "SWIFTDATA_PROVISIONAL_VALUES"

    /// Whether they can be stored in a file: one in the temporary folder, as tests use, is not exchanged with other
    /// systems.
    static func areAllowed(in url: URL) -> Bool {
        if ProcessInfo.processInfo.environment[variable] == "1" { return true }
        let temporary = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().pathComponents
        return url.standardizedFileURL.resolvingSymlinksInPath().pathComponents.starts(with: temporary)
    }
}
