public import Foundation
internal import ModelSchema
package import RuntimeSupport

/// An entity: the description of a kind of managed objects, comparable to a class in Swift or a table in a database.
///
/// ```swift
/// let entity = NSEntityDescription()
/// entity.name = "Note"
/// entity.properties = [NSAttributeDescription()]
/// let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
/// ```
///
/// Mutable until a persistent store coordinator uses its model; changing it later traps, where Apple's framework raises
/// an exception. Not thread-safe while it is mutable, thread-safe afterwards. An entity does not retain its model.
open class NSEntityDescription: NSObject, NSCopying, NSSecureCoding {
    weak var model: NSManagedObjectModel?
    @WeakLink private(set) var parent: NSEntityDescription?
    package final let weakLinkAnchor = WeakLinkAnchor()
    private var children: [NSEntityDescription] = []
    private var ownProperties: [NSPropertyDescription] = []
    private var ownIndexes: [NSFetchIndexDescription] = []
    private var values = Values()
    /// The model of the archive that the entity was read from, retained by the entity.
    private var archivedModel: NSManagedObjectModel?

    /// What is computed from the entity once and shared while it is in use (`cached(_:)`).
    private var cacheAnchor: WeakLinkAnchor?
    private static let cacheLock = NSLock()

    /// Own and inherited properties by name, computed on demand and dropped on a change.
    private var propertyCache: [String: NSPropertyDescription]?

    /// The settings of an entity other than its links.
    struct Values {
        var name: String?
        var className = "NSManagedObject"
        var isAbstract = false
        var userInfo: [AnyHashable: Any]? = [:]
        var versionHashModifier: String?
        var renamingIdentifier: String?
        var uniquenessConstraints: [[Any]] = []
        var compoundIndexes: [[Any]] = []
        var spotlightName: NSExpression?
    }

    /// Creates an entity without name and properties, of the class `NSManagedObject`, in no model.
    public override init() {
        super.init()
        weakLinkAnchor.hold(self)
    }

    /// Creates the entity in an archive, which retains its model; returns `nil` if the archive is damaged or was not
    /// written by this framework.
    public required init?(coder: NSCoder) {
        super.init()
        weakLinkAnchor.hold(self)
        guard let archived = DescriptionArchive.entity(from: coder) else { return nil }
        adopt(archived.entity)
        archivedModel = archived.model
        if archived.isInModel { model = archived.model }
        parent = archived.entity.parent
        children = archived.entity.children
    }

    /// Archives the entity with its model, in a format that only this framework reads. Traps if a part cannot be
    /// archived, such as a predicate with a block.
    open func encode(with coder: NSCoder) {
        DescriptionArchive.encode(self, with: coder)
    }

    /// `true`.
    open class var supportsSecureCoding: Bool { true }

    deinit {
        weakLinkAnchor.release()
    }

    /// The settings other than links, for code that builds a model. Setting them does not check whether the model is in
    /// use.
    final var entityValues: Values {
        get { values }
        set { values = newValue }
    }

    /// The properties that the entity declares itself, in order.
    package final var declaredProperties: [NSPropertyDescription] { ownProperties }

    /// Sets properties and indexes without checking whether the model is in use.
    final func load(properties: [NSPropertyDescription], indexes: [NSFetchIndexDescription]) {
        ownProperties = properties
        for property in properties { property.owner = self }
        ownIndexes = indexes
        for index in indexes { index.owner = self }
    }

    /// Links a subentity without checking whether the model is in use.
    final func load(child: NSEntityDescription) {
        children.append(child)
        child.parent = self
    }

    /// Traps if the model is in use; otherwise drops what was computed from it.
    final func willChange() {
        model?.willChange()
        forgetProperties()
    }

    private final func forgetProperties() {
        propertyCache = nil
        cacheAnchor = nil
        for child in children { child.forgetProperties() }
    }

    private final func change<Value>(_ keyPath: WritableKeyPath<Values, Value>, to value: Value) {
        willChange()
        values[keyPath: keyPath] = value
    }

    /// Returns the one object that is computed from the entity, which the caller keeps; the entity forgets it when it
    /// changes. Thread-safe if the model is in use.
    ///
    /// There is one cache, for the layout of the entity's objects, which the layer above knows.
    final func cached<Value: WeakLinkTarget>(_ make: () -> Value) -> Value {
        Self.cacheLock.withLock {
            if let cached = WeakLink<Value>(anchor: cacheAnchor).wrappedValue { return cached }
            let made = make()
            cacheAnchor = made.weakLinkAnchor
            return made
        }
    }

    // MARK: Names

