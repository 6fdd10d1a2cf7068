internal import CCoreDataSupport
internal import Foundation

/// Finds the class of an entity and the entity of a class. Without Objective-C nobody can list the classes of a program; so
/// those that are seen are remembered.
enum ManagedObjectClasses {
    /// Guarded by its lock.
    private final class Known: @unchecked Sendable {
        let lock = NSLock()
        var models: [WeakModel] = []
        /// Classes by the name that an entity gives them.
        var classes: [String: NSManagedObject.Type] = [:]
        /// The modules of classes that were seen.
        var modules: [String] = []
    }

    private struct WeakModel {
        weak var model: NSManagedObjectModel?
    }

    private static let known = Known()

    /// Remembers a model that is used.
    static func register(_ model: NSManagedObjectModel) {
        known.lock.withLock {
            known.models.removeAll { $0.model == nil || $0.model === model }
            known.models.append(WeakModel(model: model))
        }
    }

    /// Remembers the class of an object that the program has made itself.
    static func note(_ objectClass: NSManagedObject.Type, of layout: EntityLayout) {
        guard objectClass != NSManagedObject.self else { return }
        let name = layout.entity.managedObjectClassName ?? ""
        known.lock.withLock {
            if known.classes[name] == nil, plainName(objectClass) == name.split(separator: ".").last.map(String.init) {
                known.classes[name] = objectClass
                cd_note_new_class()
            }
            noteModule(of: objectClass)
        }
    }

    /// Remembers a class that a request or `entity()` has named.
    static func note(_ objectClass: NSManagedObject.Type) {
        guard objectClass != NSManagedObject.self else { return }
        known.lock.withLock {
            if known.classes.updateIfMissing(plainName(objectClass), objectClass) { cd_note_new_class() }
            noteModule(of: objectClass)
        }
    }

    private static func noteModule(of objectClass: NSManagedObject.Type) {
        let module = String(reflecting: objectClass).prefix { $0 != "." }
        guard !known.modules.contains(String(module)) else { return }
        known.modules.append(String(module))
        cd_note_new_class()
    }

    private static func plainName(_ objectClass: NSManagedObject.Type) -> String { String(describing: objectClass) }

    // MARK: The class of an entity

    /// The class of the objects of an entity; `NSManagedObject` when it cannot be found.
    static func objectClass(of layout: EntityLayout) -> NSManagedObject.Type {
        let name = layout.entity.managedObjectClassName ?? "NSManagedObject"
        if name == "NSManagedObject" { return NSManagedObject.self }
        if let known = known.lock.withLock({ known.classes[name] }) { return known }
        let modules = known.lock.withLock { known.modules } + [mainModule]
        let candidates = name.contains(".") ? [name] : modules.map { "\($0).\(name)" }
        // Foundation does not find classes within others.
        for candidate in candidates where candidate.split(separator: ".").count <= 2 {
            guard let found = NSClassFromString(candidate) as? NSManagedObject.Type else { continue }
            known.lock.withLock { known.classes[name] = found }
            return found
        }
        // A name with the module that the model was compiled for may be wrong in a test.
        if name.contains("."), let plain = name.split(separator: ".").last,
            let found = known.lock.withLock({ known.classes[String(plain)] })
        {
            return found
        }
        return NSManagedObject.self
    }

    /// The module of the program, as SwiftPM names it.
    private static let mainModule: String = {
        let name = (CommandLine.arguments.first ?? "").split(separator: "/").last.map(String.init) ?? ""
        return String(name.map { $0.isLetter || $0.isNumber ? $0 : "_" })
    }()

    // MARK: The entity of a class

    /// The entity of a class in the models that are used.
    static func entity(of objectClass: NSManagedObject.Type) -> NSEntityDescription {
        note(objectClass)
        let models = known.lock.withLock { known.models.compactMap(\.model) }
        let found = models.flatMap { entities(of: objectClass, in: $0) }
        // Several loads of one model are the same; the newest is the one that is worked with.
        guard let entity = found.last else {
            misuse(
                "NSInternalInconsistencyException",
                "No NSEntityDescriptions in any model claim the NSManagedObject subclass '\(objectClass)' so "
                    + "+entity is confused. Have you loaded your NSManagedObjectModel yet ?")
        }
        return entity
    }

    /// The entity of a class in a model.
    static func entity(of objectClass: NSManagedObject.Type, in model: NSManagedObjectModel) -> NSEntityDescription {
        note(objectClass)
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
        return model.entities.filter { entity in
            entity.managedObjectClassName?.split(separator: ".").last.map(String.init) == plain
        }
    }
}

extension Dictionary {
    /// Adds a value if the key has none yet, and says whether it was added.
    fileprivate mutating func updateIfMissing(_ key: Key, _ value: Value) -> Bool {
        guard self[key] == nil else { return false }
        self[key] = value
        return true
    }
}
