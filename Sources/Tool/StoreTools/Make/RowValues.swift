internal import Foundation
internal import ModelMigration
internal import ModelSchema

/// Generates the attribute values of an entity's rows, row by row.
struct RowValues {
    /// The attributes that get values, in the order of their names.
    let names: [String]
    private var columns: [Column] = []
    private let entity: String
    private let origin: ElementOrigin?
    /// The constraints, as indices of attributes; inherited ones are shared with other entities.
    private let constraints: [Constraint]
    /// The attributes that have to be unique.
    private let uniqueColumns: [Int]
    /// The number of values of each of them whose combinations are tried.
    private let radix: Int
    /// The titles of the constraints for which a row found no unique values. Later rows find none either.
    private var exhausted: Set<String> = []

    private struct Constraint {
        let owner: String
        let names: String
        let attributes: [Int]
        var title: String { "\(owner): \(names)" }
    }

    private struct Column {
        let owner: String
        var source: ValueSource
        var numbers: SeededNumbers
        /// Whether every row needs a value.
        let isRequired: Bool

        /// Returns the value of a row. One in `nilShare` random values of an optional attribute is `nil`.
        mutating func value(_ row: Int, nilShare: Int) -> Any? {
            switch row {
            case 0:
                if let value = source.defaultValue { return value }
                return isRequired ? source.edges.first ?? source.random(&numbers) : nil
            case 1 where !isRequired: return nil
            default:
                let edge = isRequired ? row - 1 : row - 2
                if source.edges.indices.contains(edge) { return source.edges[edge] }
                if !isRequired, numbers.chance(nilShare) { return nil }
                return source.random(&numbers) ?? source.edges.first
            }
        }
    }

    /// The fraction of an optional attribute's values that are `nil`: one in this number.
    private static let nilShare = 10
    private static let singleAttempts = 200
    private static let maximumAttempts = 4_200

