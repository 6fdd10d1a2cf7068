internal import Foundation
internal import RuntimeSupport

/// A column of a request for dictionaries, or one that groups them.
package struct FetchColumn {
    /// The source of a column's value.
    enum Source {
        case path(FetchKeyPath)
        case expression(GroupExpression)
    }

    package let name: String
    let source: Source
    /// The type of an expression's result; undefined if the value is not converted.
    let type: NSAttributeType

    /// Creates a column from an element of `propertiesToFetch` or `propertiesToGroupBy`. Traps if it is not a column.
    ///
    /// - Parameters:
    ///   - property: A name or key path, a description of a property, or an expression description.
    ///   - method: The setter, for messages.
    ///   - isGrouped: Whether the column is evaluated for groups of rows.
    init(_ property: Any, _ layout: EntityLayout, method: String, isGrouped: Bool = false) {
        switch property {
        case let description as NSExpressionDescription:
            guard let expression = description.expression else {
                misuse(
                    "NSInvalidArgumentException",
                    "the expression description “\(description.name)” passed to \(method) has no expression")
            }
            self.init(
                name: description.name, source: .expression(GroupExpression(expression, layout, isGrouped: isGrouped)),
                type: description.expressionResultType)
        case let description as NSPropertyDescription: self.init(path: description.name, layout, method)
        case let path as String: self.init(path: path, layout, method)
        default: misuse("NSInvalidArgumentException", "Invalid property \(property) passed to \(method)")
        }
    }

    /// Creates a column from a key path.
    private init(path text: String, _ layout: EntityLayout, _ method: String) {
        let path = FetchKeyPath(text, layout)
        if path.passesToMany {
            misuse("NSInvalidArgumentException", "Invalid to-many relationship in \(method) (\(text))")
        }
        guard path.isStored, !path.hasMore else {
            misuse(
                "NSInvalidArgumentException",
                "Invalid keypath \(text) passed to \(method): only stored properties can be columns")
        }
        self.init(name: text, source: .path(path), type: .undefinedAttributeType)
    }

    private init(name: String, source: Source, type: NSAttributeType) {
        self.name = name
        self.source = source
        self.type = type
    }

    /// Returns the default columns of a request: all stored attributes and to-one relationships.
    static func all(_ layout: EntityLayout) -> [FetchColumn] {
        layout.rowSlots.map { FetchColumn(path: layout.slots[$0].name, layout, "setPropertiesToFetch:") }
    }

    static func name(of property: Any) -> String? {
        (property as? NSPropertyDescription)?.name ?? property as? String
    }

    /// Whether the value is an aggregate over rows.
    var isAggregate: Bool { aggregates?.isEmpty == false }

    /// The aggregates in an expression; `nil` for a key path.
    var aggregates: [GroupExpression.Aggregate]? {
        if case .expression(let expression) = source { expression.aggregates } else { nil }
    }

    /// The key paths that are read from a single row.
    var rowPaths: [String] {
        switch source {
        case .path(let path): [path.text]
        case .expression(let expression): expression.rowPaths
        }
    }

    /// Returns the value for a row, or for the rows of a group.
    ///
    /// - Parameters:
    ///   - row: The row, or the group's representative row; `nil` if the group is empty.
    ///   - group: All rows of the group.
    func value(_ row: (any SlotBacked)?, _ group: [any SlotBacked]) -> PredicateValue {
        switch source {
        case .path(let path): row.map { path.value(of: $0) } ?? .null
        case .expression(let expression): expression.value(row, group)
        }
    }

    /// Returns a value in the form used in dictionaries, or `nil` for a missing value.
    package func result(_ value: PredicateValue) -> Any? {
        switch (value, type) {
        case (.slotted(let object), _): return object.predicateIdentity ?? object
        case (.real(let number), .integer16AttributeType), (.real(let number), .integer32AttributeType),
            (.real(let number), .integer64AttributeType):
            return NSNumber(value: Int64(exactly: number.rounded(.towardZero)) ?? (number < 0 ? .min : .max))
        case (.decimal(let number), .integer16AttributeType), (.decimal(let number), .integer32AttributeType),
            (.decimal(let number), .integer64AttributeType):
            return NSNumber(value: number.int64Value)
        case (_, .doubleAttributeType) where value.isNumber, (_, .floatAttributeType) where value.isNumber:
            return NSNumber(value: value.doubleNumber)
        case (_, .decimalAttributeType) where value.isNumber: return value.decimalNumber
        case (_, .booleanAttributeType) where value.isNumber: return NSNumber(value: value.doubleNumber != 0)
        case (_, .dateAttributeType) where value.isNumber:
            return Date(timeIntervalSinceReferenceDate: value.doubleNumber)
        default: return value.any
        }
    }
}
