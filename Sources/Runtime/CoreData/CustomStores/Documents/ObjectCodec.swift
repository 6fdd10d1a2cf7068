internal import Foundation
internal import RuntimeSupport

/// Converts the nodes of one entity to and from the objects in a file.
final class ObjectCodec {
    /// An attribute, or an element of a composite attribute.
    private struct Field {
        /// The name in files: the attribute's, followed by those of elements, separated by dots.
        var name: String
        var attribute: NSAttributeDescription
        var coding: TransformableCoding?
    }

    private let entity: NSEntityDescription
    private var fields: [Field] = []
    private var fieldIndexes: [String: Int] = [:]
    private var relationships: [String: NSRelationshipDescription] = [:]
    /// The names of properties by their names in files, and the reverse.
    private var propertyNames: [String: String] = [:]
    private var storedNames: [String: String] = [:]
    private let entityNames: StoredEntityNames
    /// The composite attributes, by name.
    private var composites: [String: NSCompositeAttributeDescription] = [:]

    init(_ entity: NSEntityDescription, _ entityNames: StoredEntityNames) {
        self.entity = entity
        self.entityNames = entityNames
        for property in entity.properties where !property.isTransient {
            if let composite = property as? NSCompositeAttributeDescription {
                composites[composite.name] = composite
                for leaf in CompositeValue.leaves(nil, composite: composite, prefix: composite.name) {
                    add(leaf.element, leaf.path)
                }
            } else if let attribute = property as? NSAttributeDescription {
                add(attribute, attribute.name)
            } else if let relationship = property as? NSRelationshipDescription {
                relationships[relationship.name] = relationship
            }
        }
        let all = Array(fieldIndexes.keys) + Array(relationships.keys)
        storedNames = entityNames.isFolded ? StoredEntityNames.folded(all) { $0.lowercased() } : [:]
        for name in all { propertyNames[storedNames[name] ?? name] = name }
    }

    private func add(_ attribute: NSAttributeDescription, _ name: String) {
        fieldIndexes[name] = fields.count
        let isTransformable = attribute.attributeType == .transformableAttributeType
        fields.append(
            Field(
                name: name, attribute: attribute,
                coding: isTransformable ? TransformableCoding(attribute) : nil))
    }

    // MARK: Reading

    /// Sets a node's values to those of an object in a file.
    ///
    /// - Returns: The names of the properties in the order of the file.
    /// - Throws: `StoredContentsError` for a property that the model does not have, and for a value of the wrong type.
    func fill(
        _ node: NSAtomicStoreCacheNode, with object: StoredObject, _ nodes: [Int64: NSAtomicStoreCacheNode]
    ) throws -> [String] {
        var names: [String] = []
        var elements: [(path: String, value: Any)] = []
        for stored in object.attributes {
            guard let name = propertyNames[stored.name], let index = fieldIndexes[name] else {
                throw failure("has no attribute “\(stored.name)”")
            }
            names.append(name)
            guard let value = try value(stored.value, fields[index]) else {
                keepUnreadable(stored.value, field: fields[index], node: node)
                continue
            }
            if name.contains(".") { elements.append((name, value)) } else { node.setValue(value, forKey: name) }
        }
        for (name, composite) in composites {
            let prefix = "\(name)."
            let values = elements.filter { $0.path.hasPrefix(prefix) }
            // A required attribute without values is an empty dictionary, as in SQLite stores.
            guard !values.isEmpty || !composite.isOptional else { continue }
            node.setValue(
                Self.group(composite, prefix: prefix, values: Dictionary(values.map { ($0.path, $0.value) }) { $1 }),
                forKey: name)
        }
        for stored in object.relationships {
            guard let name = propertyNames[stored.name], let relationship = relationships[name] else {
                throw failure("has no relationship “\(stored.name)”")
            }
            names.append(name)
            try fill(node, relationship: relationship, numbers: stored.numbers, nodes: nodes)
        }
        return names
    }

    /// Keeps the bytes of an element of a composite attribute that cannot be read, under the element's path.
    private func keepUnreadable(_ stored: StoredValue, field: Field, node: NSAtomicStoreCacheNode) {
        guard case .transformed(let data) = stored, let coding = field.coding else { return }
        node.setValue(StoredBytes(data, coding), forKey: field.name)
    }