    /// - Throws: `Unsatisfiable` if a required attribute has no valid value.
    init(_ entity: IndexedModel.IndexedEntity, _ model: IndexedModel, seed: UInt64) throws(Unsatisfiable) {
        self.entity = entity.name
        origin = entity.entity.origin
        var names: [String] = []
        for (name, owned) in entity.properties.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            guard case .attribute(let attribute) = owned.property, !attribute.isDerived else { continue }
            if attribute.isTransient, attribute.isOptional { continue }
            if attribute.type == .transformable, !TransformableValues.isKnown(attribute), attribute.isOptional {
                continue
            }
            var numbers = SeededNumbers(seed: seed, purpose: "\(entity.name).\(name)")
            guard let source = ValueSource(attribute, composites: model.model.composites, numbers: &numbers) else {
                if attribute.isOptional || attribute.type == .undefined { continue }
                throw Self.illegal(
                    entity.name, attribute: attribute,
                    why: "Values of the type \(attribute.type.xmlValue) cannot be made.")
            }
            guard !source.edges.isEmpty || source.random(&numbers) != nil || attribute.isOptional else {
                throw Self.illegal(
                    entity.name, attribute: attribute,
                    why: "It is required, and no value that meets its validation rules was found.")
            }
            names.append(name)
            columns.append(
                Column(owner: owned.owner, source: source, numbers: numbers, isRequired: !attribute.isOptional))
        }
        self.names = names
        var constraints: [Constraint] = []
        for owner in [entity.name] + entity.ancestors {
            for constraint in model.entities[owner]?.entity.uniquenessConstraints ?? [] {
                let attributes = constraint.properties.compactMap { names.firstIndex(of: $0.name) }
                let title = constraint.properties.map(\.name).joined(separator: ", ")
                if !attributes.isEmpty {
                    constraints.append(Constraint(owner: owner, names: title, attributes: attributes))
                }
            }
        }
        self.constraints = constraints
        uniqueColumns = Set(constraints.flatMap(\.attributes)).sorted()
        let combinations = Double(Self.maximumAttempts - Self.singleAttempts)
        radix = max(2, Int(pow(combinations, 1 / Double(max(1, uniqueColumns.count))).rounded(.down)))
    }

    private static func illegal(_ entity: String, attribute: Attribute, why: String) -> Unsatisfiable {
        Unsatisfiable(
            "no object of “\(entity)” can be made legal: “\(attribute.name)” has no legal value", at: attribute.origin,
            why: why, help: "Make the attribute optional, or change its rules.")
    }

    // MARK: Rows

    /// Returns the values of a row, in the order of `names`; `nil` for none.
    ///
    /// The first row has the defaults, the second no optional values, and the next ones the edge cases.
    ///
    /// - Parameter taken: The unique values that the store already has, by constraint.
    /// - Throws: `Unsatisfiable` if there are not enough unique values.
    mutating func row(_ index: Int, taken: inout [String: Set<[AnyHashable?]>]) throws(Unsatisfiable) -> [Any?] {
        var values: [Any?] = []
        values.reserveCapacity(columns.count)
        for column in columns.indices { values.append(value(column, index)) }
        var attempt = 0
        // Constraints may share attributes, so that a change for one of them can break another.
        while let clash = clash(of: values, taken) {
            if attempt < Self.maximumAttempts, !exhausted.contains(clash.title) {
                change(&values, for: clash, attempt: attempt, index: index, count: taken[clash.title]?.count ?? 0)
            } else if let column = clash.attributes.first(where: { !columns[$0].isRequired }) {
                exhausted.insert(clash.title)
                values[column] = nil
            } else {
                throw Unsatisfiable(
                    "“\(entity)” cannot have \(index + 1) objects: only \(taken[clash.title]?.count ?? 0) have different values "
                        + "of its unique “\(clash.names)”", at: origin,
                    why: "The uniqueness constraint of “\(clash.owner)” allows each value once.",
                    help: "Ask for fewer rows with --rows.")
            }
            attempt += 1
        }
        for constraint in constraints {
            if let key = key(of: values, constraint) { taken[constraint.title, default: []].insert(key) }
        }
        return values
    }

    private mutating func value(_ column: Int, _ index: Int) -> Any? {
        columns[column].value(index, nilShare: Self.nilShare)
    }

    /// Returns the value for a set. Hashing an `NSDecimalNumber` never terminates on Linux.
    private static func hashable(_ value: Any) -> AnyHashable? {
        (value as? NSDecimalNumber).map { AnyHashable($0.decimalValue) } ?? value as? AnyHashable
    }

    /// Returns the values of a constraint; `nil` if one is missing, because such rows are never duplicates of each
    /// other.
    private func key(of values: [Any?], _ constraint: Constraint) -> [AnyHashable?]? {
        let key = constraint.attributes.map { values[$0].flatMap(Self.hashable) }
        return key.contains(nil) ? nil : key
    }

    private func clash(of values: [Any?], _ taken: [String: Set<[AnyHashable?]>]) -> Constraint? {
        constraints.first { constraint in
            key(of: values, constraint).map { taken[constraint.title]?.contains($0) == true } ?? false
        }
    }

    /// Changes values of a constraint: one of them at first, then all attributes that have to be unique, in every
    /// combination.
    private mutating func change(
        _ values: inout [Any?], for constraint: Constraint, attempt: Int, index: Int, count: Int
    ) {
        if attempt < Self.singleAttempts {
            let column = constraint.attributes[attempt % constraint.attributes.count]
            set(&values, column: column, number: attempt < 2 * constraint.attributes.count ? index : count + attempt)
            return
        }
        var rest = attempt - Self.singleAttempts
        for column in uniqueColumns {
            set(&values, column: column, number: rest % radix)
            rest /= radix
        }
    }

    private mutating func set(_ values: inout [Any?], column: Int, number: Int) {
        let value = columns[column].source.numbered(number, &columns[column].numbers)
        values[column] = value ?? columns[column].source.random(&columns[column].numbers) ?? values[column]
    }
}
