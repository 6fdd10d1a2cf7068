internal import Foundation
internal import PredicateSyntax

/// A trigger in a store's file.
struct TriggerDefinition: Sendable, Equatable {
    var name: String
    /// The event that follows the name: `AFTER INSERT ON …`.
    var event: String
    /// The condition; `nil` if there is none.
    var condition: String?
    /// The statements.
    var body: [String]

    /// The statement that creates the trigger, in Apple's spelling.
    var statement: String {
        "CREATE TRIGGER \(SQLName.quoted(name)) \(event) FOR EACH ROW "
            + (condition.map { "WHEN (\($0)) " } ?? "") + "BEGIN " + body.map { $0 + "; " }.joined() + "END"
    }
}

/// A derived attribute that triggers maintain.
struct DerivedColumn: Sendable, Equatable {
    var entity: String
    var attribute: String
    var table: String
    var column: String
    /// The expression that computes the value of the row that is named `owner`.
    var value: String
    /// The condition that the row belongs to the entity or a subentity; `nil` if all rows do.
    var condition: String?
    /// The triggers that maintain the value.
    var triggers: [TriggerDefinition]

    /// The name of the row in `value` and `condition`.
    static let row = "owner"

    /// The statement that computes the value of every row.
    var statement: String {
        "UPDATE \(SQLName.quoted(table)) AS \(Self.row) SET \(SQLName.quoted(column)) = \(value)"
            + (condition.map { " WHERE \($0)" } ?? "")
    }
}

/// The triggers that maintain derived attributes.
///
/// Attributes that count members, sum up their values, or repeat a value of a to-one relationship's destination change
/// with rows of other objects, so triggers maintain them. The triggers only use SQLite's own functions and the two of
/// Apple's that report the change to a connection, so that Apple's framework can write the file. All others, such as
/// `now()` and `canonical:(name)`, follow from the object's own row: the store computes them when it writes the row.
struct DerivedTriggers {
    private(set) var definitions: [TriggerDefinition] = []
    /// The derived attributes of each entity, by its number.
    private(set) var derived: [Int: [DerivedSlot]] = [:]
    /// The attributes that the triggers maintain, for existing rows.
    private(set) var values: [DerivedColumn] = []
    private let builder: SchemaBuilder

    init(builder: SchemaBuilder, mappings: [EntityMapping]) {
        self.builder = builder
        for (node, mapping) in zip(builder.entities, mappings) {
            for (index, slot) in node.layout.slots.enumerated() {
                guard let attribute = slot.property as? NSDerivedAttributeDescription,
                    case .attribute(let column) = mapping.slotColumns[index]
                else { continue }
                let triggers = self.triggers(
                    Target(attribute: attribute, column: column, mapping: mapping, layout: node.layout))
                derived[mapping.number, default: []].append(
                    DerivedSlot(slot: index, hasTriggers: !triggers.definitions.isEmpty))
                // The triggers of an inherited attribute belong to the entity that declares it.
                guard attribute.owner === node.description else { continue }
                definitions += triggers.definitions
                values += triggers.values
            }
        }
    }

    /// The attribute whose value is maintained.
    private struct Target {
        var attribute: NSDerivedAttributeDescription
        var column: String
        var mapping: EntityMapping
        var layout: EntityLayout

        var table: String { SQLName.quoted(mapping.table) }

        func name(_ table: String, _ kind: String) -> String {
            "Z_DA_\(table)_\(mapping.name)_\(attribute.name)_\(kind)"
        }

        /// Returns the statement that reports the changed value of a row to the connection.
        func report(_ function: String, where condition: String) -> String {
            "SELECT \(function)(\(SQLName.literal(mapping.table)), Z_ENT, Z_PK, \(SQLName.literal(attribute.name)), "
                + "\(SQLName.quoted(column))) FROM \(table) WHERE \(condition)"
        }

        /// Returns the statements that set the value in rows.
        func update(to value: String, where condition: String) -> [String] {
            [
                "UPDATE \(table) SET \(SQLName.quoted(column)) = \(value) WHERE \(condition)",
                report("NSCoreDataDATriggerUpdatedAffectedObjectValue", where: condition),
            ]
        }

        /// Returns the condition that a row belongs to the entity or a subentity, or `nil` if all rows do.
        func isRow(_ row: String) -> String? {
            guard mapping.sharesTable else { return nil }
            return "\(row).Z_ENT IN (\(mapping.numbers.map(String.init).joined(separator: ", ")))"
        }

