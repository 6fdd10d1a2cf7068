internal import Foundation
internal import PredicateSyntax

/// Key paths: attributes become columns, to-one relationships joins, and to-many relationships subqueries.
extension PredicateTranslator {
    /// Returns the operand at the end of a path of keys.
    func follow(_ keys: ArraySlice<String>, from start: Operand) throws -> Operand {
        var operand = start
        var rest = keys
        while let key = rest.first {
            switch operand {
            case .constant(let value): return .constant(value.value(forKeys: Array(rest)))
            case .object(let object):
                guard key.utf8.first != UInt8(ascii: "@") else { throw Untranslatable() }
                operand = try value(of: object, forKey: key)
            // A key of a value is not in the entity: Apple's store rejects it, the evaluator may support it.
            case .collection(let collection):
                if key.utf8.first == UInt8(ascii: "@") {
                    return try aggregate(collection, name: key, keys: rest.dropFirst())
                }
                operand = .collection(try values(of: collection, forKey: key))
            case .entity(let object):
                guard key == "name", rest.count == 1 else { throw Untranslatable() }
                return .scalar(try entityName(of: object), .string)
            case .composite(let group):
                guard let value = group[key] else {
                    throw UnsupportedRequest(description: "keypath \(keys.joined(separator: ".")) not found")
                }
                operand = value
            case .scalar, .exactDecimal, .opaque, .list: throw Untranslatable()
            }
            rest = rest.dropFirst()
        }
        return operand
    }

    private func value(of object: ObjectReference, forKey key: String) throws -> Operand {
        let entity = object.entity
        guard let index = entity.layout.index(of: key) else {
            switch key {
            case "self", "SELF", "objectID": return .object(object)
            case "entity": return .entity(object)
            // Keys that need an object in a context.
            case "managedObjectContext", "isInserted", "isUpdated", "isDeleted", "isFault", "hasChanges":
                throw Untranslatable()
            default: throw unknown(key, entity)
            }
        }
        let slot = entity.layout.slots[index]
        guard index < entity.mapping.slotColumns.count else { throw Untranslatable() }
        switch (entity.mapping.slotColumns[index], slot.kind) {
        case (.attribute(let column), .attribute(let type)):
            let sql = dialect.column(column, of: try object.row())
            guard let attribute = slot.property as? NSAttributeDescription, let type = SQLType(type, attribute) else {
                return .opaque(sql)
            }
            return .scalar(sql, type)
        case (.composite(let columns), _):
            guard let composite = slot.property as? NSCompositeAttributeDescription else { throw Untranslatable() }
            return .composite(try group(composite, columns, of: object))
        case (.toOne(let columns), _):
            guard let destination = model.entity(number: columns.destination) else { throw Untranslatable() }
            return .object(
                ObjectReference(
                    alias: try object.row(), column: columns.key, destination, isOptional: true, in: object.scope))
        case (.inverse(let columns), _): return .collection(try members(of: object, columns))
        case (.join(let side), _): return .collection(try members(of: object, side))
        case (.nowhere, .attribute), (.nowhere, .toOne), (.nowhere, .toMany): throw unknown(key, entity)
        case (.nowhere, .fetched), (.attribute, _): throw Untranslatable()
        }
    }

    private func group(
        _ composite: NSCompositeAttributeDescription, _ columns: [ElementColumn], of object: ObjectReference
    ) throws -> ElementGroup {
        let row = try object.row()
        let elements = zip(columns, CompositeValue.elements(of: composite)).map { column, leaf in
            let sql = dialect.column(column.column, of: row)
            return (leaf.path[...], sql, SQLType(leaf.element.attributeType, leaf.element))
        }
        return ElementGroup(elements: elements, requiredRow: composite.isOptional ? nil : object)
    }

    private func unknown(_ key: String, _ entity: FetchEntity) -> UnsupportedRequest {
        UnsupportedRequest(
            description:
                "keypath \(key) not found in entity <NSSQLEntity \(entity.layout.name) id=\(entity.mapping.number)>")
    }

    private func entityName(of object: ObjectReference) throws -> SQLFragment {
        let mapping = object.entity.mapping
        if mapping.numbers.count == 1, !mapping.sharesTable {
            // As in fetches, all rows of a table of one entity belong to it, regardless of their numbers.
            let key = dialect.column(dialect.keyColumn, of: try object.row())
            return "CASE WHEN \(key) IS NOT NULL THEN \(argument: .text(object.entity.layout.name)) END"
        }
        let number = try object.entityNumber()
        let cases = mapping.numbers.compactMap { model.mapping(number: $0) }.map { entity in
            " WHEN \(number: entity.number) THEN \(argument: .text(entity.name))" as SQLFragment
        }
        return "CASE \(number)\(SQLFragment.joined(cases, "")) END"
    }

    // MARK: To-many relationships

    /// Returns the key of an object that may be missing, which guards what is derived from it.
    private func guards(_ object: ObjectReference) -> [SQLFragment] { object.isOptional ? [object.key] : [] }

