internal import Foundation
internal import RuntimeSupport

/// A prepared request for dictionaries: its columns, groups and condition, checked against the model.
///
/// Confined to the thread that created it.
package final class DictionaryPlan {
    private let columns: [FetchColumn]
    private let groups: [FetchColumn]
    private let having: HavingCondition?
    private let isAggregate: Bool
    private let isDistinct: Bool
    private let offset: Int
    private let limit: Int

    /// Creates a plan. Traps on columns that the model does not have, or that cannot be combined.
    package init(_ settings: FetchSettings, _ layout: EntityLayout) {
        groups = (settings.propertiesToGroupBy ?? []).map {
            FetchColumn($0, layout, method: "setPropertiesToGroupBy:")
        }
        var columns = Self.columns(settings, layout: layout, groups: groups, isGrouped: !groups.isEmpty)
        // Without groups, an aggregate is computed over all rows.
        isAggregate = columns.contains(where: \.isAggregate)
        if isAggregate, groups.isEmpty {
            columns = Self.columns(settings, layout: layout, groups: groups, isGrouped: true)
        }
        self.columns = columns
        having = settings.havingPredicate.map { HavingCondition($0, layout) }
        isDistinct = settings.returnsDistinctResults
        offset = settings.fetchOffset
        limit = settings.fetchLimit
        if !groups.isEmpty { checkGroups() }
    }

    private static func columns(
        _ settings: FetchSettings, layout: EntityLayout, groups: [FetchColumn], isGrouped: Bool
    ) -> [FetchColumn] {
        guard let properties = settings.propertiesToFetch else { return FetchColumn.all(layout) }
        let names = Set(groups.map(\.name))
        return properties.map { property in
            // What rows are grouped by is a value of each row.
            let isKey = FetchColumn.name(of: property).map { names.contains($0) } ?? false
            return FetchColumn(property, layout, method: "setPropertiesToFetch:", isGrouped: isGrouped && !isKey)
        }
    }

    private func checkGroups() {
        let grouped = Set(groups.flatMap(\.rowPaths))
        for column in columns where !groups.contains(where: { $0.name == column.name }) {
            guard column.rowPaths.allSatisfy(grouped.contains) else {
                misuse(
                    "NSInvalidArgumentException",
                    "SELECT clauses in queries with GROUP BY components can only contain properties named in the GROUP BY or "
                        + "aggregate functions (\(column.name))")
            }
        }
    }

    /// Whether an in-memory store's values suffice to compute the results.
    var readsStoredValues: Bool {
        (columns + groups).allSatisfy { column in
            if case .expression(let expression) = column.source { expression.readsStoredValues } else { true }
        } && having?.readsStoredValues ?? true
    }

    /// Returns the dictionaries for sorted rows.
    func dictionaries(_ rows: [any SlotBacked]) -> [NSDictionary] {
        if !groups.isEmpty { return dictionaries(ofGroups: grouped(rows)) }
        if isAggregate { return dictionaries(ofGroups: [rows]) }
        guard isDistinct else { return cut(rows).map { row in dictionary(columns.map { $0.value(row, []) }) } }
        return dictionaries(ofValues: rows.lazy.map { row in self.columns.map { $0.value(row, []) } })
    }

    /// Returns the rows grouped by equal values, in the order of each group's first row.
    private func grouped(_ rows: [any SlotBacked]) -> [[any SlotBacked]] {
        var positions: [[HashableValue]: Int] = [:]
        var result: [[any SlotBacked]] = []
        for row in rows {
            let key = groups.map { HashableValue(value: $0.value(row, [row])) }
            if let position = positions[key] {
                result[position].append(row)
            } else {
                positions[key] = result.count
                result.append([row])
            }
        }
        return result
    }

    private func dictionaries(ofGroups groups: [[any SlotBacked]]) -> [NSDictionary] {
        let values = groups.lazy.compactMap { group -> [PredicateValue]? in
            let row = self.row(of: group)
            let values = self.columns.map { $0.value(row, group) }
            if let having = self.having, let row,
                !having.holds(row, group: group, columns: self.columns, values: values)
            {
                return nil
            }
            return values
        }
        return dictionaries(ofValues: values)
    }

    /// Returns the representative row of a group: the one with the minimum or maximum if that is the only aggregate, as
    /// in SQLite, otherwise the first.
    private func row(of group: [any SlotBacked]) -> (any SlotBacked)? {
        let aggregates = columns.flatMap { $0.aggregates ?? [] }
        guard aggregates.count == 1, aggregates[0].isExtreme else { return group.first }
        let value = aggregates[0].value(group)
        return group.first { aggregates[0].argument.predicateValue(with: $0).equals(value) } ?? group.first
    }

    private func dictionaries(ofValues values: some Sequence<[PredicateValue]>) -> [NSDictionary] {
        var seen: Set<[HashableValue]> = []
        let requested =
            isDistinct ? values.filter { seen.insert($0.map { HashableValue(value: $0) }).inserted } : Array(values)
        return cut(requested).map(dictionary)
    }

    private func cut<Element>(_ elements: [Element]) -> ArraySlice<Element> {
        let rest = elements.dropFirst(offset)
        return limit > 0 ? rest.prefix(limit) : rest
    }

    private func dictionary(_ values: [PredicateValue]) -> NSDictionary {
        let dictionary = NSMutableDictionary()
        for (column, value) in zip(columns, values) {
            // A missing value has no key.
            if let result = column.result(value) { dictionary[column.name] = result }
        }
        return dictionary
    }
}