        /// Returns the given triggers and the one that sets the value in a new row.
        ///
        /// - Parameter value: Returns the value of a row, given the row's name in SQL.
        func triggers(_ value: (_ row: String) -> String, _ others: [TriggerDefinition]) -> Triggers {
            let insertion = TriggerDefinition(
                name: name(mapping.table, "SOURCE_INSERT"), event: "AFTER INSERT ON \(table)", condition: isRow("NEW"),
                body: [
                    "UPDATE \(table) SET \(SQLName.quoted(column)) = \(value("NEW")) WHERE Z_PK = NEW.Z_PK",
                    report("NSCoreDataDATriggerInsertUpdatedAffectedObjectValue", where: "Z_PK = NEW.Z_PK"),
                ])
            let row = DerivedColumn.row
            let all = DerivedColumn(
                entity: mapping.name, attribute: attribute.name, table: mapping.table, column: column,
                value: value(row), condition: isRow(row), triggers: others + [insertion])
            return Triggers(definitions: all.triggers, values: [all])
        }
    }

    /// The triggers that maintain an attribute, and its value for existing rows.
    private struct Triggers {
        var definitions: [TriggerDefinition] = []
        var values: [DerivedColumn] = []
    }

    private func triggers(_ target: Target) -> Triggers {
        guard let expression = target.attribute.derivationExpression?.tree.syntax.asDerivation else {
            return Triggers()
        }
        switch expression {
        case .function(let call) where call.operand == nil && call.arguments.count == 1:
            guard let function = Self.functions[call.selector], let keys = Self.keys(call.arguments[0]) else {
                return Triggers()
            }
            return aggregate(target, function: function, keys: keys)
        case .keyPath:
            return Self.keys(expression).map { repeated(target, $0) } ?? Triggers()
        default: return Triggers()
        }
    }

    private static let functions = [
        "count:": "COUNT", "sum:": "SUM", "min:": "MIN", "max:": "MAX", "average:": "AVG",
    ]

    private static func keys(_ expression: PredicateSyntax.Expression) -> [String]? {
        guard case .keyPath(let path) = expression, path.startsAtEvaluatedObject,
            path.keyPath.collectionOperatorIndex == nil
        else { return nil }
        return path.keyPath.keys
    }

    private func slotColumn(_ name: String, _ target: Target) -> SlotColumn? {
        target.layout.index(of: name).flatMap {
            target.mapping.slotColumns.indices.contains($0) ? target.mapping.slotColumns[$0] : nil
        }
    }

    private func column(_ name: String, of destination: Int) -> (table: String, column: String)? {
        guard let index = builder.entities.firstIndex(where: { $0.number == destination }) else { return nil }
        let node = builder.entities[index]
        guard let slot = node.layout.index(of: name),
            case .attribute(let column)? = builder.slotColumns[ObjectIdentifier(node.layout.slots[slot].property)]
        else { return nil }
        return (builder.tableNames[node.root] ?? "", column)
    }

    // MARK: Aggregates of to-many relationships

    private func aggregate(_ target: Target, function: String, keys: [String]) -> Triggers {
        guard let relationship = keys.first, keys.count == (function == "COUNT" ? 1 : 2) else { return Triggers() }
        switch slotColumn(relationship, target) {
        case .inverse(let columns):
            if function == "COUNT" { return count(target, columns) }
            guard let value = column(keys[1], of: columns.destination)?.column else { return Triggers() }
            return aggregate(target, function: function, columns: columns, value: SQLName.quoted(value))
        case .join(let side):
            let value = keys.count > 1 ? column(keys[1], of: side.destination) : nil
            guard keys.count == 1 || value != nil else { return Triggers() }
            return aggregate(target, function: function, side: side, value: value)
        default: return Triggers()
        }
    }

    /// Returns Apple's triggers for `members.@count`.
    private func count(_ target: Target, _ columns: InverseColumns) -> Triggers {
        let key = SQLName.quoted(columns.key)
        let column = SQLName.quoted(target.column)
        let table = SQLName.quoted(columns.table)
        func trigger(_ kind: String, on event: String, row: String, value: String) -> TriggerDefinition {
            TriggerDefinition(
                name: target.name(columns.table, "PARAMETER_\(kind)"), event: "AFTER \(event) ON \(table)",
                condition: "\(row).\(key) NOT NULL", body: target.update(to: value, where: "Z_PK = \(row).\(key)"))
        }
        return target.triggers(
            { "(SELECT IFNULL(COUNT(\(key)), 0) FROM \(table) WHERE \(key) = \($0).Z_PK)" },
            [
                trigger("INSERT", on: "INSERT", row: "NEW", value: "IFNULL(\(column), 0) + 1"),
                trigger("UPDATE_INCREMENT", on: "UPDATE OF \(key)", row: "NEW", value: "\(column) + 1"),
                trigger("UPDATE_DECREMENT", on: "UPDATE OF \(key)", row: "OLD", value: "\(column) - 1"),
                trigger("DELETE", on: "DELETE", row: "OLD", value: "\(column) - 1"),
            ])
    }

