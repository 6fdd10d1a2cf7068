/// An entity as a store in a file knows it: where its values are, and how they are read and written.
///
/// Made once when the store is opened, and never changed except for the cache.
final class StoredEntity: DerivingEntity {
    /// An attribute or to-one relationship in a row.
    struct Field {
        var slot: Int
        var kind: Kind

        var isComposite: Bool { if case .composite = kind { true } else { false } }
    }

    /// A field of a row that is written.
    struct WrittenField {
        var slot: Int
        /// The place among the fields.
        var index: Int
        /// The coding of an attribute, if nothing but the value is needed.
        var plain: PlainCoding?
        /// Whether the field is a to-one relationship with no column besides the key.
        var isKey = false
    }

    /// What a field holds.
    enum Kind {
        case attribute(column: String, ValueCoding)
        case composite(CompositeCoding)
        case toOne(ToOneColumns)
    }

    let mapping: EntityMapping
    let layout: EntityLayout
    /// What is known of the rows of the table, by their keys.
    let cache: RowCache
    /// The attributes and to-one relationships that are in columns, in the order of the slots.
    let fields: [Field]
    /// The same without references that would be counted for each row that is written.
    let writtenFields: [WrittenField]
    /// Which slots the store or its triggers compute, by slot.
    let derivedSlots: Set<Int>
    /// Whether triggers change rows of the entity behind the back of those who save them.
    let hasTriggers: Bool
    /// Whether other tables or rows hold to-many relationships of the entity's objects.
    let hasMemberRows: Bool
    /// The columns whose values may be in files.
    let externalColumns: [(slot: Int, column: String)]

    var number: Int { mapping.number }

    /// The name of the table as it stands in statements.
    let table: String

    init(_ mapping: EntityMapping, _ layout: EntityLayout, _ cache: RowCache, _ external: ExternalStorage) {
        self.mapping = mapping
        self.layout = layout
        self.cache = cache
        table = SQLName.quoted(mapping.table)
        derivedSlots = Set(mapping.derived.map(\.slot))
        hasTriggers = mapping.derived.contains(where: \.hasTriggers)
        hasMemberRows = mapping.places.contains { place in
            switch place {
            case .join: true
            case .inverse(let columns): columns.isVirtual
            case .nowhere, .attribute, .composite, .toOne: false
            }
        }
        var fields: [Field] = []
        var externalColumns: [(slot: Int, column: String)] = []
        for (slot, place) in mapping.places.enumerated() {
            switch place {
            case .attribute(let column):
                guard let attribute = layout.slots[slot].property as? NSAttributeDescription,
                    let coding = ValueCoding(attribute, external: external)
                else { continue }
                fields.append(Field(slot: slot, kind: .attribute(column: column, coding)))
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
    }
}
