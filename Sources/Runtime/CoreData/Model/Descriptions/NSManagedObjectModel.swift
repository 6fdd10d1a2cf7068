public import Foundation
internal import ModelSchema
internal import RuntimeSupport

/// A model: the entities of a program's objects.
///
/// ```swift
/// let entity = NSEntityDescription()
/// entity.name = "Note"
/// let model = NSManagedObjectModel()
/// model.entities = [entity]
/// ```
///
/// Loaded from a compiled model (`.momd`, `.mom`), merged from several, or built in code. Mutable until a persistent
/// store coordinator uses it; changing it later traps, where Apple's framework raises an exception. Not thread-safe
/// while it is mutable, thread-safe afterwards.
open class NSManagedObjectModel: NSObject, NSCopying, NSSecureCoding {
    private var entityList: [NSEntityDescription] = []
    private var entityIndex: [String: NSEntityDescription] = [:]
    private var configurationEntities: [String: [NSEntityDescription]] = [:]
    private var templates: [String: NSFetchRequest<any NSFetchRequestResult>] = [:]
    private var identifiers: Set<AnyHashable> = []
    private var localization: [String: String]?
    private var hashCache: EntityVersionHashes?
    private let use = UseFlag()

    /// Creates a model without entities.
    public override init() {
        PrintedPredicates.prepare()
        ArchivedFetchRequest.register()
        super.init()
    }

    /// Creates the model in an archive; returns `nil` if the archive is damaged or was not written by this framework.
    public required init?(coder: NSCoder) {
        PrintedPredicates.prepare()
        ArchivedFetchRequest.register()
        super.init()
        guard DescriptionArchive.fill(self, from: coder) else { return nil }
    }

    /// Archives the model in a format that only this framework reads. Traps if a part cannot be archived, such as a
    /// predicate with a block.
    open func encode(with coder: NSCoder) {
        DescriptionArchive.encode(self, with: coder)
    }

    /// `true`.
    open class var supportsSecureCoding: Bool { true }

    // MARK: Editing

    /// Whether a coordinator uses the model, which can then no longer be changed.
    final var isInUse: Bool { use.isSet }

    /// Freezes the model. Computes lazy values now, so that any thread can read them.
    package final func makeImmutable() {
        use.set {
            for entity in entityList {
                for property in entity.propertiesByName.values {
                    _ = (property as? NSFetchedPropertyDescription)?.fetchRequest
                }
            }
            _ = versionHashes
        }
    }

    /// Traps if the model is in use; otherwise drops what was computed from it.
    final func willChange() {
        if use.isSet {
            misuse(
                "Can't modify an immutable model: a persistent store coordinator uses it. "
                    + "Change the model before the coordinator is made, or change a copy of it.")
        }
        hashCache = nil
    }

    /// Adopts the parts of a built model without checking whether the model is in use.
    final func load(
        entities: [NSEntityDescription], configurations: [String: [NSEntityDescription]],
        templates: [String: NSFetchRequest<any NSFetchRequestResult>], versionIdentifiers: Set<AnyHashable>
    ) {
        entityList = entities
        entityIndex.reserveCapacity(entities.count)
        for entity in entities {
            entity.model = self
            if let name = entity.name { entityIndex[name] = entity }
        }
        configurationEntities = configurations
        self.templates = templates
        identifiers = versionIdentifiers
    }

    /// Adopts version hashes that are already known.
    final func load(hashes: EntityVersionHashes) {
        hashCache = hashes
    }

    // MARK: Entities

    /// The entities, including abstract ones. Setting it traps on duplicate names and on entities of another model.
    open var entities: [NSEntityDescription] {
        get { entityList }
        set {
            willChange()
            var index: [String: NSEntityDescription] = [:]
            for entity in newValue {
                guard let name = entity.name, !name.isEmpty else {
                    misuse("NSInvalidArgumentException", "an entity of a model needs a name: \(entity)")
                }
                guard index.updateValue(entity, forKey: name) == nil else {
                    misuse("NSInvalidArgumentException", "the model has two entities with the name “\(name)”")
                }
                guard entity.model == nil || entity.model === self else {
                    misuse(
                        "NSInvalidArgumentException",
                        "the entity “\(name)” belongs to another model already; add a copy of it")
                }
            }
            for entity in entityList { entity.model = nil }
            for entity in newValue { entity.model = self }
            entityList = newValue
            entityIndex = index
            for (name, members) in configurationEntities {
                configurationEntities[name] = members.filter { $0.model === self }
            }
        }
    }

