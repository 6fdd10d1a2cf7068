/// The value of an expression, as far as SQL can express it.
enum Operand {
    case constant(PredicateValue)
    /// A value of a row.
    case scalar(SQLFragment, SQLType)
    /// A decimal number as text, with more digits than an SQL number. Only for result columns.
    case exactDecimal(SQLFragment)
    /// An attribute that SQL can only test for null.
    case opaque(SQLFragment)
    /// A composite attribute, or a group of its elements.
    case composite(ElementGroup)
    case object(ObjectReference)
    /// The description of an object's entity.
    case entity(ObjectReference)
    /// A collection of values or objects from other rows.
    case collection(RowCollection)
    /// `{a, b}`, with at least one element that is not constant.
    case list([Operand])
}

/// A composite attribute of a row, or a group of its elements.
struct ElementGroup {
    /// The elements with columns in the group.
    var elements: [(path: ArraySlice<String>, value: SQLFragment, type: SQLType?)]
    /// The row of a required attribute, which is `nil` only if the row is missing; `nil` for groups that are `nil` if
    /// they have no values.
    var requiredRow: ObjectReference?

    /// Accesses the element with a name; `nil` for an unknown one.
    subscript(name: String) -> Operand? {
        let below = elements.filter { $0.path.first == name }
        guard let first = below.first else { return nil }
        guard first.path.count > 1 else {
            return first.type.map { .scalar(first.value, $0) } ?? .opaque(first.value)
        }
        return .composite(ElementGroup(elements: below.map { ($0.path.dropFirst(), $0.value, $0.type) }))
    }

    /// The condition under which the group is `nil`.
    var isNull: Condition {
        get throws(Untranslatable) {
            if let requiredRow {
                guard requiredRow.isOptional else { return .never }
                let dialect = requiredRow.scope.dialect
                let key = dialect.column(dialect.keyColumn, of: try requiredRow.row())
                return Condition(sql: "\(key) IS NULL", isNullable: false)
            }
            guard !elements.isEmpty else { return .always }
            return Condition(
                sql: .joined(elements.map { "\($0.value) IS NULL" }, " AND "), isNullable: false)
        }
    }
}

/// The members of a to-many relationship, or their values.
struct RowCollection {
    /// The scope of the SELECT that yields them.
    var scope: QueryScope
    /// The condition that relates them to the current row.
    var link: SQLFragment
    /// The keys on the path to the relationship: if one is NULL, the collection is `nil`.
    var guards: [SQLFragment]
    /// The element: an object, or a value of one.
    var element: Element
    /// The elements that it has.
    var values = Values.members
    /// The condition of a subquery.
    var filter: SQLFragment?

    enum Element {
        case object(ObjectReference)
        case scalar(SQLFragment, SQLType)
    }

    enum Values {
        /// The members of a relationship, or for an aggregate a value of each.
        case members
        /// The distinct values of a key that are not `nil`, as in key-value coding of sets.
        case distinct
        /// The values of a key that are not `nil`.
        case all
    }

    /// Whether the elements are distinct values.
    var isDistinct: Bool { values == .distinct }

    var elementText: SQLFragment {
        switch element {
        case .object(let object): object.key
        case .scalar(let fragment, _): fragment
        }
    }

    /// Whether an element may be null.
    var mayHoldNull: Bool {
        switch element {
        case .object(let object): object.isOptional
        case .scalar: true
        }
    }

    func select(_ columns: SQLFragment, where conditions: [SQLFragment] = []) -> SQLFragment {
        let terms = [link] + [filter].compactMap { $0 } + conditions
        let all = SQLFragment.joined(terms.count == 1 ? terms : terms.map { "(\($0))" }, " AND ")
        return "SELECT \(columns) FROM \(scope.tables) WHERE \(all)"
    }

    /// Returns a value that is NULL if the collection is `nil`.
    func guarded(_ value: SQLFragment) -> SQLFragment {
        guard !guards.isEmpty else { return value }
        let conditions = SQLFragment.joined(guards.map { "\($0) IS NOT NULL" }, " AND ")
        return "CASE WHEN \(conditions) THEN \(value) END"
    }
}
