internal import CoreData
internal import Foundation

/// Creates the rows and details of objects.
struct RowBuilder {
    let stack: StoreStack
    private let edits: MemberEdits

    init(stack: StoreStack) {
        self.stack = stack
        edits = MemberEdits(stack.context)
    }

    /// The maximum number of a to-many relationship's destinations that the details contain at once.
    static let memberLimit = 100

    /// Returns the properties of an entity that lists show: the title attribute, other attributes by name, then
    /// relationships by name.
    static func properties(of entity: NSEntityDescription) -> [NSPropertyDescription] {
        let title = titleAttribute(of: entity)
        let attributes = entity.attributesByName.values.filter { !$0.isTransient }
            .sorted { ($0.name == title ? 0 : 1, $0.name) < ($1.name == title ? 0 : 1, $1.name) }
        return attributes + entity.relationshipsByName.values.sorted { $0.name < $1.name }
    }

    /// Returns the to-one relationships of an entity that lists read together with its objects.
    static func prefetchedKeys(of entity: NSEntityDescription) -> [String] {
        // The runtime treats a name with a period as a key path.
        entity.relationshipsByName.values.filter { !$0.isToMany && !$0.name.contains(".") }.map(\.name)
    }

    /// Returns the row of an object in a list that shows some properties.
    func row(_ object: NSManagedObject, _ properties: [NSPropertyDescription]) -> ListRow {
        var row = ListRow(
            uri: object.objectID.uriText, entity: object.entity.name ?? "", key: object.objectID.keyText,
            cells: properties.map { cell(object, $0) })
        row.change =
            object.isInserted
            ? "inserted" : object.isDeleted ? "deleted" : object.hasPersistentChangedValues ? "updated" : nil
        return row
    }

    private func cell(_ object: NSManagedObject, _ property: NSPropertyDescription) -> ListCell {
        if let attribute = property as? NSAttributeDescription {
            return cell(object, attribute: attribute, reader: CellReader())
        }
        guard let relationship = property as? NSRelationshipDescription else { return .null }
        guard relationship.isToMany else {
            return link(object.value(forKey: relationship.name) as? NSManagedObject)
        }
        var cell = ListCell("count")
        cell.count = memberCount(object, relationship)
        return cell
    }

    private func cell(_ object: NSManagedObject, attribute: NSAttributeDescription, reader: CellReader) -> ListCell {
        let value = object.value(forKey: attribute.name)
        return value == nil && isFileMissing(object, attribute) ? .missingFile : reader.cell(value, attribute)
    }

