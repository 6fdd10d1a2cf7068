internal import Foundation
internal import RuntimeSupport

extension NSManagedObjectContext {
    /// Returns the objects that match a request.
    ///
    /// - Throws: An `NSError` of Cocoa's domain: `NSCoreDataError` (134060) if a store cannot be read,
    ///   `NSPersistentStoreTimeoutError` (134090) if it stays locked, `NSPersistentStoreIncompatibleVersionHashError`
    ///   (134100) if it was migrated in the meantime.
    public func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T] {
        if type(of: self) != NSManagedObjectContext.self {
            // A subclass may override the method for requests of any type.
            let results: [Any] = try fetch(NSFetchRequest<any NSFetchRequestResult>(settings: request.settings))
            return Self.typed(results.map { $0 as AnyObject }, request.entityName)
        }
        switch request.settings.resultType {
        case .dictionaryResultType, .countResultType, .managedObjectIDResultType:
            return try Self.typed(values(of: request.settings), request.entityName)
        default: return try Self.typed(fetchedObjects(of: request.settings), request.entityName)
        }
    }

    /// Returns results as the type that a request declares. Traps on results of another type.
    static func typed<Result: AnyObject, T: NSFetchRequestResult>(_ results: [Result], _ entityName: String?) -> [T] {
        // A run of objects of one class is checked once: a cast of the array would check each object.
        var lastType: ObjectIdentifier?
        var wrong: Any.Type?
        let areRight = results.allSatisfyUncounted { result in
            let identifier = ObjectIdentifier(type(of: result))
            if identifier == lastType || result is T {
                lastType = identifier
                return true
            }
            wrong = type(of: result)
            return false
        }
        guard areRight else {
            misuse(
                "NSInvalidArgumentException",
                "the results of the request for “\(entityName ?? "")” are not of type \(T.self): they are "
                    + "\(wrong.map { "\($0)" } ?? "")")
        }
        // An array of references has the same layout regardless of their static type; a copy would retain each of them.
        return unsafeBitCast(results, to: [T].self)
    }

    /// Returns the number of objects that match a request.
    ///
    /// - Throws: An `NSError` of Cocoa's domain: `NSCoreDataError` (134060) if a store cannot be read,
    ///   `NSPersistentStoreTimeoutError` (134090) if it stays locked, `NSPersistentStoreIncompatibleVersionHashError`
    ///   (134100) if it was migrated in the meantime.
    public func count<T>(for request: NSFetchRequest<T>) throws -> Int {
        if type(of: self) != NSManagedObjectContext.self {
            return try count(for: NSFetchRequest<any NSFetchRequestResult>(settings: request.settings))
        }
        return try resultCount(of: request.settings)
    }
}
