/// Reads the rows of entities in one hierarchy from a query that selects `columns`.
final class RowReader {
    /// The columns that the query must select, in this order and as spelled in statements: `Z_PK`, `Z_ENT`, `Z_OPT`,
    /// and the columns of all of the entities.
    let columns: [String]
    let entities: [StoredEntity]
    /// The plans by entity number.
    private let plans: [Unmanaged<Plan>?]
    /// The plan of all rows if the table has rows of one entity.
    private let singlePlan: Unmanaged<Plan>?
    /// Retains the plans.
    private let planList: [Plan]
    private let cache: RowCache
    /// The identity of the store of the IDs in relationships.
    let storeIdentity: StoreIdentity

    /// The plan for reading the rows of one entity.
    private final class Plan {
        let entity: StoredEntity
        let slotCount: Int
        /// The number of fields, other than strings, whose values may need space in a row.
        let valueCount: Int
        /// The slots whose values have no fixed size.
        let sizedSlots: [Int]
        let fields: UnsafeMutableBufferPointer<Field>
        /// The strings of the row that is being read: a row is created when its size is known.
        let texts: UnsafeMutableBufferPointer<Text>
        let codings: [ValueCoding]
        let references: [ToOneReader]
        let composites: [CompositeReader]

        init(
            entity: StoredEntity, fields: [Field], texts: [Text], codings: [ValueCoding], references: [ToOneReader],
            composites: [CompositeReader]
        ) {
            self.entity = entity
            self.fields = .allocate(capacity: fields.count)
            _ = self.fields.initialize(from: fields)
            self.texts = .allocate(capacity: texts.count)
            _ = self.texts.initialize(from: texts)
            self.codings = codings
            self.references = references
            self.composites = composites
            slotCount = entity.layout.slots.count
            valueCount = codings.count + composites.count
            sizedSlots = entity.sizedSlots
        }

        deinit {
            fields.deallocate()
            texts.deallocate()
        }
    }

    /// The location of a value, without references that would be retained for each row.
    private struct Field {
        var slot: Int
        var column: Int32
        var kind: Kind
    }

    /// A text in the statement's current row.
    private struct Text {
        let column: Int32
        /// The bytes; `nil` for none.
        var bytes: UnsafeRawBufferPointer?
    }

    private enum Kind {
        /// A text, given by its index in the plan.
        case text(Int)
        /// Another type that SQLite supports more or less directly.
        case plain(PlainCoding)
        /// A type with a coding, given by its index in the plan.
        case coded(Int)
        /// A to-one relationship, with its reader.
        case toOne(Unmanaged<ToOneReader>)
        /// A composite attribute, given by its index in the plan.
        case composite(Int)
    }

    /// - Parameter entities: The entities: at least one, all in the same table.
    init(_ entities: [StoredEntity], _ store: SQLiteStore) {
        self.entities = entities
        storeIdentity = store.storeIdentity
        cache = entities.first?.cache ?? RowCache()
        var columns = ColumnList()
        var planList: [Plan] = []
        var plans: [Unmanaged<Plan>?] = Array(repeating: nil, count: (entities.map(\.number).max() ?? 0) + 1)
        for entity in entities {
            let plan = Self.makePlan(of: entity, in: store, &columns)
            planList.append(plan)
            plans[entity.number] = .passUnretained(plan)
        }
        self.columns = columns.columns
        self.plans = plans
        self.planList = planList
        singlePlan = entities.count == 1 && entities[0].ownsTable ? planList.first.map { .passUnretained($0) } : nil
    }

    /// The columns that a query selects, each once.
    private struct ColumnList {
        private(set) var columns = StoreSchema.reservedColumns
        private var positions = Dictionary(
            uniqueKeysWithValues: StoreSchema.reservedColumns.enumerated().map { ($1, Int32($0)) })

        /// Returns the position of a column, which is added if it is not in the list.
        mutating func position(_ column: String) -> Int32 {
            if let position = positions[column] { return position }
            let position = Int32(columns.count)
            columns.append(SQLName.quoted(column))
            positions[column] = position
            return position
        }
    }

    private static func makePlan(of entity: StoredEntity, in store: SQLiteStore, _ columns: inout ColumnList) -> Plan {
        var fields: [Field] = []
        var texts: [Text] = []
        var codings: [ValueCoding] = []
        var references: [ToOneReader] = []
        var composites: [CompositeReader] = []
        for field in entity.fields {
            switch field.kind {
            case .attribute(let column, let coding):
                let position = columns.position(column)
                let kind: Kind
                switch coding.plain {
                case .string:
                    kind = .text(texts.count)
                    texts.append(Text(column: position))
                case let plain?: kind = .plain(plain)
                case nil:
                    kind = .coded(codings.count)
                    codings.append(coding)
                }
                fields.append(Field(slot: field.slot, column: position, kind: kind))
            case .composite(let coding):
                let positions = coding.leaves.map { columns.position($0.column) }
                fields.append(
                    Field(slot: field.slot, column: positions.first ?? 0, kind: .composite(composites.count)))
                composites.append(CompositeReader(coding: coding, columns: positions))
            case .toOne(let toOne):
                guard let destination = store.entity(number: toOne.destination) else { continue }
                let entityColumn = toOne.entity.map { columns.position($0) } ?? -1
                let reference = ToOneReader(
                    column: columns.position(toOne.key), entityColumn: entityColumn, destination: destination,
                    storeIdentity: store.storeIdentity, store: store)
                references.append(reference)
                fields.append(
                    Field(slot: field.slot, column: reference.column, kind: .toOne(.passUnretained(reference))))
            }
        }
        return Plan(
            entity: entity, fields: fields, texts: texts, codings: codings, references: references,
            composites: composites)
    }

