internal import Foundation
internal import RuntimeSupport

/// Records the properties that are read from a placeholder object.
///
/// The object is an instance of the root class of the key path, with an entity that has no properties, so every
/// accessor ends up in one of the functions of this file.
final class KeyRecorder: @unchecked Sendable {
    @TaskLocal private static var current: KeyRecorder?

    private var keys: [String] = []
    /// The object whose properties the next access is expected to read, or `nil` at the end of the key path.
    private var last: NSManagedObject?
    /// Whether each property was read from the object returned by the previous access. A computed property may read
    /// several properties of one object.
    private var isPath = true

    /// Returns the properties along a key path that begins at a class, or an empty array if the accesses do not form a
    /// path.
    func keys(along keyPath: AnyKeyPath, _ objectClass: NSManagedObject.Type) -> [String] {
        let root = Self.object(objectClass)
        last = root
        Self.$current.withValue(self) { _ = root[keyPath: keyPath] }
        return isPath ? keys : []
    }

    private func record(_ key: String, of object: NSManagedObject, leadingTo next: NSManagedObject?) {
        isPath = isPath && last === object
        keys.append(key)
        last = next
    }

    /// Records a property. Returns a blank value of the property's type, because the accessor may force-unwrap it.
    /// Without a model, and for other types, it returns `nil`.
    static func record(_ key: String, of object: NSManagedObject) -> Any? {
        let registration = ManagedObjectClasses.registeredEntity(of: type(of: object))
        defer { withExtendedLifetime(registration) {} }
        let property = registration?.entity.propertiesByName[key]
        if let relationship = property as? NSRelationshipDescription {
            guard !relationship.isToMany else {
                return recordCollection(key, of: object, relationship.isOrdered ? NSOrderedSet() : NSSet())
            }
            let layout = relationship.destinationEntity?.objectLayout()
            let next = Self.object(layout.map(ManagedObjectClasses.objectClass) ?? NSManagedObject.self)
            current?.record(key, of: object, leadingTo: next)
            return next
        }
        current?.record(key, of: object, leadingTo: nil)
        return (property as? NSAttributeDescription).flatMap { blank($0.attributeType) }
    }

    /// Records a to-one relationship, and returns an object that continues recording.
    static func recordObject<Object: NSManagedObject>(_ key: String, of object: NSManagedObject) -> Object? {
        recordObject(key, of: object, Object.self) as? Object
    }

    /// Records a to-one relationship to objects of a class.
    static func recordObject(
        _ key: String, of object: NSManagedObject, _ objectClass: NSManagedObject.Type
    ) -> NSManagedObject {
        let next = self.object(objectClass)
        current?.record(key, of: object, leadingTo: next)
        return next
    }

    /// Records a to-many relationship.
    static func recordCollection<Collection>(
        _ key: String, of object: NSManagedObject, _ collection: Collection
    ) -> Collection {
        current?.record(key, of: object, leadingTo: nil)
        return collection
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

    /// Returns an object that records the properties read from it.
    static func object(_ objectClass: NSManagedObject.Type) -> NSManagedObject {
        let entity = RecorderEntity()
        entity.name = String(describing: objectClass)
        return objectClass.init(entity: entity, insertInto: nil)
    }
}

extension ObjectState {
    /// Starts recording the properties that are read from the object. No layout fingerprint matches it, so accessors
    /// take the slow path.
    mutating func startRecording() {
        fingerprint = 0
        parentFingerprint = 0
        flags.insert(.recording)
    }
}

extension NSManagedObject {
    /// Whether this object only records which of its properties are read.
    final var isRecording: Bool { flags.contains(.recording) }

    /// Whether the object was created to follow a key path. Its accessors must return something, whatever its values
    /// are.
    final var isStandIn: Bool { !flags.isDisjoint(with: [.recording, .sample]) }

    /// Returns an object for a to-one relationship of a stand-in, or `nil` for other properties and for relationships
    /// that have an object.
    final func standIn<Value>(for key: String) -> Value? {
        let type = (Value.self as? any OptionalValue.Type)?.wrappedType ?? Value.self
        guard let objectClass = type as? NSManagedObject.Type else { return nil }
        if isRecording { return KeyRecorder.recordObject(key, of: self, objectClass) as? Value }
        // Non-optional relationships of the sample objects at the maximum depth have no value.
        guard !(Value.self is any OptionalValue.Type), value(forKey: key) == nil else { return nil }
        let relationship = entity.relationshipsByName[key]
        guard let destination = relationship?.destinationEntity.flatMap(PropertySearch.concrete) else {
            return KeyRecorder.object(objectClass) as? Value
        }
        let found = ManagedObjectClasses.objectClass(of: destination.objectLayout())
        return PropertySearch.emptyObject(found, destination) as? Value
    }

    /// Returns a case of an enumeration for a stand-in, and stores it as the value of the property, so that the
    /// property can be recognized by it.
    final func standInCase<Value: RawRepresentable>(for key: String) -> Value? where Value.RawValue: BinaryInteger {
        let cases = (Int64(-16)..<256).compactMap { raw in
            Value.RawValue(exactly: raw).flatMap(Value.init(rawValue:)).map { (raw: raw, value: $0) }
        }
        guard let chosen = cases.randomElement() else { return NeutralValue.make(Value.self) }
        if !isRecording { setPrimitiveValue(NSNumber(value: chosen.raw), forKey: key) }
        return chosen.value
    }
}
