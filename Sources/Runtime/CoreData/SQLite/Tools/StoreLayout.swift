internal import Foundation

/// The positions of a model's entities and properties in the tables of a SQLite store, as plain values.
///
/// For tools that check or export a store. The file need not have all of the tables and columns.
package struct StoreLayout: @unchecked Sendable {
    /// A table of the file.
    package struct Table: Sendable {
        package var name: String
        /// The columns, in order.
        package var columns: [String]

        /// Creates a table.
        package init(name: String, columns: [String]) {
            self.name = name
            self.columns = columns
        }
    }

    package struct Entity: Sendable {
        package var name: String
        /// The name in an earlier version of the model.
        package var renamingIdentifier: String?
        /// `Z_ENT`.
        package var number: Int
        /// The number of the parent entity; 0 for none.
        package var parentNumber: Int
        /// The number of the root entity.
        package var rootNumber: Int
        /// The numbers of the entity and its descendants, ascending.
        package var numbers: [Int]
        /// Whether the table contains rows of other entities than `numbers`.
        package var sharesTable: Bool
        /// Whether there are no objects of the entity itself.
        package var isAbstract: Bool
        /// The table of the hierarchy.
        package var table: String
        /// The properties with a position in the file, including inherited ones.
        package var properties: [Property]
        /// The uniqueness constraints that the entity declares, as lists of columns.
        package var constraints: [Constraint]
        /// The columns of the binary fetch indexes that the entity declares, except partial ones.
        package var indexes: [[String]]
        /// The number of properties that the bits in a change of the history stand for.
        fileprivate var slotCount: Int
        /// The attributes whose values the history keeps of deleted objects, in the order of the columns for them;
        /// `nil` for one without a column.
        package var tombstones: [Attribute?]

        /// Whether the entity has no parent.
        package var isRoot: Bool { parentNumber == 0 }
    }

    /// A uniqueness constraint.
    package struct Constraint: Sendable {
        /// The names of the properties.
        package var names: [String]
        /// Their columns.
        package var columns: [String]
    }

    /// A property of an entity.
    package struct Property: Sendable {
        /// The name; that of an element of a composite attribute is its path, as in `position.city`.
        package var name: String
        /// Whether the entity declares the property itself, rather than inheriting it.
        package var isDeclared: Bool
        /// Whether the model requires no value.
        package var isOptional: Bool
        package var position: Position
        /// The bit of the property in changes of the history.
        fileprivate var slot: Int
    }

    /// The position of a property.
    package enum Position: Sendable {
        case attribute(Attribute)
        case toOne(ToOne)
        /// A to-many relationship in the rows of its members.
        case members(Members)
        case join(Join)
    }

    package struct Attribute: @unchecked Sendable {
        package var column: String
        package var type: NSAttributeType
        /// Whether the value is derived from others.
        package var isDerived: Bool
        /// Whether a value may be in a file.
        package var isExternal: Bool
        /// Whether the attribute is transformable, and Foundation's secure unarchiving decodes it.
        package var isSecureArchive: Bool
        /// Whether the attribute is an element of a composite attribute.
        package var isElement: Bool
        /// The key path and the function of a derivation from the object's own row, such as `canonical:(name)`.
        package var ownDerivation: (function: String, source: String)?
        /// The conditions that values must meet. Immutable, as is everything in a model in use.
        fileprivate var conditions: [NSPredicate]

        /// Whether values can be invalid.
        package var hasConditions: Bool { !conditions.isEmpty }

        /// Returns whether a value of the attribute's class meets the conditions.
        package func isValid(_ value: Any) -> Bool { conditions.allSatisfy { $0.evaluate(with: value) } }
    }

    /// A to-one relationship.
    package struct ToOne: Sendable {
        /// The column with the key of the destination.
        package var key: String
        /// The column with the destination's entity number; `nil` if the destination has no subentities.
        package var entity: String?
        /// The column with the position in the ordered inverse; `nil` if that is not ordered.
        package var order: String?
        /// The number of the destination entity.
        package var destination: Int
        /// The name of the inverse; `nil` if there is none.
        package var inverse: String?
        /// Whether the inverse is a to-one relationship.
        package var isOneToOne: Bool
        /// Whether deleting the destination deletes the object.
        package var isCascadedTo: Bool
    }

    /// A to-many relationship in the rows of its members.
    package struct Members: Sendable {
        /// The table of the members.
        package var table: String
        /// The column with the owner's key.
        package var key: String
        /// The column with the position; `nil` if the relationship is not ordered.
        package var order: String?
        /// The number of the destination entity.
        package var destination: Int
        /// Whether the relationship has no inverse.
        package var lacksInverse: Bool
        /// The minimum and maximum count; 0 for none.
        package var counts: (minimum: Int, maximum: Int)
    }

    /// A many-to-many relationship.
    package struct Join: Sendable {
        /// The join table.
        package var table: String
        /// The column with the key of the owner.
        package var own: String
        /// The column with the key of the member.
        package var other: String
        /// The column with the member's position; `nil` if the relationship is not ordered.
        package var order: String?
        /// The number of the destination entity.
        package var destination: Int
        /// The minimum and maximum count; 0 for none.
        package var counts: (minimum: Int, maximum: Int)
    }

    /// A table or join table of the model.
    package struct ExpectedTable: Sendable {
        package var name: String
        /// The columns with their declared types.
        package var columns: [(name: String, type: String)]
        /// Whether it is a join table.
        package var isJoin: Bool
    }

    /// A derived attribute that triggers maintain.
    package struct Derived: Sendable {
        /// The name of the entity that declares it.
        package var entity: String
        /// The name of the attribute.
        package var attribute: String
        package var table: String
        package var column: String
        /// The expression in SQL that computes the value of the row that is named `owner`.
        package var value: String
        /// The condition in SQL that the row belongs to the entity; `nil` if all rows do.
        package var condition: String?
        /// The names and statements of the triggers.
        package var triggers: [(name: String, statement: String)]
        /// Whether the value is the number of members in a relationship with a to-one inverse, whose triggers are known
        /// to be Apple's.
        package var isCount: Bool
    }

    /// The entities, by ascending number.
    package private(set) var entities: [Entity] = []
    /// The positions of the entities, by number.
    private var indices: [Int: Int] = [:]
    /// The tables of the model.
    package private(set) var tables: [ExpectedTable] = []
    /// The derived attributes that triggers maintain.
    package private(set) var derived: [Derived] = []
    /// Retains the descriptions of the attributes. Immutable, because it is in use.
    private let model: NSManagedObjectModel
    /// The schema that the positions are from.
    let schema: StoreSchema

    /// The name of the table in which the runtime lists files that no row refers to any more.
    package static let droppedFilesTable = DroppedFiles.table

    /// Returns the folder with the external values of a store: beside its file, or beside a link to it if there is one.
    package static func externalFolder(ofStoreAt path: String) -> String {
        ExternalStorage.folder(of: StoreExternalFiles.location(ofStoreAt: path)).path
    }

    /// Returns the numbers of entities by name, of rows of `Z_PRIMARYKEY` by ascending number. Of rows with the same
    /// name, the first counts.
    package static func numbers(_ rows: some Sequence<(name: String, number: Int64)>) -> [String: Int] {
        FileLayout.numbers(rows)
    }

    /// The error for a model that a SQLite file cannot represent.
    package struct Failure: Error, CustomStringConvertible {
        package var description: String
    }

    /// Determines the positions of a model in a file.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - names: The names of the store's entities; `nil` for all of the model.
    ///   - tables: The tables of the file.
    ///   - numbers: The entity numbers in `Z_PRIMARYKEY`, by name.
    package init(
        of model: NSManagedObjectModel, entities names: Set<String>? = nil, tables: [Table], numbers: [String: Int]
    ) throws(Failure) {
        self.model = model
        model.makeImmutable()
        let file = FileLayout(
            tables: tables.map { FileLayout.Table(name: $0.name, columns: $0.columns) },
            numbers: numbers.filter { $0.value < HistoryTables.changeEntity })
        let included = model.entities.filter { names?.contains($0.name ?? "") ?? true }
        let schema: StoreSchema
        do {
            schema = try SchemaBuilder.schema(of: included, in: file)
        } catch {
            throw Failure(description: "\(error)")
        }
        self.schema = schema
        entities = schema.entities.compactMap { mapping in
            model.entitiesByName[mapping.name].map { Self.entity(mapping, $0) }
        }
        indices = Dictionary(entities.enumerated().map { ($1.number, $0) }) { first, _ in first }
        self.tables = zip([schema.tables, schema.joinTables], [false, true]).flatMap { tables, isJoin in
            tables.map { table in
                ExpectedTable(
                    name: table.name, columns: table.columns.map { ($0.name, $0.type.rawValue) }, isJoin: isJoin)
            }
        }
        derived = schema.derivedColumns.map { column in
            Derived(
                entity: column.entity, attribute: column.attribute, table: column.table, column: column.column,
                value: column.value, condition: column.condition,
                triggers: column.triggers.map { ($0.name, $0.statement) },
                isCount: column.triggers.contains { trigger in
                    trigger.body.contains { $0.contains("= IFNULL(\(SQLName.quoted(column.column)), 0) + 1") }
                })
        }
    }

    package func entity(named name: String) -> Entity? { entities.first { $0.name == name } }

    package func description(of entity: String) -> NSEntityDescription? { model.entitiesByName[entity] }

    /// The tables of the history, with the numbers of their entities.
    package static var historyTables: [(number: Int, table: String)] {
        HistoryTables.numbers.map { (number: $0.0, table: $0.1) }
    }

    /// Returns the value of `ZCOLUMNS` for changes of properties of an entity.
    package static func historyColumns(_ properties: [Property], of entity: Entity) -> [UInt8] {
        ColumnBits.bytes(properties.map(\.slot), count: entity.slotCount)
    }

    package func entity(number: Int) -> Entity? { indices[number].map { entities[$0] } }
}

