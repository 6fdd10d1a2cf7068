internal import CoreData
internal import Foundation
internal import PostgreSQLClient
internal import PostgreSQLSchema

/// The storage of an entity in a PostgreSQL database: where its values are, and how they are read and written.
///
/// Created once when the store is opened, and immutable except for the cache.
final class PostgreSQLEntity: MappedEntity {
    /// A column of the entity's rows.
    struct Column {
        var name: String
        /// The OID of its type.
        var type: UInt32
    }

    /// An attribute or to-one relationship in a row.
    struct Field {
        var slot: Int
        var kind: Kind
    }

    enum Kind {
        case attribute(Column, PostgreSQLCoding)
        case composite(PostgreSQLComposite)
        case toOne(ToOneColumns)
    }

    let mapping: EntityMapping
    let layout: EntityLayout
    /// The cached rows of the table, by key.
    let cache: RowCache
    let sizedSlots: [Int]
    /// The attributes and to-one relationships with columns, in slot order.
    let fields: [Field]
    /// The codings of the attributes that rows have as bytes, by slot.
    let encodings: [(slot: Int, coding: any StoredEncoding)]
    /// The slots that the store computes.
    let derivedSlots: Set<Int>
    let callerDerivedSlots: [Int]
    /// The fields of the derived slots that the server computes, which change without a new version of the row.
    let foreignFields: [Field]
    /// The name of the table as spelled in statements.
    let table: String

    var number: Int { mapping.number }

    init(mapping: EntityMapping, layout: EntityLayout, cache: RowCache, table: String) {
        self.mapping = mapping
        self.layout = layout
        self.cache = cache
        self.table = table
        sizedSlots = layout.sizedSlots
        derivedSlots = Set(mapping.derived.map(\.slot))
        let foreign = Set(mapping.derived.filter(\.hasTriggers).map(\.slot))
        callerDerivedSlots = mapping.callerDerivedSlots
        let fields = mapping.slotColumns.enumerated().compactMap { slot, position -> Field? in
            switch position {
            case .attribute(let column):
                guard let attribute = layout.slots[slot].property as? NSAttributeDescription,
                    let coding = PostgreSQLCoding(attribute)
                else { return nil }
                return Field(slot: slot, kind: .attribute(Column(name: column, type: coding.typeNumber), coding))
            case .composite(let columns):
                guard let composite = layout.slots[slot].property as? NSCompositeAttributeDescription else {
                    return nil
                }
                return PostgreSQLComposite(composite, columns).map { Field(slot: slot, kind: .composite($0)) }
            case .toOne(let columns): return Field(slot: slot, kind: .toOne(columns))
            case .nowhere, .inverse, .join: return nil
            }
        }
        self.fields = fields
        encodings = fields.compactMap { field in
            guard case .attribute(_, .transformable(let coding)) = field.kind else { return nil }
            return (field.slot, coding)
        }
        foreignFields = fields.filter { foreign.contains($0.slot) }
    }

    /// Returns the columns of fields, in the order in which `append(_:of:number:_:)` writes them.
    static func columns(of fields: [Field]) -> [Column] {
        fields.flatMap { field -> [Column] in
            switch field.kind {
            case .attribute(let column, _): return [column]
            case .composite(let composite):
                return composite.leaves.map { Column(name: $0.column, type: $0.coding.typeNumber) }
            case .toOne(let columns):
                return columns.names.map { name in
                    let isNumber = name == columns.entity
                    return Column(
                        name: name, type: isNumber ? PostgreSQLValue.TypeNumber.int4 : PostgreSQLValue.TypeNumber.int8)
                }
            }
        }
    }

    /// Adds the values of a row to the arrays of columns, or to a row of COPY.
    ///
    /// - Parameters:
    ///   - put: Takes the index of a column, and a closure that writes its value and returns whether it is not null.
    ///   - number: Returns the entity number of an ID.
    @inline(__always)
    func append(
        _ row: Row, of fields: [Field], number: (NSManagedObjectID) -> Int64?,
        _ put: (Int, (inout PostgreSQLRowBuffer) throws -> Bool) throws -> Void
    ) throws {
        var index = 0
        for field in fields {
            let value = row[field.slot]
            switch field.kind {
            case .attribute(_, let coding):
                try put(index) { buffer in
                    try coding.append(value, "\(layout.name).\(layout.slots[field.slot].name)", to: &buffer)
                }
                index += 1
            case .composite(let composite):
                for bytes in try composite.bytes(value, layout.name) {
                    try put(index) { Self.write(bytes, to: &$0) }
                    index += 1
                }
            case .toOne(let columns):
                var key: Int64?
                var entity: Int64?
                if case .reference(let id) = value, case .number(let known) = id.reference {
                    (key, entity) = (known, number(id))
                }
                try put(index) { Self.write(key, to: &$0) }
                index += 1
                if columns.entity != nil {
                    let number = key == nil ? nil : entity.map(Int32.init(truncatingIfNeeded:))
                    try put(index) { Self.write(number, to: &$0) }
                    index += 1
                }
                if columns.order != nil {
                    // The order is written after all rows.
                    try put(index) { Self.write(nil as Int64?, to: &$0) }
                    index += 1
                }
            }
        }
    }

    private static func write(_ number: (some FixedWidthInteger)?, to buffer: inout PostgreSQLRowBuffer) -> Bool {
        if let number { buffer.append(number) } else { buffer.appendNull() }
        return number != nil
    }

    private static func write(_ bytes: [UInt8]?, to buffer: inout PostgreSQLRowBuffer) -> Bool {
        if let bytes { buffer.append(bytes) } else { buffer.appendNull() }
        return bytes != nil
    }
}

/// The coding of a composite attribute in the columns of its elements.
final class PostgreSQLComposite {
    /// An element with a column.
    struct Leaf {
        var path: [String]
        var column: String
        var coding: PostgreSQLCoding
    }

    let leaves: [Leaf]
    private let name: String
    private let elements: CompositeElements

    init?(_ composite: NSCompositeAttributeDescription, _ columns: [ElementColumn]) {
        var leaves: [Leaf] = []
        for (column, (path, element)) in zip(columns, CompositeValue.elements(of: composite)) {
            guard let coding = PostgreSQLCoding(element) else { return nil }
            leaves.append(Leaf(path: path, column: column.column, coding: coding))
        }
        self.leaves = leaves
        name = composite.name
        elements = CompositeElements(composite)
    }

    /// Returns the composite value of elements.
    func value(_ values: [SlotValue]) -> SlotValue { elements.value(values) }

    /// Returns the bytes of each element.
    func bytes(_ value: SlotValue, _ entity: String) throws -> [[UInt8]?] {
        try zip(leaves, elements.values(value)).map { leaf, value in
            try leaf.coding.bytes(value, "\(entity).\(name).\(leaf.path.joined(separator: "."))")
        }
    }
}