    private func fill(
        _ node: NSAtomicStoreCacheNode, relationship: NSRelationshipDescription, numbers: [Int64],
        nodes: [Int64: NSAtomicStoreCacheNode]
    ) throws {
        guard !numbers.isEmpty else { return }
        let others = try numbers.map { number in
            guard let other = nodes[number] else {
                throw failure("has a relationship “\(relationship.name)” to object \(number), which does not exist")
            }
            if let destination = relationship.destinationEntity, !other.objectID.entity.isKindOf(entity: destination) {
                throw failure("has a relationship “\(relationship.name)” to an object of another entity")
            }
            return other
        }
        if relationship.isToMany {
            guard Set(numbers).count == numbers.count else {
                throw failure("has a relationship “\(relationship.name)” that lists an object twice")
            }
            node.setValue(
                relationship.isOrdered ? NSOrderedSet(array: others) : NSArray(array: others),
                forKey: relationship.name)
        } else {
            guard others.count == 1 else { throw failure("has several objects in “\(relationship.name)”") }
            node.setValue(others[0], forKey: relationship.name)
        }
    }

    private static func group(
        _ composite: NSCompositeAttributeDescription, prefix: String, values: [String: Any]
    ) -> NSDictionary {
        var result: [String: Any] = [:]
        for element in composite.elements {
            if let inner = element as? NSCompositeAttributeDescription {
                let group = group(inner, prefix: "\(prefix)\(inner.name).", values: values)
                if group.count > 0 { result[inner.name] = group }
            } else if let value = values[prefix + element.name] {
                result[element.name] = value
            }
        }
        return NSDictionary(dictionary: result)
    }

    /// Returns the value of an attribute: for a transformable one its bytes, so that contexts do not share an object
    /// and a value that cannot be read is written back; an element's transformed value, or `nil` if it cannot be read.
    private func value(_ stored: StoredValue, _ field: Field) throws -> Any? {
        if case .transformed(let data) = stored, let coding = field.coding {
            let bytes = StoredBytes(data, coding)
            return field.name.contains(".") ? bytes.current.anyValue : bytes
        }
        if field.coding == nil, let value = Self.slot(stored, field.attribute.attributeType)?.anyValue { return value }
        throw failure("has a value of the wrong type for the attribute “\(field.name)”")
    }

    /// Returns the value as an attribute's type, or `nil` if it does not fit.
    private static func slot(_ stored: StoredValue, _ type: NSAttributeType) -> SlotValue? {
        switch (stored, type) {
        case (.boolean(let flag), .booleanAttributeType): .boolean(flag)
        case (.integer(let number, _), .integer16AttributeType): Int16(exactly: number).map { .integer(Int64($0)) }
        case (.integer(let number, _), .integer32AttributeType): Int32(exactly: number).map { .integer(Int64($0)) }
        case (.integer(let number, _), .integer64AttributeType): .integer(number)
        case (.double(let number), .doubleAttributeType): .double(number)
        case (.float(let number), .floatAttributeType): .float(number)
        case (.decimal(let number), .decimalAttributeType): .object(NSDecimalNumber(decimal: number))
        case (.string(let text), .stringAttributeType): .string(text)
        case (.date(let seconds), .dateAttributeType): .date(Date(timeIntervalSinceReferenceDate: seconds))
        case (.data(let data), .binaryDataAttributeType): .data(data)
        case (.uuid(let uuid), .UUIDAttributeType): .uuid(uuid)
        case (.uri(let text), .URIAttributeType): URL(string: text).map { .boxed(ValueBox($0)) }
        default: nil
        }
    }

    private func failure(_ what: String) -> StoredContentsError {
        StoredContentsError("an object of the entity “\(entity.name ?? "")” \(what)")
    }

    // MARK: Writing

    /// Returns the object to store in a file for a node.
    ///
    /// - Parameters:
    ///   - number: Returns the number of a node's object.
    ///   - order: The names of the properties to write first, in order.
    /// - Throws: An error of Cocoa's domain if a value cannot be transformed.
    func object(
        _ node: NSAtomicStoreCacheNode, _ number: (NSAtomicStoreCacheNode) -> Int64, order: [String]
    ) throws -> StoredObject {
        var object = StoredObject(entity: entityNames.storedName(entity.name ?? ""), number: number(node))
        var leaves: [String: Any] = [:]
        for (name, composite) in composites {
            for leaf in CompositeValue.leaves(node.value(forKey: name), composite: composite, prefix: name) {
                leaves[leaf.path] = Unwrapping.value(leaf.value)
            }
        }
        for field in ordered(fields.map(\.name), by: order).compactMap({ fieldIndexes[$0] }).map({ fields[$0] }) {
            let value =
                field.name.contains(".")
                ? leaves[field.name] ?? node.value(forKey: field.name) : node.value(forKey: field.name)
            guard let value = Unwrapping.value(value), let stored = try stored(value, field) else { continue }
            if case .transformed(let data) = stored, let coding = field.coding, !field.name.contains(".") {
                node.setValue(StoredBytes(data, coding), forKey: field.name)
            }
            object.attributes.append(StoredObject.Attribute(name: storedNames[field.name] ?? field.name, value: stored))
        }
        for name in ordered(relationships.keys.sorted(), by: order) {
            guard let relationship = relationships[name] else { continue }
            let value = node.value(forKey: name)
            var numbers: [Int64] = []
            if let other = value as? NSAtomicStoreCacheNode {
                numbers = [number(other)]
            } else if let value, let others = AtomicStoreSave.members(value) {
                numbers = others.map(number)
                // The members of a set are unordered: sorting by number makes the file deterministic.
                if !(value is NSArray), !(value is NSOrderedSet) { numbers.sort() }
            }
            object.relationships.append(
                StoredObject.Relationship(
                    name: storedNames[name] ?? name, numbers: numbers, counts: Self.counts(relationship),
                    destination: entityNames.storedName(relationship.destinationEntity?.name ?? "")))
        }
        return object
    }

