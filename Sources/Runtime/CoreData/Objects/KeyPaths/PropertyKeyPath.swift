internal import CCoreDataSupport
internal import Foundation
internal import RuntimeSupport

/// Finds the properties that a Swift key path consists of: `\Book.author?.name` is `author.name`.
///
/// Without Objective-C a key path contains the code that it calls, but no names. It is therefore evaluated on a
/// placeholder object (`KeyRecorder`) that records which properties are read. Generated accessors need no model for
/// that. For handwritten accessors that call `value(forKey:)`, only the model defines the destination class of a
/// relationship.
///
/// A computed property stands for the property that it reads, if it reads only one.
enum PropertyKeyPath {
    /// The key paths found so far, guarded by a lock.
    private final class Cache: @unchecked Sendable {
        let lock = NSLock()
        var strings: [AnyKeyPath: String] = [:]
        var properties: [AnyKeyPath: String] = [:]
        var observed: [AnyKeyPath: String] = [:]
    }

    private static let cache = Cache()

    /// Returns the dotted key path of a Swift key path, or `nil` if it does not consist of properties.
    static func string(of keyPath: AnyKeyPath) -> String? {
        if let string = cache.lock.withLock({ cache.strings[keyPath] }) { return string }
        let depth = depth(of: keyPath)
        guard depth > 0 else { return "self" }
        guard let objectClass = Self.objectClass(of: keyPath) else { return nil }
        let keys = KeyRecorder().keys(along: keyPath, objectClass)
        guard keys.count == depth else { return nil }
        let string = keys.joined(separator: ".")
        cache.lock.withLock { cache.strings[keyPath] = string }
        return string
    }

    /// Returns the dotted key path by which a Swift key path is observed: that of `@objc` properties, whose values may
    /// depend on others, or that of the entity's properties.
    static func observedString(of keyPath: AnyKeyPath) -> String? {
        if let string = cache.lock.withLock({ cache.observed[keyPath] }) { return string }
        guard let string = ExposedProperties.string(of: keyPath) ?? string(of: keyPath) else { return nil }
        cache.lock.withLock { cache.observed[keyPath] = string }
        return string
    }

    /// Returns the dotted key path of a Swift key path that leads to a stored property rather than to a value computed
    /// from one, or `nil` for any other key path. A predicate or sort order on the computed value would have a
    /// different meaning. The result is unknown until the model is loaded.
    static func property(of keyPath: AnyKeyPath) -> String? {
        if let string = cache.lock.withLock({ cache.properties[keyPath] }) { return string }
        if let string = ExposedProperties.string(of: keyPath) {
            cache.lock.withLock { cache.properties[keyPath] = string }
            return string
        }
        guard let objectClass = objectClass(of: keyPath) else { return string(of: keyPath) }
        let depth = depth(of: keyPath)
        let entities = ManagedObjectClasses.registeredEntities(of: objectClass)
        guard depth > 0, depth <= PropertySearch.maximumDepth, !entities.isEmpty else { return string(of: keyPath) }
        // Another thread may release a model, and with it the destination entities of relationships.
        let found = withExtendedLifetime(entities) {
            // A class may be in several models that use different classes for the destinations of its relationships.
            entities.lazy.compactMap {
                PropertySearch(keyPath: keyPath, objectClass: objectClass, entity: $0.entity, depth: depth).result()
            }.first
                ?? string(of: keyPath).flatMap { string in
                    entities.contains { hasValues(string, $0.entity) } ? nil : string
                }
        }
        guard let string = found else { return nil }
        cache.lock.withLock { cache.properties[keyPath] = string }
        return string
    }

    /// Returns the class at the root of a key path that can be followed on its objects. A subscript is not a property,
    /// and may trap.
    private static func objectClass(of keyPath: AnyKeyPath) -> NSManagedObject.Type? {
        guard let objectClass = type(of: keyPath).rootType as? NSManagedObject.Type,
            !cd_key_path_has_subscript(Unmanaged.passUnretained(keyPath).toOpaque())
        else { return nil }
        return objectClass
    }

    /// Returns whether sample values exist for the property at the end, so that the search would have found it if the
    /// key path led to a property.
    private static func hasValues(_ keyPath: String, _ entity: NSEntityDescription) -> Bool {
        var entity: NSEntityDescription? = entity
        var property: NSPropertyDescription?
        for key in keyPath.split(separator: ".") {
            property = entity?.propertiesByName[String(key)]
            entity = (property as? NSRelationshipDescription)?.destinationEntity
        }
        guard let attribute = property as? NSAttributeDescription else { return property != nil }
        return PropertySearch.canMakeValues(attribute.attributeType)
    }

    /// Returns the dotted key path of a property. Traps if the key path does not lead to one.
    static func requiredString(of keyPath: AnyKeyPath) -> String {
        if let string = property(of: keyPath) { return string }
        misuse(
            "NSInvalidArgumentException",
            "Could not extract a String from KeyPath \(keyPath): it must lead to an attribute, over to-one relationships. If the "
                + "class has accessors of its own, its model must have been given to a coordinator or container before")
    }

    /// Returns the number of properties in the key path: the dots of its description that are outside of brackets, as
    /// in `\Book.<computed 0x… (Optional<Author>)>?.<computed 0x… (Optional<String>)>`.
    private static func depth(of keyPath: AnyKeyPath) -> Int {
        var brackets = 0
        var dots = 0
        let text = String(reflecting: keyPath)
        if text.hasSuffix(".self") { return 0 }
        for character in text.utf8 {
            switch character {
            case UInt8(ascii: "<"), UInt8(ascii: "("): brackets += 1
            case UInt8(ascii: ">"), UInt8(ascii: ")"): brackets -= 1
            case UInt8(ascii: ".") where brackets == 0: dots += 1
            default: break
            }
        }
        return dots
    }
}