    private func members(of object: ObjectReference, _ columns: InverseColumns) throws -> RowCollection {
        guard let destination = model.entity(number: columns.destination) else { throw Untranslatable() }
        groups?.readsMembers = true
        let scope = try object.scope.inner(columns.table)
        return RowCollection(
            scope: scope, link: "\(dialect.column(columns.key, of: scope.alias)) = \(object.key)",
            guards: guards(object),
            element: .object(ObjectReference(row: scope.alias, destination, in: scope)))
    }

    private func members(of object: ObjectReference, _ side: JoinSide) throws -> RowCollection {
        guard let destination = model.entity(number: side.destination) else { throw Untranslatable() }
        groups?.readsMembers = true
        let scope = try object.scope.inner(side.table)
        return RowCollection(
            scope: scope, link: "\(dialect.column(side.own, of: scope.alias)) = \(object.key)", guards: guards(object),
            element: .object(
                ObjectReference(alias: scope.alias, column: side.other, destination, isOptional: false, in: scope)))
    }

    /// Returns the values of a key for each element, distinct and without `nil`, as in key-value coding of sets.
    private func values(of collection: RowCollection, forKey key: String) throws -> RowCollection {
        guard case .object(let object) = collection.element else { throw Untranslatable() }
        var result = collection
        switch try value(of: object, forKey: key) {
        case .scalar(let sql, let type): result.element = .scalar(sql, type)
        case .object(let other): result.element = .object(other)
        // Sets of sets are only supported by the evaluator.
        case .constant, .exactDecimal, .opaque, .composite, .entity, .collection, .list: throw Untranslatable()
        }
        // `self` yields the collection itself.
        if key != "self" { result.values = .distinct }
        return result
    }

    /// Returns the collection of `SUBQUERY(collection, $x, predicate)`.
    func subquery(_ query: Subquery, _ boxes: BoxTable) throws -> RowCollection {
        guard case .collection(var collection) = try operand(query.collection, boxes),
            case .object(let element) = collection.element, !collection.isDistinct
        else { throw Untranslatable() }
        let hidden = locals.updateValue(element, forKey: query.variable)
        defer { locals[query.variable] = hidden }
        let condition = try exactCondition(query.predicate, boxes)
        if condition.answer != true {
            let sql = condition.sql(dialect)
            collection.filter = collection.filter.map { "(\($0)) AND (\(sql))" } ?? sql
        }
        return collection
    }

    // MARK: Aggregates

    /// Returns the result of a collection operator and the keys after it.
    private func aggregate(
        _ collection: RowCollection, name: String, keys: ArraySlice<String>
    ) throws -> Operand {
        if name == "@count" { return .scalar(collection.guarded(count(collection)), .integer) }
        var values = collection
        if !keys.isEmpty {
            guard case .object(let object) = collection.element, !collection.isDistinct else { throw Untranslatable() }
            switch try follow(keys, from: .object(object)) {
            case .scalar(let sql, let type): values.element = .scalar(sql, type)
            default: throw Untranslatable()
            }
        }
        switch name {
        case "@sum": return try guarded(values, reduced(values, .sum))
        case "@avg":
            let (sql, type) = try reduced(values, .average)
            return guarded(values, (dialect.value(sql, ifNull: "0"), type))
        case "@min": return try guarded(values, reduced(values, .minimum))
        case "@max": return try guarded(values, reduced(values, .maximum))
        default: throw Untranslatable()
        }
    }

    private func guarded(_ collection: RowCollection, _ value: (sql: SQLFragment, type: SQLType)) -> Operand {
        .scalar(collection.guarded(value.sql), value.type)
    }

    /// Returns the number of elements.
    func count(_ collection: RowCollection) -> SQLFragment {
        let element = collection.elementText
        let counted: SQLFragment =
            switch collection.values {
            case .members: "*"
            case .distinct: "DISTINCT \(element)"
            case .all: element
            }
        return "(\(collection.select("COUNT(\(counted))")))"
    }

    /// Returns the aggregate of all elements. For sums and averages of members, `nil` counts as zero.
    func reduced(_ collection: RowCollection, _ aggregate: Aggregate) throws -> (sql: SQLFragment, type: SQLType) {
        guard case .scalar(let value, let type) = collection.element else { throw Untranslatable() }
        // A quotient may have more digits than a number in SQL.
        guard let result = aggregate.resultType(of: type), aggregate != .average || type != .decimal else {
            throw Untranslatable()
        }
        let argument = collection.isDistinct ? "v" : value
        guard let call = dialect.aggregate(aggregate, (number((argument, type)), type), skipsNull: false) else {
            throw Untranslatable()
        }
        if collection.isDistinct {
            let inner = collection.select("DISTINCT \(value) AS v", where: ["\(value) IS NOT NULL"])
            return ("(SELECT \(call) FROM \(dialect.table(inner)))", result)
        }
        let present: [SQLFragment] = collection.values == .all ? ["\(value) IS NOT NULL"] : []
        return ("(\(collection.select(call, where: present)))", result)
    }
}