    /// Whether a value is in a file that is missing: its row has a value, but the runtime reads none.
    private func isFileMissing(_ object: NSManagedObject, _ attribute: NSAttributeDescription) -> Bool {
        guard attribute.allowsExternalBinaryDataStorage, stack.store.type == NSSQLiteStoreType,
            !object.objectID.isTemporaryID, !object.isDeleted, object.changedValues()[attribute.name] == nil
        else { return false }
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: object.entity.name ?? "")
        request.predicate = NSPredicate(format: "SELF == %@ AND %K != nil", object.objectID, attribute.name)
        request.includesPendingChanges = false
        return (try? stack.context.count(for: request)) == 1
    }

    private func memberCount(_ object: NSManagedObject, _ relationship: NSRelationshipDescription) -> Int {
        guard stack.store.type == NSSQLiteStoreType, !object.objectID.isTemporaryID, !object.isDeleted,
            let (entity, predicate) = Self.members(of: relationship, object)
        else { return Self.destinations(of: object, relationship).count }
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: entity)
        request.predicate = predicate
        request.includesPendingChanges = false
        let edits = edits.members(of: object, relationship)
        // Another program may have removed the same ones from the store by now.
        return max(0, ((try? stack.context.count(for: request)) ?? 0) - edits.removed.count) + edits.added.count
    }

    /// Returns the entity and the predicate of a to-many relationship's destinations; `nil` if there is no inverse that
    /// is stored.
    static func members(
        of relationship: NSRelationshipDescription, _ object: NSManagedObject
    ) -> (entity: String, predicate: NSPredicate)? {
        guard let inverse = relationship.inverseRelationship, !inverse.isTransient,
            let entity = relationship.destinationEntity?.name
        else {
            return nil
        }
        let format = inverse.isToMany ? "ANY %K == %@" : "%K == %@"
        return (entity, NSPredicate(format: format, inverse.name, object))
    }

    /// Returns the destinations of a to-many relationship.
    static func destinations(
        of object: NSManagedObject, _ relationship: NSRelationshipDescription
    ) -> [NSManagedObject] {
        switch object.value(forKey: relationship.name) {
        case let ordered as NSOrderedSet: ordered.array.compactMap { $0 as? NSManagedObject }
        case let members as NSSet:
            members.allObjects.compactMap { $0 as? NSManagedObject }.sorted { $0.objectID.precedes($1.objectID) }
        case let members as Set<NSManagedObject>: members.sorted { $0.objectID.precedes($1.objectID) }
        default: []
        }
    }

    func link(_ object: NSManagedObject?) -> ListCell {
        guard let object else { return .null }
        var cell = ListCell("link", title(of: object))
        cell.uri = object.objectID.uriText
        return cell
    }

    /// Returns the title of an object: its entity, its key, and the value of the title attribute.
    private func title(of object: NSManagedObject) -> String {
        let name = object.entity.name ?? ""
        let key = object.objectID.keyText
        let start = key.isEmpty ? "new \(name)" : "\(name) \(key)"
        guard let attribute = Self.titleAttribute(of: object.entity),
            let text = object.value(forKey: attribute) as? String, !text.isEmpty
        else { return start }
        return "\(start) · \(text.prefix(60))"
    }

    /// Returns the attribute whose text is the title of an entity's objects.
    static func titleAttribute(of entity: NSEntityDescription) -> String? {
        let texts = entity.attributesByName.values
            .filter { $0.attributeType == .stringAttributeType && !$0.isTransient }.map(\.name).sorted()
        for requested in ["name", "title", "label", "firstName", "lastName"] where texts.contains(requested) {
            return requested
        }
        let lower = texts.first { $0.lowercased().hasSuffix("name") || $0.lowercased().hasSuffix("title") }
        return lower ?? texts.first
    }

    // MARK: Details

    /// Returns an object with all of its properties.
    ///
    /// - Parameter members: The indexes of the first destination to return, by to-many relationship.
    func details(of object: NSManagedObject, members: [String: Int] = [:]) -> ObjectDetails {
        ObjectDetails(
            uri: object.objectID.uriText, entity: object.entity.name ?? "", key: object.objectID.keyText,
            values: Self.properties(of: object.entity).map {
                value(object, property: $0, offset: members[$0.name] ?? 0)
            })
    }

    private func value(
        _ object: NSManagedObject, property: NSPropertyDescription, offset: Int
    ) -> ObjectDetails.Value {
        let reader = CellReader(length: CellReader.detailLength)
        if let attribute = property as? NSAttributeDescription {
            let value = object.value(forKey: attribute.name)
            var result = ObjectDetails.Value(
                name: attribute.name, cell: cell(object, attribute: attribute, reader: reader))
            if let composite = attribute as? NSCompositeAttributeDescription {
                result.elements = elements(
                    value as? [String: Any], composite: composite, path: attribute.name, reader: reader)
            }
            return result
        }
        var result = ObjectDetails.Value(name: property.name, cell: cell(object, property))
        if let relationship = property as? NSRelationshipDescription, relationship.isToMany {
            // Whole pages, the last one if there are fewer destinations by now.
            let last = max(0, (result.cell.count ?? 0) - 1)
            let start = min(max(0, offset), last) / Self.memberLimit * Self.memberLimit
            result.members = members(object, relationship, from: start).map { link($0) }
            result.memberOffset = start
        }
        return result
    }

    private func members(
        _ object: NSManagedObject, _ relationship: NSRelationshipDescription, from offset: Int
    ) -> [NSManagedObject] {
        let edits = edits.members(of: object, relationship)
        guard !object.objectID.isTemporaryID, !object.isDeleted, !relationship.isOrdered,
            edits.removed.count <= Self.memberLimit, stack.store.type == NSSQLiteStoreType,
            let (entity, predicate) = Self.members(of: relationship, object)
        else {
            let members = Self.destinations(of: object, relationship).dropFirst(offset).prefix(Self.memberLimit)
            read(members.filter(\.isFault))
            return Array(members)
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        let kept = NSPredicate(format: "NOT (SELF IN %@)", edits.removed.map(\.objectID))
        request.predicate =
            edits.removed.isEmpty ? predicate : NSCompoundPredicate(andPredicateWithSubpredicates: [predicate, kept])
        request.includesPendingChanges = false
        // Pages fit together only if the order is total.
        request.sortDescriptors = [NSSortDescriptor(key: "objectID", ascending: true)]
        let count = edits.added.isEmpty ? 0 : (try? stack.context.count(for: request)) ?? 0
        request.fetchOffset = offset
        request.fetchLimit = Self.memberLimit
        let found = (try? stack.context.fetch(request)) ?? []
        // Those that were added come last.
        return found
            + edits.added.dropFirst(max(0, offset - count)).prefix(Self.memberLimit - found.count)
    }

    /// Reads the values of objects with one query instead of one for each.
    private func read(_ faults: [NSManagedObject]) {
        guard let entity = faults.first?.objectID.entity.name.map({ stack.rootEntity(of: $0) }) else { return }
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = NSPredicate(format: "SELF IN %@", faults.map(\.objectID))
        request.returnsObjectsAsFaults = false
        request.includesPendingChanges = false
        _ = try? stack.context.fetch(request)
    }

    private func elements(
        _ values: [String: Any]?, composite: NSCompositeAttributeDescription, path: String, reader: CellReader
    ) -> [ObjectDetails.Value] {
        composite.elements.map { element in
            let name = "\(path).\(element.name)"
            let value = values?[element.name]
            var result = ObjectDetails.Value(name: name, cell: reader.cell(value, element))
            result.type = CellReader.typeName(element)
            if let inner = element as? NSCompositeAttributeDescription {
                result.elements = elements(value as? [String: Any], composite: inner, path: name, reader: reader)
            }
            return result
        }
    }
}