// MARK: Entities and properties

extension StoreLayout {
    private static func entity(_ mapping: EntityMapping, _ description: NSEntityDescription) -> Entity {
        let layout = description.objectLayout()
        let properties = properties(mapping, description)
        func columns(_ names: [String]) -> [String]? {
            let columns = names.compactMap { name in layout.index(of: name).flatMap { mapping.column(at: $0) } }
            return columns.isEmpty || columns.count < names.count ? nil : columns
        }
        let constraints = description.uniquenessConstraints.compactMap { constraint in
            let names = UniqueProperties.names(in: constraint)
            return columns(names).map { Constraint(names: names, columns: $0) }
        }
        let indexes = description.indexes.compactMap { index -> [String]? in
            guard index.partialIndexPredicate == nil, index.elements.allSatisfy({ $0.collationType == .binary })
            else { return nil }
            return columns(index.elements.map { $0.propertyName ?? "" })
        }
        return Entity(
            name: mapping.name, renamingIdentifier: description.renamingIdentifier, number: mapping.number,
            parentNumber: mapping.superNumber, rootNumber: mapping.rootNumber, numbers: mapping.numbers,
            sharesTable: mapping.sharesTable, isAbstract: description.isAbstract, table: mapping.table,
            properties: properties, constraints: constraints, indexes: indexes, slotCount: layout.slots.count,
            tombstones: StoreHistory.tombstones(of: layout).map { tombstone in
                properties.first { $0.slot == tombstone.slot }.flatMap { property in
                    if case .attribute(let attribute) = property.position, !attribute.isElement {
                        attribute
                    } else {
                        nil
                    }
                }
            })
    }