    /// The name, unique in the model.
    open var name: String? {
        get { values.name }
        set {
            let old = values.name
            change(\.name, to: newValue)
            model?.didRename(self, from: old)
        }
    }

    /// The name of the class of the entity's objects: `Module.Class` for a Swift class. The default is
    /// `NSManagedObject`.
    // Apple's type.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var managedObjectClassName: String! {
        get { values.className }
        set { change(\.className, to: newValue ?? "NSManagedObject") }
    }

    /// The name by which migration identifies the entity: its name in an older version of the model. The default is its
    /// own name.
    open var renamingIdentifier: String? {
        get { values.renamingIdentifier ?? values.name }
        set { change(\.renamingIdentifier, to: newValue) }
    }

    /// Whether the entity is abstract, that is, cannot be instantiated. The default is `false`.
    open var isAbstract: Bool {
        get { values.isAbstract }
        set { change(\.isAbstract, to: newValue) }
    }

    /// Custom values, which Core Data does not use. Empty by default. They may be set while the model is in use, but
    /// not while another thread reads the entity.
    open var userInfo: [AnyHashable: Any]? {
        get { values.userInfo }
        set { values.userInfo = newValue }
    }

    // MARK: The model and the hierarchy

    /// The model that contains the entity. Traps if there is none.
    open var managedObjectModel: NSManagedObjectModel {
        guard let model else {
            misuse("the entity “\(values.name ?? "")” is in no model, or its model no longer exists")
        }
        return model
    }

    /// The entity that this one inherits from, or `nil`. Change it by setting that entity's `subentities`.
    open var superentity: NSEntityDescription? { parent }

    /// The entities that directly inherit from this one. Setting it removes them from their previous superentities, and
    /// traps on a cycle.
    open var subentities: [NSEntityDescription] {
        get { children }
        set {
            willChange()
            for child in newValue where child === self || isKindOf(entity: child) {
                misuse(
                    "NSInvalidArgumentException",
                    "“\(child.name ?? "")” cannot inherit from “\(name ?? "")”, which inherits from it")
            }
            for child in children { child.parent = nil }
            for child in newValue {
                child.willChange()
                child.parent?.children.removeAll { $0 === child }
                child.parent = self
            }
            children = newValue
            forgetProperties()
        }
    }

    /// The entities that directly inherit from this one, by name.
    open var subentitiesByName: [String: NSEntityDescription] {
        Dictionary(children.map { ($0.name ?? "", $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns whether this is another entity or inherits from it, directly or indirectly.
    open func isKindOf(entity: NSEntityDescription) -> Bool {
        var ancestor: NSEntityDescription? = self
        while let current = ancestor {
            if current === entity || current.isSame(as: entity) { return true }
            ancestor = current.parent
        }
        return false
    }

    /// Returns whether another entity is the same one from a second load of the model: equal in name and version hash.
    private final func isSame(as other: NSEntityDescription) -> Bool {
        name == other.name && model !== other.model && versionHash == other.versionHash
    }

    // MARK: Properties

    /// All properties, starting with inherited ones. Setting it sets the properties that the entity declares itself,
    /// ignoring inherited ones in the array, and traps on duplicate names.
    open var properties: [NSPropertyDescription] {
        get { (parent?.properties ?? []) + ownProperties }
        set {
            willChange()
            let inherited = parent?.properties ?? []
            let own = newValue.filter { property in !inherited.contains { $0 === property } }
            var names = Set(inherited.map(\.name))
            for property in own {
                guard names.insert(property.name).inserted else {
                    misuse(
                        "NSInvalidArgumentException",
                        "the entity “\(name ?? "")” has two properties with the name “\(property.name)”")
                }
                guard property.owner == nil || property.owner === self else {
                    misuse(
                        "NSInvalidArgumentException",
                        "the property “\(property.name)” belongs to the entity “\(property.entity.name ?? "")” already; "
                            + "add a copy of it to “\(name ?? "")”")
                }
            }
            for property in ownProperties { property.owner = nil }
            for property in own { property.owner = self }
            ownProperties = own
        }
    }

    /// All properties by name, including inherited ones.
    open var propertiesByName: [String: NSPropertyDescription] {
        if let propertyCache { return propertyCache }
        var result = parent?.propertiesByName ?? [:]
        for property in ownProperties { result[property.name] = property }
        propertyCache = result
        return result
    }

    /// All attributes by name, including inherited ones.
    open var attributesByName: [String: NSAttributeDescription] {
        propertiesByName.compactMapValues { $0 as? NSAttributeDescription }
    }

    /// All relationships by name, including inherited ones.
    open var relationshipsByName: [String: NSRelationshipDescription] {
        propertiesByName.compactMapValues { $0 as? NSRelationshipDescription }
    }

    /// Returns the relationships, including inherited ones, whose destination is an entity, sorted by name.
    open func relationships(forDestination entity: NSEntityDescription) -> [NSRelationshipDescription] {
        relationshipsByName.values.filter { $0.destinationEntity === entity }.sorted { $0.name < $1.name }
    }

    /// Drops the cached properties after one was renamed.
    final func didRenameProperty() {
        forgetProperties()
    }

    // MARK: Indexes and constraints

    /// The indexes that a store keeps for the entity, without those of its ancestors.
    open var indexes: [NSFetchIndexDescription] {
        get { ownIndexes }
        set {
            willChange()
            for index in ownIndexes { index.owner = nil }
            for index in newValue { index.owner = self }
            ownIndexes = newValue
        }
    }

    /// The sets of attributes whose combined values must be unique in a store, as names. They may be set as
    /// descriptions.
    open var uniquenessConstraints: [[Any]] {
        get { values.uniquenessConstraints.map { $0.map { ($0 as? NSPropertyDescription)?.name ?? $0 } } }
        set { change(\.uniquenessConstraints, to: newValue) }
    }

    /// The indexes of models up to Xcode 8, as names or descriptions of properties.
    @available(*, deprecated, message: "Use NSEntityDescription.indexes instead")
    open var compoundIndexes: [[Any]] {
        get { values.compoundIndexes }
        set { change(\.compoundIndexes, to: newValue) }
    }

    /// The names of the properties of each compound index.
    package final var compoundIndexNames: [[String]] {
        values.compoundIndexes.map { $0.compactMap { ($0 as? NSPropertyDescription)?.name ?? $0 as? String } }
    }

    /// The expression for an object's display name in Spotlight. Part of the model, but unused on Linux.
    open var coreSpotlightDisplayNameExpression: NSExpression? {
        get { values.spotlightName }
        set { change(\.spotlightName, to: newValue) }
    }

    // MARK: Version hashes

    /// Text that only affects the version hash.
    open var versionHashModifier: String? {
        get { values.versionHashModifier }
        set { change(\.versionHashModifier, to: newValue) }
    }

    /// The entity's version hash: 32 bytes (Documentation/Formats/VersionHashes.md, 2.5).
    open var versionHash: Data {
        if let model, let name, let hash = model.versionHashes[name] { return Data(hash.bytes) }
        return Data(SchemaConverter.hash(of: self))
    }

    // MARK: Copying and comparing

    /// Returns an entity with copies of the same properties and indexes, in no model and no hierarchy. The destinations
    /// of the copied relationships are looked up by name in the model that the entity is added to; until then they are
    /// the original's.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSEntityDescription()
        copy.adopt(self)
        return copy
    }

    /// Copies another entity's values, properties and indexes.
    private final func adopt(_ other: NSEntityDescription) {
        values = other.values
        let properties = other.ownProperties.compactMap { $0.copy() as? NSPropertyDescription }
        var byName: [String: NSPropertyDescription] = [:]
        for property in properties { byName[property.name] = property }
        load(properties: properties, indexes: other.ownIndexes.map { $0.copy(for: byName) })
    }

    /// Returns whether the other is an entity with the same content: name, class, properties and their settings.
    /// Entities from two loads of the same model are equal.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSEntityDescription else { return false }
        return self === other || (name == other.name && SchemaConverter.areEqual(self, other))
    }

    /// The hash of the name.
    open override var hash: Int { name.hashValue }

    /// The name, class and properties, for debugging.
    open override var description: String {
        "(<\(type(of: self))>) name \(name ?? "(null)"), managedObjectClassName \(values.className), "
            + "renamingIdentifier \(renamingIdentifier ?? "(null)"), isAbstract \(isAbstract ? 1 : 0), "
            + "superentity name \(parent?.name ?? "(null)"), "
            + "properties (\(properties.map(\.name).sorted().joined(separator: ", ")))"
    }
}

extension NSFetchIndexDescription {
    /// Returns a copy whose columns are the properties with the same names, if there are any.
    final func copy(for properties: [String: NSPropertyDescription]) -> NSFetchIndexDescription {
        let columns = elements.compactMap { element in
            (element.propertyName.flatMap { properties[$0] } ?? element.property).map { element.copy(for: $0) }
        }
        let copy = NSFetchIndexDescription.read(name: name, elements: columns)
        copy.partialIndexPredicate = partialIndexPredicate
        return copy
    }
}

extension NSEntityDescription: WeakLinkTarget {}