    /// Returns the triggers for other aggregates, which are recomputed from all members.
    private func aggregate(
        _ target: Target, function: String, columns: InverseColumns, value: String
    ) -> Triggers {
        let key = SQLName.quoted(columns.key)
        let table = SQLName.quoted(columns.table)
        func all(_ owner: String) -> String {
            Self.total(function, of: value, rows: "FROM \(table) WHERE \(key) = \(owner)")
        }
        func trigger(_ kind: String, on event: String, row: String) -> TriggerDefinition {
            TriggerDefinition(
                name: target.name(columns.table, "PARAMETER_\(kind)"), event: "AFTER \(event) ON \(table)",
                condition: "\(row).\(key) NOT NULL",
                body: target.update(to: all("\(row).\(key)"), where: "Z_PK = \(row).\(key)"))
        }
        return target.triggers(
            { all("\($0).Z_PK") },
            [
                trigger("INSERT", on: "INSERT", row: "NEW"),
                trigger("UPDATE_INCREMENT", on: "UPDATE OF \(key), \(value)", row: "NEW"),
                trigger("UPDATE_DECREMENT", on: "UPDATE OF \(key)", row: "OLD"),
                trigger("DELETE", on: "DELETE", row: "OLD"),
            ])
    }

    private func aggregate(
        _ target: Target, function: String, side: JoinSide, value: (table: String, column: String)?
    ) -> Triggers {
        let (own, other, join) = (SQLName.quoted(side.own), SQLName.quoted(side.other), SQLName.quoted(side.table))
        let column = value.map { SQLName.quoted($0.column) }
        func all(_ owner: String) -> String {
            let rows = value.map { "JOIN \(SQLName.quoted($0.table)) ON Z_PK = \(other) " } ?? ""
            return Self.total(function, of: column ?? other, rows: "FROM \(join) \(rows)WHERE \(own) = \(owner)")
        }
        func trigger(_ kind: String, on event: String, row: String) -> TriggerDefinition {
            TriggerDefinition(
                name: target.name(side.table, "PARAMETER_\(kind)"), event: "AFTER \(event) ON \(join)", condition: nil,
                body: target.update(to: all("\(row).\(own)"), where: "Z_PK = \(row).\(own)"))
        }
        var result = [
            trigger("INSERT", on: "INSERT", row: "NEW"),
            trigger("UPDATE_INCREMENT", on: "UPDATE OF \(own)", row: "NEW"),
            trigger("UPDATE_DECREMENT", on: "UPDATE OF \(own)", row: "OLD"),
            trigger("DELETE", on: "DELETE", row: "OLD"),
        ]
        if let value, let column {
            let table = SQLName.quoted(value.table)
            let owners = "Z_PK IN (SELECT \(own) FROM \(join) WHERE \(other) = NEW.Z_PK)"
            for (kind, event) in [("INSERT", "INSERT"), ("UPDATE", "UPDATE OF \(column)")] {
                result.append(
                    TriggerDefinition(
                        name: target.name(value.table, "PARAMETER_\(kind)"), event: "AFTER \(event) ON \(table)",
                        condition: nil, body: target.update(to: all("\(target.table).Z_PK"), where: owners)))
            }
        }
        return target.triggers({ all("\($0).Z_PK") }, result)
    }

    private static func total(_ function: String, of value: String, rows: String) -> String {
        let call = "\(function)(\(value))"
        let isNumber = function == "SUM" || function == "COUNT"
        return "(SELECT \(isNumber ? "IFNULL(\(call), 0)" : call) \(rows))"
    }

    // MARK: Values of a to-one relationship's destination

    private func repeated(_ target: Target, _ keys: [String]) -> Triggers {
        guard keys.count == 2, case .toOne(let columns)? = slotColumn(keys[0], target),
            let value = column(keys[1], of: columns.destination)
        else { return Triggers() }
        let key = SQLName.quoted(columns.key)
        let column = SQLName.quoted(value.column)
        let table = SQLName.quoted(value.table)
        func all(_ row: String) -> String { "(SELECT \(column) FROM \(table) WHERE Z_PK = \(row).\(key))" }
        func parameter(_ kind: String, on event: String, row: String, new: String) -> TriggerDefinition {
            TriggerDefinition(
                name: target.name(value.table, "PARAMETER_\(kind)"),
                event: "AFTER \(event) ON \(table)", condition: nil,
                body: target.update(to: new, where: "\(key) = \(row).Z_PK"))
        }
        return target.triggers(
            all,
            [
                parameter("INSERT", on: "INSERT", row: "NEW", new: "NEW.\(column)"),
                parameter("UPDATE", on: "UPDATE OF \(column)", row: "NEW", new: "NEW.\(column)"),
                parameter("DELETE", on: "DELETE", row: "OLD", new: "NULL"),
                TriggerDefinition(
                    name: target.name(target.mapping.table, "SOURCE_UPDATE"),
                    event: "AFTER UPDATE OF \(key) ON \(target.table)", condition: target.isRow("NEW"),
                    body: target.update(to: all("NEW"), where: "Z_PK = NEW.Z_PK")),
            ])
    }
}