    /// The entities by name.
    open var entitiesByName: [String: NSEntityDescription] { entityIndex }

    /// Updates the index of names after an entity was renamed.
    final func didRename(_ entity: NSEntityDescription, from old: String?) {
        if let old, entityIndex[old] === entity { entityIndex[old] = nil }
        guard let name = entity.name else { return }
        if let other = entityIndex.updateValue(entity, forKey: name), other !== entity {
            misuse("NSInvalidArgumentException", "the model has two entities with the name “\(name)”")
        }
    }

    // MARK: Configurations

    /// The names of the configurations, sorted. The default configuration, which contains every entity, is not listed.
    open var configurations: [String] { configurationEntities.keys.sorted() }

    /// Returns the entities of a configuration.
    ///
    /// - Parameter configuration: Its name; `nil` or `PF_DEFAULT_CONFIGURATION_NAME` for the default one.
    /// - Returns: The entities, or `nil` if there is no such configuration.
    open func entities(forConfigurationName configuration: String?) -> [NSEntityDescription]? {
        guard let configuration, configuration != Self.defaultConfigurationName else { return entityList }
        return configurationEntities[configuration]
    }

    /// Adds or replaces a configuration. Traps on an entity that is not in the model.
    open func setEntities(_ entities: [NSEntityDescription], forConfigurationName configuration: String) {
        willChange()
        for entity in entities where entity.model !== self {
            misuse(
                "NSInvalidArgumentException",
                "the entity “\(entity.name ?? "")” of the configuration “\(configuration)” is not in the model")
        }
        configurationEntities[configuration] = entities
    }

    /// The name that Apple's framework uses for the default configuration.
    static let defaultConfigurationName = "PF_DEFAULT_CONFIGURATION_NAME"

    // MARK: Fetch request templates

    /// The fetch request templates by name.
    open var fetchRequestTemplatesByName: [String: NSFetchRequest<any NSFetchRequestResult>] { templates }

    /// Returns a fetch request template, which belongs to the model: copy it before changing it.
    ///
    /// - Returns: The template, or `nil` if the model has none with that name.
    open func fetchRequestTemplate(forName name: String) -> NSFetchRequest<any NSFetchRequestResult>? {
        templates[name]
    }

    /// Returns a copy of a fetch request template with a result type: `let books: NSFetchRequest<Book>? =
    /// model.fetchRequestTemplate(forName: "All")`.
    ///
    /// Requests with different result types cannot be cast to each other in Swift.
    ///
    /// - Returns: The copy, or `nil` if the model has no template with that name.
    public final func fetchRequestTemplate<ResultType>(forName name: String) -> NSFetchRequest<ResultType>? {
        templates[name].map { NSFetchRequest<ResultType>(settings: $0.settings) }
    }

    /// Sets or, with `nil`, removes a fetch request template.
    open func setFetchRequestTemplate(
        _ fetchRequestTemplate: NSFetchRequest<any NSFetchRequestResult>?, forName name: String
    ) {
        willChange()
        fetchRequestTemplate?.settings.modelEntity = fetchRequestTemplate?.entity
        templates[name] = fetchRequestTemplate
    }

    /// Returns a copy of a template with values in place of the variables in its predicate.
    ///
    /// - Parameters:
    ///   - name: The template's name.
    ///   - variables: The values by name, without `$`. Traps if a variable has no value.
    /// - Returns: The request, or `nil` if there is no such template.
    open func fetchRequestFromTemplate(
        withName name: String, substitutionVariables variables: [String: Any]
    ) -> NSFetchRequest<any NSFetchRequestResult>? {
        guard let template = templates[name] else { return nil }
        let request = NSFetchRequest<any NSFetchRequestResult>(settings: template.settings)
        request.predicate = template.predicate?.withSubstitutionVariables(variables)
        return request
    }

    /// Returns a copy of a template with values in place of the variables in its predicate, with a result type.
    ///
    /// See `fetchRequestFromTemplate(withName:substitutionVariables:)`.
    public final func fetchRequestFromTemplate<ResultType>(
        withName name: String, substitutionVariables variables: [String: Any]
    ) -> NSFetchRequest<ResultType>? {
        let request: NSFetchRequest<any NSFetchRequestResult>? = fetchRequestFromTemplate(
            withName: name, substitutionVariables: variables)
        return request.map { NSFetchRequest<ResultType>(settings: $0.settings) }
    }

