internal import CoreData
internal import Foundation

/// Creates the rows and details of objects.
struct RowBuilder {
    let stack: StoreStack

    /// The maximum number of a to-many relationship's destinations in the details.
    static let memberLimit = 100

    /// Returns the properties of an entity that lists show: the title attribute, other attributes by name, then relationships by
    /// name.
    static func properties(of entity: NSEntityDescription) -> [NSPropertyDescription] {
        let title = titleAttribute(of: entity)
        let attributes = entity.attributesByName.values.filter { !$0.isTransient }
            .sorted { ($0.name == title ? 0 : 1, $0.name) < ($1.name == title ? 0 : 1, $1.name) }
        return attributes + entity.relationshipsByName.values.sorted { $0.name < $1.name }
    }

    /// Returns the row of an object in a list of an entity, whose properties it shows.
    func row(_ object: NSManagedObject, in entity: NSEntityDescription) -> Row {
        var row = Row(
            uri: object.objectID.uriText, entity: object.entity.name ?? "", key: object.objectID.keyText,
            cells: Self.properties(of: entity).map { cell(object, $0) })
        row.change =
            object.isInserted
            ? "inserted" : object.isDeleted ? "deleted" : object.hasPersistentChangedValues ? "updated" : nil
        return row
    }

    private func cell(_ object: NSManagedObject, _ property: NSPropertyDescription) -> Cell {
        if let attribute = property as? NSAttributeDescription { return cell(object, attribute, CellReader()) }
        guard let relationship = property as? NSRelationshipDescription else { return .null }
        guard relationship.isToMany else {
            return link(object.value(forKey: relationship.name) as? NSManagedObject)
        }
        var cell = Cell("count")
        cell.count = memberCount(object, relationship)
        return cell
    }

    private func cell(_ object: NSManagedObject, _ attribute: NSAttributeDescription, _ reader: CellReader) -> Cell {
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
        if !stack.context.hasChanges, !object.objectID.isTemporaryID, stack.store.type == NSSQLiteStoreType,
            let (entity, predicate) = Self.members(of: relationship, object)
        {
            let request = NSFetchRequest<any NSFetchRequestResult>(entityName: entity)
            request.predicate = predicate
            return (try? stack.context.count(for: request)) ?? 0
        }
        return Self.destinations(of: object, relationship).count
    }

    /// Returns the entity and the predicate of a to-many relationship's destinations; `nil` if there is no inverse.
    static func members(
        of relationship: NSRelationshipDescription, _ object: NSManagedObject
    ) -> (entity: String, predicate: NSPredicate)? {
        guard let inverse = relationship.inverseRelationship, let entity = relationship.destinationEntity?.name else {
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

    /// Returns a link to an object.
    func link(_ object: NSManagedObject?) -> Cell {
        guard let object else { return .null }
        var cell = Cell("link", title(of: object))
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
        for wanted in ["name", "title", "label", "firstName", "lastName"] where texts.contains(wanted) { return wanted }
        let lower = texts.first { $0.lowercased().hasSuffix("name") || $0.lowercased().hasSuffix("title") }
        return lower ?? texts.first
    }

    // MARK: Details

    /// Returns an object with all of its properties.
    func details(of object: NSManagedObject) -> ObjectDetails {
        ObjectDetails(
            uri: object.objectID.uriText, entity: object.entity.name ?? "", key: object.objectID.keyText,
            values: Self.properties(of: object.entity).map { value(object, $0) })
    }

    private func value(_ object: NSManagedObject, _ property: NSPropertyDescription) -> ObjectDetails.Value {
        let reader = CellReader(length: CellReader.detailLength)
        if let attribute = property as? NSAttributeDescription {
            let value = object.value(forKey: attribute.name)
            var result = ObjectDetails.Value(name: attribute.name, cell: cell(object, attribute, reader))
            if let composite = attribute as? NSCompositeAttributeDescription {
                result.elements = elements(value as? [String: Any], composite, attribute.name, reader)
            }
            return result
        }
        var result = ObjectDetails.Value(name: property.name, cell: cell(object, property))
        if let relationship = property as? NSRelationshipDescription, relationship.isToMany {
            result.members = members(object, relationship).map { link($0) }
        }
        return result
    }

    private func members(_ object: NSManagedObject, _ relationship: NSRelationshipDescription) -> [NSManagedObject] {
        guard !stack.context.hasChanges, !object.objectID.isTemporaryID, !relationship.isOrdered,
            let (entity, predicate) = Self.members(of: relationship, object)
        else { return Array(Self.destinations(of: object, relationship).prefix(Self.memberLimit)) }
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = predicate
        request.fetchLimit = Self.memberLimit
        return (try? stack.context.fetch(request)) ?? []
    }

    private func elements(
        _ values: [String: Any]?, _ composite: NSCompositeAttributeDescription, _ path: String, _ reader: CellReader
    ) -> [ObjectDetails.Value] {
        composite.elements.map { element in
            let name = "\(path).\(element.name)"
            let value = values?[element.name]
            var result = ObjectDetails.Value(name: name, cell: reader.cell(value, element))
            result.type = CellReader.typeName(element)
            if let inner = element as? NSCompositeAttributeDescription {
                result.elements = elements(value as? [String: Any], inner, name, reader)
            }
            return result
        }
    }
}
