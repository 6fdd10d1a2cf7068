package import CoreData
internal import Foundation
internal import PredicateSyntax

/// A derived attribute that depends on other objects: an aggregate of the members of a to-many relationship, or a value
/// of a to-one relationship's destination. The server computes it when a save or batch request has changed what it
/// depends on.
///
/// All other derived attributes depend only on the object itself, and are computed when its row is written.
package struct PostgreSQLDerivation: Sendable, Equatable {
    /// The number of the entity that declares the attribute.
    package var entity: Int
    package var name: String
    var column: String
    /// The numbers of the entities that have the attribute.
    package var numbers: [Int]
    package var table: String
    /// The table of the other objects.
    private let destinationTable: String
    /// The relationship to the other objects.
    package var relationship: String
    package var position: SlotColumn
    /// The number of the relationship's destination.
    package var destination: Int
    /// The attribute of the destination; `nil` for a count.
    var attribute: String?
    /// The value in SQL, for a row aliased `x`.
    var value: String

    private static let functions = [
        "count:": "count", "sum:": "sum", "min:": "min", "max:": "max", "average:": "avg",
    ]

    /// Creates the derivation of an attribute, or `nil` if the value does not depend on other objects in a way that SQL
    /// can express.
    ///
    /// - Parameter destination: Returns the layout and mapping of the entity with a number.
    init?(
        attribute: NSDerivedAttributeDescription, layout: EntityLayout, mapping: EntityMapping, namespace: String,
        destination: (Int) -> (layout: EntityLayout, mapping: EntityMapping)?
    ) {
        guard let slot = layout.index(of: attribute.name), case .attribute(let column) = mapping.slotColumns[slot],
            let type = PostgreSQLColumnType(attribute.attributeType),
            let expression = attribute.derivationExpression?.tree.syntax.asDerivation
        else { return nil }
        guard let (function, keys) = Self.parts(of: expression), let relationship = layout.index(of: keys[0])
        else { return nil }
        let position = mapping.slotColumns[relationship]
        guard let number = Self.destination(of: position, isAggregate: function != nil) else { return nil }
        guard let other = destination(number) else { return nil }
        let table = other.mapping.table
        var member: String?
        if keys.count == 2 {
            guard let column = Self.member(keys[1], of: other, function, result: type) else { return nil }
            member = column
        } else if !type.isNumber {
            return nil
        }
        func qualified(_ name: String) -> String {
            "\(PostgreSQLName.quoted(namespace)).\(PostgreSQLName.quoted(name))"
        }
        let rows = "FROM \(qualified(table)) b"
        switch position {
        case .inverse(let columns):
            value = Self.total(
                function, column: member, rows: "\(rows) WHERE b.\(PostgreSQLName.quoted(columns.key)) = x._pk",
                type: type)
        case .join(let side):
            let (own, memberKey) = (PostgreSQLName.quoted(side.own), PostgreSQLName.quoted(side.other))
            value = Self.total(
                function, column: member,
                rows: "\(rows) JOIN \(qualified(side.table)) j ON j.\(memberKey) = b._pk WHERE j.\(own) = x._pk",
                type: type)
        case .toOne(let columns):
            value = "(SELECT b.\(member ?? "") \(rows) WHERE b._pk = x.\(PostgreSQLName.quoted(columns.key)))"
        case .nowhere, .attribute, .composite: return nil
        }
        entity = mapping.number
        name = attribute.name
        self.column = column
        numbers = mapping.numbers
        self.table = qualified(mapping.table)
        destinationTable = qualified(table)
        self.relationship = keys[0]
        self.position = position
        self.destination = number
        self.attribute = keys.count == 2 ? keys[1] : nil
    }

    /// Returns the aggregate function and the keys of an expression. A count has one key; an aggregate of an attribute
    /// and a value of another object, which has no function, have two.
    private static func parts(of expression: PredicateSyntax.Expression) -> (function: String?, keys: [String])? {
        let parts: (function: String?, keys: [String])
        switch expression {
        case .function(let call) where call.operand == nil && call.arguments.count == 1:
            guard let function = functions[call.selector], let keys = keys(call.arguments[0]) else { return nil }
            parts = (function, keys)
        case .keyPath:
            guard let keys = keys(expression) else { return nil }
            parts = (nil, keys)
        default: return nil
        }
        return parts.keys.count == (parts.function == "count" ? 1 : 2) ? parts : nil
    }

    /// Returns the number of a relationship's destination, or `nil` if the relationship is to-one and the value is an
    /// aggregate, or the other way around.
    private static func destination(of position: SlotColumn, isAggregate: Bool) -> Int? {
        switch position {
        case .inverse(let columns) where isAggregate: columns.destination
        case .join(let side) where isAggregate: side.destination
        case .toOne(let columns) where !isAggregate: columns.destination
        default: nil
        }
    }

    /// Returns the column of the destination's attribute in SQL, or `nil` if the server computes another value of it.
    private static func member(
        _ name: String, of destination: (layout: EntityLayout, mapping: EntityMapping), _ function: String?,
        result: PostgreSQLColumnType
    ) -> String? {
        guard let slot = destination.layout.index(of: name),
            case .attribute(let column) = destination.mapping.slotColumns[slot],
            let attribute = destination.layout.slots[slot].property as? NSAttributeDescription,
            let type = PostgreSQLColumnType(attribute.attributeType), allows(function, values: type, result: result)
        else { return nil }
        // The server would add and average single-precision numbers with single precision.
        let cast = type == .real && (function == "sum" || function == "avg") ? "::double precision" : ""
        return PostgreSQLName.quoted(column) + cast
    }

    private static func keys(_ expression: PredicateSyntax.Expression) -> [String]? {
        guard case .keyPath(let path) = expression, path.startsAtEvaluatedObject,
            path.keyPath.collectionOperatorIndex == nil
        else { return nil }
        return path.keyPath.keys
    }

    /// Returns whether the server's aggregate function of a type's values has a result type.
    private static func allows(_ function: String?, values: PostgreSQLColumnType, result: PostgreSQLColumnType) -> Bool
    {
        switch function {
        case "sum", "avg": values.isNumber && result.isNumber
        case "min", "max": values == result && values != .boolean && values != .uuid && values != .bytea
        default: values == result || values.isNumber && result.isNumber
        }
    }

    private static func total(_ function: String?, column: String?, rows: String, type: PostgreSQLColumnType) -> String
    {
        guard let function, let column else { return "(SELECT count(*) \(rows))::\(type.declaration)" }
        let call = function == "sum" ? "coalesce(sum(b.\(column)), 0)" : "\(function)(b.\(column))"
        return "(SELECT \(call) \(rows))" + (type.isNumber ? "::\(type.declaration)" : "")
    }

    // MARK: Statements

    /// Returns the statements that lock the objects whose attribute the update of changed objects writes, and for a
    /// value of another object also that object. The parameters are those of `update(_:)`.
    ///
    /// The update then has a snapshot that includes what other programs have committed meanwhile.
    package func locks(namespace: String) -> [String] {
        let condition = condition(.changed(namespace: namespace))
        var statements = [counted("SELECT 1 FROM \(table) x WHERE \(condition) ORDER BY x._pk FOR NO KEY UPDATE")]
        if case .toOne(let columns) = position {
            statements.append(
                counted(
                    "SELECT 1 FROM \(destinationTable) b WHERE b._pk IN (SELECT x.\(PostgreSQLName.quoted(columns.key)) "
                        + "FROM \(table) x WHERE \(condition)) ORDER BY b._pk FOR SHARE"))
        }
        return statements
    }

    /// Returns a query that locks the rows of another one without returning each of them.
    private func counted(_ locks: String) -> String { "SELECT count(*) FROM (\(locks)) l" }

    /// The rows that a statement concerns.
    package enum Affected {
        case all
        /// The rows of changed objects and those related to them. The first parameter of the statement are the keys of
        /// objects that have the attribute, the second one those of the objects that were changed at the other end.
        case changed(namespace: String)
    }

    /// Returns the condition for rows aliased `x` that have the attribute and are affected.
    private func condition(_ affected: Affected) -> String {
        let condition = "x._entity IN (\(numbers.map(String.init).joined(separator: ", ")))"
        guard case .changed(let namespace) = affected else { return condition }
        return condition + " AND x._pk IN (SELECT unnest($1) UNION ALL \(related(namespace)))"
    }

    /// Returns the statement that updates the attribute where its value has changed. Its result contains the key,
    /// entity and value of each updated row.
    package func update(_ affected: Affected) -> String {
        let column = PostgreSQLName.quoted(column)
        return
            "UPDATE \(table) AS t SET \(column) = v.value FROM (SELECT x._pk, \(value) AS value FROM \(table) x WHERE "
            + "\(condition(affected))) v WHERE t._pk = v._pk AND t.\(column) IS DISTINCT FROM v.value "
            + "RETURNING t._pk, t._entity, t.\(column)"
    }

    /// Returns the query for the keys of objects related to those whose keys are the second parameter.
    private func related(_ namespace: String) -> String {
        func qualified(_ name: String) -> String {
            "\(PostgreSQLName.quoted(namespace)).\(PostgreSQLName.quoted(name))"
        }
        switch position {
        case .inverse(let columns):
            return
                "SELECT b.\(PostgreSQLName.quoted(columns.key)) FROM \(qualified(columns.table)) b WHERE b._pk = ANY($2)"
        case .join(let side):
            return "SELECT j.\(PostgreSQLName.quoted(side.own)) FROM \(qualified(side.table)) j "
                + "WHERE j.\(PostgreSQLName.quoted(side.other)) = ANY($2)"
        case .toOne(let columns):
            return "SELECT y._pk FROM \(table) y WHERE y.\(PostgreSQLName.quoted(columns.key)) = ANY($2)"
        case .nowhere, .attribute, .composite: return "SELECT unnest($2)"
        }
    }
}

extension PostgreSQLColumnType {
    /// Whether values are numbers, which the server converts to each other's types.
    fileprivate var isNumber: Bool {
        switch self {
        case .smallint, .integer, .bigint, .real, .double, .numeric: true
        case .date, .boolean, .text, .uuid, .bytea: false
        }
    }
}
