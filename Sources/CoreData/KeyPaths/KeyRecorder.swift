internal import Foundation

/// Writes down the properties that an object is asked for.
///
/// The object is one of the class in question, with an entity that has no properties: whatever accessor is called ends in one of the
/// functions of this file.
final class KeyRecorder: @unchecked Sendable {
    @TaskLocal private static var current: KeyRecorder?

    private var keys: [String] = []
    /// The object that is asked next; nil when there is none any more.
    private var last: NSManagedObject?
    /// Whether each property was asked of the one before: computed properties may ask an object for several.
    private var isPath = true

    /// The properties along a key path that begins at a class; nothing when they are no path.
    func keys(along keyPath: AnyKeyPath, _ objectClass: NSManagedObject.Type) -> [String] {
        let root = Self.object(objectClass)
        last = root
        Self.$current.withValue(self) { _ = root[keyPath: keyPath] }
        return isPath ? keys : []
    }

    private func note(_ key: String, of object: NSManagedObject, leadingTo next: NSManagedObject?) {
        isPath = isPath && last === object
        keys.append(key)
        last = next
    }

    /// Notes a property. The value is what its type has for nothing, since accessors may force it; without a model, and for other
    /// types, it is nil.
    static func note(_ key: String, of object: NSManagedObject) -> Any? {
        let known = ManagedObjectClasses.knownEntity(of: type(of: object))
        defer { withExtendedLifetime(known) {} }
        let property = known?.entity.propertiesByName[key]
        if let relationship = property as? NSRelationshipDescription {
            guard !relationship.isToMany else {
                current?.note(key, of: object, leadingTo: nil)
                return relationship.isOrdered ? NSOrderedSet() : NSSet()
            }
            let layout = relationship.destinationEntity?.objectLayout()
            let next = Self.object(layout.map(ManagedObjectClasses.objectClass) ?? NSManagedObject.self)
            current?.note(key, of: object, leadingTo: next)
            return next
        }
        current?.note(key, of: object, leadingTo: nil)
        return (property as? NSAttributeDescription).flatMap { blank($0.attributeType) }
    }

    /// Notes a to-one relationship, which leads to an object that goes on writing.
    static func noteObject<Object: NSManagedObject>(_ key: String, of object: NSManagedObject) -> Object? {
        let next = self.object(Object.self)
        current?.note(key, of: object, leadingTo: next)
        return next as? Object
    }

    private static func blank(_ type: NSAttributeType) -> Any? {
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: NSNumber(value: 0)
        case .doubleAttributeType, .floatAttributeType: NSNumber(value: 0.0)
        case .booleanAttributeType: NSNumber(value: false)
        case .decimalAttributeType: NSDecimalNumber.zero
        case .stringAttributeType: ""
        case .dateAttributeType: Date(timeIntervalSinceReferenceDate: 0)
        case .binaryDataAttributeType: Data()
        case .UUIDAttributeType: UUID()
        case .URIAttributeType: URL(fileURLWithPath: "/")
        default: nil
        }
    }

    /// An object of a class that writes down what it is asked for.
    static func object(_ objectClass: NSManagedObject.Type) -> NSManagedObject {
        let entity = NSEntityDescription()
        entity.name = String(describing: objectClass)
        let object = objectClass.init(entity: entity, insertInto: nil)
        object.state.pointee.fingerprint = 0
        object.state.pointee.parentFingerprint = 0
        object.flags.insert(.recording)
        return object
    }
}

extension NSManagedObject {
    /// Whether this is no object but writes down what it is asked for.
    final var isRecording: Bool { flags.contains(.recording) }
}
