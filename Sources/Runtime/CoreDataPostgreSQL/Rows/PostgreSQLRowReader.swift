internal import CoreData
internal import PostgreSQLClient
internal import PostgreSQLSchema

/// Reads the rows of entities in one hierarchy from the result of a query that selects `columns`.
final class PostgreSQLRowReader {
    /// The columns that the query must select, in this order and as spelled in statements.
    let columns: [String]
    let entities: [PostgreSQLEntity]
    private let plans: [Plan?]
    private let cache: RowCache
    let storeIdentity: StoreIdentity
    private unowned let store: PostgreSQLStore

    /// The plan for reading the rows of one entity.
    private struct Plan {
        var entity: PostgreSQLEntity
        var fields: [Field]
        /// The columns of strings.
        var texts: [Int]
        /// The number of fields, other than strings, whose values may need space in a row.
        var valueCount: Int
        /// The fields whose values change without a new version of the row.
        var foreign: [Field]
    }

    private struct Field {
        var slot: Int
        var kind: Kind

        /// The column of a text; `nil` for other types.
        var text: Int? { if case .attribute(let column, .string) = kind { column } else { nil } }

        /// Whether the value may need space in a row.
        var needsSpace: Bool {
            switch kind {
            case .attribute(_, .integer), .attribute(_, .boolean), .attribute(_, .double), .attribute(_, .float),
                .attribute(_, .date), .toOne:
                false
            default: true
            }
        }
    }

    private enum Kind {
        case attribute(Int, PostgreSQLCoding)
        case composite([Int], PostgreSQLComposite)
        /// The columns of the key and, if there is one, of the entity's number.
        case toOne(Int, Int?, EntityLayout)
    }

    /// - Parameter entities: The entities: at least one, all in the same table.
    init(_ entities: [PostgreSQLEntity], _ store: PostgreSQLStore) {
        self.entities = entities
        self.store = store
        storeIdentity = store.storeIdentity
        cache = entities.first?.cache ?? RowCache()
        var columns = PostgreSQLSchema.reservedColumns.map(PostgreSQLName.quoted)
        var positions: [String: Int] = [:]
        func columnPosition(_ column: String) -> Int {
            if let cached = positions[column] { return cached }
            let position = columns.count
            columns.append(PostgreSQLName.quoted(column))
            positions[column] = position
            return position
        }
        var plans: [Plan?] = Array(repeating: nil, count: (entities.map(\.number).max() ?? 0) + 1)
        for entity in entities {
            let fields = entity.fields.compactMap { field -> Field? in
                switch field.kind {
                case .attribute(let column, let coding):
                    return Field(slot: field.slot, kind: .attribute(columnPosition(column.name), coding))
                case .composite(let composite):
                    return Field(
                        slot: field.slot,
                        kind: .composite(composite.leaves.map { columnPosition($0.column) }, composite))
                case .toOne(let toOne):
                    guard let destination = store.entity(number: toOne.destination) else { return nil }
                    return Field(
                        slot: field.slot,
                        kind: .toOne(columnPosition(toOne.key), toOne.entity.map(columnPosition), destination.layout))
                }
            }
            let foreign = Set(entity.foreignFields.map(\.slot))
            plans[entity.number] = Plan(
                entity: entity, fields: fields, texts: fields.compactMap(\.text),
                valueCount: fields.count { $0.text == nil && $0.needsSpace },
                foreign: fields.filter { foreign.contains($0.slot) })
        }
        self.columns = columns
        self.plans = plans
    }

    /// Returns the columns, separated by commas, of a table with an alias.
    func selection(of alias: String) -> String {
        columns.map { "\(alias).\($0)" }.joined(separator: ", ")
    }

    /// Calls a function with the index in the result, and the key, entity and row of each row, using the cached row if
    /// it is unchanged. Skips rows of other entities than the reader's.
    func forEach(
        _ result: Rows, _ body: (Int, Int64, PostgreSQLEntity, consuming Row) -> Void
    ) {
        for index in 0..<result.count {
            guard let number = result.integer(index, 1), number >= 0, number < plans.count,
                let plan = plans[Int(number)], let key = result.integer(index, 0)
            else { continue }
            body(index, key, plan.entity, row(result, index: index, plan: plan, key: key))
        }
    }

    private func row(_ result: Rows, index: Int, plan: Plan, key: Int64) -> Row {
        let version = Int(truncatingIfNeeded: result.integer(index, 2) ?? 0)
        if let known = cache[key], known.version == version,
            plan.foreign.allSatisfy({ known[$0.slot].isEqualInRow(value(result, index: index, kind: $0.kind)) })
        {
            cache.recordHit()
            return known
        }
        var (valueCount, textSize) = (plan.valueCount, 0)
        for column in plan.texts {
            guard let size = result.bytes(index, column)?.count else { continue }
            if size <= Row.textLimit { textSize += size } else { valueCount += 1 }
        }
        let row = Row.make(
            count: plan.entity.layout.slots.count, version: version, valueCount: valueCount, textSize: textSize
        ) { row in
            for field in plan.fields {
                if let column = field.text, let bytes = result.bytes(index, column),
                    bytes.count <= Row.textLimit
                {
                    row.setText(bytes, at: field.slot)
                } else {
                    row.set(value(result, index: index, kind: field.kind), at: field.slot)
                }
            }
        }
        plan.entity.remember(row, key)
        return row
    }

    private func value(_ result: Rows, index: Int, kind: Kind) -> SlotValue {
        switch kind {
        case .attribute(let column, let coding):
            return result.bytes(index, column).map(coding.value) ?? .null
        case .composite(let columns, let composite):
            return composite.value(
                zip(columns, composite.leaves).map { column, leaf in
                    result.bytes(index, column).map(leaf.coding.value) ?? .null
                })
        case .toOne(let column, let entityColumn, let destination):
            guard let key = result.integer(index, column) else { return .null }
            let actual = entityColumn.flatMap { result.integer(index, $0) }.flatMap { store.entity(number: Int($0)) }
            return .reference(
                NSManagedObjectID(key: key, layout: actual?.layout ?? destination, storeIdentity: storeIdentity))
        }
    }
}

extension Rows {
    /// Returns an integer in the result, or `nil` for null.
    func integer(_ row: Int, _ column: Int) -> Int64? {
        bytes(row, column).flatMap(PostgreSQLBytes.integer)
    }

    /// Returns a string in the result, or `nil` for null.
    func string(_ row: Int, _ column: Int) -> String? {
        bytes(row, column).map { String(decoding: $0, as: UTF8.self) }
    }
}
