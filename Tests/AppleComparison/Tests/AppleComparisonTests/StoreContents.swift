import CoreData
import Foundation

/// What a store contains, as text that is equal on every platform.
struct StoreContents {
    private let coordinator: NSPersistentStoreCoordinator
    private let context: NSManagedObjectContext

    init(_ url: URL, model: NSManagedObjectModel, options: [String: Any]? = nil) throws {
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
    }

    /// Removes the store, so that its file can be opened again.
    func close() throws {
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    /// Runs a closure with the context, on its queue.
    func edit(_ body: (NSManagedObjectContext) throws -> Void) throws {
        try context.performAndWait { try body(context) }
    }

    /// Describes all objects, one per line.
    ///
    /// - Parameter hasKeys: Whether the objects' keys in the store are part of the text; migrations with mapping models
    ///   make new ones.
    func text(hasKeys: Bool = true) throws -> String {
        var lines: [String] = []
        try edit { context in
            for entity in coordinator.managedObjectModel.entities.sorted(by: { ($0.name ?? "") < ($1.name ?? "") }) {
                let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
                request.includesSubentities = false
                let objects = try context.fetch(request).sorted { Self.key($0) < Self.key($1) }
                lines += objects.map { Self.line($0, hasKeys: hasKeys) }
            }
        }
        return (hasKeys ? lines : lines.sorted()).joined(separator: "\n") + "\n"
    }

    private static func key(_ object: NSManagedObject) -> Int {
        Int(object.objectID.uriRepresentation().lastPathComponent.dropFirst()) ?? 0
    }

    private static func name(_ object: NSManagedObject, hasKeys: Bool) -> String {
        let entity = object.entity.name ?? ""
        guard !hasKeys else { return "\(entity)/\(key(object))" }
        let name = object.entity.attributesByName.keys.contains("title") ? "title" : "name"
        return "\(entity)(\(text(object.value(forKey: name), of: .stringAttributeType)))"
    }

    private static func line(_ object: NSManagedObject, hasKeys: Bool) -> String {
        var values: [String] = []
        for (name, attribute) in object.entity.attributesByName.sorted(by: { $0.key < $1.key }) {
            values.append("\(name)=\(text(object.value(forKey: name), of: attribute.attributeType))")
        }
        for (name, relationship) in object.entity.relationshipsByName.sorted(by: { $0.key < $1.key }) {
            switch object.value(forKey: name) {
            case let other as NSManagedObject: values.append("\(name)=\(Self.name(other, hasKeys: hasKeys))")
            case let others as NSOrderedSet:
                let names = others.array.compactMap { $0 as? NSManagedObject }.map { Self.name($0, hasKeys: hasKeys) }
                values.append("\(name)=[\(names.joined(separator: ", "))]")
            case let others as NSSet:
                let names = others.allObjects.compactMap { $0 as? NSManagedObject }
                    .map { Self.name($0, hasKeys: hasKeys) }
                values.append("\(name)={\(names.sorted().joined(separator: ", "))}")
            default: values.append("\(name)=\(relationship.isToMany ? "not a set" : "nil")")
            }
        }
        return Self.name(object, hasKeys: hasKeys) + " " + values.joined(separator: " ")
    }

    private static func text(_ value: Any?, of type: NSAttributeType) -> String {
        guard let value, !(value is NSNull) else { return "nil" }
        switch value {
        case let text as String: return String(reflecting: text)
        case let number as NSDecimalNumber: return number.description(withLocale: nil)
        case let number as NSNumber:
            switch type {
            case .floatAttributeType: return "\(number.floatValue)"
            case .doubleAttributeType, .undefinedAttributeType: return "\(number.doubleValue)"
            default: return "\(number.int64Value)"
            }
        case let date as Date: return "\(date.timeIntervalSinceReferenceDate)"
        case let data as Data:
            let sum = data.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
            return "\(data.count) bytes, FNV-1a \(String(sum, radix: 16))"
        case let uuid as UUID: return uuid.uuidString
        case let url as URL: return url.absoluteString
        case let values as [Any]:
            return "[" + values.map { text($0, of: .undefinedAttributeType) }.joined(separator: ", ") + "]"
        case let values as [String: Any]:
            let members = values.sorted { $0.key < $1.key }
                .map { "\($0.key): \(text($0.value, of: .undefinedAttributeType))" }
            return "[" + members.joined(separator: ", ") + "]"
        default: return "\(Swift.type(of: value)) \(value)"
        }
    }
}