    /// The columns, separated by commas, of the first table of a fetch.
    private(set) lazy var rootSelection = selection(of: QueryScope.rootAlias)

    /// Returns the columns, separated by commas, of a table with an alias.
    func selection(of name: String? = nil) -> String {
        columns.map { column in name.map { "\($0).\(column)" } ?? column }.joined(separator: ", ")
    }

    /// Calls a function with the key, entity and row of each row that a statement returns, using the cached row if it
    /// is unchanged. Skips rows of other entities than the reader's.
    @inline(__always)
    func forEach(_ statement: SQLiteStatement, _ body: (Int64, StoredEntity, consuming Row) -> Void) throws(SQLiteError)
    {
        while try statement.step() {
            let number = statement.integer(1)
            guard let plan = number >= 0 && number < plans.count ? plans[Int(number)] ?? singlePlan : singlePlan else {
                continue
            }
            let key = statement.integer(0)
            plan._withUnsafeGuaranteedRef { body(key, $0.entity, row(statement, plan: $0, key: key)) }
        }
    }

    @inline(never)
    private func row(_ statement: SQLiteStatement, plan: Plan, key: Int64) -> Row {
        let version = Int(truncatingIfNeeded: statement.integer(2))
        if let cached = cache[key], cached.version == version {
            cache.recordHit()
            return cached
        }
        var (valueCount, textSize) = (plan.valueCount, 0)
        for index in plan.texts.indices {
            let bytes = PlainCoding.text(statement.handle, plan.texts[index].column)
            plan.texts[index].bytes = bytes
            guard let bytes else { continue }
            if bytes.count <= Row.textLimit { textSize += bytes.count } else { valueCount += 1 }
        }
        let row = Row.make(count: plan.slotCount, version: version, valueCount: valueCount, textSize: textSize) { row in
            for field in plan.fields {
                switch field.kind {
                case .text(let index):
                    guard let bytes = plan.texts[index].bytes else { continue }
                    if bytes.count <= Row.textLimit {
                        row.setText(bytes, at: field.slot)
                    } else {
                        row.set(.string(String(decoding: bytes, as: UTF8.self)), at: field.slot)
                    }
                case .plain(let coding): row.set(coding.value(statement.handle, field.column), at: field.slot)
                case .coded(let index): row.set(plan.codings[index].value(statement, field.column), at: field.slot)
                case .toOne(let reference):
                    row.set(reference._withUnsafeGuaranteedRef { $0.value(statement) }, at: field.slot)
                case .composite(let index): row.set(plan.composites[index].value(statement), at: field.slot)
                }
            }
        }
        cache.set(row, key, size: row.memorySize(plan.sizedSlots))
        return row
    }
}

private struct CompositeReader {
    let coding: CompositeCoding
    let columns: [Int32]

    func value(_ statement: SQLiteStatement) -> SlotValue { coding.value(statement, columns) }
}

/// Reads a to-one relationship. Many objects often have the same destination, so recently created IDs are reused.
private final class ToOneReader {
    let column: Int32
    /// The column of the entity number; -1 for none.
    private let entityColumn: Int32
    /// The destination if there is no entity number.
    private let destination: EntityLayout
    private let storeIdentity: StoreIdentity
    /// The store, which owns the reader.
    private unowned(unsafe) let store: SQLiteStore
    private let recent: UnsafeMutablePointer<Recent>
    private static let recentCount = 64

    /// An ID with its key and the address of its layout, which are compared without reference counting.
    private struct Recent {
        var key: Int64 = 0
        var layout: UnsafeMutableRawPointer?
        var id: NSManagedObjectID?
    }

    init(
        column: Int32, entityColumn: Int32, destination: StoredEntity, storeIdentity: StoreIdentity,
        store: SQLiteStore
    ) {
        self.column = column
        self.entityColumn = entityColumn
        self.destination = destination.layout
        self.storeIdentity = storeIdentity
        self.store = store
        recent = .allocate(capacity: Self.recentCount)
        recent.initialize(repeating: Recent(), count: Self.recentCount)
    }

    deinit {
        recent.deinitialize(count: Self.recentCount)
        recent.deallocate()
    }

    func value(_ statement: SQLiteStatement) -> SlotValue {
        guard let key = statement.optionalInteger(column) else { return .null }
        if entityColumn >= 0, let actual = store.entity(number: Int(statement.integer(entityColumn))) {
            return .reference(id(key, actual.layout))
        }
        return .reference(id(key, destination))
    }

    private func id(_ key: Int64, _ layout: EntityLayout) -> NSManagedObjectID {
        let entry = recent + (Int(truncatingIfNeeded: key) & (Self.recentCount - 1))
        let address = Unmanaged.passUnretained(layout).toOpaque()
        if entry.pointee.key == key, entry.pointee.layout == address, let id = entry.pointee.id { return id }
        let id = NSManagedObjectID(key: key, layout: layout, storeIdentity: storeIdentity)
        entry.pointee = Recent(key: key, layout: address, id: id)
        return id
    }
}