    private static func properties(_ mapping: EntityMapping, _ description: NSEntityDescription) -> [Property] {
        var properties: [Property] = []
        for (index, (slot, position)) in zip(description.objectLayout().slots, mapping.slotColumns).enumerated() {
            let isDeclared = slot.property.owner === description
            func add(_ position: Position, name: String? = nil, isOptional: Bool? = nil) {
                properties.append(
                    Property(
                        name: name ?? slot.name, isDeclared: isDeclared, isOptional: isOptional ?? slot.isOptional,
                        position: position, slot: index))
            }
            let relationship = slot.property as? NSRelationshipDescription
            let counts = (minimum: relationship?.minCount ?? 0, maximum: relationship?.maxCount ?? 0)
            switch position {
            case .nowhere: break
            case .attribute(let column):
                guard let attribute = slot.property as? NSAttributeDescription else { break }
                add(.attribute(Self.attribute(attribute, column)))
            case .composite(let columns):
                guard let composite = slot.property as? NSCompositeAttributeDescription else { break }
                for (column, element) in zip(columns, CompositeValue.elements(of: composite)) {
                    // Elements of a composite without a value have none either.
                    add(
                        .attribute(Self.attribute(element.1, column.column, isElement: true)),
                        name: ([slot.name] + column.path).joined(separator: "."), isOptional: true)
                }
            case .toOne(let columns):
                let inverse = relationship?.inverseRelationship
                add(
                    .toOne(
                        ToOne(
                            key: columns.key, entity: columns.entity, order: columns.order,
                            destination: columns.destination, inverse: inverse?.name,
                            isOneToOne: inverse.map { !$0.isToMany } ?? false,
                            isCascadedTo: inverse?.deleteRule == .cascadeDeleteRule)))
            case .inverse(let columns):
                add(
                    .members(
                        Members(
                            table: columns.table, key: columns.key, order: columns.order,
                            destination: columns.destination, lacksInverse: columns.isVirtual, counts: counts)))
            case .join(let side):
                add(
                    .join(
                        Join(
                            table: side.table, own: side.own, other: side.other, order: side.order,
                            destination: side.destination, counts: counts)))
            }
        }
        return properties
    }

    private static func attribute(
        _ attribute: NSAttributeDescription, _ column: String, isElement: Bool = false
    ) -> Attribute {
        let derived = attribute as? NSDerivedAttributeDescription
        let transformer = attribute.valueTransformerName ?? ""
        return Attribute(
            column: column, type: attribute.attributeType, isDerived: derived != nil,
            isExternal: attribute.allowsExternalBinaryDataStorage,
            isSecureArchive: attribute.attributeType == .transformableAttributeType
                && (transformer.isEmpty || transformer.hasPrefix("NSSecureUnarchiveFromData")),
            isElement: isElement, ownDerivation: derived.flatMap(Self.ownDerivation),
            conditions: attribute.validationPredicates)
    }

    /// Returns the function and the key of a derivation such as `canonical:(name)`.
    private static func ownDerivation(
        _ attribute: NSDerivedAttributeDescription
    ) -> (function: String, source: String)? {
        guard let expression = attribute.derivationExpression, expression.expressionType == .function,
            ["canonical:", "uppercase:", "lowercase:"].contains(expression.function),
            let argument = expression.arguments?.first, argument.expressionType == .keyPath
        else { return nil }
        return (expression.function, argument.keyPath)
    }
}
