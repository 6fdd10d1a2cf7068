internal import CCoreDataSupport
internal import Foundation
internal import RuntimeSupport

/// Finds the class of an entity and the entity of a class. Without Objective-C there is no table of classes by name:
/// classes in use are recorded, and others are looked up in the program's metadata.
enum ManagedObjectClasses {
    /// The models and classes in use. Guarded by its lock.
    private final class Cache: @unchecked Sendable {
        let lock = NSLock()
        var models: [WeakModel] = []
        /// Classes by the names that entities use for them.
        var classes: [String: NSManagedObject.Type] = [:]
        /// The classes that requests or `entity()` have referred to.
        var requested: Set<ObjectIdentifier> = []
        /// The names for which no class was found.
        var missing: Set<String> = []
    }

    private struct WeakModel {
        weak var model: NSManagedObjectModel?
    }

    private static let cache = Cache()

    /// Records a model that is in use.
    static func register(_ model: NSManagedObjectModel) {
        cache.lock.withLock {
            cache.models.removeAll { $0.model == nil || $0.model === model }
            cache.models.append(WeakModel(model: model))
        }
    }

    /// Records the class of an object that the program created.
    static func record(_ objectClass: NSManagedObject.Type, of layout: EntityLayout) {
        guard objectClass != NSManagedObject.self else { return }
        let name = layout.entity.managedObjectClassName ?? ""
        cache.lock.withLock {
            if cache.classes[name] == nil, plainName(objectClass) == name.split(separator: ".").last.map(String.init) {
                cache.classes[name] = objectClass
            }
        }
    }

    /// Records a class that a request or `entity()` refers to.
    static func record(_ objectClass: NSManagedObject.Type) {
        guard objectClass != NSManagedObject.self else { return }
        cache.lock.withLock {
            if cache.requested.insert(ObjectIdentifier(objectClass)).inserted {
                let name = plainName(objectClass)
                cache.classes[name] = cache.classes[name] ?? objectClass
            }
            if !cache.missing.isEmpty { cache.missing.removeAll() }
        }
    }

    private static func plainName(_ objectClass: NSManagedObject.Type) -> String { String(describing: objectClass) }

    // MARK: The class of an entity

    /// Returns the class of an entity's objects, or `NSManagedObject` if it cannot be found.
    static func objectClass(of layout: EntityLayout) -> NSManagedObject.Type {
        let name = layout.entity.managedObjectClassName ?? "NSManagedObject"
        if name == "NSManagedObject" { return NSManagedObject.self }
        let (cachedClass, isMissing) = cache.lock.withLock { (cache.classes[name], cache.missing.contains(name)) }
        if let cachedClass { return cachedClass }
        if isMissing { return NSManagedObject.self }
        let found = search(for: name)
        cache.lock.withLock {
            if let found { cache.classes[name] = found } else { cache.missing.insert(name) }
        }
        return found ?? NSManagedObject.self
    }

    /// Finds a class by the name that a model uses for it, with or without its module.
    private static func search(for name: String) -> NSManagedObject.Type? {
        // Foundation does not find nested classes.
        let isPlain = !name.contains(".")
        if !isPlain, let found = NSClassFromString(name) as? NSManagedObject.Type { return found }
        let plain = name.split(separator: ".").last.map(String.init) ?? name
        let found = classes(named: plain)
        // Nested classes of several types may have the same name.
        if let exact = found.first(where: { String(reflecting: $0) == name }) { return exact }
        // A model may have been compiled for a different module than that of its classes, for example in a test.
        if !isPlain, let cachedClass = cache.lock.withLock({ cache.classes[plain] }) { return cachedClass }
        if found.count > 1 {
            let names = found.map { String(reflecting: $0) }.joined(separator: ", ")
            Log.error("the model's class “\(name)” is ambiguous: \(names); use one of these qualified names")
        }
        return found.first ?? KeyMethods.objectClass(objectiveCName: plain)
    }

    /// Returns the managed object classes with a name, top-level ones first, then nested ones.
    private static func classes(named name: String) -> [NSManagedObject.Type] {
        let found = NamedClasses.all(name).compactMap { $0 as? NSManagedObject.Type }
        let named = found.map { (depth: String(reflecting: $0).split(separator: ".").count, objectClass: $0) }
        return named.sorted { $0.depth < $1.depth }.map(\.objectClass)
    }

