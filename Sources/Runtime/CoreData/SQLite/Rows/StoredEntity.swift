/// The storage of an entity in a file: where its values are, and how they are read and written.
///
/// Created once when the store is opened, and immutable except for the cache.
final class StoredEntity: MappedEntity {
    /// An attribute or to-one relationship in a row.
    struct Field {
        var slot: Int
        var kind: Kind

        var isComposite: Bool { if case .composite = kind { true } else { false } }
    }

    /// A field of a row to be written.
    struct WrittenField {
        var slot: Int
        /// The index among the fields.
        var index: Int
        /// The coding of an attribute, if it only needs the value.
        var plain: PlainCoding?
        /// Whether the field is a to-one relationship with only a key column.
        var isKey = false
    }

    enum Kind {
        case attribute(column: String, ValueCoding)
        case composite(CompositeCoding)
        case toOne(ToOneColumns)
    }

    let mapping: EntityMapping
    let layout: EntityLayout
    /// The cached rows of the table, by key.
    let cache: RowCache
    /// The attributes and to-one relationships with columns, in slot order.
    let fields: [Field]
    /// The fields without references that would be retained for each written row.
    let writtenFields: [WrittenField]
    /// The slots that are computed by the store or its triggers.
    let derivedSlots: Set<Int>
    let callerDerivedSlots: [Int]
    /// Whether triggers change rows of the entity in addition to what saves write.
    let hasTriggers: Bool
    /// Whether to-many relationships of the entity's objects are stored in other tables or rows.
    let hasMemberRows: Bool
    /// The codings of the attributes that rows have as bytes, by slot.
    let encodings: [(slot: Int, coding: any StoredEncoding)]
    /// The slots whose values have no fixed size.
    let sizedSlots: [Int]
    /// The columns whose values may be in external files.
    let externalColumns: [(slot: Int, column: String)]

    var number: Int { mapping.number }

    /// Whether the table has rows of this entity alone. They are then its rows, regardless of their numbers: files
    /// exist in which a migration has left other numbers.
    var ownsTable: Bool { mapping.rootNumber == mapping.number && mapping.numbers.count == 1 }

    /// Returns the entity number of a row, as a column of a statement.
    func numberColumn(_ alias: String? = nil) -> String {
        ownsTable ? "\(number)" : alias.map { "\($0).Z_ENT" } ?? "Z_ENT"
    }

    /// The name of the table as spelled in statements.
    let table: String

    init(mapping: EntityMapping, layout: EntityLayout, cache: RowCache, external: ExternalStorage) {
        self.mapping = mapping
        self.layout = layout
        self.cache = cache
        table = SQLName.quoted(mapping.table)
        derivedSlots = Set(mapping.derived.map(\.slot))
        callerDerivedSlots = mapping.callerDerivedSlots
        hasTriggers = mapping.derived.contains(where: \.hasTriggers)
        hasMemberRows = mapping.slotColumns.contains(where: \.holdsMembers)
        var fields: [Field] = []
        var externalColumns: [(slot: Int, column: String)] = []
        var encodings: [(slot: Int, coding: any StoredEncoding)] = []
        for (slot, position) in mapping.slotColumns.enumerated() {
            switch position {
            case .attribute(let column):
                guard let attribute = layout.slots[slot].property as? NSAttributeDescription,
                    let coding = ValueCoding(attribute, external: external)
                else { continue }
                fields.append(Field(slot: slot, kind: .attribute(column: column, coding)))
                if let encoding = coding.encoding { encodings.append((slot, encoding)) }
                if attribute.allowsExternalBinaryDataStorage { externalColumns.append((slot, column)) }
            case .composite(let columns):
                guard let composite = layout.slots[slot].property as? NSCompositeAttributeDescription,
                    let coding = CompositeCoding(composite, columns, external: external)
                else { continue }
                fields.append(Field(slot: slot, kind: .composite(coding)))
                externalColumns += coding.leaves.filter(\.isExternal).map { (slot, $0.column) }
            case .toOne(let columns): fields.append(Field(slot: slot, kind: .toOne(columns)))
            case .nowhere, .inverse, .join: continue
            }
        }
        self.fields = fields
        self.encodings = encodings
        writtenFields = fields.enumerated().map { index, field in
            if case .attribute(_, let coding) = field.kind {
                return WrittenField(slot: field.slot, index: index, plain: coding.plain)
            }
            if case .toOne(let columns) = field.kind, columns.entity == nil, columns.order == nil {
                return WrittenField(slot: field.slot, index: index, isKey: true)
            }
            return WrittenField(slot: field.slot, index: index)
        }
        self.externalColumns = externalColumns
        sizedSlots = layout.sizedSlots
    }
}