    // MARK: Versions

    /// The version identifiers set by the model's author: `""` for a model compiled without one, and none for a model
    /// built in code.
    open var versionIdentifiers: Set<AnyHashable> {
        get { identifiers }
        set {
            willChange()
            identifiers = newValue
        }
    }

    /// The localized names of the model's parts, by the keys that Apple documents for the property; `nil` if there is
    /// none. On Linux, no `.strings` file is loaded.
    open var localizationDictionary: [String: String]? {
        get { localization }
        set { localization = newValue }
    }

    /// The version hashes, computed on first access.
    final var versionHashes: EntityVersionHashes {
        if let hashCache { return hashCache }
        let hashes = SchemaConverter.hashes(of: self)
        hashCache = hashes
        return hashes
    }

    /// The version hash of each entity: 32 bytes (Documentation/Formats/VersionHashes.md, 2.5).
    open var entityVersionHashesByName: [String: Data] {
        Dictionary(uniqueKeysWithValues: versionHashes.elements.map { ($0.name, Data($0.hash.bytes)) })
    }

    /// The checksum of the version: the base64 of a hash of all entities' hashes
    /// (Documentation/Formats/VersionHashes.md, 2.5).
    open var versionChecksum: String { versionHashes.checksum }

    /// Returns the checksum of a store with the entities of a configuration; `nil` stands for all entities.
    package final func versionChecksum(forConfigurationName name: String?) -> String {
        guard let name, let entities = entities(forConfigurationName: name) else { return versionChecksum }
        let names = Set(entities.compactMap(\.name))
        let elements = versionHashes.elements.filter { names.contains($0.name) }
        return EntityVersionHashes(Dictionary(uniqueKeysWithValues: elements.map { ($0.name, $0.hash) })).checksum
    }

    /// Returns whether a store was written with the entities of a configuration, according to its metadata.
    ///
    /// - Parameters:
    ///   - configuration: The name of the configuration; `nil` for the default one.
    ///   - metadata: The store's metadata.
    /// - Returns: Whether the store's entities and their hashes are exactly the configuration's.
    open func isConfiguration(
        withName configuration: String?, compatibleWithStoreMetadata metadata: [String: Any]
    ) -> Bool {
        guard let members = entities(forConfigurationName: configuration),
            let stored = StoreMetadata.entityHashes(in: metadata), stored.count == members.count
        else { return false }
        let hashes = entityVersionHashesByName
        return members.allSatisfy { entity in
            guard let name = entity.name, let hash = hashes[name] else { return false }
            return stored[name] == hash
        }
    }

    // MARK: Copying and comparing

    /// Returns a mutable copy of the model, even if this one is in use.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSManagedObjectModel()
        var copier = ModelCopier(into: copy)
        copier.add(self)
        copier.finish()
        copy.localization = localization
        if let hashCache { copy.load(hashes: hashCache) }
        return copy
    }

    /// Returns whether the other is a model with the same content: entities, configurations and names of templates.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSManagedObjectModel else { return false }
        return self === other || SchemaConverter.areEqual(self, other)
    }

    /// The hash of the entities' names.
    open override var hash: Int { Set(entityIndex.keys).hashValue }

    /// The entities and configurations, for debugging.
    open override var description: String {
        "(<\(type(of: self))>) isEditable \(isInUse ? 0 : 1), entities (\(entityIndex.keys.sorted().joined(separator: ", "))), "
            + "configurations (\(configurations.joined(separator: ", "))), "
            + "fetch request templates (\(templates.keys.sorted().joined(separator: ", ")))"
    }
}

/// A thread-safe flag for whether a model is in use, which is set once.
private final class UseFlag: @unchecked Sendable {
    private let lock = NSLock()
    private let preparation = NSLock()
    private var value = false

    var isSet: Bool { lock.withLock { value } }

    /// Sets the flag after a preparation, which only one thread makes, and which may read the flag.
    func set(preparing prepare: () -> Void) {
        guard !isSet else { return }
        preparation.withLock {
            guard !isSet else { return }
            prepare()
            lock.withLock { value = true }
        }
    }
}