    /// Changes the class of a new object to its entity's class. The object of a class that declares stored properties
    /// has no room for them and keeps its class, which is reported on standard error.
    static func giveClass(of layout: EntityLayout, to object: NSManagedObject) {
        let objectClass = objectClass(of: layout)
        guard objectClass != NSManagedObject.self else { return }
        let metadata = unsafeBitCast(objectClass, to: UnsafeRawPointer.self)
        guard !cd_become_subclass(Unmanaged.passUnretained(object).toOpaque(), metadata) else { return }
        Log.error(
            "NSManagedObject(entity:insertInto:) cannot make an object of “\(objectClass)”, which has stored properties; use "
                + "\(objectClass)(context:) or NSEntityDescription.insertNewObject(forEntityName:into:)")
    }

    // MARK: The entity of a class

    /// Returns the entity of a class in the models in use, and its model, which callers that follow relationships must
    /// retain. Returns `nil` if there is none.
    static func registeredEntity(
        of objectClass: NSManagedObject.Type
    ) -> (entity: NSEntityDescription, model: NSManagedObjectModel)? {
        registeredEntities(of: objectClass).first
    }

    /// Returns the entities of a class in the models in use, with their models: first those that name the class with
    /// its module. Of equal entities only the newest model's is returned, since a model may be loaded several times.
    static func registeredEntities(
        of objectClass: NSManagedObject.Type
    ) -> [(entity: NSEntityDescription, model: NSManagedObjectModel)] {
        record(objectClass)
        let models = cache.lock.withLock { cache.models.compactMap(\.model) }
        let found = models.flatMap { model in entities(of: objectClass, in: model).map { ($0, model) } }
        let full = String(reflecting: objectClass)
        let isExact = { (candidate: (NSEntityDescription, NSManagedObjectModel)) in
            candidate.0.managedObjectClassName == full
        }
        return found.filter(isExact).reversed() + found.filter { !isExact($0) }.reversed()
    }

    /// Returns the entity of a class in the models in use.
    static func entity(of objectClass: NSManagedObject.Type) -> NSEntityDescription {
        if objectClass == NSManagedObject.self {
            Log.error("NSManagedObject itself has no entity: call entity() of a subclass")
            return NSEntityDescription()
        }
        guard let (entity, _) = registeredEntity(of: objectClass) else {
            Log.error(
                "No NSEntityDescriptions in any model claim the NSManagedObject subclass '\(objectClass)' so "
                    + "+entity is confused. Have you loaded your NSManagedObjectModel yet ?")
            return NSEntityDescription()
        }
        return entity
    }

    static func entity(of objectClass: NSManagedObject.Type, in model: NSManagedObjectModel) -> NSEntityDescription {
        record(objectClass)
        let found = entities(of: objectClass, in: model)
        guard let entity = found.first else {
            misuse(
                "NSInvalidArgumentException",
                "no entity of the model has the class '\(objectClass)'; its classes are "
                    + model.entities.compactMap(\.managedObjectClassName).sorted().joined(separator: ", "))
        }
        guard found.count == 1 else {
            misuse(
                "NSInvalidArgumentException",
                "the entities \(found.compactMap(\.name).joined(separator: ", ")) have the class '\(objectClass)'; use "
                    + "init(entity:insertInto:)")
        }
        return entity
    }

    private static func entities(
        of objectClass: NSManagedObject.Type, in model: NSManagedObjectModel
    ) -> [NSEntityDescription] {
        let full = String(reflecting: objectClass)
        let plain = plainName(objectClass)
        let exact = model.entities.filter { $0.managedObjectClassName == full }
        if !exact.isEmpty { return exact }
        func entities(_ name: String) -> [NSEntityDescription] {
            model.entities.filter { $0.managedObjectClassName?.split(separator: ".").last.map(String.init) == name }
        }
        let found = entities(plain)
        guard found.isEmpty, let name = KeyMethods.objectiveCName(of: objectClass) else { return found }
        return entities(name)
    }
}

extension NSManagedObject: RequestedResult {
    static func didRequest() { ManagedObjectClasses.record(self) }
}
