internal import Foundation

/// The names of properties in key paths: `\Book.author?.name` is `author.name`.
///
/// Swift does not say which properties a key path is made of. So it is followed on an object that is none: its class's, with an
/// entity without properties, and it writes down what it is asked for. That needs no model.
enum KeyPathNames {
    private static let known = LockedDictionary()

    /// The names along a key path that begins at a class of managed objects; nil when it asks for nothing that has a name.
    static func path<Root: NSManagedObject>(of keyPath: PartialKeyPath<Root>) -> String? {
        if let path = known[keyPath] { return path }
        let recorder = KeyRecorder()
        recorder.follow(keyPath)
        guard recorder.isPath else { return nil }
        let path = recorder.keys.joined(separator: ".")
        known[keyPath] = path
        return path
    }
}

/// Writes down the properties that an object is asked for.
final class KeyRecorder: @unchecked Sendable {
    @TaskLocal static var current: KeyRecorder?

    private(set) var keys: [String] = []
    /// The object that is asked next; nil when there is none any more.
    private var last: NSManagedObject?
    /// Whether each property was asked of the one before: computed properties may ask an object for several.
    private(set) var isPath = false

    /// Follows a key path.
    func follow<Root: NSManagedObject>(_ keyPath: PartialKeyPath<Root>) {
        let root = Self.object(Root.self)
        last = root
        Self.$current.withValue(self) { _ = (root as? Root)?[keyPath: keyPath] }
    }

    private func note(_ key: String, of object: NSManagedObject, leadingTo next: NSManagedObject?) {
        isPath = last === object
        keys.append(key)
        last = isPath ? next : nil
    }

    /// Notes a property, whose value is none.
    static func note(_ key: String, of object: NSManagedObject) -> Any? {
        current?.note(key, of: object, leadingTo: nil)
        return nil
    }

    /// Notes a to-one relationship, which leads to an object that goes on writing.
    static func noteObject<Object: NSManagedObject>(_ key: String, of object: NSManagedObject) -> Object? {
        let next = self.object(Object.self)
        current?.note(key, of: object, leadingTo: next)
        return next as? Object
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

/// The key paths that were asked for before.
private final class LockedDictionary: @unchecked Sendable {
    private let lock = NSLock()
    private var paths: [AnyKeyPath: String] = [:]

    subscript(keyPath: AnyKeyPath) -> String? {
        get { lock.withLock { paths[keyPath] } }
        set { lock.withLock { paths[keyPath] = newValue } }
    }
}