    /// Returns a relationship's counts. Apple's framework writes 1/1 for every to-one relationship, optional or not.
    private static func counts(_ relationship: NSRelationshipDescription) -> String {
        relationship.isToMany ? "\(relationship.minCount)/\(relationship.maxCount)" : "1/1"
    }

    private func ordered(_ names: [String], by order: [String]) -> [String] {
        guard !order.isEmpty else { return names }
        let listed = Set(order)
        return order + names.filter { !listed.contains($0) }
    }

    private func stored(_ value: Any, _ field: Field) throws -> StoredValue? {
        if let bytes = value as? StoredBytes { return .transformed(bytes.bytes) }
        let type = field.attribute.attributeType
        guard let slot = ValueConversion.slotValue(value, type) else { return nil }
        if let coding = field.coding { return .transformed(try coding.content(of: slot)) }
        switch slot {
        case .boolean(let flag): return .boolean(flag)
        case .integer(let number):
            let bits = type == .integer16AttributeType ? 16 : type == .integer32AttributeType ? 32 : 64
            return .integer(number, bits: bits)
        case .double(let number): return .double(number)
        case .float(let number): return .float(number)
        case .string(let text): return .string(text)
        case .date(let date): return .date(date.timeIntervalSinceReferenceDate)
        case .data(let data): return .data(data)
        case .uuid(let uuid): return .uuid(uuid)
        case .object(let object): return (object as? NSDecimalNumber).map { .decimal($0.decimalValue) }
        case .boxed(let box): return (box.value as? URL).map { .uri($0.absoluteString) }
        case .null, .reference, .managed, .many, .stored: return nil
        }
    }

    // MARK: Objects

    /// Sets a node's values to those of an object that is being saved.
    func update(
        _ node: NSAtomicStoreCacheNode, from object: NSManagedObject,
        nodeOf: (NSManagedObjectID) -> NSAtomicStoreCacheNode?, number: (NSAtomicStoreCacheNode) -> Int64
    ) {
        for field in fields where !field.name.contains(".") {
            if field.coding != nil, let slot = object.layout.index(of: field.name),
                case .stored(let stored) = object.realizedSlots()[slot]
            {
                node.setValue(stored.undecoded, forKey: field.name)
            } else {
                node.setValue(object.primitiveValue(forKey: field.name), forKey: field.name)
            }
        }
        for name in composites.keys {
            let value = object.primitiveValue(forKey: name)
            let former = node.value(forKey: name)
            if value == nil ? former != nil : (value as? NSObject)?.isEqual(former) != true {
                // The whole attribute was set, with its elements that cannot be read.
                for field in fields where field.name.hasPrefix("\(name).") { node.setValue(nil, forKey: field.name) }
            }
            node.setValue(value, forKey: name)
        }
        for (name, relationship) in relationships {
            // What is stored, rather than what an accessor of the class shows.
            let value = object.layout.index(of: name).flatMap { object.anyValue(at: $0) }
            guard relationship.isToMany else {
                node.setValue((value as? NSManagedObject).flatMap { nodeOf($0.objectID) }, forKey: name)
                continue
            }
            let members = (value.flatMap(StoredCollection.elements) ?? []).compactMap { member in
                (member as? NSManagedObject).flatMap { nodeOf($0.objectID) }
            }
            if relationship.isOrdered {
                node.setValue(NSOrderedSet(array: members), forKey: name)
            } else {
                node.setValue(
                    NSArray(array: merged(members, former: node.value(forKey: name), number: number)), forKey: name)
            }
        }
    }

    /// Returns the members in their former order, followed by new ones ordered by number.
    private func merged(
        _ members: [NSAtomicStoreCacheNode], former: Any?, number: (NSAtomicStoreCacheNode) -> Int64
    ) -> [NSAtomicStoreCacheNode] {
        let former = (former as? NSArray).flatMap(AtomicStoreSave.members) ?? []
        let current = Set(members)
        let listed = Set(former)
        return former.filter(current.contains)
            + members.filter { !listed.contains($0) }.sorted { number($0) < number($1) }
    }
}
